/**
 * Work that a hook may not wait for: it leaves a note here, and one worker process per home takes notes until there
 * are none. Notes are files, and go when their work is done, so a worker that was killed loses nothing: whoever starts
 * next finds them.
 *
 * Also here: which hooks fired lately, as times of empty files; that is what `doctor` reads.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Lease, readLivingOwner, tryAcquireLease } from './lease.ts';
import { errorCode, ensurePrivateFolder, readFileIfPresent, writeFileAtomically } from './paths.ts';

export interface WorkNote {
  readonly cwd: string;
  readonly sessionId: string;
  readonly transcriptPath: string;
  /** The session ends or is about to be compacted: what waits is extracted now. */
  readonly final: boolean;
  /** How often a worker could not do it. */
  readonly tries?: number;
}

/** Set for everything we start that could fire our own hooks (invariant 7). */
export const REENTRANCY_VARIABLE = 'CAIRN_REENTRANT';

const folderOf = (home: string): string => path.join(home, 'work');
const leaseOf = (home: string): string => path.join(home, 'leases', 'work');
const hooksFolder = (home: string): string => path.join(home, 'hooks');

/** One note per session: a later one replaces it and keeps `final`. */
export function leaveWorkNote(home: string, note: WorkNote): void {
  ensurePrivateFolder(folderOf(home));
  const file = path.join(folderOf(home), `${createHash('sha256').update(note.sessionId).digest('hex').slice(0, 24)}.json`);
  const waiting = parseNote(readFileIfPresent(file));
  writeFileAtomically(file, JSON.stringify({ ...note, final: note.final || waiting?.final === true }));
}

export interface TakenNote {
  readonly note: WorkNote;
  done(): void;
  /** Leaves it to a later worker; one that was left too often is dropped. */
  leave(): void;
}

/** A note whose transcript can never be read must not be tried for ever. */
const MOST_TRIES = 5;
const TAKEN = '.taken';

/** Takes the oldest note that is not among `passed`; undefined when there is none. Only the worker may. */
export function takeWorkNote(home: string, passed: ReadonlySet<string> = new Set()): TakenNote | undefined {
  const folder = folderOf(home);
  for (const name of namesByAge(folder)) {
    const file = path.join(folder, name);
    const note = parseNote(readFileIfPresent(file));
    if (note !== undefined && passed.has(note.sessionId)) continue;
    const taken = `${file}${TAKEN}`;
    try {
      fs.renameSync(file, taken);
    } catch {
      continue; // removed meanwhile
    }
    const done = (): void => { fs.rmSync(taken, { force: true }); };
    if (note === undefined) done();
    else return { note, done, leave: () => { putBack(home, taken); } };
  }
  return undefined;
}

/** What a worker that died had taken is a note again. Only the worker may. */
export function recoverWorkNotes(home: string): void {
  for (const name of listFolder(folderOf(home))) if (name.endsWith(TAKEN)) putBack(home, path.join(folderOf(home), name));
}

function putBack(home: string, taken: string): void {
  const note = parseNote(readFileIfPresent(taken));
  const tries = (note?.tries ?? 0) + 1;
  if (note !== undefined && tries < MOST_TRIES) leaveWorkNote(home, { ...note, tries });
  fs.rmSync(taken, { force: true });
}

/** Notes of other sessions than those `passed`. */
export const hasWorkNotes = (home: string, passed: ReadonlySet<string> = new Set()): boolean =>
  namesByAge(folderOf(home)).some((name) => !passed.has(parseNote(readFileIfPresent(path.join(folderOf(home), name)))?.sessionId ?? ''));

/** Undefined while another worker lives. */
export const tryBecomeWorker = (home: string): Lease | undefined => tryAcquireLease(leaseOf(home), 'work');
export const isWorkerAlive = (home: string): boolean => readLivingOwner(leaseOf(home)) !== undefined;

function namesByAge(folder: string): string[] {
  const names = listFolder(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => ({ name, at: fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 })).sort((a, b) => a.at - b.at).map(({ name }) => name);
}

function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function parseNote(text: string | undefined): WorkNote | undefined {
  if (text === undefined) return undefined;
  try {
    const { cwd, sessionId, transcriptPath, final, tries } = JSON.parse(text) as Partial<WorkNote>;
    if (typeof cwd !== 'string' || typeof sessionId !== 'string' || typeof transcriptPath !== 'string') return undefined;
    return { cwd, sessionId, transcriptPath, final: final === true, ...(typeof tries === 'number' ? { tries } : {}) };
  } catch {
    return undefined; // half a note of a process that was killed; its session is caught up by the next one
  }
}

/** Never throws: a home that cannot be written only means that doctor knows less. */
export function noteHookFired(home: string, event: string, now: number): void {
  const file = path.join(hooksFolder(home), event.replaceAll(/[^A-Za-z]/g, ''));
  try {
    fs.utimesSync(file, now / 1000, now / 1000);
  } catch {
    try {
      ensurePrivateFolder(hooksFolder(home));
      fs.writeFileSync(file, '', { mode: 0o600 });
    } catch {
      return; // a read-only or full home
    }
  }
}

/** Event -> when it fired last. */
export function readHooksFired(home: string): ReadonlyMap<string, number> {
  try {
    return new Map(fs.readdirSync(hooksFolder(home)).map((name) => [name, Math.trunc(fs.statSync(path.join(hooksFolder(home), name)).mtimeMs)]));
  } catch {
    return new Map(); // none fired yet
  }
}
