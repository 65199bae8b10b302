/**
 * Identity: which repository is this working tree? Pure: facts and known names in,
 * verdict out. Several names (aliases) lead to one id.
 *
 * Order of evidence: git's common folder, else the remote, else the root commit, else
 * the folder. Every further name that the facts give is learned, so that a rename, a
 * move or a new clone is recognised by one of the others.
 */
import { type PathSystem, pathKey } from './pathKeys.ts';

/** `name`: what a repository was called before it was made one with another; only people ask by it. */
export type AliasKind = 'git-dir' | 'remote' | 'root-commit' | 'folder' | 'file-id' | 'name';

export interface Alias {
  readonly kind: AliasKind;
  readonly value: string;
}

/** What identity needs of RepoFacts, plus the file id of the git folder (or plain folder). */
export interface IdentityFacts {
  readonly root: string;
  readonly commonDir?: string;
  readonly remotes: readonly string[];
  readonly rootCommit?: string;
  readonly isShallow: boolean;
  /** `device:inode:birth` of `commonDir`, else of `root`: survives a rename on the same disk. */
  readonly fileId?: string;
}

/** Names of the working tree, strongest first. */
export function aliasesOf(facts: IdentityFacts, system: PathSystem): Alias[] {
  const aliases: Alias[] = [];
  if (facts.commonDir !== undefined) {
    aliases.push({ kind: 'git-dir', value: pathKey(facts.commonDir, system) });
    // The first remote alone: a fork's `upstream` is another repository.
    const remote = facts.remotes[0];
    if (remote !== undefined) aliases.push({ kind: 'remote', value: remote });
    if (facts.rootCommit !== undefined && !facts.isShallow) aliases.push({ kind: 'root-commit', value: facts.rootCommit });
  }
  aliases.push({ kind: 'folder', value: pathKey(facts.root, system) });
  if (facts.fileId !== undefined) aliases.push({ kind: 'file-id', value: facts.fileId });
  return aliases;
}

/** A repository that the registry knows, by any of the given aliases. */
export interface KnownRepository {
  readonly id: string;
  readonly aliases: readonly Alias[];
}

export type Verdict =
  | { readonly kind: 'known'; readonly id: string; readonly by: AliasKind; readonly learn: readonly Alias[] }
  /** `forkOf`: shares its history with a registered repository that has another remote. `formerly`: the folder was another repository's before. */
  | { readonly kind: 'new'; readonly aliases: readonly Alias[]; readonly forkOf?: string; readonly formerly?: string };

/**
 * `known` holds every repository that shares at least one alias with the facts.
 * `lacksCommit` tells that this working tree does not contain a commit (only asked of
 * git outside the hot path): proof that the folder now holds something else.
 */
export function resolveIdentity(facts: IdentityFacts, system: PathSystem, known: readonly KnownRepository[], lacksCommit: (commit: string) => boolean = () => false): Verdict {
  const aliases = aliasesOf(facts, system);
  const owner = (alias: Alias): KnownRepository | undefined => known.find((repository) => hasAlias(repository, alias));
  const learnFor = (repository: KnownRepository): Alias[] => aliases.filter((alias) => !hasAlias(repository, alias) && mayLearn(alias, owner(alias)));
  let formerly: string | undefined;

  const place = aliases.find(({ kind }) => kind === (facts.commonDir === undefined ? 'folder' : 'git-dir'));
  for (const alias of place === undefined ? [] : [place]) {
    const repository = owner(alias);
    if (repository === undefined) continue;
    if (wasReplaced(repository, facts, lacksCommit)) formerly = repository.id;
    else return { kind: 'known', id: repository.id, by: alias.kind, learn: learnFor(repository) };
  }
  const remote = aliases.find(({ kind }) => kind === 'remote');
  const byRemote = remote === undefined ? undefined : owner(remote);
  if (byRemote !== undefined) return { kind: 'known', id: byRemote.id, by: 'remote', learn: learnFor(byRemote) };

  let forkOf: string | undefined;
  for (const alias of aliases.filter(({ kind }) => kind === 'root-commit' || kind === 'file-id' || (kind === 'folder' && facts.commonDir !== undefined))) {
    const repository = owner(alias);
    if (repository === undefined || repository.id === formerly) continue;
    // A plain folder in which `git init` was run keeps its memories; a git repository's folder alone proves nothing.
    if (alias.kind === 'folder' && valuesOf(repository, 'git-dir').length > 0) continue;
    // Same history, other remote: a fork. The same git folder moved is never one.
    if (alias.kind === 'root-commit' && remote !== undefined && valuesOf(repository, 'remote').length > 0) forkOf ??= repository.id;
    else if (alias.kind === 'file-id' && wasReplaced(repository, facts, lacksCommit)) continue;
    else return { kind: 'known', id: repository.id, by: alias.kind, learn: learnFor(repository) };
  }
  return { kind: 'new', aliases, ...(forkOf === undefined ? {} : { forkOf }), ...(formerly === undefined ? {} : { formerly }) };
}

/** A root commit or remote that another repository holds stays with it: forks share the one, mistakes the other. */
const mayLearn = (alias: Alias, holder: KnownRepository | undefined): boolean => holder === undefined || (alias.kind !== 'root-commit' && alias.kind !== 'remote');

/**
 * Another repository was put where this one was: the git folder is a new one and names
 * other remotes, or none of the known root commits is in it.
 */
function wasReplaced(repository: KnownRepository, facts: IdentityFacts, lacksCommit: (commit: string) => boolean): boolean {
  const [roots, remotes, fileIds] = (['root-commit', 'remote', 'file-id'] as const).map((kind) => valuesOf(repository, kind)) as [string[], string[], string[]];
  if (facts.commonDir === undefined) return false;
  if (facts.remotes.some((remote) => remotes.includes(remote)) || (facts.rootCommit !== undefined && roots.includes(facts.rootCommit))) return false;
  const isNewFolder = facts.fileId !== undefined && fileIds.length > 0 && !fileIds.includes(facts.fileId);
  if (isNewFolder && remotes.length > 0 && facts.remotes.length > 0) return true;
  return roots.length > 0 && roots.every((root) => lacksCommit(root));
}

const valuesOf = (repository: KnownRepository, kind: AliasKind): string[] => repository.aliases.filter((alias) => alias.kind === kind).map(({ value }) => value);
const hasAlias = (repository: KnownRepository, alias: Alias): boolean => repository.aliases.some(({ kind, value }) => kind === alias.kind && value === alias.value);
