/**
 * Starts the mocha files of inHost/ inside the real extension host, with the packaged extension, and reports each of
 * their tests.
 */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPackagedExtension } from '../support/program.ts';
import { runCairn } from '../support/runCairn.ts';
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
    expect(run.tests.length).toBe(9);
  }, 360_000);

  it('serves the editor\'s own agents: language-model tools and the MCP server', async () => {
    const home = createTemporaryHome();
    const repository = createTemporaryRepository({ files: { 'src/order.ts': 'export const total = 1;\n' } });
    const consent = await runCairn(['init', '--no-register'], { home, cwd: repository.directory });
    expect(consent.code, consent.stderr).toBe(0);
    const run = await runInHost({ home, extensions: [findPackagedExtension()], target: repository.directory, files: [path.join(import.meta.dirname, 'inHost', 'agents.mocha.ts')] });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBe(7);
  }, 360_000);

  it('ends every command with a plain answer in a window without a folder', async () => {
    const run = await runInHost({ home: createTemporaryHome(), extensions: [findPackagedExtension()], files: [path.join(import.meta.dirname, 'inHost', 'everyCommand.mocha.ts')], timeoutMs: 400_000 });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBeGreaterThanOrEqual(40);
  }, 460_000);
});
