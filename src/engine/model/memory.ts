/**
 * Memory: the durable unit that recall returns, with everything that says where
 * it came from, where it holds and whether it still does.
 *
 * Changing a field? Also: storage/sqlite (column list and mapper), transfer
 * (format version), the contract suite, and protocol/ if the sidebar shows it.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Id } from '../../base/ids.ts';
import type { MemoryKind } from './kinds.ts';
import type { Scope } from './scope.ts';

export const MEMORY_STATUSES = ['inbox', 'active', 'superseded', 'archived', 'forgotten'] as const;
export type MemoryStatus = (typeof MEMORY_STATUSES)[number];

/** How a memory came in. */
export const VIAS = ['selection', 'command', 'mcp', 'transcript', 'import', 'cli', 'sync', 'server'] as const;
export type Via = (typeof VIAS)[number];

export const MAX_TEXT_LENGTH = 8_000;
export const MAX_SNIPPET_LENGTH = 4_000;
/** The turn a memory came from and one neighbour on each side, kept with it. */
export const MAX_CONTEXT_LENGTH = 2_000;

export interface Provenance {
  readonly via: Via;
  readonly sessionId?: string;
  /** `<message id>:<block index>` of the turn in the transcript. */
  readonly turnKey?: string;
  readonly transcriptPath?: string;
  /** The words themselves, as said. */
  readonly quote?: string;
  readonly speaker?: 'user' | 'assistant';
  /** The turn and one neighbour on each side, redacted; survives deletion of the transcript. */
  readonly context?: string;
  /** When it was said; consolidation orders by this, not by when it was stored. */
  readonly saidAt?: EpochMs;
  /** Id of the extraction rule, when rules found it. */
  readonly rule?: string;
  readonly model?: string;
  readonly promptTemplate?: string;
  /** Which machine. */
  readonly clientId?: string;
  readonly author?: string;
  readonly branch?: string;
  readonly commit?: string;
  readonly episodeId?: Id;
  readonly observationId?: Id;
  /** File an import read it from. */
  readonly importedFrom?: string;
}

/** The place in the code a memory is about. Lines are 1-based and inclusive. */
export interface Anchor {
  /** Relative to the repository's root, with `/`. */
  readonly path: string;
  readonly symbol?: string;
  readonly startLine?: number;
  readonly endLine?: number;
  /** SHA-256 (hex) of the anchored lines, white space at line ends ignored. */
  readonly contentHash?: string;
  readonly commit?: string;
  /** The anchored code, redacted, at most MAX_SNIPPET_LENGTH characters. */
  readonly snippet?: string;
}

/** Result of checking an anchor against the working tree. */
export type AnchorState = 'fresh' | 'moved' | 'changed' | 'missing' | 'unchecked';

export interface Memory {
  readonly id: Id;
  readonly text: string;
  readonly kind: MemoryKind;
  /** Whole number 1..10, given once when it is stored. */
  readonly importance: number;
  /** 0..1 */
  readonly confidence: number;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly scope: Scope;
  readonly status: MemoryStatus;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** When the statement became true (said), and stopped being so. */
  readonly validFrom: EpochMs;
  readonly validUntil?: EpochMs;
  readonly expiresAt?: EpochMs;
  readonly lastRecalledAt?: EpochMs;
  readonly recallCount: number;
  readonly notRelevantCount: number;
  /** How often the same statement came again and was merged or refused as a duplicate. */
  readonly repeatCount: number;
  /** Starts at 1 and rises with each change of content; the basis of conflict detection. */
  readonly version: number;
  readonly externalId?: string;
  readonly provenance: Provenance;
  readonly anchors: readonly Anchor[];
  readonly supersedes: readonly Id[];
  readonly supersededBy?: Id;
  /** Came from somebody else's text (web page, tool output, foreign file): never phrased as an order when injected. */
  readonly untrusted: boolean;
  /** The text itself tries to instruct a model ("ignore previous ..."). */
  readonly suspicious: boolean;
}

/** When the statement was made: said, became true, or was stored. */
export const statedAt = (memory: Pick<Memory, 'validFrom' | 'provenance'>): EpochMs => Math.max(memory.validFrom, memory.provenance.saidAt ?? 0);

/** What a person or a policy may change; every change makes a new version. */
export interface MemoryPatch {
  readonly text?: string;
  readonly kind?: MemoryKind;
  readonly importance?: number;
  readonly confidence?: number;
  readonly tags?: readonly string[];
  readonly pinned?: boolean;
  readonly scope?: Scope;
  readonly status?: MemoryStatus;
  readonly validUntil?: EpochMs | null;
  readonly expiresAt?: EpochMs | null;
  readonly anchors?: readonly Anchor[];
  readonly untrusted?: boolean;
  readonly supersedes?: readonly Id[];
  readonly supersededBy?: Id | null;
  readonly repeatCount?: number;
  readonly notRelevantCount?: number;
}

/** Who changed something, through which surface and why; kept with every change. */
export interface Actor {
  readonly surface: Via | 'hook' | 'extension' | 'policy';
  readonly clientId?: string;
  readonly sessionId?: string;
  readonly author?: string;
}

export type ChangeVerb = 'add' | 'edit' | 'pin' | 'merge' | 'supersede' | 'archive' | 'restore' | 'forget' | 'feedback' | 'reanchor' | 'undo';

/** One step of a memory's history. `before` is absent for the first. */
export interface MemoryChange {
  readonly changeId: Id;
  readonly memoryId: Id;
  readonly version: number;
  readonly verb: ChangeVerb;
  readonly at: EpochMs;
  readonly actor: Actor;
  readonly reason?: string;
  readonly before?: Memory;
  readonly after: Memory;
  /** Changes made by one act share it, so that undo takes back the whole act. */
  readonly actId: Id;
  readonly undoneBy?: Id;
}

/** Says "this id is dead" to indexes and replicas. Holds no content. */
export interface Tombstone {
  readonly memoryId: Id;
  readonly reason: 'forgotten' | 'purged' | 'moved';
  readonly at: EpochMs;
  readonly epoch: number;
}

/** Entity graph [K8]. */
export interface Relation {
  readonly id: Id;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly memoryId?: Id;
  readonly createdAt: EpochMs;
}

/** One line of the profile [K7], pointing to the memories it came from. */
export interface ProfileValue {
  readonly key: string;
  readonly value: string;
  readonly confidence: number;
  readonly memoryIds: readonly Id[];
  readonly updatedAt: EpochMs;
  /** Set when a person typed it: policies then leave it alone. */
  readonly edited: boolean;
}
