/**
 * The vector side of an engine: an index keeper per store, opened when the embedder is
 * there, and the background work of giving vectors to new chunks. Everything here may be
 * missing without recall failing (invariant 6).
 */
import { CairnError } from '../base/errors.ts';
import type { Embedder } from './embedding/embedder.ts';
import { embedPending } from './embedding/embedPending.ts';
import type { EmbedProgress } from './embedding/embedPending.ts';
import type { EngineOptions, EngineStore } from './engineOptions.ts';
import type { StoreRole } from './engineTypes.ts';
import type { Degradation } from './model/degradation.ts';
import type { IndexKeeper } from './vectorIndex/indexKeeper.ts';

export interface VectorSide {
  /** The keeper of a store, if an embedder is ready; opened on first use. */
  keeper(role: StoreRole): IndexKeeper | undefined;
  /** Opens keepers and waits for the embedder as long as the host allows. */
  prepare(signal?: AbortSignal): Promise<Embedder | undefined>;
  /** A query's vector; undefined when there is no embedder or it failed. */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  /** A statement's vector when a ready embedder gives it; for consolidation. */
  vectorOf(text: string): Promise<Float32Array | undefined>;
  noteChunksWritten(): void;
  embedPending(signal?: AbortSignal, onProgress?: (progress: EmbedProgress) => void): Promise<number>;
  kind(): 'exact' | 'hnsw' | 'none';
  degradations(): readonly Degradation[];
  discardFiles(): Promise<void>;
  close(): Promise<void>;
}

/** `discardClosedFiles` removes index files of earlier processes when no keeper is open here. */
export function createVectorSide(options: EngineOptions, stores: readonly EngineStore[], openKeeper: (store: EngineStore, embedder: Embedder) => Promise<IndexKeeper>, discardClosedFiles: () => Promise<void>): VectorSide {
  const { embedder: source } = options;
  const keepers = new Map<StoreRole, IndexKeeper>();
  let openedFor: string | undefined;
  let opening: Promise<void> | undefined;
  let background: Promise<void> | undefined;
  let writtenMeanwhile = false;
  let closed = false;
  const stop = new AbortController();
  let lastFailure: string | undefined;

  const openKeepers = async (embedder: Embedder): Promise<void> => {
    if (openedFor === embedder.version) return;
    opening ??= (async () => {
      for (const keeper of keepers.values()) await keeper.close();
      keepers.clear();
      for (const entry of stores) keepers.set(entry.role, await openKeeper(entry, embedder));
      openedFor = embedder.version;
    })().finally(() => {
      opening = undefined;
    });
    await opening;
  };

  const waitForEmbedder = async (signal?: AbortSignal): Promise<Embedder | undefined> => {
    const ready = source.current();
    if (ready !== undefined || options.embedderWaitMs === 0 || source.state() === 'off') return ready;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), options.embedderWaitMs);
    });
    try {
      return await Promise.race([source.get(signal), patience]);
    } finally {
      clearTimeout(timer);
    }
  };

  const prepare = async (signal?: AbortSignal): Promise<Embedder | undefined> => {
    if (closed) return undefined;
    const embedder = await waitForEmbedder(signal);
    if (embedder === undefined) return undefined;
    try {
      await openKeepers(embedder);
    } catch (error) {
      // Without an index recall is by keyword; the reason is a degradation and a line in the log.
      lastFailure = error instanceof Error ? error.message : String(error);
      options.log?.(`vector index: ${error instanceof CairnError ? error.code : 'INTERNAL'}`);
      return undefined;
    }
    return embedder;
  };

  const tryEmbed = async (text: string, role: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array | undefined> => {
    const embedder = role === 'query' ? await prepare(signal) : source.current();
    if (embedder === undefined) return undefined;
    try {
      return (await embedder.embed([text], { role, signal }))[0];
    } catch (error) {
      if (signal?.aborted === true) throw new CairnError('CANCELLED', 'Cancelled.', { cause: error });
      // Invariant 6: the query is answered by keyword, and the degradation says why.
      lastFailure = error instanceof Error ? error.message : String(error);
      return undefined;
    }
  };

  const embedAll = async (signal?: AbortSignal, onProgress?: (progress: EmbedProgress) => void): Promise<number> => {
    const embedder = await source.get(signal);
    if (embedder === undefined) return 0;
    let done = 0;
    for (const { store } of stores) if (!store.readOnly) done += await embedPending(store, embedder, { signal, onProgress });
    return done;
  };

  return {
    keeper: (role) => keepers.get(role),
    prepare,
    embedQuery: async (text, signal) => tryEmbed(text, 'query', signal),
    vectorOf: async (text) => tryEmbed(text, 'passage'),
    noteChunksWritten() {
      if (!options.background || closed || source.state() === 'off') return;
      writtenMeanwhile = true;
      background ??= (async () => {
        while (writtenMeanwhile && !closed) {
          writtenMeanwhile = false;
          try {
            await embedAll(stop.signal);
          } catch (error) {
            // Left for the next write or start: chunks without a vector stay on record in the rows.
            options.log?.(`embedding in the background stopped: ${error instanceof CairnError ? error.code : 'INTERNAL'}`);
          }
        }
        background = undefined;
      })();
    },
    embedPending: embedAll,
    kind: () => (keepers.get('repository') ?? keepers.get('user'))?.kind() ?? 'none',
    degradations() {
      const state = source.state();
      const own: Degradation[] = [];
      if (state === 'off' || state === 'absent') own.push({ part: 'embedder_absent', message: state === 'off' ? 'Search by meaning is switched off; keyword search serves.' : 'The model is not loaded yet.' });
      if (state === 'starting') own.push({ part: 'embedder_starting', message: 'The model is loading; keyword search serves meanwhile.' });
      if (state === 'failed') own.push({ part: 'embedder_failed', message: `The model failed: ${source.failure() ?? lastFailure ?? 'unknown'}.` });
      return [...own, ...[...keepers.values()].flatMap((keeper) => keeper.degradations())];
    },
    async discardFiles() {
      for (const keeper of keepers.values()) await keeper.discardFiles();
      if (keepers.size === 0) await discardClosedFiles();
    },
    async close() {
      closed = true;
      stop.abort();
      await background;
      await opening?.catch(() => undefined); // A failed opening was reported where it was awaited.
      for (const keeper of keepers.values()) await keeper.close();
      keepers.clear();
    },
  };
}
