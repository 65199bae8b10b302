/**
 * MemoryStore: the port behind which rows live. The SQLite store of a repository (or
 * of the user) implements it; a PostgreSQL store has to pass the same contract suite.
 *
 * Guarantees every implementation documents and the contract suite checks:
 *  1. A write that returned is durable, also after SIGKILL of any process.
 *  2. `write` is atomic: it commits when its callback returns and rolls back when it
 *     throws. Writers of several processes are serialised; a reader never waits.
 *  3. Every committed write raises `epoch` by at least one; rows carry the epoch that
 *     wrote them, so `changedSince` misses nothing.
 *  4. Ids are never reused; a removed memory leaves a tombstone.
 *  5. Methods throw CairnError with a STORE_* or SCHEMA_* code, never a driver's error.
 *
 * Not guaranteed: order among parallel `write` calls of one process.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Id } from '../../base/ids.ts';
import type { Episode, Turn } from '../model/episode.ts';
import type { MemoryKind } from '../model/kinds.ts';
import type { Memory, MemoryChange, MemoryStatus, ProfileValue, Relation, Tombstone, Via } from '../model/memory.ts';
import type { Observation, ObservationState } from '../model/observation.ts';
import type { ScopeLevel } from '../model/scope.ts';

/** All given conditions must hold; a list means "any of these". Absent means "no condition". */
export interface MemoryFilter {
  readonly ids?: readonly Id[];
  readonly kinds?: readonly MemoryKind[];
  /** All of these tags. */
  readonly tags?: readonly string[];
  readonly statuses?: readonly MemoryStatus[];
  readonly scopeLevels?: readonly ScopeLevel[];
  /** Visibility: memories of scope branch are seen only on this branch. Absent: all. */
  readonly visibleOnBranch?: string | null;
  /** Provenance branch equals this. */
  readonly branch?: string;
  /** An anchor at this path or below it. */
  readonly path?: string;
  readonly since?: EpochMs;
  readonly until?: EpochMs;
  readonly clientId?: string;
  readonly vias?: readonly Via[];
  readonly sessionId?: string;
  readonly pinned?: boolean;
  readonly untrusted?: boolean;
  /** Leaves out memories whose expiry is at or before this instant. */
  readonly notExpiredAt?: EpochMs;
  readonly externalId?: string;
}

export type MemoryOrder = 'recent' | 'created' | 'importance' | 'kind' | 'file' | 'recalled';

/** A lexical candidate. `rank` is 1-based; `bm25` is FTS5's own (smaller is better). */
export interface LexicalHit {
  readonly memoryId: Id;
  readonly rank: number;
  readonly bm25: number;
  /** Share of the query's distinct term groups found, each weighing as much as it is rare, 0..1. */
  readonly coverage: number;
  /** Of a long text only: how well its best passage answers the question by itself; every word once is 1. */
  readonly passage?: number;
}

/** A chunk of a memory's text that gets exactly one vector. `chunkId` is a positive integer and never reused. */
export interface Chunk {
  readonly chunkId: number;
  readonly memoryId: Id;
  readonly ordinal: number;
  readonly text: string;
}

/** What an index learns when it catches up: a vector, or (undefined) that the chunk is gone. */
export interface VectorRow {
  readonly chunkId: number;
  readonly memoryId: Id;
  readonly epoch: number;
  readonly vector: Float32Array | undefined;
}

export interface StoreInfo {
  readonly schemaVersion: number;
  readonly epoch: number;
  readonly memories: number;
  readonly byStatus: Readonly<Partial<Record<MemoryStatus, number>>>;
  readonly byKind: readonly { readonly kind: MemoryKind; readonly count: number; readonly meanImportance: number }[];
  readonly observationsWaiting: number;
  readonly chunks: number;
  readonly chunksWithoutVector: number;
  readonly sizeBytes: number;
  readonly journalMode: string;
  readonly readOnly: boolean;
}

export interface InjectionReceipt {
  readonly id: Id;
  readonly sessionId: string;
  readonly at: EpochMs;
  /** SessionStart, UserPromptSubmit, file, tool (recall asked for by Claude). */
  readonly moment: 'start' | 'prompt' | 'file' | 'tool';
  /** First words of the prompt, or the file's path; redacted. */
  readonly about: string;
  readonly tokens: number;
  readonly items: readonly { readonly memoryId: Id; readonly store: 'repository' | 'user'; readonly tokens: number; readonly why: string }[];
  /** Rises with each compaction of the session; earlier receipts no longer count as "already given". */
  readonly compaction: number;
}

export interface SpendEntry {
  readonly id: Id;
  readonly at: EpochMs;
  /** Local calendar day, YYYY-MM-DD: the unit of the cap. */
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly purpose: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Millionths of a US dollar; undefined when the model's price is unknown. */
  readonly microUsd?: number;
}

export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** One extraction batch or other background work; the job log of [O4]. */
export interface Job {
  readonly id: Id;
  readonly purpose: 'extract' | 'backfill' | 'summary' | 'tidy' | 'embed';
  readonly state: JobState;
  readonly sessionId?: string;
  readonly createdAt: EpochMs;
  readonly startedAt?: EpochMs;
  readonly endedAt?: EpochMs;
  readonly attempts: number;
  readonly notBefore?: EpochMs;
  readonly tokens?: number;
  readonly microUsd?: number;
  /** Ids and counts only, never text. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

export interface AuditEntry {
  readonly at: EpochMs;
  readonly surface: string;
  readonly clientId?: string;
  readonly sessionId?: string;
  readonly verb: string;
  readonly memoryIds: readonly Id[];
}

export interface PromptTemplate {
  readonly id: string;
  readonly version: number;
  readonly sha256: string;
  readonly body: string;
  readonly createdAt: EpochMs;
}

export interface StoreReader {
  epoch(): Promise<number>;
  /** Cheap question "did another connection commit since I last asked?"; the first call answers false. */
  changedElsewhere(): Promise<boolean>;
  info(): Promise<StoreInfo>;

  getMemory(id: Id): Promise<Memory | undefined>;
  /** In the order of `ids`, unknown ones left out. */
  getMemories(ids: readonly Id[]): Promise<Memory[]>;
  listMemories(filter: MemoryFilter, page: { limit: number; offset: number; order: MemoryOrder }): Promise<Memory[]>;
  /** All that pass; walks through them, so it is for whoever shows the number (33 ms at 100,000). */
  countMemories(filter: MemoryFilter): Promise<number>;
  /** Active or archived memories whose normalised text (text/normalize.ts) equals this. */
  findByNormalizedText(normalized: string): Promise<Memory[]>;
  tombstone(id: Id): Promise<Tombstone | undefined>;
  /** Oldest first. */
  history(id: Id): Promise<MemoryChange[]>;
  /** Newest first; those not undone yet. `surface`/`author` narrow to one's own. */
  recentChanges(page: { limit: number; offset?: number; memoryId?: Id }): Promise<MemoryChange[]>;
  /** Ids of memories written or tombstoned after `epoch`, ascending by epoch. Never ends in the middle of an epoch (so may exceed `limit`): go on with the last one's. */
  changedSince(epoch: number, limit: number): Promise<{ memoryId: Id; epoch: number }[]>;
  tags(): Promise<{ tag: string; count: number }[]>;

  /** Never throws for any query text: a query is words, not syntax. Only memories that pass the filter. */
  searchText(query: string, filter: MemoryFilter, limit: number): Promise<LexicalHit[]>;
  /** Memories with an anchor at this path (exact, then same folder), nearest first. */
  searchPath(path: string, filter: MemoryFilter, limit: number): Promise<Id[]>;
  /** Which of these ids pass the filter. */
  passing(ids: readonly Id[], filter: MemoryFilter): Promise<Set<Id>>;

  getChunks(memoryId: Id): Promise<Chunk[]>;
  /** Chunks that have no vector of this version yet, oldest first. */
  chunksWithoutVector(embeddingVersion: string, limit: number): Promise<Chunk[]>;
  countVectors(embeddingVersion: string): Promise<number>;
  embeddingVersions(): Promise<{ version: string; vectors: number }[]>;
  /**
   * Rows with epoch > `epoch`, ascending by (epoch, chunkId), at most `limit`; includes removals.
   * With `afterChunkId` also the rest of `epoch` itself behind that chunk: page by the last row's (epoch, chunkId).
   */
  vectorsSince(embeddingVersion: string, epoch: number, limit: number, afterChunkId?: number): Promise<VectorRow[]>;
  getVectors(embeddingVersion: string, chunkIds: readonly number[]): Promise<Map<number, Float32Array>>;
  memoryIdsOfChunks(chunkIds: readonly number[]): Promise<Map<number, Id>>;
  /** The chunks of each of these memories; unknown ids are left out. */
  chunkIdsOf(memoryIds: readonly Id[]): Promise<Map<Id, readonly number[]>>;

  getEpisode(sessionId: string): Promise<Episode | undefined>;
  listEpisodes(page: { limit: number; offset: number }): Promise<Episode[]>;
  /** In the order taken. */
  getTurns(sessionId: string, options?: { afterSequence?: number; limit?: number }): Promise<(Turn & { sequence: number; extracted: boolean })[]>;
  getObservation(id: Id): Promise<Observation | undefined>;
  listObservations(filter: { states?: readonly ObservationState[]; sessionId?: string; ids?: readonly Id[]; rule?: string }, page: { limit: number; offset: number }): Promise<{ observations: Observation[]; total: number }>;
  /** Was an observation with this normalised text rejected before? */
  wasRejected(normalized: string): Promise<boolean>;

  profile(): Promise<ProfileValue[]>;
  relations(filter: { entity?: string; memoryId?: Id }, limit: number): Promise<Relation[]>;
  entities(prefix: string, limit: number): Promise<{ name: string; relations: number }[]>;

  receipts(filter: { sessionId?: string; memoryId?: Id }, page: { limit: number; offset: number }): Promise<InjectionReceipt[]>;
  spend(filter: { day?: string; since?: EpochMs }): Promise<SpendEntry[]>;
  jobs(filter: { states?: readonly JobState[]; purpose?: Job['purpose']; sessionId?: string }, limit: number): Promise<Job[]>;
  audit(limit: number): Promise<AuditEntry[]>;
  promptTemplates(): Promise<PromptTemplate[]>;
  /** Small named values: cursors, counters, acceptance streaks. */
  getMeta(key: string): Promise<string | undefined>;
}

export interface StoreWriter extends StoreReader {
  /** Inserts the memory, its chunks and its first history step. Throws INPUT_INVALID if the id exists or is dead (a memory that had moved away may come back). */
  insertMemory(memory: Memory, chunks: readonly string[], change: Omit<MemoryChange, 'before' | 'after' | 'memoryId' | 'version'>): Promise<void>;
  /**
   * Replaces the row by `after` (its version must be the stored one, or one higher when content changed) and appends the history step.
   * `chunks` is given when the text changed: old chunks go, with their vectors.
   * Status forgotten makes a tombstone; any other status takes it away again.
   * Throws ID_UNKNOWN, VERSION_CONFLICT.
   */
  replaceMemory(after: Memory, chunks: readonly string[] | undefined, change: Omit<MemoryChange, 'before' | 'after' | 'memoryId' | 'version'>): Promise<void>;
  /** Appends history steps that were made in another store (a memory moved here with its past). Known change ids are left alone. */
  putPastChanges(changes: readonly MemoryChange[]): Promise<void>;
  /** Recall counters; no history, no new version. */
  noteRecalled(ids: readonly Id[], at: EpochMs): Promise<void>;
  markUndone(actId: Id, undoneBy: Id): Promise<void>;
  /**
   * Takes the content away: row, chunks, vectors, FTS, history, its observation, and the words of the turn it came from; leaves a tombstone.
   * `moved` leaves observation and turn alone. What is left in free pages and the WAL goes with `vacuum`.
   */
  purgeMemory(id: Id, reason: Tombstone['reason'], at: EpochMs): Promise<void>;

  putVectors(embeddingVersion: string, rows: readonly { chunkId: number; vector: Float32Array }[]): Promise<void>;
  removeVectorsOfVersion(embeddingVersion: string): Promise<number>;

  putEpisode(episode: Episode): Promise<void>;
  /** Stores turns not seen before (key: session, message id, block index) and returns how many were new. */
  putTurns(turns: readonly Turn[]): Promise<number>;
  markTurnsExtracted(sessionId: string, upToSequence: number): Promise<void>;
  putObservation(observation: Observation): Promise<void>;

  putProfileValue(value: ProfileValue): Promise<void>;
  removeProfileValue(key: string): Promise<void>;
  putRelation(relation: Relation): Promise<void>;
  removeRelationsOf(memoryId: Id): Promise<void>;

  putReceipt(receipt: InjectionReceipt): Promise<void>;
  putSpend(entry: SpendEntry): Promise<void>;
  putJob(job: Job): Promise<void>;
  /** Bounded: keeps the newest 10,000. */
  putAudit(entry: AuditEntry): Promise<void>;
  putPromptTemplate(template: PromptTemplate): Promise<void>;
  setMeta(key: string, value: string | undefined): Promise<void>;
}

export interface MemoryStore extends StoreReader {
  /** Where it is; for messages and doctor. */
  readonly location: string;
  readonly readOnly: boolean;
  /** Only read because there was no room when it was opened; opening it again may help. */
  readonly isOutOfRoom: boolean;
  write<T>(work: (writer: StoreWriter) => Promise<T>): Promise<T>;
  /** A consistent copy while in use. */
  backup(toPath: string): Promise<void>;
  checkIntegrity(): Promise<{ ok: boolean; problems: readonly string[] }>;
  /** Physically removes what purge left in free pages and the WAL. */
  vacuum(): Promise<void>;
  /** Empties the store completely (rows, history, FTS, vectors, free pages, WAL). */
  purgeAll(): Promise<void>;
  close(): Promise<void>;
}
