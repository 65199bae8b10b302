/**
 * Answers of the Memories tab and of Detail: lists, one memory, acts.
 */
import * as vscode from 'vscode';
import { isCairnError } from '../../base/errors.ts';
import type { MemoryDetail as EngineDetail, RecallResult, RelatedMemory } from '../../engine/index.ts';
import type { ListMemoriesOutput, RelatedOutput } from '../../operations/index.ts';
import { PAGE_SIZE } from '../../protocol/index.ts';
import type { ListFilters, ListPage, ListQuery, MemoryRow } from '../../protocol/index.ts';
import type { Acts } from '../acts.ts';
import type { EngineAccess } from '../engineAccess.ts';
import { degradationSentence } from '../engineWords.ts';
import type { Sources } from '../sources.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import { detailOf, listedRow, recalledRow } from './translate.ts';
import type { Handlers } from './webviewLink.ts';

const DAY_MS = 86_400_000;
const AGE_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, quarter: 90 * DAY_MS } as const;
const FILE_ROWS = 50;

export type MemoryHandlers = Pick<Handlers, 'listMemories' | 'memoriesOfFile' | 'listTags' | 'getMemory' | 'updateMemory' | 'actOnMemories' | 'stillTrue' | 'notRelevant' | 'undo' | 'copyMemories' | 'openAnchor' | 'reanchor' | 'openTranscript' | 'compareHistory' | 'restoreVersion'>;

export interface MemoryHandlerParts {
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
  readonly acts: Acts;
  readonly sources: Sources;
  readonly now: () => number;
}

export function filterInput(filters: ListFilters, now: number): Record<string, unknown> {
  return {
    ...(filters.kinds.length === 0 ? {} : { kinds: filters.kinds }),
    ...(filters.tags.length === 0 ? {} : { tags: filters.tags }),
    ...(filters.scopes.length === 0 ? {} : { scopes: filters.scopes }),
    ...(filters.statuses.length === 0 ? {} : { statuses: filters.statuses }),
    ...(filters.branch === undefined ? {} : { branch: filters.branch }),
    ...(filters.pinned === undefined ? {} : { pinned: filters.pinned }),
    ...(filters.age === undefined ? {} : { since: now - AGE_MS[filters.age] }),
  };
}

/** Orders found rows as the person asked; the engine's own order is relevance. */
export function sortRows(rows: readonly MemoryRow[], sort: ListQuery['sort']): MemoryRow[] {
  const sorted = [...rows];
  switch (sort) {
    case 'relevance': return sorted;
    case 'recent': return sorted.sort((a, b) => b.updatedAt - a.updatedAt);
    case 'importance': return sorted.sort((a, b) => b.importance - a.importance);
    case 'kind': return sorted.sort((a, b) => a.kind.localeCompare(b.kind));
    case 'file': return sorted.sort((a, b) => (a.anchor?.path ?? '\uffff').localeCompare(b.anchor?.path ?? '\uffff'));
  }
}

export function memoryHandlers({ engine, workspace, acts, sources, now }: MemoryHandlerParts): MemoryHandlers {
  const target = (): ReturnType<() => WorkspaceTarget['current']['target']> => workspace.current.target;
  const detail = async (id: string, signal?: AbortSignal): Promise<EngineDetail> => engine.ask<EngineDetail>('getMemory', { id }, target(), signal === undefined ? {} : { signal });

  async function search(query: ListQuery, signal: AbortSignal): Promise<ListPage> {
    // Searching in the sidebar is looking, not using: it must not change what Claude gets.
    const found = await engine.ask<RecallResult>('recall', { query: query.query, limit: PAGE_SIZE, countUse: false, ...filterInput(query.filters, now()) }, target(), { signal });
    const rows = sortRows(found.results.map(recalledRow), query.sort);
    return { rows: query.offset === 0 ? rows : [], total: rows.length, offset: query.offset, degradations: found.degradations.filter(({ part }) => part !== 'limit_capped').map(degradationSentence) };
  }

  async function relatedTo(id: string, signal: AbortSignal): Promise<readonly RelatedMemory[]> {
    try {
      return (await engine.ask<RelatedOutput>('relatedMemories', { id }, target(), { signal })).related;
    } catch (error) {
      if (isCairnError(error) && error.code === 'CANCELLED') throw error;
      return []; // An extra; Detail stands without them, and the failure is in the log.
    }
  }

  return {
    async listMemories(query, signal) {
      if (query.query !== '') return search(query, signal);
      const page = await engine.ask<ListMemoriesOutput>('listMemories', { order: query.sort === 'relevance' ? 'recent' : query.sort, limit: PAGE_SIZE, offset: query.offset, checkAnchors: true, ...filterInput(query.filters, now()) }, target(), { signal });
      return { rows: page.memories.map(listedRow), total: page.total, offset: query.offset, degradations: [] };
    },
    async memoriesOfFile({ path }, signal) {
      const page = await engine.ask<ListMemoriesOutput>('listMemories', { path, stores: ['repository'], limit: FILE_ROWS, order: 'recent', checkAnchors: true }, target(), { signal });
      return { rows: page.memories.map(listedRow), total: page.total };
    },
    async listTags(_params, signal) {
      const { tags } = await engine.ask<{ tags: { tag: string; count: number }[] }>('tags', {}, target(), { signal });
      return { tags };
    },
    async getMemory({ id }, signal) {
      const [found, related] = await Promise.all([detail(id, signal), relatedTo(id, signal)]);
      return detailOf(found, related);
    },
    updateMemory: async ({ id, patch, expectedVersion }) => acts.edit(id, patch, expectedVersion),
    actOnMemories: async ({ verb, ids }) => acts.change(verb, ids),
    stillTrue: async ({ id }) => acts.stillTrue(id),
    notRelevant: async ({ id, query }) => acts.notRelevant(id, query),
    undo: async () => acts.undo(),
    async copyMemories({ ids }) {
      const page = await engine.ask<ListMemoriesOutput>('listMemories', { ids: ids.slice(0, 1_000), limit: Math.min(1_000, ids.length), statuses: ['active', 'superseded', 'archived', 'forgotten'] }, target());
      const texts = new Map(page.memories.map(({ memory }) => [memory.id, memory.text]));
      await vscode.env.clipboard.writeText(ids.flatMap((id) => texts.get(id) ?? []).join('\n'));
      return { message: ids.length === 1 ? vscode.l10n.t('Copied') : vscode.l10n.t('Copied {0} memories', ids.length), undoable: false };
    },
    async openAnchor({ id, index }) {
      await sources.openAnchor(await detail(id), index);
      return {};
    },
    async reanchor({ id, index }) {
      const anchor = await sources.selectedAnchor();
      const { memory } = await detail(id);
      return acts.edit(id, { anchors: index < memory.anchors.length ? memory.anchors.with(index, anchor) : [...memory.anchors, anchor] }, memory.version);
    },
    async openTranscript({ id }) {
      await sources.openTurn((await detail(id)).memory.provenance);
      return {};
    },
    async compareHistory({ id, changeId }) {
      await sources.compare(await detail(id), changeId);
      return {};
    },
    async restoreVersion({ id, changeId }) {
      const found = await detail(id);
      const step = found.history.find((change) => change.changeId === changeId);
      if (step === undefined) throw new Error(vscode.l10n.t('That step of the history is not there.'));
      return acts.edit(id, { text: step.after.text }, found.memory.version, vscode.l10n.t('Restored an earlier text.'));
    },
  };
}
