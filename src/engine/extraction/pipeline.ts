/**
 * The extraction pipeline: turns go in once, statements come out, whoever delivers and however
 * often the process dies in between. Rules read everything at once; a model reads in batches
 * with checkpoints, a cap before each call, and a retry with back-off behind each failure.
 */
import type { EpochMs } from '../../base/clock.ts';
import { isCairnError, type CairnError } from '../../base/errors.ts';
import type { ActingFor } from '../engineTypes.ts';
import type { Episode, Turn } from '../model/episode.ts';
import { MAX_CONTEXT_LENGTH } from '../model/memory.ts';
import type { ExtractedStatement, Observation } from '../model/observation.ts';
import type { ExtractionRun, RunRequest } from '../reviewTypes.ts';
import type { Job, StoreWriter } from '../storage/memoryStore.ts';
import { cutText } from '../text/graphemes.ts';
import { abandonTurns, liveTurns } from './abandoned.ts';
import { askLater, forgetAsked, readAsked } from './askedMeanwhile.ts';
import { contextOf, idleDueAt, isDue, piecesOf, type Piece, type StoredTurn } from './batches.ts';
import type { ExtractionDeps } from './deps.ts';
import type { Extractor } from './extractor.ts';
import { withoutForeignBlocks } from './foreignBlocks.ts';
import { createProposer, type Proposer } from './proposing.ts';
import { countRepetitions } from './repetition.ts';
import { extractByRules } from './rules/rulesExtractor.ts';
import { sessionTitle } from './sessionTitle.ts';
import { checkCap, costMicroUsd, localDay, nextLocalDay } from './spend.ts';
import { hashTemplate, TEMPLATES, templateName } from './templates/index.ts';
import { withTrust } from './trust.ts';

/** What is kept of a tool's output: enough to see what it was, too little to be a copy. */
const KEPT_TOOL_TEXT = 300;
/** A job older than this belongs to a process that died. */
const LEASE_MS = 10 * 60_000;
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 6 * 3_600_000;
const MAX_PROPOSALS = 30;
/** The cap counts a repair with the call it may follow. */
const CALLS = 2;
const ACTING: ActingFor = { actor: { surface: 'policy' }, reason: 'Said in a session.' };

export interface Pipeline {
  takeTurns(episode: Episode, turns: readonly Turn[]): Promise<number>;
  abandonTurns(sessionId: string, messageIds: readonly string[]): Promise<number>;
  runDue(request: RunRequest): Promise<ExtractionRun>;
}

interface Tally {
  remembered: number;
  proposed: number;
  duplicates: number;
  rejectedByGate: number;
  waitingBatches: number;
  waitingBecause?: string;
  idleDueAt?: EpochMs | undefined;
}

export function createPipeline(deps: ExtractionDeps): Pipeline {
  return {
    takeTurns: async (episode, turns) => takeTurns(deps, episode, turns),
    abandonTurns: async (sessionId, messageIds) => abandonTurns(deps, sessionId, messageIds),
    runDue: async (request) => new Run(deps, request).start(),
  };
}

/** Stores what was said, without what others injected and without secrets. Turns known already are not counted. */
async function takeTurns(deps: ExtractionDeps, episode: Episode, turns: readonly Turn[]): Promise<number> {
  if (deps.config().captureMode === 'off') return 0;
  const clean: Turn[] = [];
  for (const turn of turns) {
    const text = deps.redactor.redact(withoutForeignBlocks(turn.text)).text;
    // Redacted as a whole before it is cut: half a key is recognised by nobody.
    if (turn.speaker === 'tool') clean.push({ ...turn, text: cutText(text, KEPT_TOOL_TEXT) });
    else if (text !== '') clean.push({ ...turn, text });
  }
  const title = episode.title === undefined ? undefined : sessionTitle(episode.title, (text) => deps.redactor.redact(text).text);
  return deps.store.write(async (writer) => {
    const known = await writer.getEpisode(episode.sessionId);
    await writer.putEpisode(known === undefined ? { ...episode, title } : { ...episode, id: known.id, title: title ?? known.title, startedAt: Math.min(known.startedAt, episode.startedAt) });
    return clean.length === 0 ? 0 : writer.putTurns(clean);
  });
}

const beatOf = (job: Job): number => (typeof job.detail?.beatAt === 'number' ? job.detail.beatAt : (job.startedAt ?? job.createdAt));

class Run {
  readonly #deps: ExtractionDeps;
  readonly #request: RunRequest;
  readonly #tally: Tally = { remembered: 0, proposed: 0, duplicates: 0, rejectedByGate: 0, waitingBatches: 0 };
  readonly #held: Observation[] = [];
  /** Those of others, taken along: they wait in the inbox as if they had been read at once. */
  #isLive = false;

  constructor(deps: ExtractionDeps, request: RunRequest) {
    this.#deps = deps;
    this.#request = request;
  }

  async start(): Promise<ExtractionRun> {
    const { store } = this.#deps;
    if (this.#deps.config().captureMode === 'off' || store.readOnly) return this.#tally;
    const sessions = await this.#sessions();
    if (this.#request.waiting === true && !(await this.#canRead(sessions))) return this.#tally;
    const job = await this.#begin();
    if (job === undefined) return { ...this.#tally, waitingBatches: 1, waitingBecause: 'another process is extracting' };
    try {
      const proposer = await createProposer(this.#deps);
      for (const [i, sessionId] of sessions.entries()) {
        if (this.#request.signal?.aborted === true) break;
        this.#request.onProgress?.({ done: i, total: sessions.length });
        await this.#beat(job);
        await this.#session(sessionId, proposer, job);
      }
      await this.#keepBest();
      await this.#readAsked(proposer, job);
      await this.#end(job, { state: this.#request.signal?.aborted === true ? 'cancelled' : 'done', detail: { remembered: this.#tally.remembered, proposed: this.#tally.proposed, duplicates: this.#tally.duplicates, belowGate: this.#tally.rejectedByGate, sessions: sessions.length, ...(this.#request.final === true ? { final: true } : {}) } });
    } catch (error) {
      await this.#end(job, { state: 'failed', error: isCairnError(error) ? error.code : 'INTERNAL' });
      throw error;
    }
    return this.#tally;
  }

  /** One that is asked for from here on is the next reader's. */
  async #readAsked(proposer: Proposer, job: Job): Promise<void> {
    const done = new Set<string>();
    this.#isLive = true;
    for (;;) {
      const asked = (await readAsked(this.#deps.store)).filter((sessionId) => !done.has(sessionId));
      if (asked.length === 0 || this.#request.signal?.aborted === true) break;
      for (const sessionId of asked) {
        await this.#beat(job);
        await this.#session(sessionId, proposer, job);
        done.add(sessionId);
      }
    }
    if (done.size > 0) await this.#deps.store.write(async (writer) => forgetAsked(writer, done));
  }

  /** Asked often, so what still waits leaves no trace in the job log. */
  async #canRead(sessions: readonly string[]): Promise<boolean> {
    if (sessions.length === 0) return false;
    const [extractor] = await this.#deps.extractors();
    if (extractor !== undefined && extractor.waitsBecause === undefined) return true;
    this.#wait(extractor?.waitsBecause ?? 'no provider was chosen', sessions.length);
    return false;
  }

  /** Undefined while another process's job runs, which then reads this session too; one that died is closed, and its session read. */
  async #begin(): Promise<Job | undefined> {
    const now = this.#deps.clock.now();
    const { sessionId } = this.#request;
    return this.#deps.store.write(async (writer) => {
      for (const running of await writer.jobs({ states: ['running'] }, 20)) {
        if (running.purpose !== 'extract' && running.purpose !== 'backfill') continue;
        // A beat of the future is of a clock that went back since.
        if (Math.abs(now - beatOf(running)) < LEASE_MS) {
          if (sessionId !== undefined) await askLater(writer, sessionId);
          return undefined;
        }
        await writer.putJob({ ...running, state: 'failed', endedAt: now, error: 'stopped in the middle' });
        if (running.sessionId !== undefined) await askLater(writer, running.sessionId);
      }
      const job: Job = { id: this.#deps.ids.next(), purpose: this.#request.backfill === true ? 'backfill' : 'extract', state: 'running', ...(sessionId === undefined ? {} : { sessionId }), createdAt: now, startedAt: now, attempts: 1 };
      await writer.putJob(job);
      return job;
    });
  }

  /** Says that this process is alive; the lease of a long job is renewed with each session and piece. */
  async #beat(job: Job): Promise<void> {
    await this.#deps.store.write(async (writer) => {
      const current = (await writer.jobs({ states: ['running'] }, 20)).find((one) => one.id === job.id);
      if (current !== undefined) await writer.putJob({ ...current, detail: { ...current.detail, beatAt: this.#deps.clock.now() } });
    });
  }

  async #end(job: Job, changes: Partial<Job>): Promise<void> {
    await this.#deps.store.write(async (writer) => {
      const spent = (await writer.jobs({ states: ['running'] }, 20)).find((one) => one.id === job.id) ?? job;
      await writer.putJob({ ...spent, ...changes, endedAt: this.#deps.clock.now() });
    });
  }

  async #sessions(): Promise<string[]> {
    if (this.#request.sessionId !== undefined) return [this.#request.sessionId];
    if (this.#request.waiting === true) {
      const due = (await this.#deps.store.jobs({ states: ['waiting'] }, 1_000)).filter((job) => (job.notBefore ?? 0) <= this.#deps.clock.now());
      return [...new Set(due.flatMap((job) => job.sessionId ?? []))].sort();
    }
    const episodes = await this.#deps.store.listEpisodes({ limit: 10_000, offset: 0 });
    return episodes.sort((a, b) => a.startedAt - b.startedAt).map((episode) => episode.sessionId);
  }

  async #session(sessionId: string, proposer: Proposer, job: Job): Promise<void> {
    const { store, clock } = this.#deps;
    const config = this.#deps.config();
    const turns: StoredTurn[] = await liveTurns(store, sessionId);
    const final = this.#request.final === true || this.#request.backfill === true || this.#request.waiting === true || this.#isLive;
    const retry = (await store.jobs({ states: ['waiting'], sessionId }, 1))[0];
    if (!isDue(turns, clock.now(), final, config)) {
      // What waited was read meanwhile by somebody else.
      if (final && retry !== undefined) await this.#endRetry(retry);
      if (sessionId === this.#request.sessionId) this.#tally.idleDueAt = idleDueAt(turns, config);
      return;
    }
    const episode = await store.getEpisode(sessionId);
    await this.#readByRules(sessionId, turns, episode, proposer);
    if (config.captureMode !== 'model') {
      const last = turns.at(-1);
      if (last !== undefined) await store.write(async (writer) => writer.markTurnsExtracted(sessionId, last.sequence));
      return;
    }
    if (retry?.notBefore !== undefined && retry.notBefore > clock.now()) {
      this.#wait(retry.error === 'SPEND_CAP_REACHED' ? 'the daily cap is reached' : 'the provider did not answer; tried again later');
      return;
    }
    await this.#readByModel(sessionId, piecesOf(turns), episode, proposer, job, retry);
  }

  /** Rules have their own checkpoint: what a model has yet to read is not read twice by them. */
  async #readByRules(sessionId: string, turns: readonly StoredTurn[], episode: Episode | undefined, proposer: Proposer): Promise<void> {
    const key = `rules:${sessionId}`;
    const done = Number((await this.#deps.store.getMeta(key)) ?? -1);
    const fresh = turns.filter((turn) => turn.sequence > done && !turn.extracted);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const before = turns.filter((turn) => turn.sequence < (fresh[0]?.sequence ?? 0) && turn.speaker === 'assistant' && !turn.sidechain).slice(-1);
    const repeated = await this.#deps.store.write(async (writer) => countRepetitions(writer, fresh));
    for (const statement of [...extractByRules([...before, ...fresh]), ...repeated]) await this.#propose(statement, turns, episode, proposer);
    await this.#deps.store.write(async (writer) => writer.setMeta(key, String(last.sequence)));
  }

  async #readByModel(sessionId: string, pieces: readonly Piece[], episode: Episode | undefined, proposer: Proposer, job: Job, retry: Job | undefined): Promise<void> {
    const extractors = await this.#deps.extractors();
    const extractor = extractors[this.#request.backfill === true && extractors.length > 1 ? 1 : 0];
    if (extractor === undefined) {
      this.#wait('no provider was chosen', Math.max(1, pieces.length));
      return;
    }
    if (extractor.waitsBecause !== undefined) {
      if (retry === undefined) await this.#deps.store.write(async (writer) => writer.putJob({ id: this.#deps.ids.next(), purpose: 'extract', state: 'waiting', sessionId, createdAt: this.#deps.clock.now(), attempts: 0 }));
      this.#wait(extractor.waitsBecause, pieces.length);
      return;
    }
    await this.#keepTemplates();
    for (const [i, piece] of pieces.entries()) {
      if (this.#request.signal?.aborted === true) return;
      await this.#beat(job);
      try {
        await this.#readPiece(extractor, piece, episode, proposer, job);
        await this.#deps.store.write(async (writer) => writer.markTurnsExtracted(sessionId, piece.upToSequence));
      } catch (error) {
        if (!isCairnError(error)) throw error;
        if (error.code === 'CANCELLED') return;
        await this.#bookFailure(extractor, error, job);
        await this.#postpone(sessionId, error, retry);
        this.#wait(error.code === 'SPEND_CAP_REACHED' ? 'the daily cap is reached' : error.message, pieces.length - i);
        return;
      }
    }
    if (retry !== undefined) await this.#endRetry(retry);
  }

  async #endRetry(retry: Job): Promise<void> {
    await this.#deps.store.write(async (writer) => writer.putJob({ ...retry, state: 'done', endedAt: this.#deps.clock.now(), error: undefined, notBefore: undefined }));
  }

  /** An unreadable answer was paid for all the same. */
  async #bookFailure(extractor: Extractor, error: CairnError, job: Job): Promise<void> {
    const { inputTokens, outputTokens } = error.data ?? {};
    if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return;
    const day = (this.#deps.localDay ?? localDay)(this.#deps.clock.now());
    const microUsd = costMicroUsd(extractor.provider, extractor.model, inputTokens, outputTokens);
    await this.#deps.store.write(async (writer) => this.#book(writer, job, { provider: extractor.provider, model: extractor.model, inputTokens, outputTokens, microUsd, day }));
  }

  /** [E3] What a model was told, as rows: a memory names the version that wrote it. */
  async #keepTemplates(): Promise<void> {
    const known = new Set((await this.#deps.store.promptTemplates()).map(({ id, version }) => `${id}@${version}`));
    const missing = TEMPLATES.filter((template) => !known.has(templateName(template)));
    if (missing.length === 0) return;
    const rows = await Promise.all(missing.map(async (template) => ({ ...template, sha256: await hashTemplate(template), createdAt: this.#deps.clock.now() })));
    await this.#deps.store.write(async (writer) => {
      for (const row of rows) await writer.putPromptTemplate(row);
    });
  }

  async #readPiece(extractor: Extractor, piece: Piece, episode: Episode | undefined, proposer: Proposer, job: Job): Promise<void> {
    const { store, clock } = this.#deps;
    const config = this.#deps.config();
    const day = (this.#deps.localDay ?? localDay)(clock.now());
    const request = { turns: piece.turns, related: await this.#related(piece), maxOutputTokens: config.maxOutputTokens, ...(this.#request.signal === undefined ? {} : { signal: this.#request.signal }) };
    checkCap(await store.spend({ day }), { provider: extractor.provider, model: extractor.model, inputTokens: CALLS * extractor.estimateTokens(request), maxOutputTokens: CALLS * config.maxOutputTokens }, config.dailyCapUsd);
    const answer = extractor.extract(request);
    for (;;) {
      const next = await answer.next();
      if (next.done === true) {
        const { model, inputTokens, outputTokens } = next.value;
        const microUsd = costMicroUsd(extractor.provider, model, inputTokens, outputTokens);
        await store.write(async (writer) => this.#book(writer, job, { provider: extractor.provider, model, inputTokens, outputTokens, microUsd, day }));
        return;
      }
      const isOld = piece.turns.slice(0, piece.firstNew).some((turn) => `${turn.messageId}:${turn.blockIndex}` === next.value.provenance.turnKey);
      if (!isOld) await this.#propose(withTrust(next.value, piece.turns), piece.turns, episode, proposer);
    }
  }

  async #book(writer: StoreWriter, job: Job, call: { provider: string; model: string; inputTokens: number; outputTokens: number; microUsd: number | undefined; day: string }): Promise<void> {
    const at = this.#deps.clock.now();
    const tokens = call.inputTokens + call.outputTokens;
    if (tokens > 0) await writer.putSpend({ id: this.#deps.ids.next(), at, day: call.day, provider: call.provider, model: call.model, purpose: job.purpose, inputTokens: call.inputTokens, outputTokens: call.outputTokens, ...(call.microUsd === undefined ? {} : { microUsd: call.microUsd }) });
    const current = (await writer.jobs({ states: ['running'] }, 20)).find((one) => one.id === job.id);
    if (current !== undefined) await writer.putJob({ ...current, startedAt: current.startedAt ?? at, tokens: (current.tokens ?? 0) + tokens, microUsd: (current.microUsd ?? 0) + (call.microUsd ?? 0) });
  }

  /** Texts that may be updated, for the model to see. */
  async #related(piece: Piece): Promise<{ id: string; text: string }[]> {
    const words = piece.turns.filter((turn) => turn.speaker === 'user').map((turn) => turn.text).join(' ').slice(0, 2_000);
    const hits = words === '' ? [] : await this.#deps.store.searchText(words, { statuses: ['active'] }, 8);
    return (await this.#deps.store.getMemories(hits.map((hit) => hit.memoryId))).map(({ id, text }) => ({ id, text: cutText(text, 300) }));
  }

  async #postpone(sessionId: string, error: CairnError, retry: Job | undefined): Promise<void> {
    const now = this.#deps.clock.now();
    const attempts = (retry?.attempts ?? 0) + 1;
    const notBefore = error.code === 'SPEND_CAP_REACHED' ? nextLocalDay(now) : now + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
    await this.#deps.store.write(async (writer) => writer.putJob({ id: retry?.id ?? this.#deps.ids.next(), purpose: 'extract', state: 'waiting', sessionId, createdAt: retry?.createdAt ?? now, attempts, notBefore, error: error.code }));
  }

  #wait(because: string, batches = 1): void {
    this.#tally.waitingBatches += batches;
    this.#tally.waitingBecause = because;
  }

  async #propose(statement: ExtractedStatement, turns: readonly Turn[], episode: Episode | undefined, proposer: Proposer): Promise<void> {
    const [messageId = '', blockIndex = '0'] = (statement.provenance.turnKey ?? '').split(/:(?=\d+$)/);
    const context = contextOf(turns, { messageId, blockIndex: Number(blockIndex) }, MAX_CONTEXT_LENGTH);
    const { branch, transcriptPath } = episode ?? {};
    const from = { ...(context === undefined ? {} : { context }), ...(branch === undefined ? {} : { branch }), ...(transcriptPath === undefined ? {} : { transcriptPath }) };
    const full: ExtractedStatement = { ...statement, provenance: { ...statement.provenance, ...from } };
    const outcome = await proposer.propose(full, ACTING, this.#request.backfill === true && !this.#isLive ? 'folded' : 'waiting', this.#held);
    if (outcome === 'remembered') this.#tally.remembered += 1;
    else if (outcome === 'proposed') this.#tally.proposed += 1;
    else if (outcome === 'duplicate') this.#tally.duplicates += 1;
    else this.#tally.rejectedByGate += 1;
  }

  /** A backfill shows its best; the others stay folded. Written as folded first: a crash loses none. */
  async #keepBest(): Promise<void> {
    if (this.#held.length === 0) return;
    const limit = this.#request.maxProposals ?? MAX_PROPOSALS;
    const worth = (observation: Observation): number => observation.importance * observation.confidence;
    const best = [...this.#held].sort((a, b) => worth(b) - worth(a) || (b.provenance.saidAt ?? 0) - (a.provenance.saidAt ?? 0) || (a.id < b.id ? -1 : 1));
    await this.#deps.store.write(async (writer) => {
      for (const observation of best.slice(0, limit)) await writer.putObservation({ ...observation, state: 'waiting' });
    });
    this.#tally.proposed = Math.min(limit, best.length);
  }
}
