/**
 * The built `cairn` program, as a user has it: found through package.json's `bin`, started as a process of its own.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryDirectory = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** Path of the program's file; throws with the cure where it is not built. */
export function findProgram(): string {
  const manifest = JSON.parse(readFileSync(path.join(repositoryDirectory, 'package.json'), 'utf8')) as { bin?: string | Record<string, string> };
  const relative = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin?.cairn;
  if (relative === undefined) throw new Error('package.json names no "bin" for cairn.');
  const file = path.join(repositoryDirectory, relative);
  if (!existsSync(file)) throw new Error(`${relative} is not built. Run: npm run build`);
  return file;
}
