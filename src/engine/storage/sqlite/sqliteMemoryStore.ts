/**
 * SqliteMemoryStore: MemoryStore over one SQLite file. Two connections: one writes, one
 * reads and never sees what is not committed. Writes of this process queue up here, so
 * that one transaction is open at a time; writes of other processes are waited for by
 * BEGIN IMMEDIATE.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CairnError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { MemoryStore, StoreInfo, StoreWriter } from '../memoryStore.ts';
import { copyStore, listBackups, makeBackup, removeAbandoned, type BackupInfo } from './backup.ts';
import { isDamage, mapSqliteError } from './mapSqliteError.ts';
import { purgeAllRows } from './purge.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { SqliteReader } from './sqliteReader.ts';
import { SqliteWriter } from './sqliteWriter.ts';
import { fileIdOf, noteClean, noteSuspect } from './storeFiles.ts';
import { readProblems } from './storeInfo.ts';
import { assertWritable, hasPurged, notePurged, readEpoch, readVersions, writeEpoch } from './storeMeta.ts';
import { checkTextIndex, hasStaleText, rebuildTextIndex, refreshTextBatch } from './textIndex.ts';

export interface StoreConnections {
  /** Absent when the store can only be read. */
  readonly writing: SqliteDatabase | undefined;
  /** Why there is no connection for writing, where one was wanted. */
  readonly unwritable?: CairnError | undefined;
  readonly reading: SqliteDatabase;
}

/** Marks the async context of a running write callback. */
interface WriteContext {
  active: boolean;
}

export class SqliteMemoryStore extends SqliteReader implements MemoryStore {
  readonly location: string;
  readonly readOnly: boolean;
  readonly isOutOfRoom: boolean;
  readonly #writing: SqliteDatabase | undefined;
  readonly #unwritable: CairnError | undefined;
  readonly #reading: SqliteDatabase;
  readonly #clock: Clock;
  readonly #backupFolder: string;
  readonly #fileId: string | undefined;
  readonly #context = new AsyncLocalStorage<WriteContext>();
  #queue: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #dataVersion: number | undefined;

  constructor(location: string, connections: StoreConnections, options: { clock: Clock; backupFolder: string }) {
    super();
    this.location = location;
    this.#writing = connections.writing;
    this.#unwritable = connections.unwritable;
    this.#reading = connections.reading;
    this.readOnly = connections.writing === undefined;
    this.isOutOfRoom = connections.unwritable?.code === 'STORE_FULL';
    this.#clock = options.clock;
    this.#backupFolder = options.backupFolder;
    this.#fileId = fileIdOf(location);
  }

  protected override async look<T>(work: (database: SqliteDatabase) => T): Promise<T> {
    try {
      return await this.#reading.snapshot(() => work(this.#reading));
    } catch (error) {
      throw this.#noteDamage(error);
    }
  }

  override async info(): Promise<StoreInfo> {
    return { ...(await super.info()), readOnly: this.readOnly };
  }

  /** SQLite counts commits of other connections; asked on the writing one, so that own writes do not count. */
  override async changedElsewhere(): Promise<boolean> {
    try {
      const now = Number((this.#writing ?? this.#reading).value('PRAGMA data_version'));
      const changed = this.#dataVersion !== undefined && now !== this.#dataVersion;
      this.#dataVersion = now;
      return changed;
    } catch (error) {
      throw mapSqliteError(error, this.location);
    }
  }

  async write<T>(work: (writer: StoreWriter) => Promise<T>): Promise<T> {
    if (this.#context.getStore()?.active === true) throw new Error('A write inside a write: use the writer that was handed in.');
    return this.#alone((database) => this.#transact(database, work));
  }

  async #transact<T>(database: SqliteDatabase, work: (writer: StoreWriter) => Promise<T>): Promise<T> {
    const context: WriteContext = { active: true };
    let writer: SqliteWriter | undefined;
    const result = await database.transaction(async () => {
      try {
        this.#assertInPlace();
        const versions = readVersions(database);
        if (versions !== undefined) assertWritable(database, versions);
        const epoch = readEpoch(database) + 1;
        const before = database.value('SELECT total_changes()');
        const current = new SqliteWriter(database, epoch);
        writer = current;
        const value = await this.#context.run(context, () => work(current));
        // A write that changed nothing is no news to anybody.
        if (database.value('SELECT total_changes()') !== before) writeEpoch(database, epoch);
        return value;
      } finally {
        context.active = false;
        writer?.finish();
      }
    });
    return result;
  }

  /** A file that was set aside while it was open takes no more writes: nobody would find them again. */
  #assertInPlace(): void {
    if (fileIdOf(this.location) !== this.#fileId) throw new CairnError('STORE_CLOSED', `The store ${this.location} was exchanged for another file (a repair or restore). Nothing was written; repeat it.`, { data: { path: this.location } });
  }

  /** Waits for this process's own writers, then has the writing connection to itself. */
  async #alone<T>(work: (database: SqliteDatabase) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new CairnError('STORE_CLOSED', `The store ${this.location} is closed.`);
    const turn = this.#queue.then(async () => {
      if (this.#writing === undefined && this.#unwritable?.code === 'STORE_FULL') throw this.#unwritable;
      if (this.#writing === undefined) throw new CairnError('STORE_READ_ONLY', `The store ${this.location} can only be read here. Check the permissions of the file and its folder.`, { data: { path: this.location } });
      try {
        return await work(this.#writing);
      } catch (error) {
        throw this.#noteDamage(error);
      }
    });
    this.#queue = turn.catch(() => undefined); // the caller gets the error; the next in line must not
    return turn;
  }

  /** Damage met on the way makes the next open look at every page. */
  #noteDamage(error: unknown): unknown {
    if (isDamage(error)) noteSuspect(this.location, true);
    return mapSqliteError(error, this.location);
  }

  async backup(toPath: string): Promise<void> {
    copyStore(this.#reading, toPath);
  }

  /** A named backup among the store's automatic ones, whose number is limited. Returns its path. */
  async backUpNow(why = 'manual'): Promise<string> {
    return makeBackup(this.#reading, this.#backupFolder, this.#clock.now(), why);
  }

  /** Makes one when the newest is older than `maxAgeMs`; what a damaged store is restored from. Returns the new one's path. */
  async ensureRecentBackup(maxAgeMs: number): Promise<string | undefined> {
    const newest = this.backups()[0];
    const age = this.#clock.now() - (newest?.at ?? Number.NEGATIVE_INFINITY);
    return age > maxAgeMs ? this.backUpNow('daily') : undefined;
  }

  backups(): BackupInfo[] {
    return listBackups(this.location, this.#backupFolder);
  }

  /** Every page and index, and whether the text index agrees with its rows. Slow: for doctor. */
  async checkIntegrity(): Promise<{ ok: boolean; problems: readonly string[] }> {
    const problems = await this.look((database) => {
      const found = readProblems(database, 'integrity_check');
      const broken = database.all('PRAGMA foreign_key_check').length;
      if (broken > 0) found.push(`${broken} rows belong to rows that are not there.`);
      const untold = Number(database.value('SELECT count(*) FROM memory m LEFT JOIN memory_token k ON k.row_id = m.row_id WHERE k.row_id IS NULL') ?? 0);
      if (untold > 0) found.push(`${untold} memories are missing in the text index.`);
      return found;
    });
    if (problems.length === 0 && this.#writing !== undefined) {
      const text = await this.#alone((database) => Promise.resolve(checkTextIndex(database)));
      if (text !== undefined) problems.push(text);
    }
    return { ok: problems.length === 0, problems };
  }

  /** The cure when only the text index is damaged: derived data, made anew from rows. */
  async rebuildTextIndex(): Promise<void> {
    await this.#alone((database) => database.transaction(() => rebuildTextIndex(database)));
  }

  /** Feeds memories again whose tokens an older tokenizer made, in small transactions between other work. Returns how many. */
  async refreshTextIndex(): Promise<number> {
    let done = 0;
    while (this.#closing === undefined && this.#writing !== undefined && hasStaleText(this.#reading)) {
      const batch = await this.#alone(refreshTextBatch);
      if (batch === 0) break;
      done += batch;
      await nextTurn();
    }
    return done;
  }

  /** Starts refreshTextIndex on its own when it is needed, and lets it end with the store. */
  keepTextIndexFresh(): void {
    if (this.readOnly || !hasStaleText(this.#reading)) return;
    void this.refreshTextIndex().catch(() => undefined); // search serves from the old tokens; the next opening goes on
  }

  async vacuum(): Promise<void> {
    await this.#alone(async (database) => {
      if (hasPurged(database)) await database.transaction(() => rebuildTextIndex(database));
      await database.maintain((each) => each.exec('VACUUM'));
      if (hasPurged(database)) await database.transaction(() => notePurged(database, false));
      await this.#truncateWal(database);
      removeAbandoned(this.location, this.#clock.now());
    });
  }

  async purgeAll(): Promise<void> {
    await this.#alone((database) =>
      database.transaction(() => {
        const versions = readVersions(database);
        if (versions !== undefined) assertWritable(database, versions);
        const epoch = readEpoch(database) + 1;
        purgeAllRows(database, epoch, this.#clock.now());
        writeEpoch(database, epoch);
      }),
    );
    await this.vacuum();
  }

  /** Empties the WAL: old page images are content too. Throws STORE_LOCKED when a reader elsewhere keeps it in use all the time. */
  async #truncateWal(database: SqliteDatabase): Promise<void> {
    await database.maintain((each) => {
      const busy = each.get('PRAGMA wal_checkpoint(TRUNCATE)')?.['busy'];
      if (busy !== 0) throw Object.assign(new Error('The WAL is in use.'), { errcode: 5 });
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#queue.then(() => {
      try {
        this.#reading.close();
        this.#writing?.close();
        if (this.#writing !== undefined) noteClean(this.location);
      } catch (error) {
        throw mapSqliteError(error, this.location);
      }
    });
    return this.#closing;
  }
}
