/**
 * What a session has been given since its context was last emptied, read from receipts.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { EngineStore } from '../engineOptions.ts';
import type { Memory } from '../model/memory.ts';
import type { InjectionReceipt, StoreReader } from '../storage/memoryStore.ts';

export interface Given {
  /** Number of compactions so far: receipts with a lower one no longer count. */
  readonly compaction: number;
  /** Ids (and `profile:KEY`, `project:NAME`) that Claude still has before it, in the words that they have now. */
  readonly ids: ReadonlySet<string>;
  /** Ids of what was corrected since: the words that Claude has of it hold no longer. */
  readonly reworded: ReadonlySet<string>;
  /** Paths whose memories were given. */
  readonly files: ReadonlySet<string>;
  /** Tokens that Cairn put there unasked. */
  readonly tokens: number;
  readonly receipts: readonly InjectionReceipt[];
}

export const NOTHING_GIVEN: Given = { compaction: 0, ids: new Set(), reworded: new Set(), files: new Set(), tokens: 0, receipts: [] };

/** More than any session has before it is compacted. */
const MAX_RECEIPTS = 1_000;

/** The store that keeps receipts: the repository's, or the user's where there is none. */
export const receiptStore = (stores: readonly EngineStore[]): EngineStore | undefined => stores.find(({ role }) => role === 'repository') ?? stores[0];

/** Ids given after `given` was read, asked inside the write of a receipt: several hooks of one session run at once. */
export async function readIdsGivenSince(reader: Pick<StoreReader, 'receipts'>, sessionId: string, given: Given): Promise<ReadonlySet<string>> {
  const known = new Set(given.receipts.map(({ id }) => id));
  const receipts = await reader.receipts({ sessionId }, { limit: MAX_RECEIPTS, offset: 0 });
  return new Set(receipts.filter(({ id, compaction }) => compaction === given.compaction && !known.has(id)).flatMap(({ items }) => items.map(({ memoryId }) => memoryId)));
}

export async function readGiven(stores: readonly EngineStore[], sessionId: string): Promise<Given> {
  const receipts = (await receiptStore(stores)?.store.receipts({ sessionId }, { limit: MAX_RECEIPTS, offset: 0 })) ?? [];
  const compaction = Math.max(0, ...receipts.map((receipt) => receipt.compaction));
  const current = receipts.filter((receipt) => receipt.compaction === compaction);
  const givenAt = new Map<string, EpochMs>();
  for (const { at, items } of current) for (const { memoryId } of items) givenAt.set(memoryId, Math.max(at, givenAt.get(memoryId) ?? 0));
  const reworded = new Set(await rewordedSince(stores, givenAt));
  for (const id of reworded) givenAt.delete(id);
  return {
    compaction,
    ids: new Set(givenAt.keys()),
    reworded,
    files: new Set(current.filter((receipt) => receipt.moment === 'file').map((receipt) => receipt.about)),
    tokens: current.filter((receipt) => receipt.moment !== 'tool').reduce((sum, receipt) => sum + receipt.tokens, 0),
    receipts: current,
  };
}

/** Whether it takes the place of words that Claude still has before it. */
export const correctsGiven = ({ ids, reworded }: Pick<Given, 'ids' | 'reworded'>, { id, supersedes }: Pick<Memory, 'id' | 'supersedes'>): boolean => reworded.has(id) || supersedes.some((older) => ids.has(older) || reworded.has(older));

/** What was corrected after it was given: Claude has the old words of it. */
async function rewordedSince(stores: readonly EngineStore[], givenAt: ReadonlyMap<string, EpochMs>): Promise<string[]> {
  const ids = [...givenAt.keys()].filter((id) => !id.includes(':'));
  const reworded: string[] = [];
  for (const { store } of ids.length === 0 ? [] : stores) {
    for (const { id, updatedAt } of await store.getMemories(ids)) {
      const at = givenAt.get(id) ?? 0;
      if (updatedAt <= at) continue;
      const changes = await store.history(id);
      if (changes.some((change) => change.at > at && change.before !== undefined && change.before.text !== change.after.text)) reworded.push(id);
    }
  }
  return reworded;
}
