/** Real npm, and a package of the same name that is a few lines long: the true one is several hundred MB. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importTransformersPackage } from '../../../src/runtime/transformersPackage.ts';
import { createTemporaryFolder, writeFiles } from '../../support/temporaryFolder.ts';

const environment = (over: Record<string, string> = {}): Record<string, string> => ({ PATH: process.env.PATH ?? '', HOME: createTemporaryFolder('npm-home'), ...over });

function smallPackage(): string {
  const source = createTemporaryFolder('package');
  writeFiles(source, { 'package.json': { name: '@huggingface/transformers', version: '4.99.0', type: 'module', main: 'index.js' }, 'index.js': 'export const pipeline = () => "small";\n' });
  return source;
}

describe('the package for models from the hub', () => {
  it('is installed by npm when it is first needed, once for all who wait, and found the next time without npm', async () => {
    const folder = path.join(createTemporaryFolder('home'), 'packages');
    const lines: string[] = [];
    const options = { folder, env: environment(), spec: `file:${smallPackage()}`, log: (line: string) => lines.push(line) };
    const modules = (await Promise.all([importTransformersPackage(options), importTransformersPackage(options)])) as { pipeline: () => string }[];
    expect(modules.map(({ pipeline }) => pipeline())).toEqual(['small', 'small']);
    expect(lines.filter((line) => line.startsWith('installing'))).toHaveLength(1);
    const again = (await importTransformersPackage({ folder, env: { PATH: '' }, log: (line) => lines.push(line) })) as { pipeline: () => string };
    expect(again.pipeline()).toBe('small');
    expect(fs.statSync(path.join(folder, 'package.json')).mode & 0o077).toBe(0);
  });

  it('says what to do where there is no npm, and where npm fails', async () => {
    const folder = path.join(createTemporaryFolder('home'), 'packages');
    await expect(importTransformersPackage({ folder, env: { PATH: createTemporaryFolder('empty') }, log: () => undefined })).rejects.toMatchObject({ code: 'MODEL_MISSING', message: expect.stringMatching(/npm is not on the PATH.*npm install @huggingface\/transformers/) as string });
    await expect(importTransformersPackage({ folder, env: environment(), spec: `file:${path.join(folder, 'nowhere')}`, log: () => undefined })).rejects.toMatchObject({ code: 'MODEL_MISSING', message: expect.stringContaining('npm ended with') as string });
  });
});
