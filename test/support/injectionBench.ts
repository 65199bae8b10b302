/**
 * A store of its own with an injection over it: memories in, blocks out. Recall is the product's, by words: no
 * model is needed to say what is given.
 */
import path from 'node:path';
import { createIdSource } from '../../src/base/ids.ts';
import { DEFAULT_ENGINE_CONFIG, type InjectionConfig } from '../../src/engine/engineOptions.ts';
import { takenBackAmong } from '../../src/engine/retrieval/newerFirst.ts';
import { createRecall } from '../../src/engine/retrieval/recall.ts';
import { createInjection, type Injection, type InjectionDeps } from '../../src/engine/injection/index.ts';
import type { Memory } from '../../src/engine/model/memory.ts';
import type { MemoryStore } from '../../src/engine/storage/memoryStore.ts';
import { openSqliteStore } from '../../src/engine/storage/sqlite/openStore.ts';
import { sampleMemory } from './builders.ts';
import { FakeClock } from './fakeClock.ts';
import { createSeededRandom } from './seededRandom.ts';
import { createTemporaryFolder } from './temporaryFolder.ts';

export interface InjectionBench {
  readonly injection: Injection;
  readonly repository: MemoryStore;
  readonly user: MemoryStore;
  readonly clock: FakeClock;
  config: InjectionConfig;
  readonly deps: InjectionDeps;
  /** Stores a memory: in the user's store where its scope says so. */
  add(changes: Partial<Memory>): Promise<Memory>;
  close(): Promise<void>;
}

export async function openInjectionBench(changes: Partial<InjectionDeps> = {}): Promise<InjectionBench> {
  const folder = createTemporaryFolder('injection');
  const clock = new FakeClock();
  const ids = createIdSource(clock, createSeededRandom(7));
  const repository = await openSqliteStore({ path: path.join(folder, 'repo', 'memory.db'), role: 'repository', clock, busyTimeoutMs: 200 });
  const user = await openSqliteStore({ path: path.join(folder, 'user', 'memory.db'), role: 'user', clock, busyTimeoutMs: 200 });
  const stores = [
    { role: 'repository' as const, store: repository, location: { storePath: repository.location, indexFolder: folder } },
    { role: 'user' as const, store: user, location: { storePath: user.location, indexFolder: folder } },
  ];
  const recall = createRecall({ stores: stores.map(({ role, store }) => ({ role, store })), clock, settings: () => ({ threshold: 0.3, limit: 20, isolateBranches: false }) });
  const bench = { config: DEFAULT_ENGINE_CONFIG.injection };
  const deps: InjectionDeps = { stores, recall, clock, ids, config: () => bench.config, takenBack: takenBackAmong, redact: (text) => text.replaceAll(/sk-\w+/g, '[redacted:key]'), ...changes };
  return Object.assign(bench, {
    injection: createInjection(deps), repository, user, clock, deps,
    add: async (memoryChanges: Partial<Memory>) => {
      const memory = sampleMemory({ id: ids.next(), createdAt: clock.now(), updatedAt: clock.now(), validFrom: clock.now(), ...memoryChanges });
      const store = memory.scope.level === 'user' ? user : repository;
      await store.write(async (writer) => writer.insertMemory(memory, [memory.text], { changeId: ids.next(), verb: 'add', at: clock.now(), actor: { surface: 'cli' }, actId: ids.next() }));
      return memory;
    },
    close: async () => {
      await repository.close();
      await user.close();
    },
  });
}
