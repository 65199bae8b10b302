/**
 * The files of a store on disk: is there one, is it fresh or damaged, and putting a
 * damaged one aside.
 *
 * Beside `memory.db` lies `memory.db.state`, written when the store was made. It tells an
 * empty or missing file that was a store (damage, never answered by a silent empty store)
 * from one that never was. It also holds size and time of the file at the last clean
 * close: a file that differs, with no WAL beside it, was changed by something other than
 * SQLite and is checked page by page before use; an unchanged one is not (hooks open
 * stores often and must be quick). To begin anew on purpose remove both files.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { EpochMs } from '../../../base/clock.ts';

const MAGIC = 'SQLite format 3\0';
const SIDE_FILES = ['', '-wal', '-shm'] as const;

interface FileStamp {
  readonly sizeBytes: number;
  readonly modified: string;
}

interface StoreState {
  readonly format: 1;
  readonly madeAt: EpochMs;
  readonly clean?: FileStamp;
  /** Something met damage while the store was open: check every page at the next open. */
  readonly suspect?: boolean;
}

export type StoreFinding =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'present'; readonly suspicious: boolean };

export const statePath = (storePath: string): string => `${storePath}.state`;

/** `20261130T123000Z`: sorts by time and is a file name everywhere. */
export const fileStamp = (at: EpochMs): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');

function readState(storePath: string): StoreState | undefined {
  let content: string;
  try {
    content = fs.readFileSync(statePath(storePath), 'utf8');
  } catch {
    return undefined; // no state file: the store is older than this sign, or fresh
  }
  try {
    const state: unknown = JSON.parse(content);
    if (typeof state === 'object' && state !== null) return state as StoreState;
  } catch {
    // Half a state file still says that there was a store.
  }
  return { format: 1, madeAt: 0, suspect: true };
}

function writeState(storePath: string, state: StoreState): void {
  const temporary = `${statePath(storePath)}.${randomBytes(4).toString('hex')}`;
  try {
    fs.writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    fs.renameSync(temporary, statePath(storePath));
  } catch {
    // The sign only saves a check or allows one; a full disk must not fail what went well.
    fs.rmSync(temporary, { force: true });
  }
}

function stampOf(file: string): FileStamp | undefined {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : { sizeBytes: Number(stat.size), modified: String(stat.mtimeNs) };
}

/** The same for one file under any name; undefined where there is none. */
export function fileIdOf(file: string): string | undefined {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

const hasWal = (storePath: string): boolean => (fs.statSync(`${storePath}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Cheap: two stats and one read of 100 bytes. File errors (EACCES ...) pass through to the caller. */
export function inspectStore(storePath: string): StoreFinding {
  const state = readState(storePath);
  const stamp = stampOf(storePath);
  if (stamp === undefined) return state === undefined ? { kind: 'fresh' } : { kind: 'damaged', reason: 'the file is gone' };
  if (stamp.sizeBytes === 0) return state === undefined ? { kind: 'fresh' } : { kind: 'damaged', reason: 'the file is empty' };
  const header = Buffer.alloc(100);
  const descriptor = fs.openSync(storePath, 'r');
  try {
    fs.readSync(descriptor, header, 0, 100, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  if (header.toString('latin1', 0, 16) !== MAGIC) return { kind: 'damaged', reason: 'its first page is not that of an SQLite file' };
  const unchanged = state?.clean !== undefined && state.clean.sizeBytes === stamp.sizeBytes && state.clean.modified === stamp.modified;
  return { kind: 'present', suspicious: state?.suspect === true || (!unchanged && !hasWal(storePath)) };
}

/** Called once the schema is there. */
export function noteMade(storePath: string, at: EpochMs): void {
  if (readState(storePath) === undefined) writeState(storePath, { format: 1, madeAt: at });
}

/** Called after the last connection of this process closed; says nothing while another process has the store open (its WAL is there). */
export function noteClean(storePath: string): void {
  const stamp = stampOf(storePath);
  const state = readState(storePath);
  if (stamp === undefined || state === undefined || hasWal(storePath)) return;
  if (state.clean?.modified === stamp.modified && state.clean.sizeBytes === stamp.sizeBytes) return;
  writeState(storePath, { ...state, clean: stamp });
}

export function noteSuspect(storePath: string, suspect: boolean): void {
  const state = readState(storePath);
  if (state !== undefined && (state.suspect ?? false) !== suspect) writeState(storePath, { ...state, suspect });
}

/** `memory.db.<why>-<time>`, not taken yet. */
export function freeAsidePath(storePath: string, why: 'damaged' | 'replaced', at: EpochMs): string {
  const base = `${storePath}.${why}-${fileStamp(at)}`;
  let target = base;
  for (let i = 2; fs.existsSync(target); i += 1) target = `${base}-${i}`;
  return target;
}

/** Moves the store's files to `memory.db.<why>-<time>` (with -wal and -shm beside it). Undefined when nothing could be moved. */
export function setAside(storePath: string, why: 'damaged' | 'replaced', at: EpochMs): string | undefined {
  const target = freeAsidePath(storePath, why, at);
  let moved = false;
  for (const side of SIDE_FILES) {
    try {
      fs.renameSync(`${storePath}${side}`, `${target}${side}`);
      moved = true;
    } catch {
      // Not there, moved by another process a moment ago, or a folder that cannot be written: the error says where the file lies.
    }
  }
  return moved ? target : undefined;
}

/** Files put aside earlier, newest first. */
export function listSetAside(storePath: string, why: 'damaged' | 'replaced' = 'damaged'): string[] {
  const folder = path.dirname(storePath);
  const prefix = `${path.basename(storePath)}.${why}-`;
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => name.startsWith(prefix) && !/-(wal|shm)$/.test(name)).sort().reverse().map((name) => path.join(folder, name));
}
