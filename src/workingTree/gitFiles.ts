/**
 * The few of git's own files that recall and hooks need, read without starting git:
 * `.git`, HEAD, commondir, refs, packed-refs, config. Formats: gitrepository-layout(5).
 */
import fs from 'node:fs';
import path from 'node:path';

export interface GitFolders {
  /** Root of the working tree. */
  readonly root: string;
  /** This working tree's own git folder (HEAD is here). */
  readonly gitDir: string;
  /** Shared by all worktrees (config and refs are here). */
  readonly commonDir: string;
  readonly isWorktree: boolean;
  readonly isSubmodule: boolean;
}

/** The nearest working tree at or above `folder` (which must be real and absolute). */
export function findGitFolders(folder: string): GitFolders | undefined {
  for (let root = folder; ; root = path.dirname(root)) {
    const found = readGitEntry(root);
    if (found !== undefined) return found;
    if (path.dirname(root) === root) return undefined;
  }
}

function readGitEntry(root: string): GitFolders | undefined {
  const entry = path.join(root, '.git');
  const stat = fs.statSync(entry, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const gitDir = stat.isDirectory() ? entry : gitDirOfFile(root, entry);
  if (gitDir === undefined || !fs.existsSync(path.join(gitDir, 'HEAD'))) return undefined;
  const commonText = readSmallFile(path.join(gitDir, 'commondir'))?.trim();
  const commonDir = realPath(commonText === undefined || commonText === '' ? gitDir : path.resolve(gitDir, commonText));
  // Without its objects it is somebody's half-made folder; git passes over it as well.
  if (!fs.existsSync(path.join(commonDir, 'objects'))) return undefined;
  return { root, gitDir: realPath(gitDir), commonDir, isWorktree: commonText !== undefined, isSubmodule: /[\\/]\.git[\\/](?:.*[\\/])?modules[\\/]/.test(`${commonDir}${path.sep}`) };
}

function gitDirOfFile(root: string, file: string): string | undefined {
  const target = /^gitdir:\s*(.+?)\s*$/m.exec(readSmallFile(file) ?? '')?.[1];
  return target === undefined ? undefined : path.resolve(root, target);
}

/** The linked worktrees of the repository around `root`, also those that were never visited. */
export function readWorktrees(root: string): string[] {
  const git = findGitFolders(root);
  if (git === undefined) return [];
  const folder = path.join(git.commonDir, 'worktrees');
  let names: string[] = [];
  try {
    names = fs.readdirSync(folder);
  } catch {
    return []; // no worktree was ever added
  }
  return names.flatMap((name) => {
    const file = readSmallFile(path.join(folder, name, 'gitdir'))?.trim() ?? '';
    // git may write it relative to the entry (worktree.useRelativePaths).
    return file === '' ? [] : [path.dirname(path.resolve(folder, name, file))];
  });
}

export interface Head {
  readonly branch?: string;
  readonly detached: boolean;
  readonly head?: string;
}

export function readHead(folders: GitFolders): Head {
  const text = readSmallFile(path.join(folders.gitDir, 'HEAD'))?.trim() ?? '';
  const ref = /^ref:\s*(\S.*)$/.exec(text)?.[1];
  if (ref === undefined) return /^[0-9a-f]{40,64}$/.test(text) ? { detached: true, head: text } : { detached: false };
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
  const head = readRef(folders, ref);
  // `.invalid` is what reftable repositories write for programs that only know files.
  return { detached: false, ...(branch === undefined || branch === '.invalid' ? {} : { branch }), ...(head === undefined ? {} : { head }) };
}

export function readRef({ gitDir, commonDir }: Pick<GitFolders, 'gitDir' | 'commonDir'>, ref: string): string | undefined {
  for (const folder of [gitDir, commonDir]) {
    const sha = readSmallFile(path.join(folder, ...ref.split('/')))?.trim();
    if (sha !== undefined && /^[0-9a-f]{40,64}$/.test(sha)) return sha;
  }
  const packed = readSmallFile(path.join(commonDir, 'packed-refs'), 32 * 1024 * 1024);
  if (packed === undefined) return undefined;
  const at = packed.indexOf(` ${ref}\n`);
  const sha = at < 0 ? '' : packed.slice(packed.lastIndexOf('\n', at) + 1, at);
  return /^[0-9a-f]{40,64}$/.test(sha) ? sha : undefined;
}

/** Changes with every commit, and with what waits for one: git keeps that, renames too, in its index. Empty without git. */
export function readGitStamp(root: string): string {
  const folders = findGitFolders(realPath(root));
  if (folders === undefined) return '';
  const index = fs.statSync(path.join(folders.gitDir, 'index'), { throwIfNoEntry: false });
  return `${readHead(folders).head ?? ''} ${index?.mtimeMs ?? ''} ${index?.size ?? ''}`;
}

const USUAL_DEFAULTS = ['main', 'master'];

/** Branch that `origin/HEAD` names, as clone leaves it; in a repository that was not cloned, the one with a usual name. */
export function readDefaultBranch(commonDir: string): string | undefined {
  const named = /^ref:\s*refs\/remotes\/origin\/(\S+)/.exec(readSmallFile(path.join(commonDir, 'refs', 'remotes', 'origin', 'HEAD')) ?? '')?.[1];
  return named ?? USUAL_DEFAULTS.find((name) => readRef({ gitDir: commonDir, commonDir }, `refs/heads/${name}`) !== undefined);
}

export const isShallow = (commonDir: string): boolean => (fs.statSync(path.join(commonDir, 'shallow'), { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Remote name -> URL, `origin` first, then in the order of the file. */
export function readRemotes(commonDir: string): { name: string; url: string }[] {
  const remotes = new Map<string, string>();
  let section = '';
  for (const line of (readSmallFile(path.join(commonDir, 'config')) ?? '').split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) section = header[1]?.toLowerCase() === 'remote' ? (header[2] ?? '').replaceAll(/\\(.)/g, '$1') : '';
    else if (section !== '') {
      const value = /^\s*url\s*=\s*(.*?)\s*$/i.exec(line)?.[1];
      if (value !== undefined && !remotes.has(section)) remotes.set(section, value.replace(/^"(.*)"$/, '$1').replaceAll('\\\\', '\\'));
    }
  }
  return [...remotes].map(([name, url]) => ({ name, url })).sort((a, b) => Number(b.name === 'origin') - Number(a.name === 'origin'));
}

/** `user.name`, else `user.email`, of the given config files; an earlier file wins. Includes are not followed. */
export function readAuthor(configFiles: readonly string[]): string | undefined {
  const values: Record<string, string> = {};
  for (const file of configFiles) {
    let isUser = false;
    for (const line of (readSmallFile(file) ?? '').split(/\r?\n/)) {
      const header = /^\s*\[\s*([\w.-]+)\s*("|\])/.exec(line);
      if (header !== null) isUser = header[1]?.toLowerCase() === 'user' && header[2] === ']';
      const [, name, value] = /^\s*(name|email)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
      if (isUser && name !== undefined && value !== undefined && value !== '') values[name.toLowerCase()] ??= value.replace(/^"(.*)"$/, '$1');
    }
  }
  return values['name'] ?? values['email'];
}

/** The path with symbolic links resolved and the disk's own spelling of case; as given where it does not exist. */
export function realPath(file: string): string {
  try {
    return fs.realpathSync.native(file);
  } catch {
    return path.resolve(file); // gone, or not ours to look into: the spelling given is all there is
  }
}

function readSmallFile(file: string, maxBytes = 1024 * 1024): string | undefined {
  try {
    const stat = fs.statSync(file);
    return stat.isFile() && stat.size <= maxBytes ? fs.readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined; // each of these files may be absent; what is unknown stays unknown
  }
}
