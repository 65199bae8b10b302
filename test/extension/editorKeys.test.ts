/**
 * A provider's key in the editor's secret storage [O7]: used inside the editor alone; what other processes could not
 * read is read there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readFileIfPresent } from '../../src/runtime/paths.ts';
import { writeSession } from '../support/claudeSession.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { startScriptedModel } from '../support/scriptedModel.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { PATIENCE, Sidebar, startEditor } from './sidebarDriver.ts';

const KEY = 'sk-ant-api03-kept-in-the-editor-only';
const ANSWER = JSON.stringify({ statements: [{ text: 'The ledger is append-only', quote: 'the ledger is append only', turn: 1, kind: 'technical_context', importance: 8, confidence: 0.9, scope: 'repository' }] });

describe('a key in the editor\'s secret storage', () => {
  it('lets the editor read what the command line queued, and lies in no file of ours', async () => {
    const home = createTemporaryHome();
    const repository = createTemporaryRepository();
    const cairn = async (args: readonly string[], stdin?: string): Promise<CairnRun> => {
      const run = await runCairn(args, { home, cwd: repository.directory, ...(stdin === undefined ? {} : { stdin }) });
      expect(run.code, run.stderr).toBe(0);
      return run;
    };
    const model = await startScriptedModel('anthropic', [{ text: ANSWER }]);
    await cairn(['init', '--no-register']);
    for (const [key, value] of [['extraction.provider', 'anthropic'], ['extraction.baseUrl', model.url], ['capture.mode', 'model']] as const) await cairn(['config', key, value]);
    const session = writeSession(home.claudeDirectory, repository.directory, ['well, the ledger is append only']);
    expect((await cairn(['save'], JSON.stringify({ transcript_path: session }))).stdout).toContain('1 waiting (there is no key for the provider here');

    const editor = await startEditor({ home });
    onTestFinished(async () => { await editor.stop(); });
    const workbench = await editor.open({ target: repository.directory });
    await new Sidebar(workbench).show();
    await workbench.runCommand('Cairn: Provider Keys…');
    await workbench.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row', { hasText: 'ANTHROPIC_API_KEY' }).click(PATIENCE);
    await workbench.quickInput().locator('input[type="password"]').waitFor(PATIENCE);
    await workbench.answerInputBox(KEY);
    await workbench.statusBarItem('1 to review').first().waitFor(PATIENCE);
    expect(model.bodies).toHaveLength(1);
    const { observations } = (await cairn(['inbox', '--json'])).json<{ observations: { text: string; provenance: { model?: string } }[] }>();
    expect(observations.filter(({ provenance }) => provenance.model !== undefined)).toMatchObject([{ text: 'The ledger is append-only' }]);
    await waitUntil(async () => (await cairn(['jobs', '--json'])).json<{ jobs: { state: string }[] }>().jobs.every(({ state }) => state === 'done'), 'the queue to be empty');
    await workbench.close();

    // Leases come and go while files are looked at.
    const files = fs.readdirSync(home.cairnHome, { recursive: true, encoding: 'utf8' }).map((name) => path.join(home.cairnHome, name)).filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true);
    const holding = files.filter((file) => readFileIfPresent(file)?.includes(KEY) === true);
    expect(files.length).toBeGreaterThan(5);
    expect(holding).toEqual([]);
  }, 300_000);
});
