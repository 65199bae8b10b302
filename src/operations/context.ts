/**
 * getContext, previewContext, injected: what Claude gets, would get, and got.
 */
import { z } from 'zod';
import { formatScope } from '../engine/index.ts';
import type { InjectedBlock, InjectionReceipt } from '../engine/index.ts';
import { defineOperation } from './operation.ts';

const contextInput = z.object({ query: z.string().max(4_000).optional(), budgetTokens: z.number().int().min(100).max(20_000).optional() });

export interface ContextOutput {
  readonly text: string;
  readonly tokens: number;
  readonly project_id?: string;
  readonly memories: readonly { readonly id: string; readonly memory_type: string; readonly content: string; readonly importance: number; readonly scope: string; readonly why: string; readonly tokens: number; readonly pinned: boolean }[];
}

function toOutput(block: InjectedBlock, projectId: string | undefined): ContextOutput {
  return {
    text: block.text,
    tokens: block.tokens,
    project_id: projectId,
    memories: block.items.flatMap(({ memory, why, tokens }) =>
      memory === undefined ? [] : [{ id: memory.id, memory_type: memory.kind, content: memory.text, importance: memory.importance, scope: formatScope(memory.scope), why, tokens, pinned: memory.pinned }]),
  };
}

export const getContextOperation = defineOperation<z.output<typeof contextInput>, ContextOutput>({
  name: 'getContext',
  description: 'The block a session starts with, and what is relevant to a query.',
  input: contextInput,
  effect: 'read',
  needsConsent: false,
  run: async (context, { query, budgetTokens }) => toOutput(await context.engine.injection.preview({ view: context.view, query: query?.trim() === '' ? undefined : query, budgetTokens }), context.repository?.id),
});

const previewInput = z.object({});

export const previewContextOperation = defineOperation<z.output<typeof previewInput>, ContextOutput>({
  name: 'previewContext',
  description: 'What the next session would get.',
  input: previewInput,
  effect: 'read',
  needsConsent: false,
  run: async (context) => toOutput(await context.engine.injection.preview({ view: context.view }), context.repository?.id),
});

const injectedInput = z.object({ sessionId: z.string().optional(), memoryId: z.string().optional(), limit: z.number().int().min(1).max(1_000).optional(), offset: z.number().int().min(0).optional() });

export interface InjectedOutput {
  readonly receipts: readonly (InjectionReceipt & { readonly items: readonly (InjectionReceipt['items'][number] & { readonly text?: string; readonly kind?: string; readonly pinned?: boolean })[] })[];
  /** What the sessions are called, by id. */
  readonly titles: Readonly<Record<string, string>>;
  readonly budget: { readonly startTokens: number; readonly promptTokens: number; readonly fileTokens: number; readonly sessionTokens: number };
}

export const injectedOperation = defineOperation<z.output<typeof injectedInput>, InjectedOutput>({
  name: 'injected',
  description: 'What sessions were given: when, what, why, tokens.',
  input: injectedInput,
  effect: 'read',
  needsConsent: false,
  async run(context, given) {
    const receipts = await context.engine.receipts({ sessionId: given.sessionId, memoryId: given.memoryId }, { limit: given.limit ?? 100, offset: given.offset ?? 0 });
    const texts = new Map<string, { text: string; kind: string; pinned: boolean }>();
    const ids = [...new Set(receipts.flatMap(({ items }) => items.map(({ memoryId }) => memoryId)))];
    for (const memory of await context.engine.getMany(ids)) texts.set(memory.id, { text: memory.text, kind: memory.kind, pinned: memory.pinned });
    const titles = await context.engine.sessionTitles(receipts.map(({ sessionId }) => sessionId));
    return { titles, receipts: receipts.map((receipt) => ({ ...receipt, items: receipt.items.map((item) => ({ ...item, ...texts.get(item.memoryId) })) })), budget: context.engine.injectionBudget() };
  },
});
