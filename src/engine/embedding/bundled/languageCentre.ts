/**
 * Language centring: takes out of a vector what only says in which language its text is.
 *
 * A multilingual encoder puts all Chinese texts into one corner and all English ones into
 * another, so that a Chinese question ranks every Chinese memory above the right English one.
 * Subtracting from each vector the mean of its own language (mixed by the share of Chinese
 * among its tokens) makes the two meet, and spreads cosines that otherwise all lie between
 * .75 and .9. Figures: test/quality/MODELS.md. (Libovický et al., 2020, arXiv 2004.05160.)
 */
export interface LanguageCentres {
  readonly english: Float32Array;
  readonly chinese: Float32Array;
}

/** `bytes`: little-endian float32, English then Chinese. */
export function parseCentres(bytes: Uint8Array, dimensions: number): LanguageCentres {
  if (bytes.byteLength !== dimensions * 8) throw new Error(`The centres have ${bytes.byteLength} bytes instead of ${dimensions * 8}.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = (from: number): Float32Array => Float32Array.from({ length: dimensions }, (_value, i) => view.getFloat32((from + i) * 4, true));
  return { english: read(0), chinese: read(dimensions) };
}

/** A new vector, not of length 1. `chineseShare` is 0..1. */
export function centre(vector: ArrayLike<number>, centres: LanguageCentres, chineseShare: number): Float32Array {
  return Float32Array.from(vector, (value, i) => value - ((1 - chineseShare) * (centres.english[i] ?? 0) + chineseShare * (centres.chinese[i] ?? 0)));
}
