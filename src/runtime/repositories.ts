/**
 * From a folder to a repository: reads its facts from files, asks the registry, and asks
 * git only where the files and the registry leave it open and the caller may wait.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import { type HeadFacts, readHeadFacts } from '../workingTree/index.ts';
import type { IdentityFacts, Verdict } from './identity.ts';
import type { Environment } from './paths.ts';
import { type PathSystem, pathKey, toNativePath } from './pathKeys.ts';
import type { RegisteredRepository, Registry } from './registry.ts';

export interface LocatedRepository {
  readonly facts: HeadFacts;
  /** Absent while the folder is not registered. */
  readonly identity?: { readonly id: string; readonly name: string };
  /** Shares its history with this registered repository, but has another remote. */
  readonly forkOf?: string;
}

export interface LocateOptions {
  /** A folder that is not known yet becomes a repository of the registry; `git`: only one under git, since another would own every folder below it. */
  readonly register: boolean | 'git';
  /** False on the path of recalls and hooks. */
  readonly mayRunGit: boolean;
}

export interface RepositoriesOptions {
  readonly registry: () => Promise<Registry>;
  readonly env: Environment;
  readonly system: PathSystem;
  readonly osHome: string;
}

export class Repositories {
  readonly #options: RepositoriesOptions;
  /** What git said in this process: the same question at the same commit is not asked again, whatever the answer was. */
  readonly #answers = new Map<string, Promise<unknown>>();

  constructor(options: RepositoriesOptions) {
    this.#options = options;
  }

  /** Throws PATH_FOREIGN, STORE_* and, where it has to be registered in a home that cannot be written, STORE_READ_ONLY. */
  async locate(cwd: string, options: LocateOptions): Promise<LocatedRepository> {
    const native = toNativePath(cwd, this.#options.system);
    if (!path.isAbsolute(native)) throw new CairnError('INPUT_INVALID', `The folder must be absolute: ${cwd}`, { data: { field: 'cwd' } });
    const registry = await this.#options.registry();
    const facts = this.#adoptParent(readHeadFacts(native, this.#options.osHome), registry);
    const identityFacts = toIdentityFacts(facts);
    let verdict = registry.resolve(identityFacts);
    let full = identityFacts;
    let lacks: (commit: string) => boolean = () => false;
    if (options.mayRunGit && facts.commonDir !== undefined && isOpen(verdict, identityFacts, registry)) {
      ({ facts: full, lacks } = await this.#askGit(facts, identityFacts, registry));
      verdict = registry.resolve(full, lacks);
    }
    if (verdict.kind === 'known') {
      const known = registry.require(verdict.id);
      // A hook must not wait for a lock only to note that it was here.
      if (options.mayRunGit) await noteQuietly(registry, known.id, full, verdict.learn);
      return { facts, identity: { id: known.id, name: known.name } };
    }
    const register = options.register === 'git' ? facts.commonDir !== undefined : options.register;
    if (options.register !== false && fs.statSync(native, { throwIfNoEntry: false })?.isDirectory() !== true) throw new CairnError('INPUT_INVALID', `There is no folder ${cwd}.`, { data: { field: 'cwd', folder: cwd } });
    if (!register) return { facts, ...(verdict.forkOf === undefined ? {} : { forkOf: verdict.forkOf }) };
    const { repository, forkOf } = await registry.register(full, nameOf(facts), lacks);
    return { facts, identity: { id: repository.id, name: repository.name }, ...(forkOf === undefined ? {} : { forkOf }) };
  }

  /** What this folder may be meant by, beside what it is; git is asked for its history. Empty for a folder that is not registered. */
  async kinOf(cwd: string): Promise<ReturnType<Registry['kinOf']>> {
    const { facts, identity } = await this.locate(cwd, { register: false, mayRunGit: true });
    if (identity === undefined) return [];
    const registry = await this.#options.registry();
    const plain = toIdentityFacts(facts);
    return registry.kinOf(identity.id, facts.commonDir === undefined ? plain : (await this.#askGit(facts, plain, registry)).facts);
  }

  /** By id, name, end of a remote, or path. Throws REPOSITORY_UNKNOWN, REPOSITORY_AMBIGUOUS. */
  async find(text: string, cwd?: string): Promise<{ repository: RegisteredRepository; located?: LocatedRepository }> {
    const registry = await this.#options.registry();
    const found = registry.find(text);
    if (found !== undefined) return { repository: found };
    const isPath = /[\\/]/.test(text) || text === '.' || text === '..';
    if (isPath) {
      const located = await this.locate(path.resolve(cwd ?? this.#options.osHome, toNativePath(text, this.#options.system)), { register: false, mayRunGit: true });
      if (located.identity !== undefined) return { repository: registry.require(located.identity.id), located };
    }
    throw new CairnError('REPOSITORY_UNKNOWN', `No repository "${text}" is registered. \`cairn project\` lists those that are.`, { data: { repository: text } });
  }

  /** Without git, a folder belongs to the nearest registered folder above it; a home folder is nobody's parent. */
  #adoptParent(facts: HeadFacts, registry: Registry): HeadFacts {
    if (facts.commonDir !== undefined) return facts;
    for (let folder = facts.root; ; folder = path.dirname(folder)) {
      const isTop = path.dirname(folder) === folder || folder === this.#options.osHome;
      if (isTop) return facts;
      if (registry.ownerOfFolder(pathKey(folder, this.#options.system)) !== undefined) return { ...facts, root: folder };
    }
  }

  async #askGit(facts: HeadFacts, identityFacts: IdentityFacts, registry: Registry): Promise<{ facts: IdentityFacts; lacks: (commit: string) => boolean }> {
    // Loaded when it is needed: hooks and servers never start git.
    const { hasCommit, readRepoFacts } = await import('../git/index.ts');
    const git = { env: this.#options.env, timeoutMs: GIT_WAIT_MS };
    const ask = <T>(question: string, answer: () => Promise<T>): Promise<T> => this.#askOnce(`${facts.root}|${facts.head ?? ''}|${question}`, answer);
    const { rootCommit } = await ask('root commit', async () => readRepoFacts(facts, git));
    const full = rootCommit === undefined ? identityFacts : { ...identityFacts, rootCommit };
    const lacking = new Set<string>();
    for (const commit of registry.rootCommitsAt(full)) if (commit !== rootCommit && (await ask(commit, async () => hasCommit(facts.root, commit, git))) === false) lacking.add(commit);
    return { facts: full, lacks: (commit) => lacking.has(commit) };
  }

  async #askOnce<T>(key: string, answer: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(key) ?? answer();
    this.#answers.set(key, known);
    if (this.#answers.size > MAX_ANSWERS) this.#answers.delete(this.#answers.keys().next().value ?? '');
    return known as Promise<T>;
  }
}

/** Commands and a server's first answer wait for git, once in a process; without its answer the files' facts serve. */
const GIT_WAIT_MS = 2_000;
/** A server sees one repository, an editor a handful. */
const MAX_ANSWERS = 100;

/** New places, places whose folder was made anew, and histories not noted yet are worth a question to git. */
function isOpen(verdict: Verdict, facts: IdentityFacts, registry: Registry): boolean {
  if (verdict.kind === 'new' || verdict.learn.some(({ kind }) => kind === 'file-id' || kind === 'git-dir')) return true;
  return !facts.isShallow && !registry.require(verdict.id).aliases.some(({ kind }) => kind === 'root-commit');
}

async function noteQuietly(registry: Registry, id: string, facts: IdentityFacts, learn: Extract<Verdict, { kind: 'known' }>['learn']): Promise<void> {
  try {
    await registry.noteUse(id, facts, learn);
  } catch (error) {
    // A registry that cannot be written now still knows enough to answer.
    if (!(error instanceof CairnError) || (error.code !== 'STORE_READ_ONLY' && error.code !== 'STORE_LOCKED' && error.code !== 'STORE_FULL')) throw error;
  }
}

function toIdentityFacts(facts: HeadFacts): IdentityFacts {
  const fileId = readFileId(facts.commonDir ?? facts.root);
  return {
    root: facts.root, remotes: facts.remotes, isShallow: facts.isShallow,
    ...(facts.commonDir === undefined ? {} : { commonDir: facts.commonDir }),
    ...(fileId === undefined ? {} : { fileId }),
  };
}

/** Device, inode and birth of a folder: the same after a rename, another for a copy or a new folder. */
function readFileId(folder: string): string | undefined {
  const stat = fs.statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stat === undefined || stat.ino === 0n ? undefined : `${stat.dev}:${stat.ino}:${stat.birthtimeNs / 1_000_000n}`;
}

/** The last part of the remote, else of the folder. */
export function nameOf(facts: Pick<HeadFacts, 'remotes' | 'root'>): string {
  const fromRemote = facts.remotes[0]?.split('/').at(-1);
  return fromRemote === undefined || fromRemote === '' ? path.basename(facts.root) || facts.root : fromRemote;
}
