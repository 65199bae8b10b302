/**
 * The sample extension of docs/extension-api.md, as a file that can be compiled and run.
 */
import fs from 'node:fs';
import path from 'node:path';
import { repositoryDirectory } from './program.ts';
import { createTemporaryFolder } from './temporaryFolder.ts';

export function writeApiSample(): string {
  const text = fs.readFileSync(path.join(repositoryDirectory, 'docs', 'extension-api.md'), 'utf8');
  const sample = /```ts\n([^]*?)```/.exec(text)?.[1];
  if (sample === undefined) throw new Error('docs/extension-api.md has no sample.');
  const file = path.join(createTemporaryFolder('sample'), 'extension.ts');
  fs.writeFileSync(file, sample);
  return file;
}
