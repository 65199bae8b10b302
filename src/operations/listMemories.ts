/**
 * listMemories: pages through memories by filter and order, without ranking.
 */
import { z } from 'zod';
import type { ListedMemory } from '../engine/index.ts';
import { filterFields, toFilters } from './fields.ts';
import { defineOperation } from './operation.ts';

const input = z.object({
  order: z.enum(['recent', 'created', 'importance', 'kind', 'file', 'recalled']).optional(),
  limit: z.number().optional(),
  offset: z.number().int().min(0).max(10_000_000).optional(),
  ids: z.array(z.string()).max(1_000).optional(),
  sessionId: z.string().optional(),
  externalId: z.string().optional(),
  untrusted: z.boolean().optional(),
  ...filterFields,
});

export interface ListMemoriesOutput {
  readonly memories: readonly ListedMemory[];
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
    return context.engine.list({
      filters: {
        ...toFilters(given, context.clock.now()),
        ...(given.ids === undefined ? {} : { ids: given.ids }),
        ...(given.sessionId === undefined ? {} : { sessionId: given.sessionId }),
        ...(given.externalId === undefined ? {} : { externalId: given.externalId }),
        ...(given.untrusted === undefined ? {} : { untrusted: given.untrusted }),
      },
      view: context.view,
      order: given.order,
      limit: given.limit,
      offset: given.offset,
    });
  },
});
