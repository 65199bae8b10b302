/**
 * CachedEmbedder: remembers the vectors of recent texts, asks for each text once however many
 * callers want it at the same time, and hands the model small batches.
 */
import { CairnError } from '../../base/errors.ts';
import type { Embedder, EmbeddingRole } from './embedder.ts';
import { assertNotCancelled } from './unitVector.ts';

export interface CacheOptions {
  /** Vectors kept; 2,000 of 384 dimensions are about 5 MB with their texts. */
  readonly capacity?: number;
}

const CAPACITY = 2_000;
/** Small enough that a cancel or a question never waits long behind a long job. */
export const MAX_BATCH = 32;

/** Wraps `inner`, which it also closes. Vectors handed out are copies: nobody can spoil the cache. */
export function createCachedEmbedder(inner: Embedder, options: CacheOptions = {}): Embedder {
  return new CachedEmbedder(inner, options.capacity ?? CAPACITY);
}

class CachedEmbedder implements Embedder {
  readonly #inner: Embedder;
  readonly #capacity: number;
  /** Keyed by role and text, least recently used first. The whole text is the key, so two texts never share a vector. */
  readonly #vectors = new Map<string, Float32Array>();
  readonly #flights = new Map<string, Promise<Float32Array>>();

  constructor(inner: Embedder, capacity: number) {
    this.#inner = inner;
    this.#capacity = capacity;
  }

  get version(): string {
    return this.#inner.version;
  }

  get dimensions(): number {
    return this.#inner.dimensions;
  }

  countTokens(text: string): number {
    return this.#inner.countTokens(text);
  }

  async embed(texts: readonly string[], { role, signal }: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]> {
    const found = new Map<string, Float32Array>();
    const distinct = [...new Set(texts)];
    for (let from = 0; from < distinct.length; from += MAX_BATCH) {
      assertNotCancelled(signal);
      await this.#embedBatch(distinct.slice(from, from + MAX_BATCH), role, signal, found);
    }
    assertNotCancelled(signal);
    return texts.map((text) => (found.get(text) ?? new Float32Array()).slice());
  }

  async close(): Promise<void> {
    this.#vectors.clear();
    await Promise.allSettled(this.#flights.values());
    await this.#inner.close();
  }

  async #embedBatch(texts: readonly string[], role: EmbeddingRole, signal: AbortSignal | undefined, found: Map<string, Float32Array>): Promise<void> {
    const missing: string[] = [];
    for (const text of texts) {
      const key = keyOf(role, text);
      const cached = this.#vectors.get(key);
      if (cached !== undefined) {
        this.#keep(key, cached);
        found.set(text, cached);
      } else if (!this.#flights.has(key)) missing.push(text);
    }
    if (missing.length > 0) this.#start(missing, role);
    const waiting = texts.filter((text) => !found.has(text)).map(async (text) => found.set(text, await (this.#flights.get(keyOf(role, text)) ?? this.#landed(role, text))));
    await untilCancelled(Promise.all(waiting), signal);
  }

  /** One call for all missing texts. It does not carry the caller's signal: another caller may be waiting for the same text. */
  #start(texts: readonly string[], role: EmbeddingRole): void {
    const call = this.#inner.embed(texts, { role });
    for (const [i, text] of texts.entries()) {
      const key = keyOf(role, text);
      const flight = call.then((vectors) => {
        const vector = vectors[i];
        if (vector === undefined) throw new CairnError('EMBEDDING_FAILED', 'The model gave fewer vectors than texts.');
        this.#keep(key, vector);
        return vector;
      });
      this.#flights.set(key, flight);
      // Both outcomes end the flight; who waits for it gets the error from the flight itself.
      void flight.catch(() => undefined).finally(() => this.#flights.delete(key));
    }
  }

  #landed(role: EmbeddingRole, text: string): Float32Array {
    const vector = this.#vectors.get(keyOf(role, text));
    if (vector === undefined) throw new CairnError('EMBEDDING_FAILED', 'A vector was lost between the model and the cache.');
    return vector;
  }

  #keep(key: string, vector: Float32Array): void {
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    for (const oldest of this.#vectors.keys()) {
      if (this.#vectors.size <= this.#capacity) break;
      this.#vectors.delete(oldest);
    }
  }
}

const keyOf = (role: EmbeddingRole, text: string): string => `${role}\n${text}`;

async function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = (): void => undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new CairnError('CANCELLED', 'Cancelled.'));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, cancelled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
