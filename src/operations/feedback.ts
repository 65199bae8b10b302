/**
 * notRelevant and stillTrue: what a person says about a result [R6] and about an anchor
 * that changed [F4].
 */
import { z } from 'zod';
import type { Memory } from '../engine/index.ts';
import { idField } from './fields.ts';
import { defineOperation } from './operation.ts';

const notRelevantInput = z.object({ id: idField, query: z.string().optional() });

export const notRelevantOperation = defineOperation<z.output<typeof notRelevantInput>, { memory: Memory; actId: string }>({
  name: 'notRelevant',
  description: 'Says that a result was not relevant; lowers its rank a little, within limits.',
  input: notRelevantInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, { id }) => context.engine.markNotRelevant(id, { actor: context.actor }),
});

const stillTrueInput = z.object({ id: idField });

export const stillTrueOperation = defineOperation<z.output<typeof stillTrueInput>, { memory: Memory; actId: string }>({
  name: 'stillTrue',
  description: 'Confirms a memory whose anchored code changed, and anchors it to the code as it is.',
  input: stillTrueInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, { id }) => context.engine.confirmStillTrue(id, { actor: context.actor }),
});
