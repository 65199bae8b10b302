/**
 * recall: the few memories that matter for a question, each with its explanation.
 * Without a query it lists what is recent.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { mergeRecallResults, countTokens } from '../engine/index.ts';
import type { Degradation, RecallResult } from '../engine/index.ts';
import { filterFields, toFilters } from './fields.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';

const input = z.object({
  query: z.string().max(100_000).optional().describe('Words or a question; in any language'),
  mode: z.enum(['hybrid', 'semantic', 'keyword']).optional(),
  limit: z.number().optional(),
  threshold: z.number().min(-1).max(1).optional(),
  exclude: z.array(z.string()).optional(),
  countUse: z.boolean().optional(),
  /** All repositories; results name theirs [S2]. */
  global: z.boolean().optional(),
  ...filterFields,
});

export const recallOperation = defineOperation<z.output<typeof input>, RecallResult>({
  name: 'recall',
  description: 'Finds the memories that matter for a question.',
  input,
  effect: 'read',
  needsConsent: false,
  async run(context, given) {
    const query = {
      query: given.query,
      mode: given.mode,
      limit: given.limit,
      threshold: given.threshold,
      filters: toFilters(context, given),
      view: context.view,
      exclude: given.exclude === undefined ? undefined : new Set(given.exclude),
      countUse: given.countUse,
      signal: context.signal,
    };
    if (given.global === true) return recallEverywhere(context, query);
    const result = await context.engine.recall(query);
    const { sessionId } = context.actor;
    // What Claude asked for it has: no prompt needs to bring it again.
    if (context.actor.surface === 'mcp' && sessionId !== undefined && result.results.length > 0) {
      await context.engine.injection.noteAsked({ sessionId, query: given.query ?? '', items: result.results.map(({ memory, store }) => ({ memoryId: memory.id, store, tokens: countTokens(memory.text), why: 'Claude asked' })) });
    }
    await context.engine.audit({ surface: context.actor.surface, sessionId: context.actor.sessionId, clientId: context.actor.clientId, verb: 'recall', memoryIds: result.results.map(({ memory }) => memory.id) });
    return result;
  },
});

/** Asks every registered repository and the user store once; a repository that cannot be opened is named, not fatal. */
async function recallEverywhere(context: OperationContext, query: Parameters<OperationContext['engine']['recall']>[0]): Promise<RecallResult> {
  const parts: { result: RecallResult; repository?: { id: string; name: string } }[] = [];
  const skipped: Degradation[] = [];
  const { repository } = context;
  parts.push({ result: await context.engine.recall(query), ...(repository === undefined ? {} : { repository: { id: repository.id, name: repository.name } }) });
  for (const entry of await context.host.listRepositories()) {
    if (entry.id === repository?.id) continue;
    if (context.signal.aborted) throw new CairnError('CANCELLED', 'Cancelled.');
    try {
      const opened = await context.host.openRepository(entry.id);
      parts.push({ result: await opened.engine.recall({ ...query, view: {}, filters: { ...query.filters, stores: ['repository'] } }), repository: { id: entry.id, name: entry.name } });
    } catch (error) {
      // One damaged store must not hide the answers of all others.
      skipped.push({ part: 'repository_skipped', message: `${entry.name} was left out: ${error instanceof Error ? error.message : String(error)}` });
    }
  }
  return mergeRecallResults(parts, query.limit, skipped);
}
