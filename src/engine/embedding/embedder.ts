/**
 * Embedder: text in, unit-length vectors out. Bundled, downloaded, remote and hashing
 * implementations stand behind it.
 */
export type EmbeddingRole = 'query' | 'passage';

export interface Embedder {
  /** Stamp of model, revision, prefix, pooling, normalisation, truncation. Vectors of different versions are never compared. */
  readonly version: string;
  readonly dimensions: number;
  /** Unit-length vectors, one per text. Batches above 32 are split inside. Throws EMBEDDING_FAILED when the model fails or yields a zero or non-finite vector. */
  embed(texts: readonly string[], options: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]>;
  /** Number of model tokens, for chunking. */
  countTokens(text: string): number;
  close(): Promise<void>;
}
