/**
 * openEngine: the only place that chooses implementations and puts the parts together.
 * What the parts do together is in engineFacade.ts.
 */
import { CairnError } from '../base/errors.ts';
import type { CurationDeps } from './curation/curationDeps.ts';
import { chunkText } from './embedding/chunker.ts';
import type { Embedder } from './embedding/embedder.ts';
import { Engine } from './engineFacade.ts';
import type { EngineOptions, EngineStore, StoreLocation } from './engineOptions.ts';
import type { StoreRole } from './engineTypes.ts';
import { createDecide } from './deciding.ts';
import { createRedactor } from './extraction/redaction/redactor.ts';
import { isSuspicious } from './extraction/suspicion.ts';
import { createInjection } from './injection/index.ts';
import type { Anchor } from './model/memory.ts';
import { anchoredText, cachedTree, checkAnchors, hashAnchoredText, reanchor } from './retrieval/freshness.ts';
import { takenBackAmong } from './retrieval/newerFirst.ts';
import { createRecall } from './retrieval/recall.ts';
import { relatedTo } from './retrieval/related.ts';
import { createReview } from './review.ts';
import type { MemoryStore } from './storage/memoryStore.ts';
import { openSqliteStore } from './storage/sqlite/openStore.ts';
import type { SqliteMemoryStore } from './storage/sqlite/sqliteMemoryStore.ts';
import { cutText } from './text/graphemes.ts';
import { withoutPrivate } from './text/privateParts.ts';
import { createExactIndex } from './vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from './vectorIndex/hnsw/hnswIndex.ts';
import { nodeIndexFiles } from './vectorIndex/hnsw/indexFiles.ts';
import { discardIndexFolder, openIndexKeeper } from './vectorIndex/indexKeeper.ts';
import type { IndexKeeper } from './vectorIndex/indexKeeper.ts';
import { createVectorSide } from './vectorSide.ts';

/** The registry of repositories is a SQLite file as well, and a backup is put back while no engine is open. */
export { openSqliteDatabase, type SqliteDatabase } from './storage/sqlite/sqliteDatabase.ts';
export { restoreBackup, summarizeStoreFile, type StoreSummary } from './storage/sqlite/backup.ts';
export { repairStore, type StoreRepair } from './storage/sqlite/repairStore.ts';

/**
 * Opens the stores that are named. Cheap: no model, no index is loaded before it is needed.
 * A user store that cannot be opened becomes a degradation when there is a repository; a
 * repository store that cannot be opened throws its STORE_* or SCHEMA_* code.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { stores, userFailure } = await openStores(options);
  const vectors = createVectorSide(options, stores, async (store, embedder) => openKeeper(options, store, embedder), async () => {
    for (const { location } of stores) await discardIndexFolder(location.indexFolder, nodeIndexFiles);
  });
  const redactor = createRedactor({ envValues: options.envValues, allow: () => options.config().allowedSecrets });
  const curation: CurationDeps = {
    stores,
    clock: options.clock,
    ids: options.ids,
    redact: (text) => redactor.redact(withoutPrivate(text)),
    isSuspicious,
    chunk: (text) => chunkText(text).map((chunk) => chunk.text),
    decide: createDecide(stores, vectors, options.clock),
    vectorOf: async (text) => vectors.vectorOf(text),
    onChunksWritten: () => vectors.noteChunksWritten(),
  };
  const recall = createRecall({
    stores: stores.map(({ role, store }) => ({ role, store, keeper: () => vectors.keeper(role) })),
    embedder: { state: () => options.embedder.state(), embedQuery: async (text, signal) => vectors.embedQuery(text, signal) },
    clock: options.clock,
    settings: () => options.config().recall,
    workingTree: options.workingTree,
  });
  const checkHere = async (memory: { anchors: readonly Anchor[] }): ReturnType<typeof checkAnchors> => checkAnchors(memory, options.workingTree);
  const anchorChecker = (): typeof checkHere => {
    const tree = options.workingTree === undefined ? undefined : cachedTree(options.workingTree);
    return async (memory) => checkAnchors(memory, tree);
  };
  const injection = createInjection({ stores, recall, clock: options.clock, ids: options.ids, config: () => options.config().injection, redact: (text) => redactor.redact(text).text, anchorChecker, takenBack: takenBackAmong, otherProjects: options.otherProjects, recallMode: async () => momentMode(options, stores) });
  const engine = new Engine(options, stores, {
    curation,
    vectors,
    recall,
    injection,
    scan: redactor.scan,
    related: async (memory, view, signal) => relatedTo({ stores, recall, clock: options.clock, threshold: () => options.config().recall.threshold }, memory, view, signal),
    checkAnchors: checkHere,
    reanchor: async (memory) => (options.workingTree === undefined ? memory.anchors : reanchor(memory, options.workingTree)),
    anchor: async (anchor) => completeAnchor(options, anchor),
    userFailure,
    review: (facade) => createReview({ options, stores, redactor, curation, engine: facade }),
  });
  if (options.background) await engine.repair();
  return engine;
}

/** A moment of a session does not wait for a model that is still to be loaded; where only a look at the resident one is allowed, that look is short anyway. */
const SHORT_WAIT_MS = 300;
/** A process that lives for one moment reads every vector anew: 10,000 take it .4 s, more than its host should wait. */
const VECTORS_FOR_A_MOMENT = 3_000;

async function momentMode({ embedder, embedderWaitMs }: EngineOptions, stores: readonly EngineStore[]): Promise<'hybrid' | 'keyword'> {
  if (embedderWaitMs > SHORT_WAIT_MS) return embedder.current() === undefined ? 'keyword' : 'hybrid';
  const counts = await Promise.all(stores.map(async ({ store }) => store.embeddingVersions()));
  return counts.flat().reduce((sum, { vectors }) => sum + vectors, 0) > VECTORS_FOR_A_MOMENT ? 'keyword' : 'hybrid';
}

async function openStores(options: EngineOptions): Promise<{ stores: EngineStore[]; userFailure?: CairnError }> {
  const stores: EngineStore[] = [];
  if (options.repository !== undefined) stores.push({ role: 'repository', location: options.repository, store: await openStore(options, options.repository, 'repository') });
  if (options.user !== undefined) {
    try {
      stores.push({ role: 'user', location: options.user, store: await openStore(options, options.user, 'user') });
    } catch (error) {
      // Invariant 6: the repository's memories are still worth having without the user's.
      if (options.repository !== undefined && error instanceof CairnError) return { stores, userFailure: error };
      for (const { store } of stores) await store.close();
      throw error;
    }
  }
  if (stores.length === 0) throw new CairnError('REPOSITORY_REQUIRED', 'Neither a repository nor the user store was named.');
  return { stores };
}

async function openStore(options: EngineOptions, location: StoreLocation, role: StoreRole): Promise<MemoryStore> {
  const store = await openSqliteStore({
    path: location.storePath, role, clock: options.clock, busyTimeoutMs: options.busyTimeoutMs, readOnly: options.readOnly,
    allowNetworkFileSystem: options.allowNetworkFileSystem, backupFolder: location.backupFolder, upkeep: options.upkeep,
  });
  if (options.background && !store.readOnly) backUpDaily(store, options);
  return store;
}

const DAY_MS = 86_400_000;
/** Not at once: an editor that is starting has better things to do. */
const FIRST_BACKUP_AFTER_MS = 60_000;

/** A process that lives on keeps one copy a day [T3]; it is what a damaged store is brought back from. */
function backUpDaily(store: SqliteMemoryStore, { log }: EngineOptions): void {
  const timer = setTimeout(() => {
    void store.ensureRecentBackup(DAY_MS).catch((error: unknown) => {
      // A full disk or a closed store: tried again by the next process; doctor shows the age of the newest copy.
      log?.(`daily backup: ${error instanceof CairnError ? error.code : 'INTERNAL'}`);
    });
  }, FIRST_BACKUP_AFTER_MS);
  timer.unref?.();
}

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

/** An anchor that names lines but not their content gets hash and snippet from the file as it is. */
async function completeAnchor(options: EngineOptions, anchor: Anchor): Promise<Anchor> {
  if (anchor.contentHash !== undefined || anchor.startLine === undefined) return anchor;
  const text = anchor.snippet ?? (await options.workingTree?.readText(anchor.path).then((file) => (file === undefined ? undefined : anchoredText(file, anchor))));
  // Lines that are not there have nothing to be known by.
  return text === undefined || text === '' ? anchor : { ...anchor, contentHash: await hashAnchoredText(text), snippet: cutText(text, 4_000) };
}
