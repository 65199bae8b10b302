/**
 * Real git repositories for tests: with identity and commits, worktrees, submodules, clones, and by default with a
 * space and Chinese letters in the path, where many programs break.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createTemporaryFolder, writeFiles } from './temporaryFolder.ts';

export interface RepositoryOptions {
  /** Name of the folder. */
  readonly name?: string;
  /** Folder that will hold it; default: a temporary one of its own. */
  readonly parent?: string;
  /** Files of the first commit; an empty object makes a repository without commits. */
  readonly files?: Readonly<Record<string, string>>;
  readonly branch?: string;
  /** URL of `origin`; nothing is fetched from it. */
  readonly remote?: string;
}

const SAMPLE_FILES = { 'README.md': '# Sample\n', 'src/greeting.ts': "export function greet(name: string): string {\n  return `Hello ${name}`;\n}\n" };

/** Git without the machine's own settings, and with a fixed identity and time unless told otherwise. */
export function runGit(directory: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  return execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'commit.gpgsign=false', '-c', 'core.quotePath=false', ...args], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH, HOME: process.env.HOME, SystemRoot: process.env.SystemRoot,
      GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null', GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Wei Rivera', GIT_AUTHOR_EMAIL: 'wei@example.test', GIT_COMMITTER_NAME: 'Wei Rivera', GIT_COMMITTER_EMAIL: 'wei@example.test',
      ...env,
    },
  }).trimEnd();
}

export class TemporaryRepository {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  git(...args: string[]): string {
    return runGit(this.directory, args);
  }

  path(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  write(name: string, content: string): string {
    writeFiles(this.directory, { [name]: content });
    return this.path(name);
  }

  read(name: string): string {
    return fs.readFileSync(this.path(name), 'utf8');
  }

  /** Writes the files, commits everything, returns the commit's hash. `at` is an ISO time. */
  commit(message: string, files: Readonly<Record<string, string>> = {}, at?: string): string {
    writeFiles(this.directory, files);
    this.git('add', '-A');
    runGit(this.directory, ['commit', '-q', '--allow-empty', '-m', message], at === undefined ? {} : { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at });
    return this.head();
  }

  head(): string {
    return this.git('rev-parse', 'HEAD');
  }

  /** Switches to a branch, making it where it is new. */
  switchTo(branch: string): void {
    const known = this.git('branch', '--list', '--format=%(refname:short)').split('\n');
    this.git('switch', '-q', ...(known.includes(branch) ? [branch] : ['-c', branch]));
  }

  /** A worktree beside this repository, on a new branch. */
  addWorktree(name: string, branch = name): TemporaryRepository {
    const directory = path.join(path.dirname(this.directory), name);
    this.git('worktree', 'add', '-q', '-b', branch, directory);
    return new TemporaryRepository(fs.realpathSync(directory));
  }

  /** Adds `other` as a submodule and commits; returns the working tree of the submodule. */
  addSubmodule(other: TemporaryRepository, name = 'vendor/module'): TemporaryRepository {
    this.git('submodule', '--quiet', 'add', other.directory, name);
    this.commit(`add ${name}`);
    return new TemporaryRepository(this.path(name));
  }

  /** A clone in a new folder; `args` such as `--depth=1` (then the source is given as a file URL, as git demands). */
  clone(name = 'clone', ...args: string[]): TemporaryRepository {
    const parent = createTemporaryFolder('clone');
    const source = args.some((arg) => arg.startsWith('--depth')) ? `file://${this.directory}` : this.directory;
    runGit(parent, ['clone', '-q', ...args, source, name]);
    return new TemporaryRepository(path.join(parent, name));
  }
}

export function createTemporaryRepository(options: RepositoryOptions = {}): TemporaryRepository {
  const directory = path.join(options.parent ?? createTemporaryFolder('repo'), options.name ?? 'sample repo 样本');
  fs.mkdirSync(directory, { recursive: true });
  const repository = new TemporaryRepository(fs.realpathSync(directory));
  repository.git('init', '-q', '-b', options.branch ?? 'main');
  // The identity is the repository's own, so that programs under test find it without a global file.
  repository.git('config', 'user.name', 'Wei Rivera');
  repository.git('config', 'user.email', 'wei@example.test');
  if (options.remote !== undefined) repository.git('remote', 'add', 'origin', options.remote);
  const files = options.files ?? SAMPLE_FILES;
  if (Object.keys(files).length > 0) repository.commit(`first of ${path.basename(path.dirname(directory))} ${path.basename(directory)}`, files); // two made in one second must not share a root commit: they would be one repository
  return repository;
}
