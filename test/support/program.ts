/**
 * The built `cairn` program, as the launcher starts it: one file, run by a Node of our choice.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryDirectory = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** The program behind the command, the MCP server and the hooks; throws with the cure where it is not built. */
export const findProgram = (): string => findBuilt('dist/program/cairn.mjs');

/** What registered commands start: chooses a Node, then the program. */
export const findLauncher = (): string => findBuilt('dist/program/launcher.cjs');

/** The extension as it is installed, made by `npm run package` for this machine. */
export const findPackagedExtension = (): string => findBuilt(`dist/cairn-${process.platform}-${process.arch}.vsix`, 'npm run package');

function findBuilt(relative: string, cure = 'npm run build'): string {
  const file = path.join(repositoryDirectory, relative);
  if (!existsSync(file)) throw new Error(`${relative} is missing. Run: ${cure}`);
  return file;
}
