/**
 * A real store with recall over it, for tests of ranking: memories by text, questions by words.
 */
import path from 'node:path';
import type { Memory } from '../../src/engine/model/memory.ts';
import type { MemoryStore } from '../../src/engine/storage/memoryStore.ts';
import { openSqliteStore } from '../../src/engine/storage/sqlite/openStore.ts';
import { chunkText } from '../../src/engine/embedding/chunker.ts';
import { embedPending } from '../../src/engine/embedding/embedPending.ts';
import type { Embedder } from '../../src/engine/embedding/embedder.ts';
import { createRecall, type RecallDeps } from '../../src/engine/retrieval/recall.ts';
import { createExactIndex } from '../../src/engine/vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from '../../src/engine/vectorIndex/hnsw/hnswIndex.ts';
import { openIndexKeeper, type IndexKeeper } from '../../src/engine/vectorIndex/indexKeeper.ts';
import type { RecallQuery, RecallResult, WorkingTree } from '../../src/engine/engineTypes.ts';
import { sampleId, sampleMemory } from './builders.ts';
import { FakeClock } from './fakeClock.ts';

export interface RecallBench {
  readonly store: MemoryStore;
  readonly clock: FakeClock;
  put(...memories: readonly (string | (Partial<Memory> & { text: string }))[]): Promise<Memory[]>;
  recall(query: string | RecallQuery): Promise<RecallResult>;
  /** Texts, best first. */
  texts(query: string | RecallQuery): Promise<string[]>;
  close(): Promise<void>;
}

/** `folder` is the test's own temporary folder. */
export async function openRecallBench(folder: string, options: { embedder?: Embedder; workingTree?: WorkingTree; settings?: Partial<ReturnType<RecallDeps['settings']>> } = {}): Promise<RecallBench> {
  const clock = new FakeClock('2026-06-01T09:00:00Z');
  const store = await openSqliteStore({ path: path.join(folder, 'memory.db'), role: 'repository', clock });
  const { embedder } = options;
  let keeper: IndexKeeper | undefined;
  if (embedder !== undefined) keeper = await openIndexKeeper({ store, embeddingVersion: embedder.version, dimensions: embedder.dimensions, mode: 'auto', createExact: createExactIndex, createHnsw: createHnswIndex });
  const recall = createRecall({
    stores: [{ role: 'repository', store, keeper: () => keeper }],
    ...(embedder === undefined ? {} : { embedder: { state: () => 'ready', embedQuery: async (text: string) => (await embedder.embed([text], { role: 'query' }))[0] } }),
    clock,
    settings: () => ({ threshold: 0.3, limit: 20, isolateBranches: false, ...options.settings }),
    ...(options.workingTree === undefined ? {} : { workingTree: options.workingTree }),
  });
  const ask = (query: string | RecallQuery): Promise<RecallResult> => recall(typeof query === 'string' ? { query } : query);
  return {
    store,
    clock,
    async put(...memories) {
      const made = memories.map((each) => sampleMemory({ kind: 'fact', ...(typeof each === 'string' ? { text: each } : each) }));
      await store.write(async (writer) => {
        for (const memory of made) await writer.insertMemory(memory, chunkText(memory.text).map(({ text }) => text), { changeId: sampleId(), verb: 'add', at: clock.now(), actor: { surface: 'cli' }, actId: sampleId() });
      });
      if (embedder !== undefined) await embedPending(store, embedder);
      return made;
    },
    recall: ask,
    texts: async (query) => (await ask(query)).results.map(({ memory }) => memory.text),
    async close() {
      await keeper?.close();
      await store.close();
    },
  };
}
