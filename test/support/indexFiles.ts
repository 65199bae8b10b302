/** The keeper's file access on a real disk, as the engine gives it. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { IndexFiles } from '../../src/engine/vectorIndex/indexFile.ts';

export const diskFiles: IndexFiles = {
  async read(path) {
    try {
      return await readFile(path);
    } catch {
      // Not there: the port answers undefined.
      return undefined;
    }
  },
  write: (path, bytes) => writeFile(path, bytes),
  rename,
  remove: (path) => rm(path, { force: true }),
};
