/**
 * Answers of the Inbox and Injected tabs.
 */
import * as vscode from 'vscode';
import type { InboxDecision, InboxPage as EngineInbox, Job, Observation } from '../../engine/index.ts';
import type { ContextOutput, InjectedOutput } from '../../operations/index.ts';
import { kindName } from '../../protocol/index.ts';
import type { ContextPreview, Done, InboxGroup, InboxPage, InjectedSession, ProposalRow } from '../../protocol/index.ts';
import type { EngineAccess } from '../engineAccess.ts';
import type { Sources } from '../sources.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import { scopeText } from './translate.ts';
import type { Handlers } from './webviewLink.ts';

export type InboxHandlers = Pick<Handlers, 'listInbox' | 'acceptProposals' | 'mergeProposal' | 'rejectProposals' | 'trustRule' | 'acceptAlike' | 'openProposalTurn' | 'listInjected'>;

export interface InboxHandlerParts {
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
  readonly sources: Sources;
  /** Remembers how to take a decision back. */
  readonly decided: (ids: readonly string[], what: string) => Done;
  /** Remembers how to take back anything else. */
  readonly did: (what: string, takeBack: () => Promise<void>) => Done;
  /** After what the person did before. */
  readonly inOrder: <T>(act: () => Promise<T>) => Promise<T>;
}

/** An item of a receipt, with what is still known of its memory. */
type GivenItem = InjectedOutput['receipts'][number]['items'][number] & { readonly text?: string; readonly kind?: string; readonly pinned?: boolean };

const MOST_PROPOSALS = 1_000;
const SESSIONS_SHOWN = 300;
const EVENTS = { start: 'SessionStart', prompt: 'UserPromptSubmit', file: 'PreToolUse', tool: 'recall' } as const;

export function proposalRow(observation: Observation, targets: EngineInbox['targets']): ProposalRow {
  const from = observation.provenance;
  const targetId = 'targetId' in observation.outcome ? observation.outcome.targetId : undefined;
  const target = targetId === undefined ? undefined : targets[targetId];
  return {
    id: observation.id, text: observation.text, kind: observation.kind, importance: observation.importance, confidence: observation.confidence, tags: [...observation.tags],
    scope: scopeText(observation.scope), outcome: observation.outcome.verb, why: observation.why, untrusted: observation.untrusted, suspicious: observation.suspicious,
    createdAt: observation.createdAt, sessionId: from.sessionId ?? '', hasTranscript: from.transcriptPath !== undefined,
    ...(targetId === undefined || target === undefined ? {} : { target: { id: targetId, ...target } }),
    ...(from.quote === undefined ? {} : { quote: from.quote }), ...(from.context === undefined ? {} : { context: from.context }), ...(from.speaker === undefined ? {} : { speaker: from.speaker }),
  };
}

/** Groups by session in the order of the list, which has the newest session first. */
export function groupBySession({ observations, targets, titles }: Pick<EngineInbox, 'observations' | 'targets' | 'titles'>): InboxGroup[] {
  const groups = new Map<string, Observation[]>();
  for (const observation of observations) {
    const key = observation.provenance.sessionId ?? '';
    groups.set(key, [...(groups.get(key) ?? []), observation]);
  }
  return [...groups].map(([sessionId, members]) => ({
    sessionId,
    ...(titles[sessionId] === undefined ? {} : { title: titles[sessionId] }),
    at: Math.max(...members.map((member) => member.provenance.saidAt ?? member.createdAt)),
    proposals: members.map((member) => proposalRow(member, targets)),
  }));
}

export function injectedSessions({ receipts, titles, budget }: InjectedOutput): InjectedSession[] {
  const sessions = new Map<string, InjectedSession>();
  for (const receipt of receipts) {
    const title = titles[receipt.sessionId];
    const known = sessions.get(receipt.sessionId) ?? { sessionId: receipt.sessionId, ...(title === undefined ? {} : { title }), startedAt: receipt.at, tokens: 0, budgetTokens: budget.sessionTokens, injections: [] };
    const budgetTokens = receipt.moment === 'start' ? budget.startTokens : receipt.moment === 'prompt' ? budget.promptTokens : receipt.moment === 'file' ? budget.fileTokens : undefined;
    known.injections.push({
      event: EVENTS[receipt.moment], at: receipt.at, tokens: receipt.tokens,
      ...(receipt.about === '' ? {} : { about: receipt.about }), ...(budgetTokens === undefined ? {} : { budgetTokens }),
      memories: (receipt.items as readonly GivenItem[]).map((item) => ({ id: item.memoryId, text: item.text ?? otherText(item.memoryId), tokens: item.tokens, why: item.why, pinned: item.pinned ?? false, isMemory: item.text !== undefined, ...optionalKind(item.kind) })),
    });
    sessions.set(receipt.sessionId, { ...known, startedAt: Math.min(known.startedAt, receipt.at), tokens: known.tokens + receipt.tokens });
  }
  for (const session of sessions.values()) session.injections.sort((a, b) => a.at - b.at);
  return [...sessions.values()].sort((a, b) => b.startedAt - a.startedAt);
}

/** What is given beside memories bears a name of its own. */
function otherText(id: string): string {
  const [what, ...name] = id.split(':');
  if (what === 'profile') return vscode.l10n.t('Profile: {0}', name.join(':'));
  return what === 'project' ? vscode.l10n.t('Project: {0}', name.join(':')) : vscode.l10n.t('(purged)');
}

function optionalKind(kind: string | undefined): { kind?: ProposalRow['kind'] } {
  const parsed = kindName.safeParse(kind);
  return parsed.success ? { kind: parsed.data } : {};
}

export function inboxHandlers({ engine, workspace, sources, decided, did, inOrder }: InboxHandlerParts): InboxHandlers {
  const target = (): WorkspaceTarget['current']['target'] => workspace.current.target;
  let shown: readonly Observation[] = [];

  async function lastExtraction(signal: AbortSignal): Promise<InboxPage['lastExtraction']> {
    const { jobs } = await engine.ask<{ jobs: readonly Job[] }>('jobs', {}, target(), { signal });
    const last = jobs.filter((job) => job.endedAt !== undefined && (job.purpose === 'extract' || job.purpose === 'backfill')).sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))[0];
    if (last?.endedAt === undefined) return undefined;
    const proposed = last.detail?.['proposed'];
    return { at: last.endedAt, costUsd: (last.microUsd ?? 0) / 1e6, proposed: typeof proposed === 'number' ? proposed : 0 };
  }

  return {
    async listInbox(_params, signal) {
      const page = await engine.ask<EngineInbox>('listInbox', { limit: MOST_PROPOSALS }, target(), { signal });
      shown = page.observations;
      const last = page.total === 0 ? await lastExtraction(signal) : undefined;
      return { groups: groupBySession(page), total: page.total, folded: page.folded, offers: page.offers.map((offer) => ({ ...offer })), ...(last === undefined ? {} : { lastExtraction: last }) };
    },
    acceptProposals: async ({ ids, edit }) => inOrder(async () => {
      await engine.ask<InboxDecision>('acceptObservation', { ids, ...(edit === undefined ? {} : { edit }) }, target());
      return decided(ids, ids.length === 1 ? vscode.l10n.t('Accepted') : vscode.l10n.t('Accepted {0}', ids.length));
    }),
    mergeProposal: async ({ id, targetId }) => inOrder(async () => {
      await engine.ask<InboxDecision>('mergeObservation', { id, targetId }, target());
      return decided([id], vscode.l10n.t('Merged'));
    }),
    rejectProposals: async ({ ids, reason }) => inOrder(async () => {
      if (reason !== undefined) {
        // The reason comes after the key that rejected: the decision is taken back and made again with it.
        await engine.ask<InboxDecision>('undoDecision', { ids }, target());
        await engine.ask<InboxDecision>('rejectObservation', { ids, reason }, target());
        return { message: vscode.l10n.t('Noted why'), undoable: false };
      }
      await engine.ask<InboxDecision>('rejectObservation', { ids }, target());
      return decided(ids, ids.length === 1 ? vscode.l10n.t('Rejected') : vscode.l10n.t('Rejected {0}', ids.length));
    }),
    trustRule: async ({ rule }) => inOrder(async () => {
      await engine.ask('trustRule', { rule, trusted: true }, target());
      return did(vscode.l10n.t('What {0} finds is accepted without review', rule), async () => { await engine.ask('trustRule', { rule, trusted: false }, target()); });
    }),
    acceptAlike: async ({ rule }) => inOrder(async () => {
      const { decided: all } = await engine.ask<InboxDecision>('acceptObservation', { rule }, target());
      return decided(all.map(({ observationId }) => observationId), vscode.l10n.t('Accepted {0}', all.length));
    }),
    async openProposalTurn({ id }) {
      const observation = shown.find((candidate) => candidate.id === id);
      if (observation === undefined) throw new Error(vscode.l10n.t('That proposal is no longer in the inbox.'));
      await sources.openTurn(observation.provenance);
      return {};
    },
    async listInjected(_params, signal) {
      const [preview, injected] = await Promise.all([
        engine.ask<ContextOutput>('previewContext', {}, target(), { signal }),
        engine.ask<InjectedOutput>('injected', { limit: SESSIONS_SHOWN }, target(), { signal }),
      ]);
      return { preview: contextPreview(preview, injected.budget.startTokens), sessions: injectedSessions(injected) };
    },
  };
}

function contextPreview(preview: ContextOutput, budgetTokens: number): ContextPreview {
  return {
    text: preview.text, tokens: preview.tokens, budgetTokens,
    memories: preview.memories.map((memory) => ({ id: memory.id, text: memory.content, tokens: memory.tokens, why: memory.why, pinned: memory.pinned, isMemory: true, ...optionalKind(memory.memory_type) })),
  };
}
