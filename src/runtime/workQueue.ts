/**
 * Work that a hook may not wait for: it leaves a note here, and one worker process per home takes notes until there
 * are none. Notes are files, so a worker that was killed loses nothing: whoever starts next finds them.
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

/** Takes the oldest note away and returns it; undefined when there is none. */
export function takeWorkNote(home: string): WorkNote | undefined {
  const folder = folderOf(home);
  for (const name of namesByAge(folder)) {
    const file = path.join(folder, name);
    const taken = `${file}.${process.pid}.taken`;
    try {
      fs.renameSync(file, taken);
    } catch {
      continue; // somebody else took it
    }
    const note = parseNote(readFileIfPresent(taken));
    fs.rmSync(taken, { force: true });
    if (note !== undefined) return note;
  }
  return undefined;
}

export const hasWorkNotes = (home: string): boolean => namesByAge(folderOf(home)).length > 0;

/** Undefined while another worker lives. */
export const tryBecomeWorker = (home: string): Lease | undefined => tryAcquireLease(leaseOf(home), 'work');
export const isWorkerAlive = (home: string): boolean => readLivingOwner(leaseOf(home)) !== undefined;

function namesByAge(folder: string): string[] {
  try {
    const names = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.map((name) => ({ name, at: fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 })).sort((a, b) => a.at - b.at).map(({ name }) => name);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function parseNote(text: string | undefined): WorkNote | undefined {
  if (text === undefined) return undefined;
  try {
    const { cwd, sessionId, transcriptPath, final } = JSON.parse(text) as Partial<WorkNote>;
    return typeof cwd === 'string' && typeof sessionId === 'string' && typeof transcriptPath === 'string' ? { cwd, sessionId, transcriptPath, final: final === true } : undefined;
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
