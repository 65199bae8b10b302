/**
 * readRepoFacts: what only git itself can say about a working tree (root commit,
 * author, whether a commit is known), added to what its files say. Starts git, so it
 * never runs on the path of a recall or a hook.
 */
import { simpleGit } from 'simple-git';
import type { BranchFacts, RepoFacts } from '../engine/index.ts';

export interface GitOptions {
  /** The process's variables; git gets only those that it needs, never a GIT_DIR of somebody's hook. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For all questions of one call together; 5 s if absent. */
  readonly timeoutMs?: number;
}

const PASSED_ON = /^(PATH|HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|SYSTEMROOT|WINDIR|TEMP|TMP|TMPDIR|XDG_CONFIG_HOME|LANG)$/i;
const TIMEOUT_MS = 5_000;

/** Answers one question; throws what git says, or that the time is up. */
type Git = (...args: string[]) => Promise<string>;

class GitTimeout extends Error {}

/**
 * The time is ours to keep: a git that ignores its signal, or whose child holds the pipes, never ends for whoever waits
 * for it. It is asked to stop, and left alone.
 */
function openGit(root: string, options: GitOptions): Git {
  const env = Object.fromEntries(Object.entries(options.env).filter((entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined));
  const abort = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const git = simpleGit({ baseDir: root, abort, maxConcurrentProcesses: 1 }).env({ ...env, LC_ALL: 'C' });
  return async (...args) => {
    if (abort.aborted) throw new GitTimeout('git does not answer');
    const asked = git.raw(args);
    asked.catch(() => undefined); // when the time is up first, nobody listens any more
    let giveUp = (): void => undefined;
    const timeUp = new Promise<never>((_resolve, reject) => {
      giveUp = () => reject(new GitTimeout('git does not answer'));
      abort.addEventListener('abort', giveUp, { once: true });
    });
    try {
      return await Promise.race([asked, timeUp]);
    } catch (error) {
      throw abort.aborted ? new GitTimeout('git does not answer') : error;
    } finally {
      abort.removeEventListener('abort', giveUp);
    }
  };
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
async function readRootCommit(git: Git): Promise<string | undefined> {
  try {
    const roots = (await git('rev-list', '--max-parents=0', 'HEAD')).trim().split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
    return roots.at(-1);
  } catch (error) {
    if (error instanceof GitTimeout) throw error; // one that hangs would hang at the next question too
    return undefined; // an unborn branch has no commit yet
  }
}

async function readAuthor(git: Git): Promise<string | undefined> {
  for (const key of ['user.name', 'user.email']) {
    const value = (await readConfig(git, key)).trim();
    if (value !== '') return value;
  }
  return undefined;
}

/** Empty where it is not set, which git answers with a failure. */
async function readConfig(git: Git, key: string): Promise<string> {
  try {
    return await git('config', '--get', key);
  } catch (error) {
    if (error instanceof GitTimeout) throw error;
    return '';
  }
}

/** Whether this repository holds the commit; undefined when git cannot say. */
export async function hasCommit(root: string, commit: string, options: GitOptions): Promise<boolean | undefined> {
  const git = openGit(root, options);
  try {
    return (await git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`)).trim() !== '';
  } catch (error) {
    if (error instanceof GitTimeout) return undefined;
    return (await isUsable(git)) ? false : undefined; // git answers an unknown commit with a failure
  }
}

async function isUsable(git: Git): Promise<boolean> {
  try {
    return (await git('rev-parse', '--git-dir')).trim() !== '';
  } catch {
    return false; // not installed, or not a repository any more
  }
}

/** The branches a clone knows, its own and those of its remotes, and the commit each is at. Undefined when git cannot say. */
export async function readBranches({ root, commonDir = root, defaultBranch }: Pick<RepoFacts, 'root' | 'commonDir'> & { readonly defaultBranch?: string }, options: GitOptions): Promise<BranchFacts | undefined> {
  if (defaultBranch === undefined) return undefined;
  const git = openGit(root, options);
  try {
    const refs = (await git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/remotes')).split('\n').flatMap((line) => {
      const [, commit, own, ofRemote] = /^(\S+) refs\/(?:heads\/(.+)|remotes\/[^/]+\/(.+))$/.exec(line.trim()) ?? [];
      const name = own ?? ofRemote;
      return commit === undefined || name === undefined || name === 'HEAD' ? [] : [{ name, commit, isOwn: own !== undefined }];
    });
    const bases = refs.filter(({ name }) => name === defaultBranch).map(({ commit }) => commit);
    if (bases.length === 0) return undefined;
    const tips = new Map(refs.sort((a, b) => Number(a.isOwn) - Number(b.isOwn)).map(({ name, commit }) => [name, commit]));
    return { clone: commonDir, defaultBranch, tips, mergedAt: await readMerges(git, defaultBranch), holds: async (commit) => isHeld(root, commit, bases, options), cameFromBranch: async (commit) => cameFromBranch(root, commit, bases, options) };
  } catch {
    return undefined; // no git, or one that does not answer: nothing is then called merged or gone
  }
}

/** Whether what a commit brought is in one of the bases: as it is, or rewritten, when the files that it changed are the same there. Undefined for a commit that this clone does not have. */
async function isHeld(root: string, commit: string, bases: readonly string[], options: GitOptions): Promise<boolean | undefined> {
  if ((await hasCommit(root, commit, options)) !== true) return undefined;
  const git = openGit(root, options);
  const lines = async (...args: string[]): Promise<string[]> => (await git(...args)).split('\0').filter((name) => name !== '');
  for (const base of bases) {
    if ((await git('rev-list', '--count', commit, '--not', base)).trim() === '0') return true;
    const changed = new Set(await lines('diff', '--name-only', '-z', `${base}...${commit}`));
    if (!(await lines('diff', '--name-only', '-z', commit, base)).some((name) => changed.has(name))) return true;
  }
  return false;
}

/** Of a base's own line of commits `commit` is none, and yet the base holds what it brought. */
async function cameFromBranch(root: string, commit: string, bases: readonly string[], options: GitOptions): Promise<boolean> {
  if ((await isHeld(root, commit, bases, options)) !== true) return false;
  const git = openGit(root, options);
  for (const base of bases) {
    const ownLine = await git('rev-list', '--first-parent', base, '--not', `${commit}^@`);
    if (ownLine.split('\n').some((line) => line.trim() === commit)) return false;
  }
  return true;
}

/** Names of merged branches, and when: the log says it of fast-forwards too, which leave no trace in the commits. */
async function readMerges(git: Git, branch: string): Promise<Map<string, number>> {
  const merges = new Map<string, number>();
  try {
    for (const line of (await git('reflog', 'show', '--date=unix', '--format=%gd %gs', `refs/heads/${branch}`)).split('\n')) {
      const [, seconds, name] = /@\{(\d+)\} merge ([^:\s]+):/.exec(line) ?? [];
      if (name !== undefined && !merges.has(name)) merges.set(name, Number(seconds) * 1_000);
    }
  } catch {
    return merges; // a clone without such a log, or without that branch of its own
  }
  return merges;
}

/** Old path -> new path of what git sees renamed: staged now, or in the last `commits` commits, newest first wins. */
export async function readRenames(root: string, options: GitOptions, commits = 500): Promise<ReadonlyMap<string, string>> {
  const renames = new Map<string, string>();
  const git = openGit(root, options);
  for (const question of [['diff', '--cached', 'HEAD'], ['log', `-n${commits}`, '--format=']]) {
    try {
      const parts = (await git(...question, '--diff-filter=R', '-M', '--name-status', '-z')).split('\0');
      for (let i = 0; i + 2 < parts.length; i += 1) {
        const [status, from, to] = [parts[i] ?? '', parts[i + 1] ?? '', parts[i + 2] ?? ''];
        if (!/^\s*R\d+$/.test(status)) continue;
        if (!renames.has(from)) renames.set(from, renames.get(to) ?? to);
        i += 2;
      }
    } catch {
      return renames; // renames are a convenience: without them the path counts as missing
    }
  }
  return renames;
}
