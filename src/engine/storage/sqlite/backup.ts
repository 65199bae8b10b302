/**
 * Backups of a store: consistent copies while it is in use, the list of them, their
 * limit, and going back to one.
 *
 * `VACUUM INTO` and not the backup API: it is there on every Node from 22.16, reads one
 * snapshot without holding writers up, and leaves free pages behind.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../../../base/errors.ts';
import type { Clock, EpochMs } from '../../../base/clock.ts';
import { isDamage, mapFileError, mapSqliteError } from './mapSqliteError.ts';
import { openSqliteDatabase, type SqliteDatabase } from './sqliteDatabase.ts';
import { assertReadable, readVersions } from './storeMeta.ts';
import { fileStamp, noteClean, noteMade, noteSuspect, setAside, statePath } from './storeFiles.ts';

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

/** Problems of a file that should be a store; empty when it is a whole one. */
export async function checkStoreFile(file: string): Promise<string[]> {
  let database: SqliteDatabase | undefined;
  try {
    database = await openSqliteDatabase(file, { mode: 'immutable' });
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

/**
 * Puts a backup in the store's place. What is there is set aside, never removed. No process of Cairn should have the store open:
 * it would go on with the old file. Throws STORE_CORRUPT when the backup itself is damaged, SCHEMA_TOO_NEW.
 * Returns where the old file went, if there was one.
 */
export async function restoreBackup(backupPath: string, storePath: string, options: { clock: Clock }): Promise<string | undefined> {
  const problems = await checkStoreFile(backupPath);
  if (problems.length > 0) throw new CairnError('STORE_CORRUPT', `The backup ${backupPath} is damaged itself; the store was left as it is. Choose an older backup.`, { data: { path: backupPath, problems } });
  const partial = `${storePath}.restoring`;
  try {
    fs.mkdirSync(path.dirname(storePath), { recursive: true, mode: 0o700 });
    fs.copyFileSync(backupPath, partial);
    fs.chmodSync(partial, 0o600);
    flush(partial);
  } catch (error) {
    fs.rmSync(partial, { force: true });
    throw mapFileError(error, storePath);
  }
  return putInPlace(partial, storePath, options.clock.now());
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
