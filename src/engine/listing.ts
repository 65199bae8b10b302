/**
 * Listing over two stores as if they were one: filters translated for the store, pages
 * merged in order without reading either store from its start.
 */
import type { ListedMemory, RecallFilters, StoreRole } from './engineTypes.ts';
import type { EngineStore } from './engineOptions.ts';
import type { Memory } from './model/memory.ts';
import type { ViewContext } from './model/repoFacts.ts';
import type { MemoryFilter, MemoryOrder } from './storage/memoryStore.ts';

export type ListFilters = RecallFilters & { readonly ids?: readonly string[]; readonly sessionId?: string; readonly untrusted?: boolean; readonly externalId?: string };

/** Default status is active; a listing of ids asks for any status. */
export function toStoreFilter(filters: ListFilters, view: ViewContext | undefined): MemoryFilter {
  const { stores: _stores, ...rest } = filters;
  return {
    ...rest,
    statuses: filters.statuses ?? (filters.ids === undefined && filters.externalId === undefined ? ['active'] : undefined),
    ...(view === undefined || filters.scopeLevels?.includes('branch') === true ? {} : { visibleOnBranch: view.branch ?? null }),
  };
}

/** The same orders as the store's, for merging. Ties fall to the newer id. */
export function compareMemories(order: MemoryOrder): (a: Memory, b: Memory) => number {
  const newerId = (a: Memory, b: Memory): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
  const recent = (a: Memory, b: Memory): number => b.updatedAt - a.updatedAt || newerId(a, b);
  switch (order) {
    case 'recent': return recent;
    case 'created': return (a, b) => b.createdAt - a.createdAt || newerId(a, b);
    case 'importance': return (a, b) => b.importance - a.importance || recent(a, b);
    case 'kind': return (a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0) || recent(a, b);
    case 'file': return (a, b) => comparePaths(a.anchors[0]?.path, b.anchors[0]?.path) || recent(a, b);
    case 'recalled': return (a, b) => (b.lastRecalledAt ?? -1) - (a.lastRecalledAt ?? -1) || recent(a, b);
  }
}

function comparePaths(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}

/** The smaller store is read whole up to this many rows when two are merged. */
const MERGE_ROWS = 5_000;

export interface MergedPage {
  readonly memories: ListedMemory[];
  readonly total: number;
}

/**
 * Page [offset, offset + limit) of both stores merged. Position of the larger store's row i
 * is i plus the number of the smaller store's rows before it; so reading the larger store
 * from `offset - smaller.total` on is enough.
 */
export async function listMerged(stores: readonly EngineStore[], filter: MemoryFilter, page: { limit: number; offset: number; order: MemoryOrder }): Promise<MergedPage> {
  const tag = (role: StoreRole, memories: readonly Memory[]): ListedMemory[] => memories.map((memory) => ({ memory, store: role }));
  const counted = await Promise.all(stores.map(async ({ role, store }) => ({ role, store, total: await store.countMemories(filter) })));
  const total = counted.reduce((sum, entry) => sum + entry.total, 0);
  const [small, large] = counted.filter((entry) => entry.total > 0).sort((a, b) => a.total - b.total);
  if (small === undefined) return { memories: [], total };
  if (large === undefined) return { memories: tag(small.role, await small.store.listMemories(filter, page)), total };
  const smallRows = tag(small.role, await small.store.listMemories(filter, { limit: MERGE_ROWS, offset: 0, order: page.order }));
  // At least one row of the larger store is read: it tells where in the whole the window begins.
  const start = Math.max(0, Math.min(page.offset - smallRows.length, large.total - 1));
  const largeRows = tag(large.role, await large.store.listMemories(filter, { limit: page.limit + smallRows.length, offset: start, order: page.order }));
  const compare = compareMemories(page.order);
  const first = largeRows[0];
  const before = first === undefined ? smallRows.length : smallRows.filter((row) => compare(row.memory, first.memory) < 0).length;
  const rest = first === undefined || start === 0 ? smallRows : smallRows.slice(before);
  const merged = [...rest, ...largeRows].sort((a, b) => compare(a.memory, b.memory));
  const position = start === 0 ? 0 : start + before;
  const from = Math.max(0, page.offset - position);
  return { memories: merged.slice(from, from + page.limit), total };
}
