/**
 * StoreReader over one connection. Each method is one snapshot; inside a write it sees
 * what that write has done so far, elsewhere only what is committed.
 */
import type { EpochMs } from '../../../base/clock.ts';
import type { Id } from '../../../base/ids.ts';
import type { Episode } from '../../model/episode.ts';
import type { Memory, MemoryChange, ProfileValue, Relation, Tombstone } from '../../model/memory.ts';
import type { Observation } from '../../model/observation.ts';
import type { AuditEntry, Chunk, InjectionReceipt, Job, JobState, LexicalHit, MemoryFilter, MemoryOrder, PromptTemplate, SpendEntry, StoreInfo, StoreReader, VectorRow } from '../memoryStore.ts';
import * as chunks from './chunkTables.ts';
import * as episodes from './episodeTables.ts';
import * as knowledge from './knowledgeTables.ts';
import * as memories from './memoryReads.ts';
import * as records from './recordTables.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { readInfo } from './storeInfo.ts';
import { readEpoch } from './storeMeta.ts';
import { searchText } from './textSearch.ts';
import { searchSigns } from './signSearch.ts';

type Page = { limit: number; offset: number };

export abstract class SqliteReader implements StoreReader {
  /** Runs a read on the connection that this reader looks through. */
  protected abstract look<T>(work: (database: SqliteDatabase) => T): Promise<T>;
  abstract changedElsewhere(): Promise<boolean>;

  epoch(): Promise<number> {
    return this.look(readEpoch);
  }

  info(): Promise<StoreInfo> {
    return this.look(readInfo);
  }

  getMemory(id: Id): Promise<Memory | undefined> {
    return this.look((database) => memories.selectMemory(database, id)?.memory);
  }

  getMemories(ids: readonly Id[]): Promise<Memory[]> {
    return this.look((database) => memories.selectMemories(database, ids));
  }

  listMemories(filter: MemoryFilter, page: Page & { order: MemoryOrder }): Promise<Memory[]> {
    return this.look((database) => memories.listMemories(database, filter, page));
  }

  countMemories(filter: MemoryFilter): Promise<number> {
    return this.look((database) => memories.countMemories(database, filter));
  }

  findByNormalizedText(normalized: string): Promise<Memory[]> {
    return this.look((database) => memories.findByNormalizedText(database, normalized));
  }

  tombstone(id: Id): Promise<Tombstone | undefined> {
    return this.look((database) => memories.selectTombstone(database, id));
  }

  history(id: Id): Promise<MemoryChange[]> {
    return this.look((database) => memories.selectHistory(database, id));
  }

  recentChanges(page: { limit: number; offset?: number; memoryId?: Id }): Promise<MemoryChange[]> {
    return this.look((database) => memories.recentChanges(database, page));
  }

  changedSince(epoch: number, limit: number): Promise<{ memoryId: Id; epoch: number }[]> {
    return this.look((database) => memories.changedSince(database, epoch, limit));
  }

  tags(): Promise<{ tag: string; count: number }[]> {
    return this.look(memories.countTags);
  }

  searchText(query: string, filter: MemoryFilter, limit: number): Promise<LexicalHit[]> {
    return this.look((database) => {
      const hits = searchText(database, query, filter, limit);
      return hits.length > 0 ? hits : searchSigns(database, query, filter, limit);
    });
  }

  searchPath(path: string, filter: MemoryFilter, limit: number): Promise<Id[]> {
    return this.look((database) => memories.searchPath(database, path, filter, limit));
  }

  passing(ids: readonly Id[], filter: MemoryFilter): Promise<Set<Id>> {
    return this.look((database) => memories.passing(database, ids, filter));
  }

  getChunks(memoryId: Id): Promise<Chunk[]> {
    return this.look((database) => chunks.selectChunks(database, memoryId));
  }

  chunksWithoutVector(embeddingVersion: string, limit: number): Promise<Chunk[]> {
    return this.look((database) => chunks.chunksWithoutVector(database, embeddingVersion, limit));
  }

  countVectors(embeddingVersion: string): Promise<number> {
    return this.look((database) => chunks.countVectors(database, embeddingVersion));
  }

  embeddingVersions(): Promise<{ version: string; vectors: number }[]> {
    return this.look(chunks.embeddingVersions);
  }

  vectorsSince(embeddingVersion: string, epoch: number, limit: number, afterChunkId?: number): Promise<VectorRow[]> {
    return this.look((database) => chunks.vectorsSince(database, embeddingVersion, epoch, limit, afterChunkId));
  }

  getVectors(embeddingVersion: string, chunkIds: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.look((database) => chunks.selectVectors(database, embeddingVersion, chunkIds));
  }

  memoryIdsOfChunks(chunkIds: readonly number[]): Promise<Map<number, Id>> {
    return this.look((database) => chunks.memoryIdsOfChunks(database, chunkIds));
  }

  chunkIdsOf(memoryIds: readonly Id[]): Promise<Map<Id, readonly number[]>> {
    return this.look((database) => chunks.chunkIdsOf(database, memoryIds));
  }

  getEpisode(sessionId: string): Promise<Episode | undefined> {
    return this.look((database) => episodes.selectEpisode(database, sessionId));
  }

  listEpisodes(page: Page): Promise<Episode[]> {
    return this.look((database) => episodes.listEpisodes(database, page));
  }

  getTurns(sessionId: string, options?: { afterSequence?: number; limit?: number }): Promise<episodes.StoredTurn[]> {
    return this.look((database) => episodes.selectTurns(database, sessionId, options));
  }

  getObservation(id: Id): Promise<Observation | undefined> {
    return this.look((database) => episodes.selectObservation(database, id));
  }

  listObservations(filter: episodes.ObservationFilter, page: Page): Promise<{ observations: Observation[]; total: number }> {
    return this.look((database) => episodes.listObservations(database, filter, page));
  }

  wasRejected(normalized: string): Promise<boolean> {
    return this.look((database) => episodes.wasRejected(database, normalized));
  }

  profile(): Promise<ProfileValue[]> {
    return this.look(knowledge.selectProfile);
  }

  relations(filter: { entity?: string; memoryId?: Id }, limit: number): Promise<Relation[]> {
    return this.look((database) => knowledge.selectRelations(database, filter, limit));
  }

  entities(prefix: string, limit: number): Promise<{ name: string; relations: number }[]> {
    return this.look((database) => knowledge.selectEntities(database, prefix, limit));
  }

  receipts(filter: { sessionId?: string; memoryId?: Id }, page: Page): Promise<InjectionReceipt[]> {
    return this.look((database) => records.selectReceipts(database, filter, page));
  }

  spend(filter: { day?: string; since?: EpochMs }): Promise<SpendEntry[]> {
    return this.look((database) => records.selectSpend(database, filter));
  }

  jobs(filter: { states?: readonly JobState[]; purpose?: Job['purpose']; sessionId?: string }, limit: number): Promise<Job[]> {
    return this.look((database) => records.selectJobs(database, filter, limit));
  }

  audit(limit: number): Promise<AuditEntry[]> {
    return this.look((database) => records.selectAudit(database, limit));
  }

  promptTemplates(): Promise<PromptTemplate[]> {
    return this.look(records.selectPromptTemplates);
  }

  getMeta(key: string): Promise<string | undefined> {
    return this.look((database) => records.selectMeta(database, key));
  }
}
