/**
 * Candidates: who might answer, from each retriever with its own rank. First stage of recall.
 *
 * Words (the store's full-text index), meaning (the vector index, best chunk of each memory),
 * place (anchors at the file in view) and time. Every list is bounded, so the cost does not
 * grow with the store. A superseded memory that matches stands for the one that replaced it:
 * the correction is found by the words of what it corrects.
 */
import type { Id } from '../../base/ids.ts';
import type { StoreRole } from '../engineTypes.ts';
import type { Degradation } from '../model/degradation.ts';
import { statedAt, type Memory } from '../model/memory.ts';
import type { MemoryFilter, MemoryStore } from '../storage/memoryStore.ts';
import type { IndexKeeper } from '../vectorIndex/indexKeeper.ts';

export interface RecallStore {
  readonly role: StoreRole;
  readonly store: MemoryStore;
  /** Asked at each recall: a keeper opens when its embedder is there. */
  readonly keeper?: () => IndexKeeper | undefined;
}

export interface Candidate {
  readonly memory: Memory;
  readonly role: StoreRole;
  lexicalRank?: number;
  /** Larger is better; the store's bm25 with its sign turned. */
  bm25?: number;
  /** Share of the query's terms found, 0..1. */
  coverage?: number;
  /** Of a long text: how well its best passage answers by words; every word once is 1. */
  passage?: number;
  vectorRank?: number;
  /** Of its best chunk, less what the best of many has by chance. */
  cosine?: number;
  chunkId?: number;
  pathRank?: number;
  recencyRank?: number;
  /** The superseded memory that matched in its place. */
  standsFor?: Id;
  /** A newer statement that takes it back. */
  replacedBy?: Id;
  /** The newest statement of the same subject, which stands above it. */
  newerStatement?: Id;
}

export interface CandidateQuery {
  readonly text: string;
  readonly vector: Float32Array | undefined;
  readonly lexical: boolean;
  readonly path: string | undefined;
  /** Filter as the rows understand it, with superseded memories let through when `followSuperseded`. */
  readonly filter: MemoryFilter;
  readonly followSuperseded: boolean;
  /** Candidates wanted from each retriever. */
  readonly depth: number;
  /** How far cosines to texts that have nothing to do with the question spread, in this model. */
  readonly noise: number;
  /** Whether the model knows the letters of a text; what it does not is found by words and place only. */
  readonly reads: (text: string) => boolean;
}

export interface CandidateSet {
  readonly candidates: Candidate[];
  readonly degradations: Degradation[];
  readonly index: 'exact' | 'hnsw' | 'none';
  /** Cosine of the query to texts that have nothing to do with it: the noise floor of this model and question. */
  readonly background: { readonly mean: number; readonly deviation: number } | undefined;
}

/** Chunks asked for per memory wanted: long memories have several, and filters take some away. */
const CHUNKS_PER_MEMORY = 3;
const MAX_CHUNKS = 4_000;
/** From this many hits on, the tail says what an unrelated text looks like. */
const BACKGROUND_FROM = 24;
const MAX_CHAIN = 20;
/** So many of the first by words are given their cosine; ten and sixty give the same results on all sets, and each costs .02 ms. */
const COMPLETED = 20;

interface Found {
  lexicalRank?: number;
  bm25?: number;
  coverage?: number;
  passage?: number;
  cosine?: number;
  chunkId?: number;
  pathRank?: number;
}

export async function findCandidates(stores: readonly RecallStore[], query: CandidateQuery): Promise<CandidateSet> {
  const degradations: Degradation[] = [];
  const candidates: Candidate[] = [];
  const tails: number[] = [];
  let index: CandidateSet['index'] = 'none';
  for (const entry of stores) {
    const found = new Map<Id, Found>();
    const at = (id: Id): Found => {
      const existing = found.get(id);
      if (existing !== undefined) return existing;
      const made: Found = {};
      found.set(id, made);
      return made;
    };
    if (query.lexical) {
      for (const hit of await entry.store.searchText(query.text, query.filter, query.depth)) Object.assign(at(hit.memoryId), { lexicalRank: hit.rank, bm25: -hit.bm25, coverage: hit.coverage, passage: hit.passage });
    }
    const keeper = query.vector === undefined ? undefined : entry.keeper?.();
    if (keeper !== undefined && query.vector !== undefined) {
      const near = await nearestMemories(entry.store, keeper, query.vector, query);
      index = near.index;
      for (const degradation of near.degradations) if (!degradations.some(({ part }) => part === degradation.part)) degradations.push(degradation);
      tails.push(...near.tail);
      const given = new Set(near.hits.map(({ memoryId }) => memoryId));
      const firstByWords = [...found.keys()].slice(0, COMPLETED).filter((id) => !given.has(id));
      const completed = await meaningOf(firstByWords, entry.store, keeper.embeddingVersion, query.vector, query);
      for (const { memoryId, cosine, chunkId } of [...near.hits, ...completed]) Object.assign(at(memoryId), { cosine, chunkId });
    }
    if (query.path !== undefined && entry.role === 'repository') {
      for (const [i, id] of (await entry.store.searchPath(query.path, query.filter, query.depth)).entries()) {
        // Place alone makes no answer to a question: it only lifts what was found, or lists where nothing is asked.
        if (query.text === '' || found.has(id)) at(id).pathRank = i + 1;
      }
    }
    candidates.push(...(await resolve(entry, found, query)));
  }
  rankMerged(candidates);
  return { candidates, degradations, index, background: background(tails) };
}

interface NearMemory {
  readonly memoryId: Id;
  readonly chunkId: number;
  readonly cosine: number;
}

/** Over-fetches until enough memories pass the filter or the index has no more. */
async function nearestMemories(store: MemoryStore, keeper: IndexKeeper, vector: Float32Array, query: CandidateQuery): Promise<{ hits: NearMemory[]; index: 'exact' | 'hnsw'; degradations: readonly Degradation[]; tail: number[] }> {
  let wanted = query.depth * CHUNKS_PER_MEMORY;
  for (;;) {
    const answer = await keeper.search(vector, wanted);
    const memoryIds = await store.memoryIdsOfChunks(answer.hits.map((hit) => hit.chunkId));
    const best = new Map<Id, NearMemory>();
    for (const { chunkId, cosine } of answer.hits) {
      const memoryId = memoryIds.get(chunkId);
      if (memoryId !== undefined && !best.has(memoryId)) best.set(memoryId, { memoryId, chunkId, cosine });
    }
    const passing = await store.passing([...best.keys()], query.filter);
    const hits = fairly([...best.values()].filter((hit) => passing.has(hit.memoryId)), await store.chunkIdsOf([...passing]), query.noise);
    if (hits.length >= query.depth || answer.hits.length < wanted || wanted >= MAX_CHUNKS) {
      const cosines = answer.hits.map((hit) => hit.cosine);
      return { hits: hits.slice(0, query.depth), index: answer.index, degradations: answer.degradations, tail: cosines.length < BACKGROUND_FROM ? [] : cosines.slice(Math.floor(cosines.length / 2)) };
    }
    wanted = Math.min(MAX_CHUNKS, wanted * 4);
  }
}

/**
 * How near memories are that words found and the index did not give: what has no cosine would be judged as if it had none at all,
 * and the first by words lost behind sixty that are a little nearer.
 */
async function meaningOf(memoryIds: readonly Id[], store: MemoryStore, version: string, vector: Float32Array, { noise }: CandidateQuery): Promise<NearMemory[]> {
  if (memoryIds.length === 0) return [];
  const chunkIds = await store.chunkIdsOf(memoryIds);
  const vectors = await store.getVectors(version, [...chunkIds.values()].flat());
  const best = [...chunkIds].flatMap(([memoryId, ids]): NearMemory[] => {
    const hits = ids.flatMap((chunkId) => {
      const of = vectors.get(chunkId);
      return of === undefined ? [] : [{ memoryId, chunkId, cosine: dot(of, vector) }];
    });
    return hits.sort(byCosine).slice(0, 1);
  });
  return fairly(best, chunkIds, noise);
}

/** Of unit vectors: their cosine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

const byCosine = (a: NearMemory, b: NearMemory): number => b.cosine - a.cosine || a.chunkId - b.chunkId;

/** Deviations by which the best of n chances lies above the mean, about. */
const luckOf = (n: number): number => Math.sqrt(2 * Math.log(n));
/** Up to so many chunks a text is ranked as it is: told apart by one and three, whole sessions lose a point of R@1. */
const FEW_CHUNKS = 3;

/** The best of many chunks is near to any question by chance. Without this the pages of a long text stand before the statement that answers. */
function fairly(hits: readonly NearMemory[], chunkIds: ReadonlyMap<Id, readonly number[]>, noise: number): NearMemory[] {
  const fair = hits.map((hit) => ({ ...hit, cosine: hit.cosine - noise * Math.max(0, luckOf(chunkIds.get(hit.memoryId)?.length ?? 1) - luckOf(FEW_CHUNKS)) }));
  return fair.sort(byCosine);
}

function background(tail: readonly number[]): CandidateSet['background'] {
  if (tail.length === 0) return undefined;
  const mean = tail.reduce((sum, cosine) => sum + cosine, 0) / tail.length;
  const deviation = Math.sqrt(tail.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / tail.length);
  return { mean, deviation };
}

/** Reads the memories; a superseded one hands its findings to the end of its chain, when that passes the filter itself. */
async function resolve(entry: RecallStore, found: ReadonlyMap<Id, Found>, query: CandidateQuery): Promise<Candidate[]> {
  const memories = await entry.store.getMemories([...found.keys()]);
  const byId = new Map<Id, Candidate>();
  const chained: { readonly from: Memory; readonly finding: Found }[] = [];
  for (const memory of memories) {
    const finding = found.get(memory.id) ?? {};
    if (finding.cosine !== undefined && !query.reads(memory.text)) {
      delete finding.cosine;
      delete finding.chunkId;
      if (finding.lexicalRank === undefined && finding.pathRank === undefined) continue;
    }
    if (query.followSuperseded && memory.status === 'superseded') chained.push({ from: memory, finding });
    else byId.set(memory.id, { memory, role: entry.role, ...finding });
  }
  for (const { from, finding } of chained) {
    const successor = await endOfChain(entry.store, from);
    if (successor?.status !== 'active') continue;
    const existing = byId.get(successor.id);
    if (existing !== undefined) {
      mergeFinding(existing, finding);
      existing.standsFor ??= from.id;
    } else if ((await entry.store.passing([successor.id], { ...query.filter, statuses: ['active'] })).has(successor.id)) {
      byId.set(successor.id, { memory: successor, role: entry.role, ...finding, standsFor: from.id });
    }
  }
  return [...byId.values()];
}

async function endOfChain(store: MemoryStore, from: Memory): Promise<Memory | undefined> {
  let current: Memory | undefined = from;
  for (let step = 0; step < MAX_CHAIN && current?.supersededBy !== undefined; step += 1) current = await store.getMemory(current.supersededBy);
  return current === from ? undefined : current;
}

function mergeFinding(candidate: Candidate, finding: Found): void {
  if ((finding.bm25 ?? -Infinity) > (candidate.bm25 ?? -Infinity)) {
    candidate.bm25 = finding.bm25;
    candidate.coverage = Math.max(candidate.coverage ?? 0, finding.coverage ?? 0);
    candidate.passage = finding.passage;
    candidate.lexicalRank = finding.lexicalRank;
  }
  if ((finding.cosine ?? -Infinity) > (candidate.cosine ?? -Infinity)) {
    candidate.cosine = finding.cosine;
    candidate.chunkId = undefined;
  }
  candidate.pathRank = Math.min(candidate.pathRank ?? Infinity, finding.pathRank ?? Infinity);
  if (candidate.pathRank === Infinity) delete candidate.pathRank;
}

/** Ranks over all stores together; ties fall to the newer memory, then to the id, so that order never depends on insertion. */
function rankMerged(candidates: Candidate[]): void {
  const give = (key: 'lexicalRank' | 'vectorRank' | 'recencyRank', value: (candidate: Candidate) => number | undefined): void => {
    const ranked = candidates.flatMap((candidate) => {
      const worth = value(candidate);
      return worth === undefined ? [] : [{ candidate, worth }];
    });
    ranked.sort((a, b) => b.worth - a.worth || byNewest(a.candidate.memory, b.candidate.memory));
    // Equal evidence shares a rank: equal memories then score equally, whatever else is stored.
    for (const [i, { candidate, worth }] of ranked.entries()) {
      const previous = ranked[i - 1];
      candidate[key] = previous !== undefined && previous.worth === worth ? previous.candidate[key] : i + 1;
    }
  };
  give('lexicalRank', (candidate) => candidate.bm25);
  give('vectorRank', (candidate) => candidate.cosine);
  give('recencyRank', (candidate) => statedAt(candidate.memory));
}

export function byNewest(a: Memory, b: Memory): number {
  return statedAt(b) - statedAt(a) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
