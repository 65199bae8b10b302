/**
 * Every request a webview can make, with the schema of its parameters (checked by the
 * extension) and of its result (checked by the webview).
 *
 * Adding one? Also: a handler in src/extension/sidebar, or the architecture of types
 * there stops compiling.
 */
import './jitless.ts';
import * as z from 'zod';
import { inboxPage, proposalEdit, rejectReason } from './inbox.ts';
import { injectedPage } from './injected.ts';
import { detailPatch, listPage, listQuery, memoryDetail, memoryRow } from './memories.ts';
import { consentAnswer, firstRunState, graphPage, insightsPage } from './pages.ts';

const id = z.string().min(1).max(200);
const ids = z.array(id).min(1).max(5_000);
const nothing = z.object({});
/** A sentence for the toast, and whether Undo takes it back. */
const done = z.object({ message: z.string(), undoable: z.boolean() });

/** Commands a webview may run; everything else is refused. */
export const RUNNABLE = [
  'cairn.remember', 'cairn.showMemories', 'cairn.openSettings', 'cairn.showLog', 'cairn.doctor', 'cairn.import', 'cairn.export', 'cairn.resume',
  'cairn.firstRun', 'cairn.openInsights', 'cairn.openGraph', 'cairn.manageTrust', 'cairn.backfill', 'cairn.register', 'cairn.restoreBackup',
] as const;

export const METHODS = {
  listMemories: { params: listQuery, result: listPage },
  memoriesOfFile: { params: z.object({ path: z.string().max(4_096) }), result: z.object({ rows: z.array(memoryRow), total: z.number() }) },
  listTags: { params: nothing, result: z.object({ tags: z.array(z.object({ tag: z.string(), count: z.number() })) }) },
  getMemory: { params: z.object({ id }), result: memoryDetail },
  updateMemory: { params: z.object({ id, patch: detailPatch, expectedVersion: z.number().int() }), result: done },
  actOnMemories: { params: z.object({ verb: z.enum(['forget', 'archive', 'restore', 'pin', 'unpin']), ids }), result: done },
  stillTrue: { params: z.object({ id }), result: done },
  notRelevant: { params: z.object({ id, query: z.string().max(2_000).optional() }), result: done },
  undo: { params: nothing, result: done },
  copyMemories: { params: z.object({ ids }), result: done },
  openAnchor: { params: z.object({ id, index: z.number().int().nonnegative() }), result: nothing },
  /** Points an anchor, or a further one, to the lines that are selected in the editor. */
  reanchor: { params: z.object({ id, index: z.number().int().nonnegative() }), result: done },
  openTranscript: { params: z.object({ id }), result: nothing },
  compareHistory: { params: z.object({ id, changeId: id }), result: nothing },
  restoreVersion: { params: z.object({ id, changeId: id }), result: done },
  listInbox: { params: nothing, result: inboxPage },
  acceptProposals: { params: z.object({ ids, edit: proposalEdit.optional() }), result: done },
  mergeProposal: { params: z.object({ id, targetId: id }), result: done },
  rejectProposals: { params: z.object({ ids, reason: rejectReason.optional() }), result: done },
  /** Lets what a rule finds become active without review. */
  trustRule: { params: z.object({ rule: z.string().min(1).max(128) }), result: done },
  /** Accepts all that wait and that one rule found. */
  acceptAlike: { params: z.object({ rule: z.string().min(1).max(128) }), result: done },
  openProposalTurn: { params: z.object({ id }), result: nothing },
  listInjected: { params: nothing, result: injectedPage },
  insights: { params: nothing, result: insightsPage },
  exportTable: { params: z.object({ name: z.string().max(200), csv: z.string().max(2_000_000) }), result: nothing },
  graph: { params: z.object({ focus: z.string().max(500).optional() }), result: graphPage },
  openGraph: { params: z.object({ focus: z.string().max(500) }), result: nothing },
  openMemory: { params: z.object({ id }), result: nothing },
  firstRun: { params: nothing, result: firstRunState },
  answerConsent: { params: z.object({ answer: consentAnswer }), result: firstRunState },
  runCommand: { params: z.object({ command: z.enum(RUNNABLE) }), result: nothing },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

export type MethodName = keyof typeof METHODS;
export type ParamsOf<M extends MethodName> = z.infer<(typeof METHODS)[M]['params']>;
export type ResultOf<M extends MethodName> = z.infer<(typeof METHODS)[M]['result']>;
export type Done = z.infer<typeof done>;

export const isMethod = (name: string): name is MethodName => Object.hasOwn(METHODS, name);
