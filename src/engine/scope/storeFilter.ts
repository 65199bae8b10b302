/**
 * Recall filters and the view as the store's filter: what the rows can decide by themselves.
 * What they cannot (path globs, isolation of branches) is decided by visibilityOf afterwards.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { RecallFilters } from '../engineTypes.ts';
import type { MemoryStatus } from '../model/memory.ts';
import type { ViewContext } from '../model/repoFacts.ts';
import type { MemoryFilter } from '../storage/memoryStore.ts';

/** `statuses` stand where the caller named none. Expired memories are left out while only active ones are asked for. */
export function recallFilter(filters: RecallFilters, view: ViewContext | undefined, statuses: readonly MemoryStatus[], now: EpochMs): MemoryFilter {
  const { stores: _stores, ...conditions } = filters;
  const asksForOthers = filters.statuses?.some((status) => status !== 'active') === true;
  return {
    ...conditions,
    statuses: filters.statuses ?? statuses,
    ...(asksForOthers ? {} : { notExpiredAt: now }),
    // A person who asks for branch memories, or for one branch, sees them wherever they are.
    ...(view === undefined || filters.branch !== undefined || filters.scopeLevels?.includes('branch') === true ? {} : { visibleOnBranch: view.branch ?? null }),
  };
}
