/**
 * Opening a store: the folder is judged, damage is looked for, the schema is brought up to
 * date, and what cannot be written is opened for reading. Never answers damage with an
 * empty store.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { StoreRole } from '../../engineTypes.ts';
import { backupFolderOf, listBackups, makeBackup } from './backup.ts';
import { assertLocalFolder, type FolderJudge } from './fileSystemCheck.ts';
import { isDamage, mapFileError, mapSqliteError } from './mapSqliteError.ts';
import { migrate, MIGRATIONS, type Migration } from './migrations.ts';
import { countSalvageable } from './salvage.ts';
import { openSqliteDatabase, type SqliteDatabase } from './sqliteDatabase.ts';
import { SqliteMemoryStore } from './sqliteMemoryStore.ts';
import { inspectStore, listSetAside, noteMade, noteSuspect, setAside, type StoreFinding } from './storeFiles.ts';
import { readProblems } from './storeInfo.ts';
import { assertReadable, readVersions } from './storeMeta.ts';

export interface OpenSqliteStoreOptions {
  readonly path: string;
  /** For messages: which store this is. */
  readonly role: StoreRole;
  readonly clock: Clock;
  /** How long a write waits for other processes. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Opens for reading only, also where writing would be possible. The store must exist. */
  readonly readOnly?: boolean;
  /** Default: `backups` beside the store. */
  readonly backupFolder?: string;
  /** False: a short-lived process (a hook) that leaves renewing the text index after an update to others. */
  readonly upkeep?: boolean;
  /** The person insists on a network or sync folder. */
  readonly allowNetworkFileSystem?: boolean;
  readonly judgeFolder?: FolderJudge;
  /** For tests of the runner. */
  readonly migrations?: readonly Migration[];
}

/** What STORE_CORRUPT carries when opening found damage. */
export interface DamageData {
  readonly path: string;
  readonly reason: string;
  /** Where the damaged file lies now; absent when its folder cannot be written. */
  readonly setAsidePath?: string;
  /** Newest first. */
  readonly backups: readonly { readonly path: string; readonly at: number; readonly sizeBytes: number }[];
  /** Memories that `salvageStore` would bring back. */
  readonly salvageable: number;
}

/**
 * Throws STORE_NETWORK_FILE_SYSTEM, STORE_CORRUPT (data: DamageData), STORE_UNREADABLE, STORE_LOCKED, STORE_FULL, SCHEMA_TOO_NEW, MIGRATION_FAILED,
 * RUNTIME_UNSUPPORTED; with `readOnly` also STORE_UNREADABLE when there is no store yet.
 */
export async function openSqliteStore(options: OpenSqliteStoreOptions): Promise<SqliteMemoryStore> {
  const { clock } = options;
  const file = path.resolve(options.path);
  if (options.allowNetworkFileSystem !== true) assertLocalFolder(path.dirname(file), options.judgeFolder);
  const finding = inspect(file);
  if (finding.kind === 'damaged') throw await damaged(options, file, finding.reason);
  if (finding.kind === 'fresh' && options.readOnly === true) throw new CairnError('STORE_UNREADABLE', `There is no ${options.role} store at ${file} yet.`, { data: { path: file } });

  const backupFolder = options.backupFolder ?? backupFolderOf(file);
  let writing: SqliteDatabase | undefined;
  let reading: SqliteDatabase | undefined;
  try {
    const opened = options.readOnly === true ? undefined : await openForWriting(file, finding, options.busyTimeoutMs);
    const unwritable = opened instanceof CairnError ? opened : undefined;
    writing = opened instanceof CairnError ? undefined : opened;
    if (writing !== undefined) {
      const database = writing;
      if (finding.kind === 'present' && finding.suspicious) checkPages(database);
      await migrate(database, (from) => Promise.resolve(makeBackup(database, backupFolder, clock.now(), `before-schema-${from + 1}`)), options.migrations);
      noteMade(file, clock.now());
      if (finding.kind === 'present' && finding.suspicious) noteSuspect(file, false);
    }
    reading = await openForReading(file, options.busyTimeoutMs);
    const known = options.migrations?.length ?? MIGRATIONS.length;
    const versions = readVersions(reading);
    if (versions === undefined) throw new CairnError('STORE_UNREADABLE', `${file} holds no store of Cairn.`, { data: { path: file } });
    assertReadable(reading, versions, known);
    if (options.readOnly !== true && writing === undefined && versions.schemaVersion < known) assertCurrent(file, versions.schemaVersion);
    const store = new SqliteMemoryStore(file, { writing, reading, unwritable }, { clock, backupFolder });
    if (options.upkeep !== false) store.keepTextIndexFresh();
    return store;
  } catch (error) {
    closeAll(reading, writing);
    if (isDamage(error)) throw await damaged(options, file, error instanceof Error ? error.message : String(error));
    throw mapSqliteError(mapFileError(error, file), file);
  }
}

function inspect(file: string): StoreFinding {
  try {
    return inspectStore(file);
  } catch (error) {
    throw mapFileError(error, file);
  }
}

/** Codes with which a store that is there still serves for reading. */
const STILL_READABLE: ReadonlySet<string | undefined> = new Set(['STORE_READ_ONLY', 'STORE_UNREADABLE', 'STORE_FULL']);

/** The reason instead, when file or folder cannot be written or have no room: the store then serves for reading. A fresh store has to be written, so there the error stands. */
async function openForWriting(file: string, finding: StoreFinding, busyTimeoutMs: number | undefined): Promise<SqliteDatabase | CairnError> {
  try {
    return await openSqliteDatabase(file, { mode: 'write', ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }) });
  } catch (error) {
    if (finding.kind === 'present' && error instanceof CairnError && STILL_READABLE.has(error.code)) return error;
    throw error;
  }
}

/** A WAL store in a folder that cannot be written or has no room has no shared memory; with nothing in a WAL its file can be read as it stands. */
async function openForReading(file: string, busyTimeoutMs: number | undefined): Promise<SqliteDatabase> {
  const timeout = busyTimeoutMs === undefined ? {} : { busyTimeoutMs };
  try {
    return await openSqliteDatabase(file, { mode: 'read', ...timeout });
  } catch (error) {
    const code = error instanceof CairnError ? error.code : undefined;
    if (!STILL_READABLE.has(code) || (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) throw error;
    return openSqliteDatabase(file, { mode: 'immutable', ...timeout });
  }
}

function assertCurrent(file: string, schemaVersion: number): never {
  throw new CairnError('STORE_READ_ONLY', `The store ${file} is of schema ${schemaVersion} and has to be brought up to date, but it cannot be written. Check its permissions.`, { data: { path: file, schemaVersion } });
}

/** SQLite's check of every page's structure; only after something other than SQLite changed the file. */
function checkPages(database: SqliteDatabase): void {
  const problems = readProblems(database, 'quick_check');
  if (problems.length > 0) throw new CairnError('STORE_CORRUPT', problems.slice(0, 3).join('; '), { data: { problems: problems.slice(0, 10) } });
}

function closeAll(...connections: readonly (SqliteDatabase | undefined)[]): void {
  for (const connection of connections) {
    try {
      connection?.close();
    } catch {
      // The error that led here says more.
    }
  }
}

async function damaged(options: OpenSqliteStoreOptions, file: string, reason: string): Promise<CairnError> {
  const setAsidePath = (options.readOnly === true ? undefined : setAside(file, 'damaged', options.clock.now())) ?? listSetAside(file)[0];
  const backups = listBackups(file, options.backupFolder);
  const salvageable = await salvageableIn(setAsidePath ?? file);
  const data: DamageData = { path: file, reason, ...(setAsidePath === undefined ? {} : { setAsidePath }), backups, salvageable };
  const where = setAsidePath === undefined ? 'It was left where it is' : `It was set aside as ${setAsidePath}`;
  const offer = [`${salvageable} ${salvageable === 1 ? 'memory' : 'memories'} can be salvaged`, backups.length === 0 ? 'there is no backup' : `the last of ${backups.length} backups is ${backups[0]?.path ?? ''}`].join('; ');
  return new CairnError('STORE_CORRUPT', `The ${options.role} store ${file} is damaged (${reason}). ${where}; ${offer}. Run \`cairn doctor --fix\`.`, { data: { ...data } });
}

async function salvageableIn(file: string): Promise<number> {
  try {
    return await countSalvageable(file);
  } catch {
    return 0; // an unreadable or unwritable folder: the damage is the news, not the count
  }
}
