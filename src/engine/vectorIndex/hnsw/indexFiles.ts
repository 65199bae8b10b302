/**
 * The keeper's file access on a real disk. Folders are made on the first write, for the user alone.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { IndexFiles } from '../indexFile.ts';

export const nodeIndexFiles: IndexFiles = {
  async read(path) {
    try {
      return await readFile(path);
    } catch {
      // Absent or unreadable is the same to the keeper: rows serve and the file is made anew.
      return undefined;
    }
  },
  async write(path, bytes) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, bytes, { mode: 0o600 });
  },
  rename,
  remove: (path) => rm(path, { force: true }),
};
