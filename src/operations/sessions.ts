/**
 * saveConversation, backfill, tidy, jobs, lastAnswer: taking what was said in Claude Code's
 * sessions, once per turn whoever delivers it.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { matchesGlob } from '../engine/index.ts';
import type { ExtractionRun, Job, SpendEntry } from '../engine/index.ts';
import { limitField } from './fields.ts';
import type { SessionFile } from './hostServices.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';

const saveInput = z.object({
  sessionId: z.string().optional(),
  transcriptPath: z.string().optional(),
  /** True at the end of a session or before compaction: what waits is extracted now. */
  final: z.boolean().optional(),
});

export interface SaveOutput {
  readonly sessionId: string;
  readonly newTurns: number;
  readonly run: ExtractionRun;
  readonly message: string;
}

export const saveConversationOperation = defineOperation<z.output<typeof saveInput>, SaveOutput>({
  name: 'saveConversation',
  description: 'Takes new turns of a session and proposes what is worth keeping.',
  input: saveInput,
  effect: 'write',
  needsConsent: true,
  async run(context, { sessionId, transcriptPath, final }) {
    const file = await findSession(context, sessionId ?? context.actor.sessionId, transcriptPath);
    const because = await whyNotTaken(context, file);
    if (because !== undefined) return { sessionId: file.sessionId, newTurns: 0, run: NO_RUN, message: `Nothing was taken: ${because}.` };
    // A transcript that was copied bears another name than the session in it.
    const { newTurns, sessionId: taken } = await takeSession(context, file);
    const run = await context.engine.extraction.runDue({ sessionId: taken, final: final ?? true, signal: context.signal, onProgress: (progress) => context.progress(progress) });
    return { sessionId: taken, newTurns, run, message: sentence(newTurns, run) };
  },
});

const NO_RUN: ExtractionRun = { remembered: 0, proposed: 0, duplicates: 0, rejectedByGate: 0, waitingBatches: 0 };

const sentence = (newTurns: number, run: ExtractionRun): string =>
  `Took ${newTurns} new turn${newTurns === 1 ? '' : 's'}: ${run.remembered} remembered, ${run.proposed} proposed for the inbox, ${run.duplicates} known already${run.waitingBatches > 0 ? `, ${run.waitingBatches} waiting (${run.waitingBecause ?? 'retried later'})` : ''}.`;

async function findSession(context: OperationContext, sessionId: string | undefined, transcriptPath: string | undefined): Promise<SessionFile> {
  if (transcriptPath !== undefined) return context.host.sessionFileAt(transcriptPath);
  const files = await context.host.sessionFiles();
  const found = sessionId === undefined ? files.sort((a, b) => b.modifiedAt - a.modifiedAt)[0] : files.find((file) => file.sessionId === sessionId);
  if (found === undefined) throw new CairnError('TRANSCRIPT_UNREADABLE', sessionId === undefined ? 'No Claude Code session of this repository was found.' : `No transcript of session ${sessionId} was found.`, { data: { sessionId } });
  return found;
}

/** What nobody asked for in so many words obeys the pause, the capture mode, the list of excluded repositories, and stays in its repository. */
async function whyNotTaken(context: OperationContext, file: SessionFile): Promise<string | undefined> {
  const { surface } = context.actor;
  const excluded = (await context.host.setting('capture.excludedRepositories')).value;
  const names = [context.repository?.id, context.repository?.name, context.repository?.root, file.cwd].filter((name) => name !== undefined);
  if (Array.isArray(excluded) && excluded.some((pattern) => typeof pattern === 'string' && names.some((name) => name === pattern || matchesGlob(pattern, name)))) return 'this repository is excluded';
  // A session may wander into other folders; what was said in it is its own repository's. Only a person may say otherwise.
  if (surface !== 'cli' && surface !== 'command' && !(await context.host.isSessionHere(file))) return 'the session is of another repository';
  if (surface !== 'hook' && surface !== 'extension') return undefined;
  const mode = (await context.host.setting('capture.mode')).value;
  if (mode !== 'rules' && mode !== 'model') return 'capture is off';
  return (await context.host.isPaused()) ? 'Cairn is paused' : undefined;
}

const cursorKey = (file: SessionFile): string => `transcript:${file.path}`;

/**
 * Reads what is new in the session's file and in its sub-agents', in batches, into the store; returns how many turns
 * were new. The place reached is kept after the turns are, so that whatever is interrupted is read again.
 */
export async function takeSession(context: OperationContext, file: SessionFile): Promise<{ newTurns: number; sessionId: string }> {
  const { newTurns, sessionId } = await takeFile(context, file);
  let all = newTurns;
  for (const agent of await context.host.subagentFiles(file)) all += (await takeFile(context, agent)).newTurns;
  return { newTurns: all, sessionId };
}

async function takeFile(context: OperationContext, file: SessionFile): Promise<{ newTurns: number; sessionId: string }> {
  const store = context.engine.store('repository') ?? context.engine.store('user');
  const { episode, turns, abandoned, cursor } = await context.host.readSession(file, context.signal, await store?.getMeta(cursorKey(file)));
  let taken = 0;
  let batch = [];
  for await (const turn of turns) {
    batch.push(turn);
    if (batch.length >= 200) {
      taken += await context.engine.extraction.takeTurns(episode, batch);
      batch = [];
    }
  }
  if (batch.length > 0) taken += await context.engine.extraction.takeTurns(episode, batch);
  const rewound = await abandoned();
  if (context.signal.aborted) throw new CairnError('CANCELLED', 'Cancelled; what was read stays.');
  if (rewound !== undefined) await context.engine.extraction.abandonTurns(episode.sessionId, [...rewound]);
  const reached = cursor();
  await store?.write(async (writer) => writer.setMeta(cursorKey(file), reached));
  return { newTurns: taken, sessionId: episode.sessionId };
}

const backfillInput = z.object({ maxProposals: z.number().int().min(1).max(1_000).optional(), estimateOnly: z.boolean().optional() });

export interface BackfillOutput {
  readonly sessions: number;
  readonly newTurns: number;
  readonly run: ExtractionRun;
  readonly estimate?: { readonly inputTokens: number; readonly usd?: number };
  /** Sessions that Claude Code itself removes within a week. */
  readonly expiringSoon: number;
  readonly retentionDays: number;
}

const DAY_MS = 86_400_000;

export const backfillOperation = defineOperation<z.output<typeof backfillInput>, BackfillOutput>({
  name: 'backfill',
  description: 'Reads past sessions of this repository, oldest first; resumable.',
  input: backfillInput,
  effect: 'write',
  needsConsent: true,
  async run(context, { maxProposals, estimateOnly }) {
    const files = (await context.host.sessionFiles()).sort((a, b) => a.modifiedAt - b.modifiedAt);
    const retentionDays = await context.host.transcriptRetentionDays();
    const expiringSoon = files.filter((file) => context.clock.now() - file.modifiedAt > (retentionDays - 7) * DAY_MS).length;
    const estimate = await context.engine.extraction.estimate(files.reduce((sum, file) => sum + file.sizeBytes, 0));
    if (estimateOnly === true) return { sessions: files.length, newTurns: 0, run: NO_RUN, estimate, expiringSoon, retentionDays };
    let newTurns = 0;
    for (const [i, file] of files.entries()) {
      if (context.signal.aborted) throw new CairnError('CANCELLED', `Cancelled after ${i} of ${files.length} sessions; run it again to go on.`);
      context.progress({ done: i, total: files.length, message: `session ${i + 1} of ${files.length}` });
      newTurns += (await takeSession(context, file)).newTurns;
    }
    const run = await context.engine.extraction.runDue({ final: true, backfill: true, maxProposals: maxProposals ?? 30, signal: context.signal, onProgress: (progress) => context.progress(progress) });
    return { sessions: files.length, newTurns, run, estimate, expiringSoon, retentionDays };
  },
});

const tidyInput = z.object({ sessionId: z.string().optional() });

export const tidyOperation = defineOperation<z.output<typeof tidyInput>, { proposed: number; archived: number; expired: number; message: string }>({
  name: 'tidy',
  description: 'Proposes merges of fragments, archives what is stale, summarises the last session.',
  input: tidyInput,
  effect: 'write',
  needsConsent: true,
  run: async (context, { sessionId }) => context.engine.extraction.tidy({ sessionId, signal: context.signal }),
});

const jobsInput = z.object({ limit: limitField(1_000, 50) });

export const jobsOperation = defineOperation<z.output<typeof jobsInput>, { jobs: readonly Job[]; spend: readonly SpendEntry[] }>({
  name: 'jobs',
  description: 'The log of extraction jobs and what was spent.',
  input: jobsInput,
  effect: 'read',
  needsConsent: false,
  run: async (context, { limit }) => context.engine.jobLog(limit),
});

const nothing = z.object({});

export const lastAnswerOperation = defineOperation<z.output<typeof nothing>, { text?: string; sessionId?: string }>({
  name: 'lastAnswer',
  description: 'Claude\'s last answer in the newest session of this repository.',
  input: nothing,
  effect: 'read',
  needsConsent: false,
  run: async (context) => (await context.host.lastAnswer()) ?? {},
});
