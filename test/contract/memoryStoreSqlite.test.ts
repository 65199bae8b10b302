/** The SQLite store against the contract of MemoryStore. */
import path from 'node:path';
import { openSqliteStore } from '../../src/engine/storage/sqlite/openStore.ts';
import type { SqliteMemoryStore } from '../../src/engine/storage/sqlite/sqliteMemoryStore.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import { describeMemoryStore } from './memoryStore.contract.ts';

const open = (file: string): Promise<SqliteMemoryStore> => openSqliteStore({ path: file, role: 'repository', clock: new FakeClock() });

describeMemoryStore(
  'SQLite',
  async () => {
    const file = path.join(createTemporaryFolder('store'), 'memory.db');
    const opened = [await open(file)];
    return {
      store: opened[0]!,
      openAnother: async () => {
        const another = await open(file);
        opened.push(another);
        return another;
      },
      dispose: async () => {
        for (const store of opened) await store.close();
      },
    };
  },
  { openBackup: open, temporaryFile: () => path.join(createTemporaryFolder('backup'), 'copy.db') },
);
