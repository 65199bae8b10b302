/**
 * replay: which past prompts would have got this memory, and how often what was given was
 * used [R9].
 */
import { z } from 'zod';
import { replay } from '../engine/index.ts';
import type { ReplayResult } from '../engine/index.ts';
import { idField, limitField } from './fields.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';

const input = z.object({ id: idField, maxPrompts: limitField(5_000, 200) });

export const replayOperation = defineOperation<z.output<typeof input>, ReplayResult>({
  name: 'replay',
  description: 'Which past prompts would have got a memory, and how often it was given and used.',
  input,
  effect: 'read',
  needsConsent: false,
  run: async (context, { id, maxPrompts }) =>
    hereOrElsewhere(context, id, async () => replay(context.engine, { memoryId: id, view: context.view, maxPrompts, signal: context.signal, onProgress: (progress) => context.progress(progress) })),
});
