/**
 * RepoFacts: what git (or the lack of it) says about a working tree; the input of
 * identity and of scope. Pure data: git/ and workingTree/ make it.
 */
export interface RepoFacts {
  /** Absolute path of the working tree's root; of the folder where there is no git. */
  readonly root: string;
  /** Absolute, real path of git's common directory; absent without git. */
  readonly commonDir?: string;
  readonly isSubmodule: boolean;
  readonly isWorktree: boolean;
  readonly isShallow: boolean;
  /** Branch name; absent when detached or without git. */
  readonly branch?: string;
  /** True when HEAD points at a commit and not at a branch. */
  readonly detached: boolean;
  readonly head?: string;
  /** Normalised remote URLs, origin first. */
  readonly remotes: readonly string[];
  /** Only when known and not shallow. */
  readonly rootCommit?: string;
  readonly author?: string;
}

/** The question "who may see what here": branch, and the file the person is at. */
export interface ViewContext {
  readonly branch?: string;
  readonly defaultBranch?: string;
  /** Where HEAD is; all there is to say of a detached one. */
  readonly commit?: string;
  /** Relative to the root, with `/`. */
  readonly activePath?: string;
  /** [F5] memories of other branches are hidden instead of being shown with their branch. */
  readonly isolateBranches?: boolean;
}
