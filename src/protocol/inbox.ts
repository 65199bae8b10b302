/**
 * The inbox on the wire: proposals grouped by the session they came from, each with
 * what accepting would do, shown as a diff.
 */
import './jitless.ts';
import * as z from 'zod';
import { kindName } from './memories.ts';

export const proposalRow = z.object({
  id: z.string(),
  text: z.string(),
  kind: kindName,
  importance: z.number(),
  confidence: z.number(),
  tags: z.array(z.string()),
  scope: z.string(),
  outcome: z.enum(['add', 'merge', 'revise', 'supersede', 'conflict', 'archive']),
  /** The memory that accepting changes. */
  target: z.object({ id: z.string(), text: z.string(), updatedAt: z.number() }).optional(),
  why: z.string(),
  quote: z.string().optional(),
  context: z.string().optional(),
  speaker: z.string().optional(),
  hasTranscript: z.boolean(),
  untrusted: z.boolean(),
  suspicious: z.boolean(),
  createdAt: z.number(),
  sessionId: z.string(),
});
export type ProposalRow = z.infer<typeof proposalRow>;

export const inboxGroup = z.object({
  /** Empty for what was proposed outside of a session. */
  sessionId: z.string(),
  title: z.string().optional(),
  at: z.number(),
  proposals: z.array(proposalRow),
});
export type InboxGroup = z.infer<typeof inboxGroup>;

/** What would make reviewing lighter. */
export const inboxOffer = z.discriminatedUnion('what', [
  z.object({ what: z.literal('trustRule'), rule: z.string(), accepted: z.number() }),
  z.object({ what: z.literal('acceptAlike'), rule: z.string(), proposals: z.number() }),
  z.object({ what: z.literal('raiseGate') }),
]);
export type InboxOffer = z.infer<typeof inboxOffer>;

export const inboxPage = z.object({
  groups: z.array(inboxGroup),
  total: z.number(),
  /** Proposals older than 30 days, told as one line. */
  folded: z.number(),
  offers: z.array(inboxOffer),
  /** The last extraction, for the empty state. */
  lastExtraction: z.object({ at: z.number(), costUsd: z.number(), proposed: z.number() }).optional(),
});
export type InboxPage = z.infer<typeof inboxPage>;

export const REJECT_REASONS = ['not_true', 'not_lasting', 'duplicate', 'private'] as const;
export const rejectReason = z.enum(REJECT_REASONS);
export type RejectReasonName = z.infer<typeof rejectReason>;

export const proposalEdit = z.object({
  text: z.string().min(1).max(8_000).optional(),
  kind: kindName.optional(),
  importance: z.number().int().min(1).max(10).optional(),
});
