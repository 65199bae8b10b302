/**
 * EmbedderSource: an embedder that may not be there yet. Loading a model takes hundreds of
 * milliseconds, so nobody waits for it unless they ask to; recall degrades meanwhile.
 */
import type { Embedder } from './embedder.ts';

export type EmbedderState = 'off' | 'absent' | 'starting' | 'ready' | 'failed';

export interface EmbedderSource {
  state(): EmbedderState;
  /** The embedder if it is ready now; starts loading in the background when it is not. */
  current(): Embedder | undefined;
  /** Waits for it; undefined when there is none or it failed (see `failure`). */
  get(signal?: AbortSignal): Promise<Embedder | undefined>;
  /** Why it failed, for doctor. */
  failure(): string | undefined;
  close(): Promise<void>;
}

/** Loads on first use, once; a failure is kept for `failure()` and tried again after `retryAfterMs` of the given clock. */
export function createLazyEmbedderSource(load: () => Promise<Embedder | undefined>, now: () => number, retryAfterMs = 60_000): EmbedderSource {
  let embedder: Embedder | undefined;
  let loading: Promise<Embedder | undefined> | undefined;
  let failed: { at: number; message: string } | undefined;
  let absent = false;
  let closed = false;
  const start = async (): Promise<Embedder | undefined> => {
    if (closed || absent) return undefined;
    if (embedder !== undefined) return embedder;
    if (failed !== undefined && now() - failed.at < retryAfterMs) return undefined;
    loading ??= load().then(
      (loaded) => {
        embedder = loaded;
        absent = loaded === undefined;
        failed = undefined;
        loading = undefined;
        return loaded;
      },
      (error: unknown) => {
        failed = { at: now(), message: error instanceof Error ? error.message : String(error) };
        loading = undefined;
        return undefined;
      },
    );
    return loading;
  };
  return {
    state: () => (embedder !== undefined ? 'ready' : loading !== undefined ? 'starting' : failed !== undefined ? 'failed' : absent ? 'off' : 'absent'),
    current() {
      if (embedder === undefined) void start();
      return embedder;
    },
    async get(signal) {
      if (signal?.aborted === true) return undefined;
      return start();
    },
    failure: () => failed?.message,
    async close() {
      closed = true;
      await loading;
      await embedder?.close();
      embedder = undefined;
    },
  };
}

/** Keyword search only, by setting. */
export const noEmbedderSource: EmbedderSource = {
  state: () => 'off',
  current: () => undefined,
  get: async () => undefined,
  failure: () => undefined,
  close: async () => undefined,
};
