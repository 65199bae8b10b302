/**
 * Where this program lies and which version it is: a built folder with `program.json`,
 * or a source tree with `package.json`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readProgramManifest } from './programHome.ts';
import { readFileIfPresent } from './paths.ts';

export interface ProgramFolder {
  readonly folder: string;
  readonly version: string;
  /** False in a source tree, where nothing is copied into the program home. */
  readonly isBuilt: boolean;
  /** Folder of the models that ship with the program. */
  readonly models: string;
}

/** The program around a module (`import.meta.url`). */
export function findProgramFolder(moduleUrl: string): ProgramFolder {
  const file = fileURLToPath(moduleUrl);
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const manifest = readProgramManifest(folder);
    if (manifest !== undefined) return { folder, version: manifest.version, isBuilt: true, models: path.join(folder, 'models') };
    // The editor's bundle lies beside the program it brings along.
    const beside = path.join(folder, 'program');
    const brought = fs.existsSync(path.join(folder, 'extension.cjs')) ? readProgramManifest(beside) : undefined;
    if (brought !== undefined) return { folder: beside, version: brought.version, isBuilt: true, models: path.join(beside, 'models') };
    const version = packageVersion(folder);
    if (version !== undefined) return { folder, version, isBuilt: false, models: path.join(folder, 'media', 'models') };
    if (path.dirname(folder) === folder) throw new Error(`No program and no package of ours lies around ${file}.`);
  }
}

function packageVersion(folder: string): string | undefined {
  const text = readFileIfPresent(path.join(folder, 'package.json'));
  if (text === undefined) return undefined;
  const manifest = JSON.parse(text) as { name?: unknown; version?: unknown };
  return manifest.name === 'cairn-memory' && typeof manifest.version === 'string' ? manifest.version : undefined;
}
