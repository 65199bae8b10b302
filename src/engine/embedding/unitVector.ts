/**
 * What every embedder owes its callers: vectors of length one, and never a vector that means
 * nothing. A zero or NaN vector would be near to everything or to nothing, without an error.
 */
import { CairnError } from '../../base/errors.ts';

/** The vector at length 1, as a new array of `dimensions` numbers. Throws EMBEDDING_FAILED when it has another size, is zero or not finite. */
export function unitVector(values: ArrayLike<number>, dimensions: number, embedder: string): Float32Array {
  if (values.length !== dimensions) throw new CairnError('EMBEDDING_FAILED', `${embedder} gave ${values.length} numbers instead of ${dimensions}.`, { data: { dimensions, got: values.length } });
  let sum = 0;
  for (let i = 0; i < dimensions; i += 1) sum += (values[i] ?? 0) ** 2;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length < 1e-12) throw new CairnError('EMBEDDING_FAILED', `${embedder} gave a vector that is zero or not finite.`);
  const unit = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i += 1) unit[i] = (values[i] ?? 0) / length;
  return unit;
}

/** Throws CANCELLED when the caller has cancelled. */
export function assertNotCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new CairnError('CANCELLED', 'Cancelled.');
}
