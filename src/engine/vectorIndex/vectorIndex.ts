/**
 * VectorIndex: "which chunks lie near this vector?" Derived data: rows are the truth,
 * an index may be thrown away at any time (invariant 2).
 *
 * All vectors are unit length; cosine is -1..1, larger is nearer.
 */

export interface VectorHit {
  readonly chunkId: number;
  readonly cosine: number;
}

export interface VectorIndex {
  readonly kind: 'exact' | 'hnsw';
  readonly dimensions: number;
  size(): number;
  /** Replaces the vector when the chunk is there already. Throws EMBEDDING_MISMATCH on a wrong length, EMBEDDING_FAILED on zero or non-finite vectors. */
  upsert(rows: readonly { readonly chunkId: number; readonly vector: Float32Array }[]): void;
  /** Unknown chunks are ignored. */
  remove(chunkIds: readonly number[]): void;
  /** At most `k` hits, best first, ties by chunkId; only chunks that `accept` passes. */
  search(vector: Float32Array, k: number, accept?: (chunkId: number) => boolean): VectorHit[];
  has(chunkId: number): boolean;
  /** Every live chunk, in no order. */
  chunkIds(): number[];
  close(): void;
}

/** An index that can be saved and loaded. The keeper stamps the file with version, dimensions, epoch and a checksum. */
export interface PersistentVectorIndex extends VectorIndex {
  /** Writes to this path; the caller renames it into place. */
  save(path: string): Promise<void>;
  /** The vector as the index holds it; may be a view that the next change moves. */
  vectorOf(chunkId: number): Float32Array | undefined;
  /** Share of dead slots, 0..1; absent where removal leaves none. */
  readonly removedShare?: number;
}
