/**
 * Finds Claude Code's session files of a repository.
 *
 * The folder's name under `projects/` is derived from a path, but not reversibly: two projects can share one. So it is
 * never computed and never trusted; a session belongs to the working folder that its own lines name.
 */
import { access, open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseLine, stringOf } from './parseLine.ts';
import { readLineBatches } from './readLines.ts';

export interface SessionFile {
  readonly sessionId: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAt: number;
  readonly cwd?: string;
}

/** Lines looked at for a working folder: bookkeeping lines may come first. */
const CWD_SEARCH_LINES = 60;
const UUID_FILE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl$/i;

/** Where sessions are kept below Claude Code's folder (`~/.claude` or CLAUDE_CONFIG_DIR). */
export const projectsFolder = (claudeDirectory: string): string => path.join(claudeDirectory, 'projects');

/**
 * Sessions that were started inside one of the roots, oldest first. A missing folder is an empty list.
 * Sub-agents' files are not sessions: see subagentFilesOf.
 */
export async function sessionFilesOf(claudeDirectory: string, roots: readonly string[], signal?: AbortSignal): Promise<SessionFile[]> {
  const found: SessionFile[] = [];
  for (const folder of await childFolders(projectsFolder(claudeDirectory))) {
    for (const file of await sessionFilesIn(folder)) {
      if (signal?.aborted === true) return found;
      const cwd = await readSessionCwd(file);
      if (cwd === undefined || !(await belongsTo(cwd, roots))) continue;
      const described = await describeFile(file, cwd);
      if (described !== undefined) found.push(described);
    }
  }
  return found.sort((left, right) => left.modifiedAt - right.modifiedAt || (left.path < right.path ? -1 : 1));
}

/** The session's file, whatever folder it is in; undefined when there is none. */
export async function findSessionFile(claudeDirectory: string, sessionId: string): Promise<string | undefined> {
  if (!UUID_FILE.test(`${sessionId}.jsonl`)) return undefined;
  for (const folder of await childFolders(projectsFolder(claudeDirectory))) {
    const file = path.join(folder, `${sessionId}.jsonl`);
    if (await isThere(file)) return file;
  }
  return undefined;
}

/** Transcripts of a session's sub-agents, in name order. */
export async function subagentFilesOf(sessionFile: string): Promise<string[]> {
  const folder = path.join(sessionFile.replace(/\.jsonl$/, ''), 'subagents');
  return (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl')).sort().map((name) => path.join(folder, name));
}

export async function childFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map((entry) => path.join(folder, entry.name)).sort();
}

export async function sessionFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => UUID_FILE.test(name)).sort().map((name) => path.join(folder, name));
}

export async function describeFile(filePath: string, cwd?: string): Promise<SessionFile | undefined> {
  try {
    const { size, mtimeMs } = await stat(filePath);
    return { sessionId: path.basename(filePath, '.jsonl'), path: filePath, sizeBytes: size, modifiedAt: Math.trunc(mtimeMs), ...(cwd === undefined ? {} : { cwd }) };
  } catch {
    return undefined; // removed between listing and asking
  }
}

/** The first working folder named in the file; undefined while nothing has been said yet. */
export async function readSessionCwd(filePath: string): Promise<string | undefined> {
  const file = await open(filePath, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    let lines = 0;
    for await (const batch of readLineBatches(file, 0)) {
      for (const { text } of batch) {
        const cwd = text === undefined ? undefined : parseLine(text.replace(/^\uFEFF/, '')).objects.map((object) => stringOf(object.cwd)).find((value) => value !== undefined && value !== '');
        if (cwd !== undefined) return cwd;
        lines += 1;
        if (lines >= CWD_SEARCH_LINES) return undefined;
      }
    }
    return undefined;
  } finally {
    await file.close();
  }
}

/**
 * True when the folder is one of the roots or below one, and not in another repository nested there (a submodule, a
 * vendored clone): those have a `.git` of their own on the way up. Also when it is reached through a link.
 */
export async function belongsTo(cwd: string, roots: readonly string[]): Promise<boolean> {
  return (await isBelow(cwd, roots)) || isBelow(await realpath(cwd).catch(() => cwd), roots); // gone: its spelling is all there is
}

async function isBelow(cwd: string, roots: readonly string[]): Promise<boolean> {
  const root = roots.filter((candidate) => isInside(cwd, candidate)).sort((left, right) => right.length - left.length)[0];
  if (root === undefined) return false;
  const end = comparablePath(root);
  for (let folder = cwd; comparablePath(folder) !== end && folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (await isThere(path.join(folder, '.git'))) return false;
  }
  return true;
}

export function isInside(folder: string, root: string): boolean {
  const inner = comparablePath(folder);
  const outer = comparablePath(root);
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

/** Windows paths compare without regard to case and kind of slash; everything else as it is. */
export function comparablePath(folder: string): string {
  const isWindows = /^[a-z]:[\\/]|^\\\\/i.test(folder);
  const text = (isWindows ? folder.replaceAll('\\', '/').toLowerCase() : folder).normalize('NFC');
  return text.length > 1 ? text.replace(/\/+$/, '') : text;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(() => true, () => false);
}
