/**
 * What a person sees of extraction: pages of the inbox, the outcome of a decision, and the
 * summary of a run. The pipeline in extraction/ fills these.
 */
import type { EpochMs } from '../base/clock.ts';
import type { Id } from '../base/ids.ts';
import type { ActingFor, RememberInput, RememberResult } from './engineTypes.ts';
import type { Episode, Turn } from './model/episode.ts';
import type { MemoryPatch } from './model/memory.ts';
import type { Observation, ObservationState, RejectReason } from './model/observation.ts';

export interface InboxQuery {
  readonly states?: readonly ObservationState[];
  readonly sessionId?: string;
  readonly rule?: string;
  readonly limit: number;
  readonly offset: number;
}

/** A memory that an outcome points at. */
export interface OutcomeTarget {
  readonly text: string;
  readonly updatedAt: EpochMs;
}

export interface InboxPage {
  readonly observations: readonly Observation[];
  readonly total: number;
  /** The memories that outcomes point at, by id, for showing the change as a diff. */
  readonly targets: Readonly<Record<Id, OutcomeTarget>>;
  /** What the sessions are called, by id; see extraction/sessionTitle.ts. */
  readonly titles: Readonly<Record<string, string>>;
  /** Proposals that are older than 30 days and folded into one line [E4]. */
  readonly folded: number;
  readonly offers: readonly InboxOffer[];
}

/** What would make reviewing lighter [E4]; each surface says it in its own words and ways. */
export type InboxOffer =
  /** Nothing of this rule was rejected for so long that it may pass by itself: see `trustRule`. */
  | { readonly what: 'trustRule'; readonly rule: string; readonly accepted: number }
  /** So many wait that one rule found: `accept` takes a rule. */
  | { readonly what: 'acceptAlike'; readonly rule: string; readonly proposals: number }
  /** Most are rejected: a higher `extraction.gate` shows fewer. */
  | { readonly what: 'raiseGate' };

/** Which proposals a decision is about; an empty selection means all that wait. */
export interface InboxSelection {
  readonly ids?: readonly Id[];
  readonly sessionId?: string;
  readonly rule?: string;
}

export interface InboxDecision {
  readonly decided: readonly { readonly observationId: Id; readonly memoryId?: Id; readonly outcome?: string }[];
  /** How many still wait. */
  readonly left: number;
}

export interface InboxStatistics {
  /** Decisions that are older than 30 days, to compare with all. */
  readonly before: { readonly kept: number; readonly rejected: number };
  readonly outcomes: { readonly accepted: number; readonly merged: number; readonly rejected: number; readonly waiting: number };
  readonly rulePrecision: readonly { readonly rule: string; readonly accepted: number; readonly rejected: number }[];
}

export interface Inbox {
  list(query: InboxQuery): Promise<InboxPage>;
  /** `edit` goes with exactly one proposal. Throws ID_UNKNOWN. */
  accept(selection: InboxSelection, acting: ActingFor, edit?: Pick<MemoryPatch, 'text' | 'kind' | 'importance' | 'tags' | 'scope' | 'expiresAt'>): Promise<InboxDecision>;
  reject(selection: InboxSelection, reason: RejectReason, acting: ActingFor): Promise<InboxDecision>;
  merge(id: Id, targetId: Id, acting: ActingFor): Promise<InboxDecision>;
  undo(ids: readonly Id[], acting: ActingFor): Promise<InboxDecision>;
  /** Proposals whose acceptance was this act, which was undone elsewhere, wait again. */
  reopen(actId: Id, memoryIds: readonly Id[]): Promise<void>;
  /** What this rule finds becomes active without review, or no longer; returns all rules so trusted. Throws INPUT_INVALID for a rule that never proposed anything here. */
  trust(rule: string, trusted: boolean): Promise<string[]>;
  statistics(): Promise<InboxStatistics>;
}

export interface ExtractionRun {
  readonly remembered: number;
  readonly proposed: number;
  readonly duplicates: number;
  readonly rejectedByGate: number;
  /** Batches kept for later: a cap, a provider that did not answer, another process's job. */
  readonly waitingBatches: number;
  readonly waitingBecause?: string;
  /** Of one session: when its last turns are due although nobody says more. Whoever follows the session asks again then. */
  readonly idleDueAt?: EpochMs | undefined;
}

export interface RunRequest {
  readonly sessionId?: string;
  /** The session ended or is about to be compacted: do not wait for more turns. */
  readonly final?: boolean;
  readonly backfill?: boolean;
  /** Only sessions with a batch that was kept for later and may be tried again now. */
  readonly waiting?: boolean;
  readonly maxProposals?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; total?: number; message?: string }) => void;
}

export interface Extraction {
  /** Stores redacted turns not seen before; returns how many were new. */
  takeTurns(episode: Episode, turns: readonly Turn[]): Promise<number>;
  /** The messages of a session that its person took back by rewinding: all that are known, each time. Withdraws what came of them. */
  abandonTurns(sessionId: string, messageIds: readonly string[]): Promise<number>;
  runDue(request: RunRequest): Promise<ExtractionRun>;
  /** What a model would cost for this many bytes of transcript; zero tokens when rules do it. */
  estimate(transcriptBytes: number): Promise<{ inputTokens: number; usd?: number }>;
  tidy(request: { sessionId?: string; signal?: AbortSignal }): Promise<{ proposed: number; archived: number; expired: number; message: string }>;
}

/** Everything between what was said and what is remembered, as the engine holds it. */
export interface Review {
  readonly inbox: Inbox;
  readonly extraction: Extraction;
  /** A statement that nobody asked for: to the inbox, untrusted. */
  propose(input: RememberInput, acting: ActingFor): Promise<RememberResult>;
  /** Profile and graph follow what was written; `purged` ids are gone for good. */
  follow(purged?: readonly Id[]): Promise<void>;
  spendTodayUsd(): Promise<number>;
}
