/**
 * openEngine: the only place that chooses implementations and puts the parts together.
 * What the parts do together is in engineFacade.ts.
 */
import { CairnError } from '../base/errors.ts';
import type { Embedder } from './embedding/embedder.ts';
import { chunkText } from './embedding/chunker.ts';
import { Engine } from './engineFacade.ts';
import type { EngineOptions, EngineStore, StoreLocation } from './engineOptions.ts';
import type { StoreRole } from './engineTypes.ts';
import type { MemoryStore } from './storage/memoryStore.ts';
import { openSqliteStore } from './storage/sqlite/openStore.ts';
import { createExactIndex } from './vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from './vectorIndex/hnsw/hnswIndex.ts';
import { nodeIndexFiles } from './vectorIndex/hnsw/indexFiles.ts';
import { openIndexKeeper } from './vectorIndex/indexKeeper.ts';
import type { IndexKeeper } from './vectorIndex/indexKeeper.ts';

/**
 * Opens the stores that are named. Cheap: no model, no index is loaded before it is needed.
 * A user store that cannot be opened becomes a degradation when there is a repository; a
 * repository store that cannot be opened throws its STORE_* or SCHEMA_* code.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const stores: EngineStore[] = [];
  let userFailure: CairnError | undefined;
  if (options.repository !== undefined) stores.push({ role: 'repository', location: options.repository, store: await openStore(options, options.repository, 'repository') });
  if (options.user !== undefined) {
    try {
      stores.push({ role: 'user', location: options.user, store: await openStore(options, options.user, 'user') });
    } catch (error) {
      // Invariant 6: the repository's memories are still worth having without the user's.
      if (options.repository === undefined || !(error instanceof CairnError)) {
        await closeAll(stores);
        throw error;
      }
      userFailure = error;
    }
  }
  if (stores.length === 0) throw new CairnError('REPOSITORY_REQUIRED', 'Neither a repository nor the user store was named.');
  return new Engine(options, stores, { userFailure, openKeeper: async (store, embedder) => openKeeper(options, store, embedder), chunk: (text, embedder) => chunkText(text, embedder === undefined ? {} : { countTokens: (part: string) => embedder.countTokens(part) }) });
}

const openStore = async (options: EngineOptions, location: StoreLocation, role: StoreRole): Promise<MemoryStore> =>
  openSqliteStore({ path: location.storePath, role, clock: options.clock, busyTimeoutMs: options.busyTimeoutMs, readOnly: options.readOnly });

async function openKeeper(options: EngineOptions, { store, location }: EngineStore, embedder: Embedder): Promise<IndexKeeper> {
  return openIndexKeeper({
    store,
    embeddingVersion: embedder.version,
    dimensions: embedder.dimensions,
    mode: options.config().indexMode,
    folder: location.indexFolder,
    files: nodeIndexFiles,
    createExact: createExactIndex,
    createHnsw: createHnswIndex,
  });
}

async function closeAll(stores: readonly EngineStore[]): Promise<void> {
  for (const { store } of stores) await store.close();
}
