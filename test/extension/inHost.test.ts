/**
 * Starts the mocha files of inHost/ inside the real extension host, with the packaged extension, and reports each of
 * their tests.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPackagedExtension } from '../support/program.ts';
import { writeApiSample } from '../support/apiSample.ts';
import { writeSession } from '../support/claudeSession.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { runInHost } from '../support/editorHost/inHost.ts';

describe('inside the extension host', () => {
  it('passes every mocha test of commands, API and registration', async () => {
    const repository = createTemporaryRepository({ files: { 'src/order.ts': 'export const total = 1;\nexport const tax = 2;\n' } });
    const run = await runInHost({
      home: createTemporaryHome(), extensions: [findPackagedExtension()], target: repository.directory,
      files: [path.join(import.meta.dirname, 'inHost', 'commands.mocha.ts'), path.join(import.meta.dirname, 'inHost', 'apiSample.mocha.ts')],
      driver: { main: writeApiSample(), manifest: { activationEvents: ['*'] } },
    });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBe(11);
  }, 360_000);

  it('serves the editor\'s own agents, puts back the registration that a running client stripped, and remembers from everywhere', async () => {
    const home = createTemporaryHome();
    const repository = createTemporaryRepository({ files: { 'src/order.ts': 'export const total = 1;\nexport const tax = 2;\n' } });
    writeSession(home.claudeDirectory, repository.directory, ['Hello, what is in this repository?']);
    const consent = await runCairn(['init'], { home, cwd: repository.directory });
    expect(consent.code, consent.stderr).toBe(0);
    const settings = path.join(home.claudeDirectory, 'settings.json');
    expect(fs.readFileSync(settings, 'utf8')).toContain('cairn@cairn-local');
    // A client that was running wrote its settings as it knew them.
    fs.writeFileSync(settings, '{ "model": "opus" }\n');
    const run = await runInHost({ home, extensions: [findPackagedExtension()], target: repository.directory, files: [path.join(import.meta.dirname, 'inHost', 'agents.mocha.ts'), path.join(import.meta.dirname, 'inHost', 'registration.mocha.ts'), path.join(import.meta.dirname, 'inHost', 'rememberPlaces.mocha.ts')], variables: { CAIRN_TEST_CLAUDE_SETTINGS: settings } });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBe(16);
  }, 360_000);

  it('has sessions read by the editor\'s language model, also those that the command line queued', async () => {
    const home = createTemporaryHome();
    const repository = createTemporaryRepository();
    const cairn = async (...args: string[]): Promise<CairnRun> => {
      const run = await runCairn(args, { home, cwd: repository.directory });
      expect(run.code, run.stderr).toBe(0);
      return run;
    };
    await cairn('init', '--no-register');
    await cairn('config', 'extraction.provider', 'vscode');
    await cairn('config', 'capture.mode', 'model');
    const session = writeSession(home.claudeDirectory, repository.directory, ['well, the ledger is append only']);
    const saved = await runCairn(['save'], { home, cwd: repository.directory, stdin: JSON.stringify({ transcript_path: session }) });
    expect(saved.stdout).toContain('1 waiting (the editor\'s language model reads it: open this repository in VS Code)');

    const folder = path.join(import.meta.dirname, 'inHost');
    const run = await runInHost({
      home, extensions: [findPackagedExtension()], target: repository.directory, files: [path.join(folder, 'editorModel.mocha.ts')], variables: { CAIRN_TEST_SESSION: session },
      driver: { main: path.join(folder, 'modelDriver.ts'), manifest: { activationEvents: ['*'], contributes: { languageModelChatProviders: [{ vendor: 'cairn-test', displayName: 'Test models' }] } } },
    });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBe(3);

    const { observations } = (await cairn('inbox', '--json')).json<{ observations: { text: string; provenance: { model?: string; quote?: string } }[] }>();
    expect(observations.filter(({ provenance }) => provenance.model !== undefined)).toMatchObject([{ text: 'The ledger is append-only', provenance: { model: 'cairn-test/reader', quote: 'the ledger is append only' } }]);
    const { jobs, spend } = (await cairn('jobs', '--json')).json<{ jobs: { state: string; error?: string; attempts: number }[]; spend: { provider: string; model: string; inputTokens: number; outputTokens: number; microUsd?: number }[] }>();
    // Tokens without money; and what was refused waits.
    expect(spend).toMatchObject([{ provider: 'vscode', model: 'cairn-test/reader', microUsd: 0 }]);
    expect(spend[0]?.inputTokens).toBeGreaterThan(100);
    expect(jobs.filter(({ state }) => state === 'waiting')).toMatchObject([{ error: 'PROVIDER_REJECTED', attempts: 1 }]);
  }, 360_000);

  it('keeps away from a folder that nobody trusted', async () => {
    const home = createTemporaryHome();
    const repository = createTemporaryRepository();
    for (const args of [['init'], ['add', 'The release branch is frozen on Fridays']]) expect((await runCairn(args, { home, cwd: repository.directory })).code).toBe(0);
    const settings = path.join(home.claudeDirectory, 'settings.json');
    fs.writeFileSync(settings, '{}\n');
    const run = await runInHost({
      home, extensions: [findPackagedExtension()], target: repository.directory, files: [path.join(import.meta.dirname, 'inHost', 'untrusted.mocha.ts')], variables: { CAIRN_TEST_CLAUDE_SETTINGS: settings },
      withWorkspaceTrust: true, settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.enabled': true },
    });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBe(3);
  }, 360_000);

  it('ends every command with a plain answer in a window without a folder', async () => {
    const run = await runInHost({ home: createTemporaryHome(), extensions: [findPackagedExtension()], files: [path.join(import.meta.dirname, 'inHost', 'everyCommand.mocha.ts')], timeoutMs: 400_000 });
    expect(run.tests.filter((test) => test.state !== 'passed')).toEqual([]);
    expect(run.tests.length).toBeGreaterThanOrEqual(40);
  }, 460_000);
});
