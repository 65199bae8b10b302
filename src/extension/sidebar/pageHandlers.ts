/**
 * Answers of the pages in the editor area (first run, insights, graph) and the commands
 * that any page may run.
 */
import * as vscode from 'vscode';
import type { RecallResult, Relation } from '../../engine/index.ts';
import type { DoctorOutput, InsightsOutput, ListMemoriesOutput } from '../../operations/index.ts';
import type { ConsentAnswer, FirstRunCheck, FirstRunState, GraphPage } from '../../protocol/index.ts';
import type { ClaudeRegistration } from '../claudeRegistration.ts';
import type { EngineAccess } from '../engineAccess.ts';
import { degradationSentence } from '../engineWords.ts';
import { inTheirLanguage, speaksEnglish } from '../errorWords.ts';
import type { HostState } from '../hostState.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import { graphAround } from './graphData.ts';
import { insightsPageOf } from './insightsData.ts';
import type { Handlers } from './webviewLink.ts';

export type PageHandlers = Pick<Handlers, 'insights' | 'exportTable' | 'graph' | 'openMemory' | 'openGraph' | 'firstRun' | 'answerConsent' | 'runCommand'>;

export interface PageHandlerParts {
  readonly engine: EngineAccess;
  readonly state: HostState;
  readonly workspace: WorkspaceTarget;
  readonly registration: ClaudeRegistration;
  readonly home: string;
}

const GRAPH_RELATIONS = 1_000;

export function pageHandlers({ engine, state, workspace, registration, home }: PageHandlerParts): PageHandlers {
  const target = (): WorkspaceTarget['current']['target'] => workspace.current.target;

  async function storeCheck(): Promise<FirstRunCheck> {
    try {
      const { checks } = await engine.ask<DoctorOutput>('doctor', {}, target());
      const bad = checks.find((check) => check.state === 'failed' && /store|home|disk/i.test(`${check.id} ${check.title}`));
      if (bad === undefined) return { id: 'store', state: 'ok', detail: home };
      return { id: 'store', state: 'failed', detail: speaksEnglish() ? `${bad.detail} ${bad.cure ?? ''}`.trim() : vscode.l10n.t('“Cairn: Doctor” says why, and what to do.') };
    } catch (error) {
      return { id: 'store', state: 'failed', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async function registeredCheck(): Promise<FirstRunCheck> {
    try {
      const { registered, detail } = await registration.inspect();
      return { id: 'registered', state: registered ? 'ok' : 'failed', detail };
    } catch (error) {
      const told = inTheirLanguage(error);
      return { id: 'registered', state: 'failed', detail: told instanceof Error ? told.message : String(told) };
    }
  }

  async function modelCheck(): Promise<FirstRunCheck> {
    const embedder = state.status?.embedder ?? '';
    if (embedder === 'ready') return { id: 'model', state: 'ok', detail: '' };
    try {
      // A search by meaning makes the model load; its answer says whether it could.
      const found = await engine.ask<RecallResult>('recall', { query: 'cairn', mode: 'semantic', limit: 1, countUse: false }, target());
      const missing = found.degradations.find(({ part }) => part.startsWith('embedder'));
      if (missing?.part === 'embedder_starting') return { id: 'model', state: 'running', detail: degradationSentence(missing) };
      return missing === undefined ? { id: 'model', state: 'ok', detail: '' } : { id: 'model', state: 'failed', detail: degradationSentence(missing) };
    } catch (error) {
      return { id: 'model', state: 'failed', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async function firstRunState(): Promise<FirstRunState> {
    if (state.status === undefined) await state.refreshNow();
    const enabled = state.status?.enabled === true;
    const name = state.snapshot.workspace === 'folder' ? (state.status?.repository?.name ?? workspace.current.folder?.name) : undefined;
    return { home, enabled, checks: enabled ? await Promise.all([storeCheck(), registeredCheck(), modelCheck()]) : [], ...(name === undefined ? {} : { repositoryName: name }) };
  }

  async function answer(consent: ConsentAnswer): Promise<FirstRunState> {
    if (consent === 'no') return firstRunState();
    if (state.snapshot.workspace === 'untrusted') throw new Error(vscode.l10n.t('This folder is not trusted. Trust it first; nothing is registered for untrusted folders.'));
    await engine.ask('setEnabled', { enabled: true, ...(consent === 'everywhere' ? { everywhere: true } : {}) }, target());
    try {
      await registration.register();
    } finally {
      // Whatever registration said, the yes is given; its check shows what is missing.
      await state.refreshNow();
      state.bump();
    }
    if (state.snapshot.workspace === 'folder') void vscode.commands.executeCommand('cairn.backfill', { afterConsent: true });
    return firstRunState();
  }

  return {
    insights: async (_params, signal) => insightsPageOf(await engine.ask<InsightsOutput>('insights', {}, target(), { signal })),
    async exportTable({ name, csv }) {
      const uri = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.joinPath(vscode.Uri.file(home), '..'), `${name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')}.csv`), filters: { CSV: ['csv'] } });
      if (uri !== undefined) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(csv));
      return {};
    },
    async graph({ focus }, signal): Promise<GraphPage> {
      const { relations, entities } = await engine.ask<{ relations: readonly Relation[]; entities: readonly { name: string; relations: number }[] }>('relations', { limit: GRAPH_RELATIONS }, target(), { signal });
      const ids = [...new Set(relations.flatMap(({ memoryId }) => memoryId ?? []))];
      const { memories } = ids.length === 0 ? { memories: [] } : await engine.ask<ListMemoriesOutput>('listMemories', { ids, limit: ids.length }, target(), { signal });
      return graphAround({ relations, entities, memories: memories.map(({ memory }) => memory) }, focus);
    },
    async openMemory({ id }) {
      await vscode.commands.executeCommand('cairn.memory.open', id);
      return {};
    },
    async openGraph({ focus }) {
      await vscode.commands.executeCommand('cairn.openGraph', focus);
      return {};
    },
    firstRun: async () => firstRunState(),
    answerConsent: async ({ answer: given }) => answer(given),
    async runCommand({ command }) {
      await vscode.commands.executeCommand(command === 'cairn.manageTrust' ? 'workbench.trust.manage' : command);
      return {};
    },
  };
}
