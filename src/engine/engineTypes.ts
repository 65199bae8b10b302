/**
 * The engine's public shapes: what operations hand in and get back. Surfaces know
 * these types through engine/index.ts and nothing behind them.
 */
import type { EpochMs } from '../base/clock.ts';
import type { Id } from '../base/ids.ts';
import type { Degradation } from './model/degradation.ts';
import type { MemoryKind } from './model/kinds.ts';
import type { Actor, Anchor, AnchorState, Memory, MemoryStatus, Provenance, Via } from './model/memory.ts';
import type { ViewContext } from './model/repoFacts.ts';
import type { Scope, ScopeLevel } from './model/scope.ts';
import type { MemoryOrder } from './storage/memoryStore.ts';

export type StoreRole = 'repository' | 'user';

export interface RememberInput {
  readonly text: string;
  readonly kind?: MemoryKind;
  readonly importance?: number;
  readonly confidence?: number;
  readonly tags?: readonly string[];
  readonly scope?: Scope;
  readonly pinned?: boolean;
  readonly expiresAt?: EpochMs;
  readonly validFrom?: EpochMs;
  readonly createdAt?: EpochMs;
  readonly externalId?: string;
  readonly anchors?: readonly Anchor[];
  readonly provenance: Provenance;
  readonly untrusted?: boolean;
  /** Memories that this one replaces. */
  readonly supersedes?: readonly Id[];
  /** It was out of recall where it comes from (an import), and is stored so. */
  readonly archived?: boolean;
  /** False: stored as it is, no duplicate or conflict check (import --no-consolidate). Default true. */
  readonly consolidate?: boolean;
}

export type RememberOutcome = 'added' | 'merged' | 'superseded' | 'duplicate' | 'conflict' | 'inbox';

export interface RememberResult {
  /** The memory that now holds the statement; for outcome `inbox` and `conflict` the observation's id when nothing was stored as active. */
  readonly id: Id;
  readonly outcome: RememberOutcome;
  readonly memory?: Memory;
  /** Ids this replaced, was merged into, or contradicts. */
  readonly relatedIds: readonly Id[];
  /** One sentence for a person. */
  readonly why: string;
  /** Secrets that were masked, by kind. */
  readonly redactions: readonly { readonly kind: string; readonly count: number }[];
}

export type RecallMode = 'hybrid' | 'semantic' | 'keyword';

export interface RecallFilters {
  readonly kinds?: readonly MemoryKind[];
  readonly tags?: readonly string[];
  readonly scopeLevels?: readonly ScopeLevel[];
  readonly path?: string;
  readonly branch?: string;
  readonly since?: EpochMs;
  readonly until?: EpochMs;
  readonly clientId?: string;
  readonly vias?: readonly Via[];
  readonly statuses?: readonly MemoryStatus[];
  readonly pinned?: boolean;
  readonly stores?: readonly StoreRole[];
}

export interface RecallQuery {
  /** Empty or absent: lists recent memories. */
  readonly query?: string;
  readonly mode?: RecallMode;
  readonly limit?: number;
  readonly filters?: RecallFilters;
  readonly view?: ViewContext;
  /** Minimum cosine for hits found by meaning alone; default from settings (0.3). */
  readonly threshold?: number;
  /** Ids never to return (already given in this session). */
  readonly exclude?: ReadonlySet<Id>;
  /** False: do not count this as use (searching in the sidebar). Default true. */
  readonly countUse?: boolean;
  readonly signal?: AbortSignal;
}

export interface Boost {
  readonly name: string;
  /** Multiplies rrfScore; 1 is neutral. */
  readonly factor: number;
}

export interface Explanation {
  /** 1-based; absent when that retriever did not find it. */
  readonly lexicalRank?: number;
  readonly vectorRank?: number;
  readonly recencyRank?: number;
  readonly pathRank?: number;
  readonly cosine?: number;
  /** The cosine on the scale of the threshold setting: models spread theirs differently (retrieval/calibration.ts). */
  readonly calibratedCosine?: number;
  readonly bm25?: number;
  readonly rrfScore: number;
  readonly boosts: readonly Boost[];
  /** rrfScore times all boosts: what the order follows. */
  readonly finalScore: number;
  /** A newer statement that takes this one back, whether or not anybody linked the two. */
  readonly replacedBy?: Id;
  /** A newer statement of the same subject that stands above this one; both may hold. */
  readonly newerStatement?: Id;
  /** For example "repository memory", "user memory", "made on branch fix, shown because ...". */
  readonly visibleBecause: string;
  /** Which vector index answered: exact, hnsw or none. */
  readonly index: 'exact' | 'hnsw' | 'none';
}

export interface AnchorCheck {
  readonly anchor: Anchor;
  readonly state: AnchorState;
  /** Where it is now, when it moved. */
  readonly now?: Anchor;
  /** With `missing`: its file is there, and what it is about is gone from it. */
  readonly goneFrom?: string;
}

export interface RecalledMemory {
  readonly memory: Memory;
  readonly store: StoreRole;
  /** Set when results of several repositories are mixed. */
  readonly repository?: { readonly id: string; readonly name: string };
  /** The best-matching part of a long text, cut at graphemes; absent when the text is short. */
  readonly excerpt?: string;
  readonly anchorChecks: readonly AnchorCheck[];
  readonly explain: Explanation;
}

export interface RecallResult {
  readonly results: readonly RecalledMemory[];
  readonly degradations: readonly Degradation[];
  readonly mode: RecallMode;
  readonly limit: number;
}

export interface ListQuery {
  readonly filters?: RecallFilters & { readonly ids?: readonly Id[]; readonly sessionId?: string; readonly untrusted?: boolean; readonly externalId?: string };
  readonly view?: ViewContext;
  readonly order?: MemoryOrder;
  readonly limit?: number;
  readonly offset?: number;
}

export interface ListedMemory {
  readonly memory: Memory;
  readonly store: StoreRole;
}

/** Reads files of the working tree; handed in by the host. Paths are relative to the root; escaping paths are refused. */
export interface WorkingTree {
  /** Undefined when the file does not exist or is larger than `maxBytes` (2 MB). */
  readText(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
  /** Present files among git's knowledge of renames: the new path of a path that is gone, if known. */
  movedTo?(path: string): Promise<string | undefined>;
  /** Asks git, so never on the path of a recall: every rename it knows, old path to new. */
  renames?(): Promise<ReadonlyMap<string, string>>;
  /** Asks git, likewise. */
  branches?(): Promise<BranchFacts | undefined>;
}

/** What git says of the branches of a clone. */
export interface BranchFacts {
  /** Tells the clones of one repository apart; its worktrees are one. */
  readonly clone: string;
  readonly defaultBranch: string;
  /** Branches of this clone and of its remotes, and the commit each is at. */
  readonly tips: ReadonlyMap<string, string>;
  /** Whether what the commit brought is in the default branch: merged, rebased or squashed. Undefined where this clone does not have the commit. */
  holds(commit: string): Promise<boolean | undefined>;
  /** Whether the default branch has what the commit brought from elsewhere: by a merge, or rewritten. A commit made on it, or moved to, is none. */
  cameFromBranch(commit: string): Promise<boolean>;
  /** When this clone last merged a branch of that name into the default branch, as far back as git's log of it goes. */
  readonly mergedAt: ReadonlyMap<string, EpochMs>;
}

export interface ActingFor {
  readonly actor: Actor;
  readonly reason?: string;
}
