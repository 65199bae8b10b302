/**
 * readRepoFacts: what only git itself can say about a working tree (root commit,
 * author, whether a commit is known), added to what its files say. Starts git, so it
 * never runs on the path of a recall or a hook.
 */
import { GitPluginError, simpleGit, type SimpleGit } from 'simple-git';
import type { RepoFacts } from '../engine/index.ts';

export interface GitOptions {
  /** The process's variables; git gets only those that it needs, never a GIT_DIR of somebody's hook. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

const PASSED_ON = /^(PATH|HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|SYSTEMROOT|WINDIR|TEMP|TMP|TMPDIR|XDG_CONFIG_HOME|LANG)$/i;

function openGit(root: string, options: GitOptions): SimpleGit {
  const env = Object.fromEntries(Object.entries(options.env).filter((entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined));
  return simpleGit({ baseDir: root, timeout: { block: options.timeoutMs ?? 10_000 }, maxConcurrentProcesses: 1 })
    .env({ ...env, LC_ALL: 'C' });
}

/** Adds root commit and author. Without a usable git the facts come back as they were. */
export async function readRepoFacts(facts: RepoFacts, options: GitOptions): Promise<RepoFacts> {
  if (facts.commonDir === undefined) return facts;
  try {
    const git = openGit(facts.root, options);
    const rootCommit = facts.isShallow ? undefined : await readRootCommit(git);
    const author = await readAuthor(git);
    return { ...facts, ...(rootCommit === undefined ? {} : { rootCommit }), ...(author === undefined ? {} : { author }) };
  } catch {
    return facts; // no git, a folder of another owner, or a time-out: the files' facts are enough to go on
  }
}

/** The oldest commit without parents that HEAD descends from; undefined before the first commit. */
async function readRootCommit(git: SimpleGit): Promise<string | undefined> {
  try {
    const roots = (await git.raw(['rev-list', '--max-parents=0', 'HEAD'])).trim().split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
    return roots.at(-1);
  } catch (error) {
    if (isTimeout(error)) throw error; // one that hangs would hang at the next question too
    return undefined; // an unborn branch has no commit yet
  }
}

const isTimeout = (error: unknown): boolean => error instanceof GitPluginError && error.plugin === 'timeout';

async function readAuthor(git: SimpleGit): Promise<string | undefined> {
  for (const key of ['user.name', 'user.email']) {
    const value = (await git.getConfig(key)).value?.trim();
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Whether this repository holds the commit; undefined when git cannot say. */
export async function hasCommit(root: string, commit: string, options: GitOptions): Promise<boolean | undefined> {
  const git = openGit(root, options);
  try {
    return (await git.raw(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`])).trim() !== '';
  } catch {
    return (await isUsable(git)) ? false : undefined; // git answers an unknown commit with a failure
  }
}

async function isUsable(git: SimpleGit): Promise<boolean> {
  try {
    return (await git.raw(['rev-parse', '--git-dir'])).trim() !== '';
  } catch {
    return false; // not installed, or not a repository any more
  }
}

export interface BranchStates {
  readonly existing: ReadonlySet<string>;
  /** Branches whose commits are all in the default branch. */
  readonly merged: ReadonlySet<string>;
}

/** Local branches, and which of them are merged into `into`. Empty sets when git cannot say. */
export async function readBranchStates(root: string, into: string, options: GitOptions): Promise<BranchStates> {
  const git = openGit(root, options);
  const list = async (...args: string[]): Promise<Set<string>> => new Set((await git.raw(['for-each-ref', '--format=%(refname:short)', ...args, 'refs/heads'])).split('\n').map((line) => line.trim()).filter((line) => line !== ''));
  try {
    return { existing: await list(), merged: await list(`--merged=${into}`) };
  } catch {
    return { existing: new Set(), merged: new Set() }; // an unknown base or no git: no branch is then called merged or gone
  }
}

/** Old path -> new path of the renames in the last `commits` commits, newest first wins. */
export async function readRenames(root: string, options: GitOptions, commits = 500): Promise<ReadonlyMap<string, string>> {
  const renames = new Map<string, string>();
  try {
    const log = await openGit(root, options).raw(['log', `-n${commits}`, '--diff-filter=R', '-M', '--name-status', '-z', '--format=']);
    const parts = log.split('\0');
    for (let i = 0; i + 2 < parts.length; i += 1) {
      const [status, from, to] = [parts[i] ?? '', parts[i + 1] ?? '', parts[i + 2] ?? ''];
      if (!/^\s*R\d+$/.test(status)) continue;
      if (!renames.has(from)) renames.set(from, renames.get(to) ?? to);
      i += 2;
    }
  } catch {
    return renames; // renames are a convenience: without them the path counts as missing
  }
  return renames;
}
