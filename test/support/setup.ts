/**
 * Runs in every test file: a test that touches the real home fails itself, and temporary folders are removed when
 * the file is through.
 */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { compareInventories, readHomeInventory, REAL_HOME_VARIABLE } from './realHome.ts';
import { removeTemporaryFolders } from './temporaryFolder.ts';

const realHome = process.env[REAL_HOME_VARIABLE];
let before: string[] = [];

beforeAll(() => {
  if (realHome === undefined || process.env.HOME === realHome) throw new Error('Tests must run with a scratch HOME; start them through vitest.config.ts.');
  before = readHomeInventory(realHome);
});

afterEach(() => {
  const changes = realHome === undefined ? [] : compareInventories(before, readHomeInventory(realHome));
  if (changes.length > 0) throw new Error(changes.join('\n'));
});

afterAll(() => removeTemporaryFolders());
