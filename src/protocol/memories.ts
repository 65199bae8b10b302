/**
 * Memories as a person sees them: a row of the list, and the whole of one in Detail.
 * Translated by hand from the engine's shapes in the extension, so that neither side
 * ties the other down.
 */
import './jitless.ts';
import * as z from 'zod';
import { KINDS } from './names.ts';

export const kindName = z.enum(KINDS);

export const STATUSES = ['inbox', 'active', 'superseded', 'archived', 'forgotten'] as const;
export const statusName = z.enum(STATUSES);
export type StatusName = z.infer<typeof statusName>;

export const anchorState = z.enum(['fresh', 'moved', 'changed', 'missing', 'unchecked']);
export type AnchorStateName = z.infer<typeof anchorState>;

export const anchorRow = z.object({
  path: z.string(),
  symbol: z.string().optional(),
  startLine: z.number().optional(),
  endLine: z.number().optional(),
  state: anchorState,
  snippet: z.string().optional(),
});
export type AnchorRow = z.infer<typeof anchorRow>;

export const explanation = z.object({
  lexicalRank: z.number().optional(),
  vectorRank: z.number().optional(),
  recencyRank: z.number().optional(),
  pathRank: z.number().optional(),
  cosine: z.number().optional(),
  finalScore: z.number(),
  boosts: z.array(z.object({ name: z.string(), factor: z.number() })),
  visibleBecause: z.string(),
});
export type ExplanationRow = z.infer<typeof explanation>;

export const memoryRow = z.object({
  id: z.string(),
  /** At most ROW_TEXT_LENGTH characters, cut at a word. */
  text: z.string(),
  cut: z.boolean(),
  kind: kindName,
  importance: z.number(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  /** `user`, `repository`, `branch:NAME`, `path:GLOB`. */
  scope: z.string(),
  status: statusName,
  createdAt: z.number(),
  updatedAt: z.number(),
  expiresAt: z.number().optional(),
  branch: z.string().optional(),
  /** The first anchor; stale ones come first. */
  anchor: anchorRow.omit({ snippet: true }).optional(),
  anchorCount: z.number(),
  untrusted: z.boolean(),
  explain: explanation.optional(),
});
export type MemoryRow = z.infer<typeof memoryRow>;

export const provenanceRow = z.object({
  via: z.string(),
  sessionId: z.string().optional(),
  sessionTitle: z.string().optional(),
  hasTranscript: z.boolean(),
  quote: z.string().optional(),
  speaker: z.string().optional(),
  context: z.string().optional(),
  saidAt: z.number().optional(),
  model: z.string().optional(),
  promptTemplate: z.string().optional(),
  rule: z.string().optional(),
  author: z.string().optional(),
  branch: z.string().optional(),
  commit: z.string().optional(),
  importedFrom: z.string().optional(),
});
export type ProvenanceRow = z.infer<typeof provenanceRow>;

export const historyRow = z.object({
  changeId: z.string(),
  version: z.number(),
  verb: z.string(),
  at: z.number(),
  who: z.string(),
  reason: z.string().optional(),
  /** The text after this step. */
  text: z.string(),
  undone: z.boolean(),
});
export type HistoryRow = z.infer<typeof historyRow>;

export const relatedRow = z.object({
  row: memoryRow,
  reasons: z.array(z.object({ by: z.enum(['meaning', 'words', 'file', 'entity']), about: z.string().optional() })),
});
export type RelatedRow = z.infer<typeof relatedRow>;

export const memoryDetail = z.object({
  row: memoryRow,
  text: z.string(),
  confidence: z.number(),
  version: z.number(),
  recallCount: z.number(),
  notRelevantCount: z.number(),
  repeatCount: z.number(),
  lastRecalledAt: z.number().optional(),
  anchors: z.array(anchorRow),
  provenance: provenanceRow,
  history: z.array(historyRow),
  superseded: z.array(memoryRow),
  superseding: z.array(memoryRow),
  /** What stands near it, and why. */
  related: z.array(relatedRow),
  /** What it says of entities, as the graph shows it. */
  relations: z.array(z.object({ subject: z.string(), predicate: z.string(), object: z.string() })),
  /** How often Claude was given it without asking. */
  given: z.number(),
});
export type MemoryDetail = z.infer<typeof memoryDetail>;

export const SORTS = ['relevance', 'recent', 'kind', 'file', 'importance'] as const;
export const sortName = z.enum(SORTS);
export type SortName = z.infer<typeof sortName>;

export const AGES = ['day', 'week', 'month', 'quarter'] as const;

export const listFilters = z.object({
  kinds: z.array(kindName).default([]),
  tags: z.array(z.string()).default([]),
  scopes: z.array(z.enum(['user', 'repository', 'branch', 'path'])).default([]),
  branch: z.string().optional(),
  statuses: z.array(statusName).default([]),
  age: z.enum(AGES).optional(),
  pinned: z.boolean().optional(),
});
export type ListFilters = z.infer<typeof listFilters>;
export const NO_FILTERS: ListFilters = { kinds: [], tags: [], scopes: [], statuses: [] };

export const listQuery = z.object({
  query: z.string().max(2_000),
  filters: listFilters,
  sort: sortName,
  offset: z.number().int().nonnegative(),
});
export type ListQuery = z.infer<typeof listQuery>;

export const listPage = z.object({
  rows: z.array(memoryRow),
  total: z.number(),
  offset: z.number(),
  /** Sentences about what was missing while answering. */
  degradations: z.array(z.string()),
});
export type ListPage = z.infer<typeof listPage>;

/** What Detail may change. `null` removes an expiry. */
export const detailPatch = z.object({
  text: z.string().min(1).max(8_000).optional(),
  kind: kindName.optional(),
  importance: z.number().int().min(1).max(10).optional(),
  tags: z.array(z.string().min(1).max(64)).max(32).optional(),
  scope: z.string().min(1).max(1_000).optional(),
  expiresAt: z.number().nullable().optional(),
});
export type DetailPatch = z.infer<typeof detailPatch>;
