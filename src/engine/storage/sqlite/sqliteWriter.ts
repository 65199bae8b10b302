/**
 * StoreWriter: what a `write` callback works with, inside its transaction. It stops
 * working when the callback is through, so that a forgotten await cannot write into
 * somebody else's transaction.
 */
import type { EpochMs } from '../../../base/clock.ts';
import type { Id } from '../../../base/ids.ts';
import type { Episode, Turn } from '../../model/episode.ts';
import type { Memory, MemoryChange, ProfileValue, Relation, Tombstone } from '../../model/memory.ts';
import type { Observation } from '../../model/observation.ts';
import type { AuditEntry, InjectionReceipt, Job, PromptTemplate, SpendEntry, StoreWriter } from '../memoryStore.ts';
import * as chunks from './chunkTables.ts';
import * as episodes from './episodeTables.ts';
import * as knowledge from './knowledgeTables.ts';
import { mapSqliteError } from './mapSqliteError.ts';
import * as memories from './memoryWrites.ts';
import { purgeMemory } from './purge.ts';
import * as records from './recordTables.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { SqliteReader } from './sqliteReader.ts';

export class SqliteWriter extends SqliteReader implements StoreWriter {
  readonly #database: SqliteDatabase;
  /** The epoch that this write will have raised the store to. */
  readonly #epoch: number;
  #finished = false;

  constructor(database: SqliteDatabase, epoch: number) {
    super();
    this.#database = database;
    this.#epoch = epoch;
  }

  finish(): void {
    this.#finished = true;
  }

  protected override look<T>(work: (database: SqliteDatabase) => T): Promise<T> {
    return this.#do(work);
  }

  /** Inside its own transaction nothing can change elsewhere. */
  override changedElsewhere(): Promise<boolean> {
    return Promise.resolve(false);
  }

  insertMemory(memory: Memory, texts: readonly string[], change: memories.ChangeInput): Promise<void> {
    return this.#do((database) => memories.insertMemory(database, this.#epoch, memory, texts, change));
  }

  replaceMemory(after: Memory, texts: readonly string[] | undefined, change: memories.ChangeInput): Promise<void> {
    return this.#do((database) => memories.replaceMemory(database, this.#epoch, after, texts, change));
  }

  putPastChanges(changes: readonly MemoryChange[]): Promise<void> {
    return this.#do((database) => memories.putPastChanges(database, changes));
  }

  noteRecalled(ids: readonly Id[], at: EpochMs): Promise<void> {
    return this.#do((database) => memories.noteRecalled(database, this.#epoch, ids, at));
  }

  markUndone(actId: Id, undoneBy: Id): Promise<void> {
    return this.#do((database) => void database.run('UPDATE memory_change SET undone_by = ? WHERE act_id = ?', [undoneBy, actId]));
  }

  purgeMemory(id: Id, reason: Tombstone['reason'], at: EpochMs): Promise<void> {
    return this.#do((database) => purgeMemory(database, this.#epoch, id, reason, at));
  }

  putVectors(embeddingVersion: string, rows: readonly { chunkId: number; vector: Float32Array }[]): Promise<void> {
    return this.#do((database) => chunks.putVectors(database, this.#epoch, embeddingVersion, rows));
  }

  removeVectorsOfVersion(embeddingVersion: string): Promise<number> {
    return this.#do((database) => chunks.removeVectorsOfVersion(database, embeddingVersion));
  }

  putEpisode(episode: Episode): Promise<void> {
    return this.#do((database) => episodes.putEpisode(database, episode));
  }

  putTurns(turns: readonly Turn[]): Promise<number> {
    return this.#do((database) => episodes.putTurns(database, turns));
  }

  markTurnsExtracted(sessionId: string, upToSequence: number): Promise<void> {
    return this.#do((database) => episodes.markTurnsExtracted(database, sessionId, upToSequence));
  }

  putObservation(observation: Observation): Promise<void> {
    return this.#do((database) => episodes.putObservation(database, observation));
  }

  putProfileValue(value: ProfileValue): Promise<void> {
    return this.#do((database) => knowledge.putProfileValue(database, value));
  }

  removeProfileValue(key: string): Promise<void> {
    return this.#do((database) => knowledge.removeProfileValue(database, key));
  }

  putRelation(relation: Relation): Promise<void> {
    return this.#do((database) => knowledge.putRelation(database, relation));
  }

  removeRelationsOf(memoryId: Id): Promise<void> {
    return this.#do((database) => knowledge.removeRelationsOf(database, memoryId));
  }

  putReceipt(receipt: InjectionReceipt): Promise<void> {
    return this.#do((database) => records.putReceipt(database, receipt));
  }

  putSpend(entry: SpendEntry): Promise<void> {
    return this.#do((database) => records.putSpend(database, entry));
  }

  putJob(job: Job): Promise<void> {
    return this.#do((database) => records.putJob(database, job));
  }

  putAudit(entry: AuditEntry): Promise<void> {
    return this.#do((database) => records.putAudit(database, entry));
  }

  putPromptTemplate(template: PromptTemplate): Promise<void> {
    return this.#do((database) => records.putPromptTemplate(database, template));
  }

  setMeta(key: string, value: string | undefined): Promise<void> {
    return this.#do((database) => records.setMeta(database, key, value));
  }

  /** Errors travel as rejections, as of any async method. */
  #do<T>(work: (database: SqliteDatabase) => T): Promise<T> {
    try {
      if (this.#finished) throw new Error('This write is over; its writer must not be kept.');
      return Promise.resolve(work(this.#database));
    } catch (error) {
      const mapped = mapSqliteError(error, this.#database.path);
      return Promise.reject(mapped instanceof Error ? mapped : new Error(String(mapped)));
    }
  }
}
