/**
 * Degradation: a part that was missing while answering. Returned beside the answer,
 * never thrown (invariant 6).
 */
export const DEGRADATIONS = [
  'embedder_absent', 'embedder_starting', 'embedder_failed', 'index_rebuilding', 'index_fallback_exact', 'vectors_pending', 'script_unread', 'model_switching',
  'user_store_unavailable', 'store_read_only', 'limit_capped', 'working_tree_unchecked', 'repository_skipped',
] as const;

export interface Degradation {
  readonly part: (typeof DEGRADATIONS)[number];
  /** A sentence for a person. */
  readonly message: string;
}
