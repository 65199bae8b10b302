/**
 * SqliteDatabase: one connection to one SQLite file, with the settings that make it safe
 * among several processes (WAL, synchronous=FULL, BEGIN IMMEDIATE, files 0600), one
 * transaction helper and prepared statements kept. Knows no memory: the runtime's registry
 * uses it as well.
 *
 * The driver is synchronous; waiting for the write lock is not: `begin` asks in slices of
 * 25 ms and lets the event loop turn between them, so that readers of the same
 * thread are answered while another process writes.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CairnError } from '../../../base/errors.ts';
import { isBusy, mapFileError, mapSqliteError } from './mapSqliteError.ts';

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/** `write` makes the file when there is none; `read` needs it; `immutable` reads a file whose folder cannot be written and ignores a WAL. */
export type DatabaseMode = 'write' | 'read' | 'immutable';

export interface OpenDatabaseOptions {
  readonly mode?: DatabaseMode;
  /** How long a write waits for other processes. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

export const DEFAULT_BUSY_TIMEOUT_MS = 5_000;
/** How long one question waits inside SQLite, where the thread stands still. Readers wait only while another process repairs after a crash. */
const SLICE_MS: Readonly<Record<DatabaseMode, number>> = { write: 25, read: 1_000, immutable: 1_000 };
const LONGEST_PAUSE_MS = 25;

type SqliteModule = typeof import('node:sqlite');
let loaded: Promise<SqliteModule> | undefined;

/** node:sqlite, or RUNTIME_UNSUPPORTED where this Node has none. On Node 22 loading prints an ExperimentalWarning; the runtime silences it. */
export function loadSqlite(): Promise<SqliteModule> {
  loaded ??= import('node:sqlite').catch((error: unknown) => {
    loaded = undefined;
    throw new CairnError('RUNTIME_UNSUPPORTED', 'This Node has no usable node:sqlite. Cairn needs Node 22.16 or newer, or an editor that contains it.', { cause: error });
  });
  return loaded;
}

/** Makes missing folders 0700 and the file 0600 before SQLite can make them wider; -wal and -shm inherit the file's mode. */
function ensureFile(file: string): void {
  const folder = path.dirname(file);
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    fs.closeSync(fs.openSync(file, 'a', 0o600));
  } catch (error) {
    throw isReadable(file) ? new CairnError('STORE_READ_ONLY', `${file} can be read but not written. Check its permissions.`, { cause: error, data: { path: file } }) : error;
  }
  narrowMode(file);
}

function isReadable(file: string): boolean {
  try {
    fs.closeSync(fs.openSync(file, 'r'));
    return true;
  } catch {
    return false; // not there, or not ours to read: the first error says so
  }
}

function narrowMode(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if ((fs.statSync(each).mode & 0o077) !== 0) fs.chmodSync(each, 0o600);
    } catch {
      // Not there, or another user's: opening will say what is wrong if it matters.
    }
  }
}

/**
 * Opens a connection. Throws STORE_UNREADABLE, STORE_READ_ONLY, STORE_CORRUPT (not an SQLite file), STORE_LOCKED, RUNTIME_UNSUPPORTED,
 * STORE_NETWORK_FILE_SYSTEM when WAL is not to be had here.
 */
export async function openSqliteDatabase(file: string, options: OpenDatabaseOptions = {}): Promise<SqliteDatabase> {
  const { DatabaseSync } = await loadSqlite();
  const mode = options.mode ?? 'write';
  const busyTimeoutMs = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
  let connection: DatabaseSync | undefined;
  try {
    if (mode === 'write') ensureFile(file);
    const url = pathToFileURL(file);
    if (mode === 'immutable') url.searchParams.set('immutable', '1');
    connection = new DatabaseSync(url, { readOnly: mode !== 'write', enableForeignKeyConstraints: true, enableDoubleQuotedStringLiterals: false, timeout: Math.min(SLICE_MS[mode], busyTimeoutMs) });
    const database = new SqliteDatabase(connection, file, mode, busyTimeoutMs);
    if (mode === 'write') await database.prepareForWriting();
    else await database.snapshot(() => database.get('SELECT count(*) AS n FROM sqlite_schema'));
    return database;
  } catch (error) {
    try {
      connection?.close();
    } catch {
      // The first error is the one that counts.
    }
    throw mapSqliteError(mapFileError(error, file), file);
  }
}

export class SqliteDatabase {
  readonly path: string;
  readonly mode: DatabaseMode;
  readonly busyTimeoutMs: number;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #closed = false;

  constructor(connection: DatabaseSync, file: string, mode: DatabaseMode, busyTimeoutMs: number) {
    this.#connection = connection;
    this.path = file;
    this.mode = mode;
    this.busyTimeoutMs = busyTimeoutMs;
  }

  /** Switches to WAL and reads back that it is so: a file system without shared memory answers with another mode. */
  async prepareForWriting(): Promise<void> {
    await this.#whileBusy(() => {
      const journal = this.#connection.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
      if (journal !== 'wal') throw new CairnError('STORE_NETWORK_FILE_SYSTEM', `SQLite cannot use its WAL mode at ${this.path} (it stays at ${String(journal)}). Set CAIRN_HOME to a folder on a local disk.`, { data: { path: this.path, journalMode: journal } });
      this.#connection.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY');
    });
    narrowMode(this.path);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isInTransaction(): boolean {
    return !this.#closed && this.#connection.isTransaction;
  }

  /** Number of rows changed. */
  run(sql: string, params: readonly SqlValue[] = []): number {
    return Number(this.#prepare(sql).run(...params).changes);
  }

  /** Number of the row that was inserted. */
  insert(sql: string, params: readonly SqlValue[] = []): number {
    return Number(this.#prepare(sql).run(...params).lastInsertRowid);
  }

  get(sql: string, params: readonly SqlValue[] = []): SqlRow | undefined {
    return this.#prepare(sql).get(...params) as SqlRow | undefined;
  }

  all(sql: string, params: readonly SqlValue[] = []): SqlRow[] {
    return this.#prepare(sql).all(...params) as SqlRow[];
  }

  /** Several statements without parameters; not kept. */
  exec(sql: string): void {
    this.#assertOpen();
    this.#connection.exec(sql);
  }

  /** One value of one row, for pragmas and counts. */
  value(sql: string, params: readonly SqlValue[] = []): SqlValue | undefined {
    const row = this.get(sql, params);
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /** Runs a read so that all its statements see one state. Waits only where another process is repairing after a crash. */
  async snapshot<T>(work: () => T): Promise<T> {
    return this.#whileBusy(() => {
      this.exec('BEGIN');
      try {
        return work();
      } finally {
        if (this.#connection.isTransaction) this.#connection.exec('COMMIT');
      }
    });
  }

  /** Takes the write lock, waiting at most `busyTimeoutMs`. Throws STORE_LOCKED, STORE_READ_ONLY. */
  async begin(): Promise<void> {
    if (this.isInTransaction) throw new Error('A transaction is open on this connection already.');
    await this.#whileBusy(() => this.exec('BEGIN IMMEDIATE'));
  }

  commit(): void {
    this.exec('COMMIT');
  }

  /** Also right after SQLite has rolled back by itself (disk full). */
  rollback(): void {
    if (this.isInTransaction) this.#connection.exec('ROLLBACK');
  }

  /** Commits when `work` returns, rolls back when it throws. `work` may only await this connection. */
  async transaction<T>(work: () => T | Promise<T>): Promise<T> {
    await this.begin();
    try {
      const result = await work();
      this.commit();
      return result;
    } catch (error) {
      this.rollback();
      throw mapSqliteError(error, this.path);
    }
  }

  /**
   * Repeats `work` while the file is busy, for about `busyTimeoutMs`; then throws STORE_LOCKED. Time alone does not end
   * it: on a machine so busy that the holder of the lock hardly runs, few questions fit into that time (eight writers
   * at a load of 25 on two cores met the limit twice in 1,400 writes), so a number of them must have been asked as well.
   */
  async #whileBusy<T>(work: () => T): Promise<T> {
    const startedAt = performance.now();
    const leastAttempts = this.busyTimeoutMs / (SLICE_MS[this.mode] + LONGEST_PAUSE_MS);
    for (let attempts = 1; ; attempts += 1) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || (attempts >= leastAttempts && performance.now() - startedAt >= this.busyTimeoutMs)) throw mapSqliteError(error, this.path);
      }
      // Uneven pauses, so that several waiting processes do not ask in step.
      await sleep(randomInt(1, LONGEST_PAUSE_MS));
    }
  }

  /** Maintenance outside of transactions (VACUUM, checkpoint): repeated while busy, like `begin`. */
  async maintain(work: (database: SqliteDatabase) => void): Promise<void> {
    await this.#whileBusy(() => work(this));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#connection.close();
  }

  #prepare(sql: string): StatementSync {
    this.#assertOpen();
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      // Filters make many texts; the cache must not grow with them.
      if (this.#statements.size >= 400) this.#statements.clear();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #assertOpen(): void {
    if (this.#closed) throw new CairnError('STORE_CLOSED', `The store ${this.path} is closed.`);
  }
}
