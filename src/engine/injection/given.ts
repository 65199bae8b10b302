/**
 * What a session has been given since its context was last emptied, read from receipts.
 */
import type { EngineStore } from '../engineOptions.ts';
import type { InjectionReceipt } from '../storage/memoryStore.ts';

export interface Given {
  /** Number of compactions so far: receipts with a lower one no longer count. */
  readonly compaction: number;
  /** Ids (and `profile:KEY`, `project:NAME`) that Claude still has before it. */
  readonly ids: ReadonlySet<string>;
  /** Paths whose memories were given. */
  readonly files: ReadonlySet<string>;
  /** Tokens that Cairn put there unasked. */
  readonly tokens: number;
  readonly receipts: readonly InjectionReceipt[];
}

export const NOTHING_GIVEN: Given = { compaction: 0, ids: new Set(), files: new Set(), tokens: 0, receipts: [] };

/** More than any session has before it is compacted. */
const MAX_RECEIPTS = 1_000;

/** The store that keeps receipts: the repository's, or the user's where there is none. */
export const receiptStore = (stores: readonly EngineStore[]): EngineStore | undefined => stores.find(({ role }) => role === 'repository') ?? stores[0];

export async function readGiven(stores: readonly EngineStore[], sessionId: string): Promise<Given> {
  const receipts = (await receiptStore(stores)?.store.receipts({ sessionId }, { limit: MAX_RECEIPTS, offset: 0 })) ?? [];
  const compaction = Math.max(0, ...receipts.map((receipt) => receipt.compaction));
  const current = receipts.filter((receipt) => receipt.compaction === compaction);
  return {
    compaction,
    ids: new Set(current.flatMap((receipt) => receipt.items.map((item) => item.memoryId))),
    files: new Set(current.filter((receipt) => receipt.moment === 'file').map((receipt) => receipt.about)),
    tokens: current.filter((receipt) => receipt.moment !== 'tool').reduce((sum, receipt) => sum + receipt.tokens, 0),
    receipts: current,
  };
}
