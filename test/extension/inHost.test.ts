/**
 * Starts the mocha files of inHost/ inside the real extension host, with the packaged extension, and reports each of
 * their tests.
 */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPackagedExtension } from '../support/program.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { runInHost } from '../support/editorHost/inHost.ts';

describe('inside the extension host', () => {
  it('passes every mocha test of commands, API and registration', async () => {
    const repository = createTemporaryRepository({ files: { 'src/order.ts': 'export const total = 1;\nexport const tax = 2;\n' } });
    const run = await runInHost({
      home: createTemporaryHome(), extensions: [findPackagedExtension()], target: repository.directory,
      files: [path.join(import.meta.dirname, 'inHost', 'commands.mocha.ts')],
    });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBeGreaterThan(5);
  }, 360_000);

  it('ends every command with a plain answer in a window without a folder', async () => {
    const run = await runInHost({ home: createTemporaryHome(), extensions: [findPackagedExtension()], files: [path.join(import.meta.dirname, 'inHost', 'everyCommand.mocha.ts')], timeoutMs: 400_000 });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBeGreaterThanOrEqual(40);
  }, 460_000);
});
