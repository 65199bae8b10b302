/**
 * Names and sizes that both sides share, without the schemas: what runs at activation
 * imports these alone.
 */
export const KINDS = [
  'rule', 'decision', 'preference', 'code_pattern', 'technical_context', 'project_context', 'communication_pattern',
  'subtle_signal', 'identity', 'fact', 'observation', 'entity', 'relation', 'session_summary',
] as const;
export type KindName = (typeof KINDS)[number];

/** What can be done with a proposal, beside the single keys. */
export const PROPOSAL_VERBS = ['accept', 'acceptSession', 'edit', 'merge', 'reject', 'rejectSession', 'openTurn'] as const;
export type ProposalVerb = (typeof PROPOSAL_VERBS)[number];

/** Longest text that travels in a row; the list shows two lines of it. */
export const ROW_TEXT_LENGTH = 400;

/** Rows of one page; the sidebar asks for as many as scroll by, never for all. */
export const PAGE_SIZE = 200;
