/**
 * What the architecture tests look at: committed and about-to-be-committed files, by name.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { repositoryDirectory } from '../support/program.ts';

/** Files that git tracks or would track, relative to the repository. */
export function listFiles(...pathspecs: string[]): string[] {
  return execFileSync('git', ['-c', 'core.quotePath=false', 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...pathspecs], { cwd: repositoryDirectory, encoding: 'utf8' })
    .split('\n')
    .filter((name) => name !== '' && fs.existsSync(path.join(repositoryDirectory, name)));
}

export const readFile = (name: string): string => fs.readFileSync(path.join(repositoryDirectory, name), 'utf8');

/** The product's own TypeScript. */
export const listSourceFiles = (): string[] => listFiles('src', 'webview-ui').filter((name) => name.endsWith('.ts'));
