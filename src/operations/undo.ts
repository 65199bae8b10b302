/**
 * undo and history: what was changed, by whom and why, and taking an act back.
 */
import { z } from 'zod';
import type { MemoryChange, UndoResult } from '../engine/index.ts';
import { idField } from './fields.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';

const undoInput = z.object({ actId: z.string().optional(), reason: z.string().max(500).optional() });

export const undoOperation = defineOperation<z.output<typeof undoInput>, UndoResult>({
  name: 'undo',
  description: 'Takes back the last act, or the one named.',
  input: undoInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, { actId, reason }) => context.engine.undo(actId, { actor: context.actor, reason }),
});

const historyInput = z.object({ id: idField });

export const historyOperation = defineOperation<z.output<typeof historyInput>, { id: string; changes: readonly MemoryChange[] }>({
  name: 'history',
  description: 'Every change of one memory, oldest first.',
  input: historyInput,
  effect: 'read',
  needsConsent: false,
  run: async (context, { id }) => hereOrElsewhere(context, id, async () => ({ id, changes: await context.engine.history(id) })),
});
