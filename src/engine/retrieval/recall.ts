/**
 * Recall: a question, a place and a time to ranked, explained memories. The stages in order:
 * candidates, fuse, rerank (with newer statements first), relevance gate, diversity; then what
 * a reader needs beside them: excerpts and freshness.
 *
 * Nothing here throws because a part is absent (invariant 6): without a model words answer,
 * without an index or a working tree the answer says what it lacks. Equal rows, time and
 * settings give equal answers (invariant 9).
 */
import type { Clock } from '../../base/clock.ts';
import { CairnError } from '../../base/errors.ts';
import type { Id } from '../../base/ids.ts';
import type { AnchorCheck, Explanation, RecalledMemory, RecallFilters, RecallMode, RecallQuery, RecallResult, WorkingTree } from '../engineTypes.ts';
import type { Degradation } from '../model/degradation.ts';
import { checkLimit, MAX_LIMIT } from '../model/memoryInput.ts';
import type { ViewContext } from '../model/repoFacts.ts';
import { recallFilter } from '../scope/storeFilter.ts';
import { isOfAbsentCode, visibilityOf } from '../scope/visibility.ts';
import type { MemoryStore } from '../storage/memoryStore.ts';
import { excerptAround } from '../text/graphemes.ts';
import { queryTerms } from '../text/tokenize.ts';
import { type Calibration, calibrationOf, UNCALIBRATED } from './calibration.ts';
import { byNewest, dot, findCandidates, type Candidate, type CandidateSet, type RecallStore } from './candidates.ts';
import { diversify } from './diversify.ts';
import { cachedTree, checkAnchors } from './freshness.ts';
import { mayBeNewer, newerOf, putNewerFirst } from './newerFirst.ts';
import { mostShown, relevantOf, type GateContext } from './relevance.ts';
import { applyBoost, rerank, sortRanked, type Ranked } from './rerank.ts';

export interface RecallSettings {
  /** Least cosine of a hit by meaning alone. */
  readonly threshold: number;
  readonly limit: number;
  readonly isolateBranches: boolean;
}

export interface QueryEmbedder {
  /** The model's state, for saying why an answer is by words alone. */
  state(): 'off' | 'absent' | 'starting' | 'ready' | 'failed';
  /** Undefined when there is no model now or it failed. */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
}

export interface RecallDeps {
  readonly stores: readonly RecallStore[];
  readonly embedder?: QueryEmbedder;
  readonly clock: Clock;
  /** Asked at each recall, so that a changed setting is obeyed at once. */
  readonly settings: () => RecallSettings;
  readonly workingTree?: WorkingTree;
}

/**
 * Candidates from each retriever, whatever the limit, so that ten results are the first ten of two hundred: enough for the gate
 * and diversity to choose from, few enough to rank in a millisecond.
 */
const HEAD_DEPTH = 60;
/** A list that fits on a screen is the head alone: the second look costs a server 15 MB of memory. */
const HEAD_LIMIT = 20;
/** Where the head does not fill a longer list, it goes on with what lies this deep. */
const TAIL_DEPTH = MAX_LIMIT + 40;
/** Spread of the cosines of strangers, on the scale of the thresholds: what a text of many chunks gains by chance (test/quality/TRIED.md). */
const NOISE = 0.06;
/** Longer texts are shown by their best part. */
const EXCERPT_FROM = 1_200;
const EXCERPT_LENGTH = 600;
/** Anchors of this many results are checked; a list of two hundred is for looking through, not for acting on. */
const CHECKED_RESULTS = 20;
/** Predicates of relations by which one memory takes another's place. */
const CORRECTING = new Set(['corrects', 'supersedes', 'replaces', 'updates', 'contradicts']);
const CORRECTION_HEAD = 20;
/** So many are compared with each other: pairs grow with the square. */
const COMPARED_RESULTS = 32;
/** For so many what is newer is looked for among all candidates. */
const FOLLOWED_RESULTS = 12;
const JUST_BELOW = 0.9999;

/** One question, as the retrievers and the stages behind them need it. */
interface Look extends GateContext {
  readonly vector: Float32Array | undefined;
  readonly lexical: boolean;
}

export function createRecall(deps: RecallDeps): (query: RecallQuery) => Promise<RecallResult> {
  return async (query) => new Recall(deps, query).run();
}

class Recall {
  readonly #deps: RecallDeps;
  readonly #query: RecallQuery;
  readonly #degradations: Degradation[] = [];
  readonly #stores: readonly RecallStore[];
  readonly #view: ViewContext | undefined;
  readonly #filters: RecallFilters;
  readonly #now: number;
  readonly #text: string;

  constructor(deps: RecallDeps, query: RecallQuery) {
    this.#deps = deps;
    this.#query = query;
    this.#filters = query.filters ?? {};
    this.#stores = this.#filters.stores === undefined ? deps.stores : deps.stores.filter(({ role }) => this.#filters.stores?.includes(role) === true);
    this.#view = query.view === undefined ? undefined : { ...query.view, isolateBranches: query.view.isolateBranches ?? deps.settings().isolateBranches };
    this.#now = deps.clock.now();
    this.#text = (query.query ?? '').toWellFormed().trim();
  }

  async run(): Promise<RecallResult> {
    const settings = this.#deps.settings();
    const { limit, cappedFrom } = checkLimit(this.#query.limit, MAX_LIMIT, settings.limit);
    if (cappedFrom !== undefined) this.#degradations.push({ part: 'limit_capped', message: `At most ${limit} memories are given at once, not ${cappedFrom}.` });
    this.#throwIfCancelled();
    const asked: RecallMode = this.#query.mode ?? 'hybrid';
    const { results, mode } = this.#text === '' ? { results: await this.#recent(limit), mode: asked } : await this.#answer(asked, limit, this.#query.threshold ?? settings.threshold);
    // Not awaited: a recall is a read, and a read waits for no writer of another process. Closing the store waits for it.
    void this.#countUse(results);
    return { results, degradations: this.#degradations, mode, limit };
  }

  async #answer(asked: RecallMode, limit: number, threshold: number): Promise<{ results: RecalledMemory[]; mode: RecallMode }> {
    const embedded = asked === 'keyword' ? undefined : await this.#embed();
    // Which model it was is known now that it has answered.
    const calibration = this.#calibration();
    const vector = embedded !== undefined && this.#isRead(calibration) ? embedded : undefined;
    const mode: RecallMode = vector === undefined ? 'keyword' : asked;
    const look: Look = { vector, lexical: mode !== 'semantic', threshold, terms: queryTerms(this.#text).length, calibration };
    const found = await this.#find(look, HEAD_DEPTH);
    for (const degradation of found.degradations) this.#degradations.push(degradation);
    const most = mostShown(found.candidates, look);
    const head = (await this.#head(found.candidates, look)).slice(0, most);
    const goesOn = limit > HEAD_LIMIT && most === Infinity && head.length > 0 && head.length < limit && found.candidates.length >= HEAD_DEPTH;
    const ranked = goesOn ? [...head, ...(await this.#tail(head, found.candidates, look))] : head;
    return { results: await this.#present(ranked, limit, found.index, calibration.scale), mode };
  }

  async #head(candidates: readonly Candidate[], look: Look): Promise<Ranked[]> {
    const { scale } = look.calibration;
    const ranked = this.#rerank(candidates, look);
    const chosen = relevantOf(ranked.map(({ candidate }) => candidate), look);
    const corrections = await this.#corrections(ranked);
    const chosenIds = new Set([...chosen].map(({ memory }) => memory.id));
    // A correction is an answer wherever what it corrects is one, though its own words may be others.
    const correctors = new Set(corrections.filter(([, of]) => chosenIds.has(of)).map(([by]) => by));
    const relevant = ranked.filter(({ candidate }) => chosen.has(candidate) || correctors.has(candidate.memory.id));
    const compared = relevant.slice(0, COMPARED_RESULTS);
    // What the caller has already is not shown again, but what it replaces is replaced.
    const unseen = this.#rankAll(candidates.filter(({ memory }) => this.#query.exclude?.has(memory.id) === true), look);
    const others = mayBeNewer([...ranked.filter((entry) => !compared.includes(entry)), ...unseen], compared.slice(0, FOLLOWED_RESULTS), scale);
    const similarity = await this.#similarities([...compared, ...others]);
    const input = { similarity, cosineScale: scale, corrections };
    const newer = newerOf(others.filter((entry) => !unseen.includes(entry)), compared, input);
    putNewerFirst([...compared, ...newer], input, others.filter((entry) => unseen.includes(entry)));
    relevant.push(...newer.filter((entry) => !relevant.includes(entry)));
    return diversify(sortRanked(relevant), similarity);
  }

  /** What a longer list shows behind the head. It never changes the head: a deeper look gives other ranks. */
  async #tail(head: readonly Ranked[], seen: readonly Candidate[], look: Look): Promise<Ranked[]> {
    const known = new Set(seen.map(({ memory }) => memory.id));
    const ranked = this.#rerank((await this.#find(look, TAIL_DEPTH)).candidates, look);
    const chosen = relevantOf(ranked.map(({ candidate }) => candidate), look);
    const tail = ranked.filter(({ candidate }) => chosen.has(candidate) && !known.has(candidate.memory.id));
    const below = ((head.at(-1)?.finalScore ?? 0) * JUST_BELOW) / (tail[0]?.finalScore ?? 1);
    if (below < 1) for (const entry of tail) applyBoost(entry, 'behindHead', below);
    return tail;
  }

  #rerank(candidates: readonly Candidate[], look: Look): Ranked[] {
    return this.#rankAll(this.#withoutExcluded(candidates), look);
  }

  #rankAll(candidates: readonly Candidate[], { threshold, terms, calibration }: Look): Ranked[] {
    return rerank(candidates, { now: this.#now, view: this.#view, threshold, terms, cosineScale: calibration.scale });
  }

  /** Signs alone have no meaning; letters that the model does not know may have one, and the person should know that it was not looked for. */
  #isRead({ reads }: Calibration): boolean {
    if (reads(this.#text)) return true;
    if (/\p{L}/u.test(this.#text)) this.#degradations.push({ part: 'script_unread', message: 'The model does not read this script; found by words.' });
    return false;
  }

  async #embed(): Promise<Float32Array | undefined> {
    const { embedder } = this.#deps;
    const vector = await embedder?.embedQuery(this.#text, this.#query.signal);
    this.#throwIfCancelled();
    if (vector !== undefined) return vector;
    const state = embedder?.state() ?? 'off';
    if (state === 'starting') this.#degradations.push({ part: 'embedder_starting', message: 'The model is still loading; found by words.' });
    else if (state === 'failed' || state === 'ready') this.#degradations.push({ part: 'embedder_failed', message: 'The model failed; found by words.' });
    else this.#degradations.push({ part: 'embedder_absent', message: state === 'off' ? 'Search by meaning is off; found by words.' : 'The model is not here; found by words.' });
    return undefined;
  }

  #calibration(): Calibration {
    const version = this.#stores.map(({ keeper }) => keeper?.()?.embeddingVersion).find((each) => each !== undefined);
    return version === undefined ? UNCALIBRATED : calibrationOf(version, this.#text);
  }

  #find({ vector, lexical, calibration }: Look, depth: number): Promise<CandidateSet> {
    // A superseded memory stands for its successor only where the caller asks for what holds now.
    const followSuperseded = this.#filters.statuses === undefined;
    return findCandidates(this.#stores, {
      text: this.#text,
      vector,
      lexical,
      path: this.#view?.activePath ?? this.#filters.path,
      filter: recallFilter(this.#filters, this.#view, followSuperseded ? ['active', 'superseded'] : ['active'], this.#now),
      followSuperseded,
      depth,
      noise: NOISE / calibration.scale,
      reads: calibration.reads,
    });
  }

  #withoutExcluded(candidates: readonly Candidate[]): Candidate[] {
    const { exclude } = this.#query;
    return candidates.filter(({ memory }) => exclude?.has(memory.id) !== true);
  }

  /** Nothing asked: the newest first, those of the file in view before them. */
  async #recent(limit: number): Promise<RecalledMemory[]> {
    const filter = recallFilter(this.#filters, this.#view, ['active'], this.#now);
    const candidates: Candidate[] = [];
    const spare = (this.#query.exclude?.size ?? 0) + limit;
    for (const { role, store } of this.#stores) {
      const memories = await store.listMemories(filter, { limit: Math.min(1_000, spare * 2), offset: 0, order: 'recent' });
      for (const memory of memories) candidates.push({ memory, role });
    }
    candidates.sort((a, b) => b.memory.updatedAt - a.memory.updatedAt || byNewest(a.memory, b.memory));
    const ranked: Ranked[] = this.#withoutExcluded(candidates).flatMap((candidate, i) => {
      const visibility = visibilityOf(candidate.memory, this.#view);
      candidate.recencyRank = i + 1;
      return visibility.visible ? [{ candidate, visibility, rrfScore: 1 / (i + 1), boosts: [], finalScore: 1 / (i + 1) }] : [];
    });
    return this.#present(ranked, limit, 'none');
  }

  /** Cosines between these memories, from the chunks that matched. */
  async #similarities(ranked: readonly Ranked[]): Promise<(a: Id, b: Id) => number | undefined> {
    const vectors = new Map<Id, Float32Array>();
    for (const { role, store, keeper } of this.#stores) {
      const version = keeper?.()?.embeddingVersion;
      const chunkOf = new Map(ranked.flatMap(({ candidate }) => (candidate.role === role && candidate.chunkId !== undefined ? [[candidate.chunkId, candidate.memory.id] as const] : [])));
      if (version === undefined || chunkOf.size === 0) continue;
      for (const [chunkId, vector] of await store.getVectors(version, [...chunkOf.keys()])) {
        const id = chunkOf.get(chunkId);
        if (id !== undefined) vectors.set(id, vector);
      }
    }
    return (a, b) => {
      const left = vectors.get(a);
      const right = vectors.get(b);
      return left === undefined || right === undefined ? undefined : dot(left, right);
    };
  }

  async #corrections(ranked: readonly Ranked[]): Promise<(readonly [Id, Id])[]> {
    const pairs: (readonly [Id, Id])[] = [];
    const related = new Set<MemoryStore>();
    for (const { store } of this.#stores) if ((await store.relations({}, 1)).length > 0) related.add(store);
    for (const { candidate } of ranked.slice(0, CORRECTION_HEAD)) {
      const { memory, role } = candidate;
      for (const id of memory.supersedes) pairs.push([memory.id, id]);
      const store = this.#stores.find((entry) => entry.role === role)?.store;
      if (store === undefined || !related.has(store)) continue;
      for (const relation of await store.relations({ memoryId: memory.id }, 20)) {
        if (!CORRECTING.has(relation.predicate.toLowerCase())) continue;
        const subject = relation.memoryId === memory.id && relation.object !== memory.id ? memory.id : relation.subject;
        pairs.push([subject, relation.object]);
      }
    }
    return pairs;
  }

  async #present(ranked: readonly Ranked[], limit: number, index: CandidateSet['index'], cosineScale = 1): Promise<RecalledMemory[]> {
    const tree = this.#deps.workingTree === undefined ? undefined : cachedTree(this.#deps.workingTree);
    const results: RecalledMemory[] = [];
    let unchecked = false;
    for (const entry of ranked) {
      if (results.length >= limit) break;
      const { memory, role } = entry.candidate;
      const anchored = memory.anchors.length > 0 && role === 'repository';
      const anchorChecks: readonly AnchorCheck[] = anchored ? await checkAnchors(memory, results.length < CHECKED_RESULTS ? tree : undefined) : [];
      if (anchored && tree === undefined) unchecked = true;
      if (isOfAbsentCode(entry.visibility, anchorChecks)) continue;
      results.push({ memory, store: role, ...(await this.#excerpt(entry.candidate)), anchorChecks, explain: explain(entry, index, cosineScale) });
    }
    if (unchecked) this.#degradations.push({ part: 'working_tree_unchecked', message: 'The code that memories are anchored to could not be looked at.' });
    return results;
  }

  async #excerpt({ memory, role, chunkId }: Candidate): Promise<{ excerpt?: string }> {
    if (memory.text.length < EXCERPT_FROM || this.#text === '') return {};
    const store = this.#stores.find((entry) => entry.role === role)?.store;
    const near = chunkId === undefined ? undefined : (await store?.getChunks(memory.id))?.find((chunk) => chunk.chunkId === chunkId)?.text;
    return { excerpt: excerptAround(memory.text, this.#text, EXCERPT_LENGTH, near) };
  }

  async #countUse(results: readonly RecalledMemory[]): Promise<void> {
    if (this.#query.countUse === false || results.length === 0) return;
    for (const { role, store } of this.#stores) {
      const ids = results.filter((result) => result.store === role).map(({ memory }) => memory.id);
      if (ids.length === 0 || store.readOnly) continue;
      try {
        await store.write((writer) => writer.noteRecalled(ids, this.#now));
      } catch {
        // The answer stands and nobody awaits this; that it was used is not worth failing for (a writer elsewhere holds the lock, the store was closed).
      }
    }
  }

  #throwIfCancelled(): void {
    if (this.#query.signal?.aborted === true) throw new CairnError('CANCELLED', 'The recall was cancelled.');
  }
}

function explain({ candidate, visibility, rrfScore, boosts, finalScore }: Ranked, index: CandidateSet['index'], cosineScale: number): Explanation {
  const { lexicalRank, vectorRank, recencyRank, pathRank, cosine, bm25, standsFor, replacedBy, newerStatement } = candidate;
  const calibratedCosine = cosine === undefined ? undefined : cosine * cosineScale;
  const defined = Object.fromEntries(Object.entries({ lexicalRank, vectorRank, recencyRank, pathRank, cosine, calibratedCosine, bm25, replacedBy, newerStatement }).filter(([, value]) => value !== undefined));
  return { ...defined, rrfScore, boosts, finalScore, visibleBecause: standsFor === undefined ? visibility.because : `${visibility.because}; replaces ${standsFor}, which matched`, index };
}
