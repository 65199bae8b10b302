/**
 * Observation: one statement drawn from an episode and not yet trusted. It waits in
 * the inbox with the outcome that is proposed for it and the reason.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Id } from '../../base/ids.ts';
import type { MemoryKind } from './kinds.ts';
import type { Anchor, Provenance } from './memory.ts';
import type { Scope } from './scope.ts';

/** What accepting would do. `targetId` names the memory that is merged, revised, superseded, contradicted or archived. */
export type ProposedOutcome =
  | { readonly verb: 'add' }
  | { readonly verb: 'merge' | 'revise' | 'supersede' | 'conflict' | 'archive'; readonly targetId: Id };

/** `folded`: out of sight for now. `withdrawn`: its turn was taken back by rewinding the session. */
export const OBSERVATION_STATES = ['waiting', 'accepted', 'merged', 'rejected', 'folded', 'withdrawn'] as const;
export type ObservationState = (typeof OBSERVATION_STATES)[number];

export const REJECT_REASONS = ['not_true', 'not_lasting', 'duplicate', 'private', 'unspecified'] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export interface Observation {
  readonly id: Id;
  readonly text: string;
  readonly kind: MemoryKind;
  readonly importance: number;
  readonly confidence: number;
  readonly tags: readonly string[];
  readonly scope: Scope;
  readonly expiresAt?: EpochMs;
  readonly anchors: readonly Anchor[];
  readonly provenance: Provenance;
  readonly untrusted: boolean;
  readonly suspicious: boolean;
  readonly outcome: ProposedOutcome;
  /** One sentence: why this outcome. */
  readonly why: string;
  readonly state: ObservationState;
  readonly createdAt: EpochMs;
  readonly decidedAt?: EpochMs;
  readonly rejectReason?: RejectReason;
  /** The memory that accepting made or changed. */
  readonly memoryId?: Id;
}

/** What an extractor hands over, before the gate and consolidation have seen it. */
export interface ExtractedStatement {
  readonly text: string;
  readonly kind: MemoryKind;
  readonly importance: number;
  readonly confidence: number;
  readonly tags: readonly string[];
  readonly scope: Scope;
  readonly expiresAt?: EpochMs;
  readonly anchors?: readonly Anchor[];
  readonly provenance: Provenance;
  readonly untrusted: boolean;
  /** Set by rules that saw a correction or replacement of an earlier statement; the old value's words. */
  readonly replaces?: string;
  /** A temporary exception: never supersedes. */
  readonly temporary?: boolean;
}
