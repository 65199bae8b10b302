/**
 * Gives vectors to chunks that have none: after a write, after a model switch, after an
 * import. Resumable by nature: what is left to do is what the rows say is left.
 */
import { CairnError } from '../../base/errors.ts';
import type { MemoryStore } from '../storage/memoryStore.ts';
import type { Embedder } from './embedder.ts';

const BATCH = 32;

export interface EmbedProgress {
  readonly done: number;
  readonly left: number;
}

/**
 * Returns how many vectors were written. A text that fails alone is skipped in this run and
 * tried again in the next; a batch that fails is tried text by text. Throws CANCELLED.
 */
export async function embedPending(store: MemoryStore, embedder: Embedder, options: { signal?: AbortSignal; onProgress?: (progress: EmbedProgress) => void } = {}): Promise<number> {
  const failed = new Set<number>();
  let done = 0;
  for (;;) {
    if (options.signal?.aborted === true) throw new CairnError('CANCELLED', 'Cancelled; what was done stays.');
    const chunks = (await store.chunksWithoutVector(embedder.version, BATCH + failed.size)).filter(({ chunkId }) => !failed.has(chunkId)).slice(0, BATCH);
    if (chunks.length === 0) return done;
    const rows = await embedAll(embedder, chunks, failed, options.signal);
    if (rows.length > 0) await store.write(async (writer) => writer.putVectors(embedder.version, rows));
    done += rows.length;
    if (options.onProgress !== undefined) options.onProgress({ done, left: (await store.info()).chunks - (await store.countVectors(embedder.version)) });
  }
}

async function embedAll(embedder: Embedder, chunks: readonly { chunkId: number; text: string }[], failed: Set<number>, signal: AbortSignal | undefined): Promise<{ chunkId: number; vector: Float32Array }[]> {
  try {
    const vectors = await embedder.embed(chunks.map(({ text }) => text), { role: 'passage', signal });
    return chunks.flatMap(({ chunkId }, i) => (vectors[i] === undefined ? [] : [{ chunkId, vector: vectors[i] }]));
  } catch (error) {
    // One bad text must not hold back its batch: halve down to it, and leave it for the next run.
    if (signal?.aborted === true) throw new CairnError('CANCELLED', 'Cancelled; what was done stays.', { cause: error });
    const only = chunks[0];
    if (chunks.length === 1 && only !== undefined) {
      failed.add(only.chunkId);
      return [];
    }
    const middle = Math.ceil(chunks.length / 2);
    return [...(await embedAll(embedder, chunks.slice(0, middle), failed, signal)), ...(await embedAll(embedder, chunks.slice(middle), failed, signal))];
  }
}
