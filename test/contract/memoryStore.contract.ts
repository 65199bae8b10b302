/**
 * The contract of MemoryStore: every implementation passes all of it. The parts lie beside this file.
 */
import { afterEach, describe } from 'vitest';
import type { MemoryStore } from '../../src/engine/storage/memoryStore.ts';
import { describeMemories } from './memoryStoreMemories.ts';
import { describeRecords } from './memoryStoreRecords.ts';
import { describeSearch } from './memoryStoreSearch.ts';
import { describeVectors } from './memoryStoreVectors.ts';
import { describeWrites } from './memoryStoreWrites.ts';

export interface StoreUnderTest {
  /** The store, freshly made and empty. */
  readonly store: MemoryStore;
  /** A second, independent opening of the same data, as another process would have it. Closed by dispose. */
  openAnother(): Promise<MemoryStore>;
  dispose(): Promise<void>;
}

export type StoreFactory = () => Promise<StoreUnderTest>;

export interface StoreSupports {
  /** `backup(path)` writes a file that `openBackup` opens. */
  readonly openBackup?: (path: string) => Promise<MemoryStore>;
  readonly temporaryFile?: () => string;
}

/** What each part gets: a fresh store per call, closed after the test. */
export type MakeStore = () => Promise<StoreUnderTest>;

export function describeMemoryStore(name: string, factory: StoreFactory, supports: StoreSupports = {}): void {
  const made: StoreUnderTest[] = [];
  const make: MakeStore = async () => {
    const one = await factory();
    made.push(one);
    return one;
  };
  describe(`MemoryStore: ${name}`, () => {
    afterEach(async () => {
      for (const one of made.splice(0)) await one.dispose();
    });
    describeMemories(make);
    describeSearch(make);
    describeVectors(make);
    describeRecords(make);
    describeWrites(make, supports);
  });
}
