/**
 * listMemories: pages through memories by filter and order, without ranking.
 */
import { z } from 'zod';
import { checkLimit } from '../engine/index.ts';
import type { AnchorCheck, ListedMemory, ListQuery } from '../engine/index.ts';
import { filterFields, toFilters } from './fields.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';

const input = z.object({
  order: z.enum(['recent', 'created', 'importance', 'kind', 'file', 'recalled']).optional(),
  limit: z.number().optional(),
  offset: z.number().int().min(0).max(10_000_000).optional(),
  ids: z.array(z.string()).max(1_000).optional(),
  sessionId: z.string().optional(),
  externalId: z.string().optional(),
  untrusted: z.boolean().optional(),
  /** Also says of each anchored memory whether its code still says so. */
  checkAnchors: z.boolean().optional(),
  /** All repositories; memories name theirs [S2]. */
  global: z.boolean().optional(),
  ...filterFields,
});

export interface ListMemoriesOutput {
  readonly memories: readonly (ListedMemory & { readonly repository?: { readonly id: string; readonly name: string }; readonly anchorChecks?: readonly AnchorCheck[] })[];
  readonly total: number;
  readonly limit: number;
  readonly cappedFrom?: number;
  readonly offset: number;
}

export const listMemoriesOperation = defineOperation<z.output<typeof input>, ListMemoriesOutput>({
  name: 'listMemories',
  description: 'Lists memories by filter, page by page.',
  input,
  effect: 'read',
  needsConsent: false,
  async run(context, given) {
    const query = {
      filters: {
        ...toFilters(context, given),
        ...(given.ids === undefined ? {} : { ids: given.ids }),
        ...(given.sessionId === undefined ? {} : { sessionId: given.sessionId }),
        ...(given.externalId === undefined ? {} : { externalId: given.externalId }),
        ...(given.untrusted === undefined ? {} : { untrusted: given.untrusted }),
      },
      view: context.view,
      order: given.order,
      limit: given.limit,
      offset: given.offset,
    };
    const page = given.global === true ? await listEverywhere(context, query) : await context.engine.list(query);
    return given.checkAnchors === true ? { ...page, memories: await Promise.all(page.memories.map(async (listed) => withChecks(context, listed))) } : page;
  },
});

/** Other repositories' files are not here to be looked at. */
async function withChecks<T extends ListedMemory & { readonly repository?: { readonly id: string } }>(context: OperationContext, listed: T): Promise<T & { readonly anchorChecks?: readonly AnchorCheck[] }> {
  const isHere = listed.repository === undefined || listed.repository.id === context.repository?.id;
  return !isHere || listed.memory.anchors.length === 0 ? listed : { ...listed, anchorChecks: await context.engine.checkAnchors(listed.memory) };
}

/** Newest first across repositories; the user's memories once. */
async function listEverywhere(context: OperationContext, query: ListQuery): Promise<ListMemoriesOutput> {
  const offset = query.offset ?? 0;
  const { limit, cappedFrom } = checkLimit(query.limit, 1_000, 50);
  const upTo = { ...query, offset: 0, limit: Math.min(1_000, offset + limit) };
  const { repository } = context;
  const own = await context.engine.list(upTo);
  const rows = own.memories.map((entry) => (entry.store === 'user' || repository === undefined ? entry : { ...entry, repository: { id: repository.id, name: repository.name } }));
  let total = own.total;
  for (const entry of await context.host.listRepositories()) {
    if (entry.id === repository?.id) continue;
    const opened = await context.host.openRepository(entry.id).catch(() => undefined); // An unreadable store is doctor's to report.
    const page = await opened?.engine.list({ ...upTo, view: undefined, filters: { ...query.filters, stores: ['repository'] } });
    rows.push(...(page?.memories ?? []).map((found) => ({ ...found, repository: { id: entry.id, name: entry.name } })));
    total += page?.total ?? 0;
  }
  rows.sort((a, b) => b.memory.updatedAt - a.memory.updatedAt || (a.memory.id < b.memory.id ? 1 : -1));
  return { memories: rows.slice(offset, offset + limit), total, limit, offset, ...(cappedFrom === undefined ? {} : { cappedFrom }) };
}
