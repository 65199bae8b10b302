/**
 * Folders as the engine's chooser of models wants them: plain functions over this disk.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Names of the folders in a folder; none where it does not exist. */
export function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
  } catch {
    return []; // no models were added, or none ship
  }
}

export const joinPath = (...parts: string[]): string => path.join(...parts);
export const isAbsolutePath = (text: string): boolean => path.isAbsolute(text);
