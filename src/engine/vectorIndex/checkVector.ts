/**
 * The guard that every vector passes before it enters an index or searches one: right length,
 * finite, not zero. An index that took such a vector would answer nonsense without one error.
 */
import { CairnError } from '../../base/errors.ts';

/** Throws EMBEDDING_MISMATCH on a wrong length, EMBEDDING_FAILED on zero or non-finite values. */
export function checkVector(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) {
    throw new CairnError('EMBEDDING_MISMATCH', `A vector of ${vector.length} dimensions was given to an index of ${dimensions}.`, { data: { given: vector.length, expected: dimensions } });
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares) || squares < 1e-12) {
    throw new CairnError('EMBEDDING_FAILED', 'A vector is zero or not finite; it says nothing about its text.', { data: { squares: String(squares) } });
  }
}

/** Chunk ids are labels in native code: whole numbers from 1 that fit 32 bits. */
export function checkChunkId(chunkId: number): void {
  if (!Number.isInteger(chunkId) || chunkId < 1 || chunkId > 0xffff_ffff) throw new RangeError(`A chunk id is a whole number from 1 to 4294967295, not ${chunkId}.`);
}
