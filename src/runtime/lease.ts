/**
 * Leases: "a living process holds this". A file with pid and start time, so that
 * neither a dead owner nor another program that got its pid blocks anybody.
 *
 * Where the start time of a process cannot be read without starting another (Windows,
 * macOS), the owner touches its file every HEARTBEAT_MS, and one that did not for
 * EXPIRED_MS is gone.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { errorCode, FILE_MODE, ensurePrivateFolder, readFileIfPresent } from './paths.ts';

const HEARTBEAT_MS = 10_000;
const EXPIRED_MS = 60_000;
const TAKEOVER_MS = 10_000;
/** Between two looks at a lock that somebody holds for a moment. */
const TURN_MS = 10;

export interface LeaseOwner {
  readonly pid: number;
  /** Opaque; equal for the same process only. Absent where the system does not tell cheaply. */
  readonly start?: string;
  readonly token: string;
  /** What the owner says about itself. */
  readonly note?: string;
}

/** Start of a process in clock ticks since boot, with the boot's id: proc_pid_stat(5) field 22. */
export function readProcessStart(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return ticks === undefined ? undefined : `${readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${ticks}`;
}

function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined; // the process is gone, or this is no Linux
  }
}

function isProcessThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM'; // there, but another user's
  }
}

/** Whether the process that wrote the file still lives. */
export function isOwnerAlive(owner: LeaseOwner, touchedAtMs: number, nowMs: number): boolean {
  if (!Number.isInteger(owner.pid) || owner.pid <= 0 || !isProcessThere(owner.pid)) return false;
  const start = readProcessStart(owner.pid);
  if (owner.start !== undefined && start !== undefined) return owner.start === start;
  return nowMs - touchedAtMs < EXPIRED_MS;
}

export interface Lease extends Disposable {
  readonly owner: LeaseOwner;
  /** False once somebody else took it over (after a long sleep of this machine). */
  isHeld(): boolean;
}

/** Tells holders apart, no more; without node:crypto, which the launcher would load for it alone. */
const nextToken = (): string => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 12)}`;

function thisOwner(note: string | undefined): LeaseOwner {
  const start = readProcessStart(process.pid);
  return { pid: process.pid, token: nextToken(), ...(start === undefined ? {} : { start }), ...(note === undefined ? {} : { note }) };
}

/** The owner written in the file; undefined when the file is absent or holds nothing usable. */
export function readLeaseOwner(file: string): LeaseOwner | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileIfPresent(file) ?? '');
    return typeof parsed === 'object' && parsed !== null && 'pid' in parsed && typeof parsed.pid === 'number' && 'token' in parsed && typeof parsed.token === 'string' ? (parsed as LeaseOwner) : undefined;
  } catch {
    return undefined; // half-written or foreign: it names nobody
  }
}

/** The living owner of a lock file, if any. */
export function readLivingOwner(file: string, nowMs = Date.now()): LeaseOwner | undefined {
  const owner = readLeaseOwner(file);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return owner !== undefined && stat !== undefined && isOwnerAlive(owner, stat.mtimeMs, nowMs) ? owner : undefined;
}

/** Takes the lock if nobody alive has it; undefined when somebody does. Never waits. */
export function tryAcquireLease(file: string, note?: string): Lease | undefined {
  ensurePrivateFolder(path.dirname(file));
  const owner = thisOwner(note);
  if (writeExclusively(file, owner)) return holdLease(file, owner);
  if (readLivingOwner(file) !== undefined || isJustBeingWritten(file)) return undefined;
  // The owner is dead. Several may see that at once: one at a time looks again and replaces it.
  const takeover = `${file}.takeover`;
  if (!makeFolder(takeover)) return undefined;
  try {
    if (readLivingOwner(file) !== undefined) return undefined;
    fs.rmSync(file, { force: true });
    return writeExclusively(file, owner) ? holdLease(file, owner) : undefined;
  } finally {
    fs.rmSync(takeover, { recursive: true, force: true });
  }
}

/** For a few milliseconds of work that cannot wait otherwise: runs it while holding the lock; undefined where that stays taken for `waitMs`. */
export function withLease<T>(file: string, waitMs: number, work: () => T): { readonly result: T } | undefined {
  const end = Date.now() + waitMs;
  let lease = tryAcquireLease(file);
  while (lease === undefined && Date.now() < end) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TURN_MS);
    lease = tryAcquireLease(file);
  }
  if (lease === undefined) return undefined;
  try {
    return { result: work() };
  } finally {
    lease.dispose();
  }
}

/** A file without content may be one whose owner is between creating and writing. */
function isJustBeingWritten(file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && readLeaseOwner(file) === undefined && Date.now() - stat.mtimeMs < 1_000;
}

function makeFolder(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch {
    const stat = fs.statSync(folder, { throwIfNoEntry: false });
    // Somebody died while replacing: the next caller gets through.
    if (stat !== undefined && Date.now() - stat.mtimeMs > TAKEOVER_MS) fs.rmSync(folder, { recursive: true, force: true });
    return false;
  }
}

function writeExclusively(file: string, owner: LeaseOwner): boolean {
  try {
    fs.writeFileSync(file, JSON.stringify(owner), { flag: 'wx', mode: FILE_MODE });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function holdLease(file: string, owner: LeaseOwner): Lease {
  const isMine = (): boolean => readLeaseOwner(file)?.token === owner.token;
  const timer = setInterval(() => {
    if (isMine()) touch(file);
  }, HEARTBEAT_MS);
  timer.unref();
  const release = (): void => {
    clearInterval(timer);
    process.off('exit', release);
    if (isMine()) fs.rmSync(file, { force: true });
  };
  process.on('exit', release);
  return { owner, isHeld: isMine, dispose: release };
}

function touch(file: string): void {
  try {
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {
    return; // the file went away: isHeld tells
  }
}

/** One file per holder in a folder: any number may hold it, and it is free when none lives. */
export function shareLease(folder: string, note?: string): Lease {
  ensurePrivateFolder(folder);
  const owner = thisOwner(note);
  const file = path.join(folder, `${owner.pid}-${owner.token}.json`);
  fs.writeFileSync(file, JSON.stringify(owner), { flag: 'wx', mode: FILE_MODE });
  return holdLease(file, owner);
}

/** Living holders of a shared lease; files of the dead are removed. */
export function readHolders(folder: string, nowMs = Date.now()): LeaseOwner[] {
  const holders: LeaseOwner[] = [];
  for (const name of listFolder(folder)) {
    const file = path.join(folder, name);
    const owner = readLivingOwner(file, nowMs);
    if (owner !== undefined) holders.push(owner);
    else if (!isJustBeingWritten(file)) fs.rmSync(file, { force: true });
  }
  return holders;
}

function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return []; // nobody ever held it
  }
}
