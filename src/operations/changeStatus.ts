/**
 * forget, archive, restore and pin: the acts on one or many memories that only change
 * their standing. Each is one act and can be undone.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import type { ChangeVerb, MemoryStatus, StatusResult } from '../engine/index.ts';
import { filterFields, idsField, toFilters } from './fields.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';
import type { Operation, OperationContext } from './operation.ts';

const input = z.object({
  ids: idsField.optional(),
  /** Instead of ids: everything these filters pass. `all` says that no filter is meant. */
  filter: z.object({ ...filterFields, all: z.literal(true).optional() }).optional(),
  reason: z.string().max(500).optional(),
});
type Input = z.output<typeof input>;

async function idsOf(context: OperationContext, { ids, filter }: Input): Promise<string[]> {
  if (ids !== undefined) return ids;
  if (filter === undefined || (filter.all !== true && Object.values(filter).every((value) => value === undefined))) {
    throw new CairnError('INPUT_INVALID', 'Name memories by id, or give a filter.', { data: { field: 'ids' } });
  }
  return context.engine.idsWhere(toFilters(context, filter));
}

function statusOperation(name: string, description: string, status: MemoryStatus, verb: ChangeVerb, effect: Operation['effect']): Operation<Input, StatusResult> {
  return defineOperation<Input, StatusResult>({
    name,
    description,
    input,
    effect,
    needsConsent: false,
    async run(context, given) {
      const ids = await idsOf(context, given);
      const acting = { actor: context.actor, reason: given.reason };
      return hereOrElsewhere(context, ids[0] ?? '', async () => context.engine.setStatus(ids, status, verb, acting));
    },
  });
}

export const forgetOperation = statusOperation('forget', 'Forgets memories; undo until purge.', 'forgotten', 'forget', 'destructive');
export const archiveOperation = statusOperation('archive', 'Takes memories out of recall; restorable.', 'archived', 'archive', 'write');
export const restoreOperation = statusOperation('restore', 'Brings archived, superseded or forgotten memories back.', 'active', 'restore', 'write');

const pinInput = z.object({ ids: idsField, pinned: z.boolean() });

export const pinOperation = defineOperation<z.output<typeof pinInput>, { changed: string[] }>({
  name: 'pin',
  description: 'Pins memories so that every session starts with them, or unpins.',
  input: pinInput,
  effect: 'write',
  needsConsent: false,
  async run(context, { ids, pinned }) {
    for (const id of ids) await hereOrElsewhere(context, id, async () => context.engine.edit(id, { pinned }, { actor: context.actor }));
    return { changed: ids };
  },
});
