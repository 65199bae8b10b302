/**
 * The bundled model, from this repository's media folder.
 */
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';

/** Undefined where the model or its runtime is not here: keyword search is then all that is measured. */
export async function openBundledEmbedder(): Promise<Embedder | undefined> {
  return undefined;
}
