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

/** Called by setup.ts. A process that a test forgot may still write, hence the retries. */
export function removeTemporaryFolders(): void {
  if (process.env.CAIRN_TEST_KEEP !== undefined) return;
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  made.clear();
}

/** Writes files below a folder; objects become JSON. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array | object>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof content === 'string' || content instanceof Uint8Array ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}
