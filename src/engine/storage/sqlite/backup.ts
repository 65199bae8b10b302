/**
 * Backups of a store: consistent copies while it is in use, the list of them, their
 * limit, and going back to one.
 *
 * `VACUUM INTO` and not the backup API: it is there on every Node from 22.16, reads one
 * snapshot without holding writers up, and leaves free pages behind.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../../../base/errors.ts';
import type { Clock, EpochMs } from '../../../base/clock.ts';
import { isDamage, mapFileError, mapSqliteError } from './mapSqliteError.ts';
import { migrate } from './migrations.ts';
import { replaceRows } from './replaceRows.ts';
import { openSqliteDatabase, type SqliteDatabase } from './sqliteDatabase.ts';
import { assertReadable, readVersions, writeGeneration } from './storeMeta.ts';
import { fileStamp, freeAsidePath, inspectStore, listSetAside, noteClean, noteMade, noteSuspect, setAside, statePath } from './storeFiles.ts';

export const BACKUPS_KEPT = 5;

export interface BackupInfo {
  readonly path: string;
  readonly at: EpochMs;
  readonly sizeBytes: number;
}

/** Where a store's automatic backups go unless the caller names a folder. */
export const backupFolderOf = (storePath: string): string => path.join(path.dirname(storePath), 'backups');

const stemOf = (storePath: string): string => path.basename(storePath).replace(/\.db$/, '');

/** Writes a copy to `toPath` (0600, replaced atomically, flushed to disk). */
export function copyStore(database: SqliteDatabase, toPath: string): void {
  const partial = `${toPath}.partial`;
  try {
    fs.mkdirSync(path.dirname(toPath), { recursive: true, mode: 0o700 });
    fs.rmSync(partial, { force: true });
    fs.closeSync(fs.openSync(partial, 'wx', 0o600));
    database.run('VACUUM INTO ?', [partial]);
    flush(partial);
    fs.renameSync(partial, toPath);
  } catch (error) {
    fs.rmSync(partial, { force: true });
    throw mapSqliteError(mapFileError(error, toPath), toPath);
  }
}

function flush(file: string): void {
  const descriptor = fs.openSync(file, 'r+');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** A backup with a name that says when and why, among at most `kept` of them. Returns its path. */
export function makeBackup(database: SqliteDatabase, folder: string, at: EpochMs, why: string, kept: number = BACKUPS_KEPT): string {
  const file = path.join(folder, `${stemOf(database.path)}.${fileStamp(at)}.${why}.db`);
  copyStore(database, file);
  for (const old of listBackups(database.path, folder).slice(kept)) fs.rmSync(old.path, { force: true });
  return file;
}

/** Newest first. */
export function listBackups(storePath: string, folder: string = backupFolderOf(storePath)): BackupInfo[] {
  if (!fs.existsSync(folder)) return [];
  const name = new RegExp(`^${stemOf(storePath).replaceAll(/[^\w-]/g, '\\$&')}\\.(\\d{4})(\\d\\d)(\\d\\d)T(\\d\\d)(\\d\\d)(\\d\\d)Z\\..*db$`);
  return fs
    .readdirSync(folder)
    .flatMap((each): BackupInfo[] => {
      const match = name.exec(each);
      if (match === null) return [];
      const [, year, month, day, hour, minute, second] = match.map(Number);
      const file = path.join(folder, each);
      return [{ path: file, at: Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second), sizeBytes: fs.statSync(file).size }];
    })
    .sort((a, b) => b.at - a.at || b.path.localeCompare(a.path));
}

/** Problems of a file that should be a store; empty when it is a whole one. `read` for one that is in use. */
export async function checkStoreFile(file: string, mode: 'immutable' | 'read' = 'immutable'): Promise<string[]> {
  let database: SqliteDatabase | undefined;
  try {
    database = await openSqliteDatabase(file, { mode });
    const versions = readVersions(database);
    if (versions === undefined) return ['It holds no store.'];
    assertReadable(database, versions);
    return database.all('PRAGMA quick_check(20)').map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
  } catch (error) {
    if (!isDamage(error)) throw mapSqliteError(error, file);
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    database?.close();
  }
}

export interface StoreSummary {
  /** Active ones. */
  readonly memories: number;
  /** When the newest of them was last changed; undefined where there is none. */
  readonly changedAt?: EpochMs;
}

/** What a store's file holds, for a person who has to choose. `read` for one that is in use. Throws STORE_CORRUPT. */
export async function summarizeStoreFile(file: string, mode: 'immutable' | 'read' = 'immutable'): Promise<StoreSummary> {
  const problems = await checkStoreFile(file, mode);
  if (problems.length > 0) throw new CairnError('STORE_CORRUPT', `${file} is damaged.`, { data: { path: file, problems } });
  const database = await openSqliteDatabase(file, { mode });
  try {
    const [row] = database.all("SELECT count(*) AS memories, max(updated_at) AS changed_at FROM memory WHERE status = 'active'");
    const changedAt = row?.['changed_at'];
    return { memories: Number(row?.['memories'] ?? 0), ...(changedAt === null || changedAt === undefined ? {} : { changedAt: Number(changedAt) }) };
  } finally {
    database.close();
  }
}

/**
 * Brings a backup back. A store that is whole gets the backup's rows in one transaction, so that every process that has it open
 * goes on with them; one that is damaged or gone is replaced by the backup's file. What was there is kept beside it under another
 * name, which is returned. Throws STORE_CORRUPT when the backup itself is damaged, SCHEMA_TOO_NEW, STORE_LOCKED; then nothing was changed.
 */
export async function restoreBackup(backupPath: string, storePath: string, options: { clock: Clock }): Promise<string | undefined> {
  const problems = await checkStoreFile(backupPath);
  if (problems.length > 0) throw new CairnError('STORE_CORRUPT', `The backup ${backupPath} is damaged itself; the store was left as it is. Choose an older backup.`, { data: { path: backupPath, problems } });
  // A name of its own: the WAL of a restore that was killed must never meet another file.
  const finished = `${storePath}.restoring-${randomBytes(4).toString('hex')}`;
  try {
    fs.mkdirSync(path.dirname(storePath), { recursive: true, mode: 0o700 });
    removeAbandoned(storePath, options.clock.now());
    fs.copyFileSync(backupPath, finished);
    fs.chmodSync(finished, 0o600);
    const version = await finishRestored(finished);
    const aside = freeAsidePath(storePath, 'replaced', options.clock.now());
    const isReplaced = await replaceInPlace(storePath, finished, version, aside);
    if (!isReplaced) flush(finished);
    const kept = isReplaced ? aside : putInPlace(finished, storePath, options.clock.now());
    for (const old of listSetAside(storePath, 'replaced').slice(BACKUPS_KEPT)) for (const side of ['', '-wal', '-shm']) fs.rmSync(`${old}${side}`, { force: true });
    return kept;
  } catch (error) {
    throw mapSqliteError(mapFileError(error, storePath), storePath);
  } finally {
    for (const side of ['', '-wal', '-shm']) fs.rmSync(`${finished}${side}`, { force: true });
  }
}

const ABANDONED_AFTER_MS = 600_000;

/** What a killed restore left: it holds the person's words and serves nobody. */
export function removeAbandoned(storePath: string, now: EpochMs): void {
  const base = path.basename(storePath);
  for (const name of fs.readdirSync(path.dirname(storePath))) {
    const file = path.join(path.dirname(storePath), name);
    if ((name.startsWith(`${base}.restoring-`) || (name.startsWith(`${base}.replaced-`) && name.includes('.partial'))) && now - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > ABANDONED_AFTER_MS) fs.rmSync(file, { force: true });
  }
}

/** The copy gets today's schema and a generation of its own. Returns its schema version. */
async function finishRestored(file: string): Promise<number> {
  const database = await openSqliteDatabase(file);
  try {
    const { to } = await migrate(database, () => Promise.resolve(undefined));
    await database.transaction(() => writeGeneration(database));
    return to;
  } finally {
    database.close();
  }
}

/** False where there is no whole store of the same schema to put rows into. */
async function replaceInPlace(storePath: string, finished: string, version: number, aside: string): Promise<boolean> {
  if (inspectStore(storePath).kind !== 'present') return false;
  let writing: SqliteDatabase | undefined;
  let reading: SqliteDatabase | undefined;
  try {
    if ((await checkStoreFile(storePath, 'read')).length > 0) return false;
    const live = (writing = await openSqliteDatabase(storePath));
    if (readVersions(live)?.schemaVersion !== version) return false;
    const before = (reading = await openSqliteDatabase(storePath, { mode: 'read' }));
    await replaceRows(live, finished, () => copyStore(before, aside));
    return true;
  } catch (error) {
    fs.rmSync(aside, { force: true });
    if (isDamage(error)) return false;
    throw error;
  } finally {
    reading?.close();
    writing?.close();
    noteClean(storePath);
  }
}

/** Renames a finished file to be the store; the old one, with its WAL, steps aside. */
export function putInPlace(finished: string, storePath: string, at: EpochMs): string | undefined {
  const aside = setAside(storePath, 'replaced', at);
  fs.renameSync(finished, storePath);
  noteMade(storePath, at);
  noteSuspect(storePath, false);
  noteClean(storePath);
  return aside;
}

/** Forgets that there ever was a store here, so that the next open begins an empty one. Nothing else is touched. */
export function acceptEmptyStore(storePath: string): void {
  if (!fs.existsSync(storePath)) fs.rmSync(statePath(storePath), { force: true });
}
