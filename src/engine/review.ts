/**
 * Review: what lies between what was said and what is remembered, as one engine sees it.
 * Wires the extraction pipeline, the inbox and tidying to the stores and the write path; what
 * memories imply (profile, graph) follows in knowledge.ts.
 */
import type { Id } from '../base/ids.ts';
import { editMemory, setStatus } from './curation/edit.ts';
import { prepareMemory, remember } from './curation/remember.ts';
import { undoAct } from './curation/undo.ts';
import { findMemory, type CurationDeps } from './curation/curationDeps.ts';
import type { Engine } from './engineFacade.ts';
import type { EngineOptions, EngineStore } from './engineOptions.ts';
import type { ActingFor, RememberInput, RememberResult, StoreRole } from './engineTypes.ts';
import { liveTurns } from './extraction/abandoned.ts';
import type { Decision } from './extraction/consolidate.ts';
import type { ExtractionDeps } from './extraction/deps.ts';
import { createInbox } from './extraction/inbox.ts';
import { findNeighbours } from './extraction/neighbours.ts';
import { createPipeline } from './extraction/pipeline.ts';
import { priceOf } from './extraction/prices.ts';
import { observe } from './extraction/proposing.ts';
import type { Redactor } from './extraction/redaction/redactor.ts';
import { localDay, spentMicroUsd } from './extraction/spend.ts';
import { proposeMerges } from './extraction/tidying.ts';
import { planArchive, planExpiry, planSummaries, summarize } from './forgetting/index.ts';
import { followGit, type FollowedGit } from './followGit.ts';
import { followMemories } from './knowledge.ts';
import type { Memory } from './model/memory.ts';
import type { ExtractedStatement } from './model/observation.ts';
import type { Extraction, Inbox, Review } from './reviewTypes.ts';
import type { MemoryStore } from './storage/memoryStore.ts';
import { normalizeText } from './text/normalize.ts';

export interface ReviewParts {
  readonly options: EngineOptions;
  readonly stores: readonly EngineStore[];
  readonly redactor: Redactor;
  readonly curation: CurationDeps;
  readonly engine: Engine;
}

const POLICY: ActingFor = { actor: { surface: 'policy' } };
const EVERYTHING = 100_000;
/** Memories that one tidying looks at; the newest, since fragments come in bursts. */
const TIDIED = 500;
const KEPT_SUMMARIES = 10;
/** Share of a transcript's bytes that is speech of the person and the assistant; the rest is tools and envelope. */
const SPEECH_SHARE = 0.12;
const BYTES_PER_TOKEN = 3.6;

export function createReview({ options, stores, redactor, curation }: ReviewParts): Review {
  const storeOf = (role: StoreRole): MemoryStore | undefined => stores.find((entry) => entry.role === role)?.store;
  const store = storeOf('repository') ?? storeOf('user');
  if (store === undefined) throw new Error('An engine has at least one store.');
  const deps: ExtractionDeps = {
    store,
    storeOf,
    redactor,
    clock: options.clock,
    ids: options.ids,
    config: () => options.config().extraction,
    extractors: async () => (await options.extractors?.()) ?? [],
    remember: async (input, acting) => remember(curation, fitting(input, storeOf), acting),
    edit: async (id, patch, acting) => editMemory(curation, id, patch, acting, { verb: patch.status === 'archived' ? 'archive' : 'merge' }),
    undoAct: async (actId, acting) => undoAct(curation, actId, acting),
    decide: async (statement) => {
      const fits = fitting(statement, storeOf);
      const role: StoreRole = fits.scope.level === 'user' ? 'user' : 'repository';
      const reader = storeOf(role) ?? store;
      return curation.decide(reader, fits, role, await curation.vectorOf(fits.text));
    },
    ...(options.log === undefined ? {} : { log: options.log }),
  };
  const pipeline = createPipeline(deps);
  const inbox = createInbox(deps);
  const derive = async (): Promise<void> => followMemories(stores, options);
  return {
    inbox: withKnowledge(inbox, derive),
    extraction: {
      takeTurns: pipeline.takeTurns,
      abandonTurns: pipeline.abandonTurns,
      async runDue(request) {
        const run = await pipeline.runDue(request);
        if (request.final === true && request.sessionId !== undefined && options.config().extraction.captureMode !== 'off') await summarizeSession(deps, request.sessionId);
        if (run.remembered + run.duplicates > 0) await derive();
        return run;
      },
      estimate: async (transcriptBytes) => estimate(deps, transcriptBytes),
      tidy: async (request) => {
        const result = await tidy(deps, curation, stores, options, request);
        await derive();
        return result;
      },
    },
    propose: async (input, acting) => propose(deps, curation, fitting(input, storeOf), acting),
    follow: async (purged) => followMemories(stores, options, purged),
    async spendTodayUsd() {
      return spentMicroUsd(await store.spend({ day: localDay(options.clock.now()) })) / 1e6;
    },
  };
}

/** What is about the person goes to the repository's store where the user's is not open, and the other way round. */
function fitting<T extends { readonly scope?: ExtractedStatement['scope'] }>(input: T, storeOf: (role: StoreRole) => MemoryStore | undefined): T & { readonly scope: ExtractedStatement['scope'] } {
  const scope = input.scope ?? { level: 'repository' };
  if (scope.level === 'user' && storeOf('user') === undefined) return { ...input, scope: { level: 'repository' } };
  if (scope.level !== 'user' && storeOf('repository') === undefined) return { ...input, scope: { level: 'user' } };
  return { ...input, scope };
}

function withKnowledge(inbox: Inbox, derive: () => Promise<void>): Inbox {
  const after = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    await derive();
    return result;
  };
  return {
    ...inbox,
    accept: async (selection, acting, edit) => after(inbox.accept(selection, acting, edit)),
    merge: async (id, targetId, acting) => after(inbox.merge(id, targetId, acting)),
    undo: async (ids, acting) => after(inbox.undo(ids, acting)),
  };
}

/** One summary a session, replaced when the session goes on. */
async function summarizeSession(deps: ExtractionDeps, sessionId: string): Promise<boolean> {
  const turns = await liveTurns(deps.store, sessionId);
  const episode = await deps.store.getEpisode(sessionId);
  const text = summarize(turns, episode?.title);
  if (text === undefined || deps.store.readOnly) return false;
  const externalId = `summary:${sessionId}`;
  const [before] = await deps.store.listMemories({ externalId, statuses: ['active', 'archived'] }, { limit: 1, offset: 0, order: 'recent' });
  if (before !== undefined && normalizeText(before.text) === normalizeText(text)) return false;
  const at = turns.at(-1)?.at;
  await deps.remember(
    {
      text, kind: 'session_summary', importance: 5, confidence: 0.8, externalId, consolidate: false,
      provenance: { via: 'transcript', sessionId, rule: 'summary', ...(at === undefined ? {} : { saidAt: at }), ...(episode?.branch === undefined ? {} : { branch: episode.branch }), ...(episode === undefined ? {} : { episodeId: episode.id }) },
      ...(before === undefined ? {} : { supersedes: [before.id] }),
    },
    { ...POLICY, reason: 'Summary of the session.' },
  );
  return true;
}

async function estimate(deps: ExtractionDeps, transcriptBytes: number): Promise<{ inputTokens: number; usd?: number }> {
  if (deps.config().captureMode !== 'model') return { inputTokens: 0, usd: 0 };
  const extractors = await deps.extractors();
  const extractor = extractors[1] ?? extractors[0];
  if (extractor === undefined) return { inputTokens: 0, usd: 0 };
  const inputTokens = Math.ceil((transcriptBytes * SPEECH_SHARE) / BYTES_PER_TOKEN);
  const price = priceOf(extractor.provider, extractor.model);
  // A tenth of what is read comes back as statements.
  return { inputTokens, ...(price === undefined ? {} : { usd: (inputTokens * price.inputUsd + inputTokens * 0.1 * price.outputUsd) / 1e6 }) };
}

async function tidy(deps: ExtractionDeps, curation: CurationDeps, stores: readonly EngineStore[], options: EngineOptions, request: Parameters<Extraction['tidy']>[0]): ReturnType<Extraction['tidy']> {
  const now = options.clock.now();
  const config = options.config().archive;
  let proposed = 0;
  let archived = 0;
  let expired = 0;
  for (const { store, role } of stores) {
    if (store.readOnly) continue;
    const memories = await store.listMemories({ statuses: ['active'] }, { limit: EVERYTHING, offset: 0, order: 'recent' });
    const ended = planExpiry(memories, now);
    const gone = new Set(ended.map((plan) => plan.memoryId));
    const old = planSummaries(memories, KEPT_SUMMARIES);
    for (const plan of [...ended, ...old]) await setStatus(curation, [plan.memoryId], 'archived', 'archive', { ...POLICY, reason: plan.why });
    expired += ended.length;
    archived += old.length;
    for (const plan of planArchive(memories.filter((memory) => !gone.has(memory.id)), now, config)) {
      if (config.automatic) {
        await setStatus(curation, [plan.memoryId], 'archived', 'archive', { ...POLICY, reason: plan.why });
        archived += 1;
      } else if (await proposeFor(deps, memories.find((memory) => memory.id === plan.memoryId), 'archive', undefined, plan.why)) proposed += 1;
    }
    if (role !== 'repository' && stores.length > 1) continue;
    const recent = memories.filter((memory) => !gone.has(memory.id)).slice(0, TIDIED);
    for (const merge of await proposeMerges(recent, async (memory) => findNeighbours(store, memory), now)) {
      if (request.signal?.aborted === true) break;
      if (await proposeFor(deps, merge.fragment, 'merge', { targetId: merge.target.id, text: merge.text }, merge.why)) proposed += 1;
    }
  }
  const sessionId = request.sessionId ?? (await deps.store.listEpisodes({ limit: 1, offset: 0 }))[0]?.sessionId;
  const summarized = sessionId === undefined ? false : await summarizeSession(deps, sessionId);
  const followed = await followWorkingTree(deps, curation, options);
  proposed += followed.proposed;
  const followedText = `${followed.lifted === 0 ? '' : `, ${followed.lifted} of merged branches made the repository's`}${followed.reanchored === 0 ? '' : `, ${followed.reanchored} followed a renamed file`}`;
  const message = `${proposed} proposed for the inbox, ${archived} archived, ${expired} expired${followedText}${summarized ? ', the last session summarised' : ''}.`;
  return { proposed, archived, expired, message };
}

async function followWorkingTree(deps: ExtractionDeps, curation: CurationDeps, { workingTree }: EngineOptions): Promise<FollowedGit> {
  const store = deps.storeOf('repository');
  if (store === undefined || store.readOnly || workingTree === undefined) return { lifted: 0, reanchored: 0, proposed: 0 };
  const memories = await store.listMemories({ statuses: ['active'] }, { limit: EVERYTHING, offset: 0, order: 'recent' });
  return followGit(curation, store, workingTree, memories, async (memory, why) => proposeFor(deps, memory, 'archive', undefined, why));
}

/** Into the inbox, unless the same was proposed or rejected before. */
async function proposeFor(deps: ExtractionDeps, memory: Memory | undefined, verb: 'archive' | 'merge', merge: { targetId: Id; text: string } | undefined, why: string): Promise<boolean> {
  if (memory === undefined) return false;
  const rule = `tidy.${verb}`;
  const targetId = merge?.targetId ?? memory.id;
  const { observations } = await deps.store.listObservations({ rule }, { limit: 10_000, offset: 0 });
  if (observations.some((observation) => observation.outcome.verb === verb && observation.outcome.targetId === targetId && observation.provenance.turnKey === memory.id)) return false;
  const statement: ExtractedStatement = { text: merge?.text ?? memory.text, kind: memory.kind, importance: memory.importance, confidence: 0.6, tags: memory.tags, scope: memory.scope, untrusted: memory.untrusted, provenance: { ...memory.provenance, rule, turnKey: memory.id } };
  await deps.store.write(async (writer) => writer.putObservation(observe(deps, statement, { outcome: verb, targetId, why }, memory.suspicious)));
  return true;
}

/** [P2] What nobody asked for waits in the inbox, marked. */
async function propose(deps: ExtractionDeps, curation: CurationDeps, input: RememberInput, acting: ActingFor): Promise<RememberResult> {
  const { memory, redactions } = prepareMemory(curation, input);
  const { text, kind, importance, tags, scope, expiresAt, anchors, provenance } = memory;
  const [replaced] = input.supersedes ?? [];
  if (replaced !== undefined) await findMemory(curation, replaced);
  const { sessionId } = acting.actor;
  const statement: ExtractedStatement = {
    text, kind, importance, tags, scope, anchors, confidence: Math.min(input.confidence ?? 0.5, 0.5), untrusted: true,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    provenance: { ...provenance, saidAt: provenance.saidAt ?? memory.createdAt, ...(sessionId === undefined ? {} : { sessionId: provenance.sessionId ?? sessionId }) },
  };
  const { observations } = await deps.store.listObservations({ states: ['waiting', 'folded'] }, { limit: 10_000, offset: 0 });
  const same = observations.find((observation) => normalizeText(observation.text) === normalizeText(text));
  if (same !== undefined) return { id: same.id, outcome: 'inbox', relatedIds: [], why: 'It waits in the inbox already.', redactions };
  const decision: Decision = replaced === undefined ? await deps.decide(statement) : { outcome: 'conflict', targetId: replaced, why: 'It would replace what is remembered.' };
  if (decision.outcome === 'duplicate' && decision.targetId !== undefined) return { id: decision.targetId, outcome: 'duplicate', relatedIds: [decision.targetId], why: decision.why, redactions };
  const observation = observe(deps, statement, decision, memory.suspicious);
  await deps.store.write(async (writer) => writer.putObservation(observation));
  return { id: observation.id, outcome: 'inbox', relatedIds: decision.targetId === undefined ? [] : [decision.targetId], why: 'Nobody asked for it in so many words, so it waits in the inbox.', redactions };
}
