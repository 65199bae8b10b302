/**
 * SQLite stores for tests: made in a folder of their own, closed when the test is through.
 */
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqliteStore, type OpenSqliteStoreOptions } from '../../src/engine/storage/sqlite/openStore.ts';
import type { SqliteMemoryStore } from '../../src/engine/storage/sqlite/sqliteMemoryStore.ts';
import { FakeClock } from './fakeClock.ts';
import { createTemporaryFolder } from './temporaryFolder.ts';

export const newStorePath = (): string => path.join(createTemporaryFolder('store'), 'repos', 'r1', 'memory.db');

export async function openTestStore(file: string = newStorePath(), options: Partial<OpenSqliteStoreOptions> = {}): Promise<SqliteMemoryStore> {
  const store = await openSqliteStore({ path: file, role: 'repository', clock: new FakeClock(), ...options });
  onTestFinished(() => store.close());
  return store;
}
