/**
 * The first-run page: no is taken for an answer, and yes for all repositories turns three checks green.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { PATIENCE, startEditor, type Editor } from './sidebarDriver.ts';

describe('the first-run page', () => {
  let editor: Editor;
  beforeAll(async () => { editor = await startEditor(); }, 240_000);
  afterAll(async () => { await editor.stop(); }, 60_000);

  it('says what is kept, where, and what leaves the machine; takes no for an answer, and yes for all repositories later', async () => {
    const repository = createTemporaryRepository();
    const workbench = await editor.open({ target: repository.directory });
    const page = workbench.editorWebview();
    for (const part of ['What it keeps', 'Where', 'What leaves the machine']) await page.getByText(part, { exact: true }).waitFor(PATIENCE);
    await page.getByText(editor.home.cairnHome).first().waitFor(PATIENCE);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('Fine. Nothing was registered.').waitFor(PATIENCE);
    expect(fs.existsSync(path.join(editor.home.claudeDirectory, 'settings.json'))).toBe(false);

    await workbench.runCommand('View: Close All Editors');
    await workbench.runCommand('Cairn: Set Up…');
    await page.getByRole('button', { name: 'Yes, for all my repositories' }).click();
    for (const check of ['store', 'registered', 'model']) await page.locator(`[data-check=${check}].ok`).waitFor(PATIENCE);
    await page.getByText('Select a few lines in an editor, choose “Remember This”').waitFor(PATIENCE);
    expect(fs.readFileSync(path.join(editor.home.claudeDirectory, 'settings.json'), 'utf8')).toContain('cairn');
    expect((await runCairn(['config', 'enabledEverywhere', '--json'], { home: editor.home, cwd: repository.directory })).stdout).toContain('true');
    expect(repository.git('status', '--porcelain')).toBe('');
    await workbench.close();
  }, 300_000);
});
