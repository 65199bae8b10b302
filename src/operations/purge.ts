/**
 * purge: the explicit, complete end of content: rows, history, keyword index, vectors,
 * index file, WAL. Only this one cannot be undone, so it wants a `confirm`.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { idsField } from './fields.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';

const input = z.object({
  ids: idsField.optional(),
  /** Everything forgotten, or everything of this target's stores. */
  what: z.enum(['ids', 'forgotten', 'all']).optional(),
  confirm: z.literal(true, { error: 'purge cannot be undone; say yes (--yes, or confirm: true).' }),
});

export interface PurgeOutput {
  readonly purged: number;
  /** Backups may still hold the text; they are listed, not touched. */
  readonly backups: readonly string[];
}

export const purgeOperation = defineOperation<z.output<typeof input>, PurgeOutput>({
  name: 'purge',
  description: 'Removes content for good.',
  input,
  effect: 'destructive',
  needsConsent: false,
  async run(context, { ids, what }) {
    const backups = (await context.host.listBackups()).map(({ path }) => path);
    if (what === 'all') return { purged: await context.engine.purgeAll(), backups };
    const doomed = ids ?? (what === 'forgotten' ? await context.engine.idsWhere({ statuses: ['forgotten'] }) : undefined);
    if (doomed === undefined) throw new CairnError('INPUT_INVALID', 'Say what to purge: ids, --forgotten, or --all.', { data: { field: 'ids' } });
    await assertKnown(context, doomed);
    return { purged: await context.engine.purge(doomed), backups };
  },
});

/** Nobody should believe a text gone because of a slip in its id. What was purged before stays so. Throws ID_UNKNOWN, ID_OF_OTHER_REPOSITORY. */
async function assertKnown(context: OperationContext, ids: readonly string[]): Promise<void> {
  const { engine } = context;
  const known = new Set((await engine.getMany(ids)).map(({ id }) => id));
  const stores = engine.roles.map((role) => engine.store(role));
  for (const id of ids) {
    if (known.has(id) || (await Promise.all(stores.map(async (store) => store?.tombstone(id)))).some((tombstone) => tombstone !== undefined)) continue;
    await hereOrElsewhere(context, id, async () => engine.get(id));
  }
}
