/**
 * Temporary folders of a test file: made anywhere, removed together when the file is through.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const made = new Set<string>();

/** An empty folder of its own, by its real path (macOS' temporary folder is behind a link). */
export function createTemporaryFolder(purpose = 'test'): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `cairn-${purpose}-`)));
  made.add(folder);
  return folder;
}

/** Called by setup.ts. */
export function removeTemporaryFolders(): void {
  if (process.env.CAIRN_TEST_KEEP !== undefined) return;
  for (const folder of made) removeFolder(folder);
  made.clear();
}

const ATTEMPTS = 50;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * What a hook started in the background may still write. `maxRetries` of Node asks again to remove the folder, not what has come
 * into it meanwhile, so that all is begun anew here.
 */
export function removeFolder(folder: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      fs.rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (attempt === ATTEMPTS || !['ENOTEMPTY', 'EBUSY', 'EPERM', 'EACCES'].includes(code)) throw error;
      Atomics.wait(pause, 0, 0, 100);
    }
  }
}

/** Writes files below a folder; objects become JSON. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array | object>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof content === 'string' || content instanceof Uint8Array ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}
