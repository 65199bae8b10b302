/**
 * Commands that look after the memory, by the palette: what they ask, what they do, and what they leave.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';
import type { Workbench } from '../support/editorHost/workbench.ts';
import { PATIENCE, startEditor, type Editor } from './sidebarDriver.ts';

describe('a command from the palette', () => {
  const home = createTemporaryHome();
  const repository = createTemporaryRepository();
  const cairn = async (...args: string[]): Promise<CairnRun> => {
    const run = await runCairn([...args, '--json'], { home, cwd: repository.directory });
    expect(run.code, run.stderr).toBe(0);
    return run;
  };
  let editor: Editor;
  let workbench: Workbench;

  beforeAll(async () => {
    await cairn('init', '--no-register');
    editor = await startEditor({ home });
    workbench = await editor.open({ target: repository.directory });
  }, 240_000);
  afterAll(async () => {
    await workbench.close();
    await editor.stop();
  }, 60_000);

  it('purges what is forgotten, after asking, and says what may still hold it', async () => {
    await cairn('add', 'The build server is called anvil');
    const { id } = (await cairn('add', 'The old build server was called hammer')).json<{ id: string }>();
    await cairn('forget', id);
    await cairn('backup');
    await workbench.runCommand('Cairn: Purge Forgotten Memories…');
    const dialog = workbench.page.locator('.monaco-dialog-box', { hasText: 'Purge 1 forgotten memories for good?' });
    await dialog.getByRole('button', { name: 'Purge' }).click(PATIENCE);
    await workbench.notification('1 purged.').first().waitFor(PATIENCE);
    const { memories } = (await cairn('list', '--status', 'forgotten,active')).json<{ memories: { text: string }[] }>();
    expect(memories.map(({ text }) => text)).toEqual(['The build server is called anvil']);
  }, 240_000);

  it('brings a backup back, after saying what it holds and what would be replaced', async () => {
    const texts = async (): Promise<string[]> => (await cairn('list')).json<{ memories: { text: string }[] }>().memories.map(({ text }) => text).sort();
    const before = await texts();
    await cairn('backup');
    await cairn('add', 'The staging server is called tongs');
    const row = workbench.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
    await workbench.runCommand('Cairn: Restore a Backup…');
    // Newest first; the user's own copy of the same moment is in the list as well.
    await row.filter({ hasText: path.join('backups', (await cairn('project')).json<{ id: string }>().id) }).first().click(PATIENCE);
    const dialog = workbench.page.locator('.monaco-dialog-box', { hasText: `${before.length + 1} memories now, ${before.length} in the backup.` });
    await dialog.getByRole('button', { name: 'Restore' }).click(PATIENCE);
    await waitUntil(async () => (await texts()).join('|') === before.join('|'), 'the memories of the backup');
    // The command is through when it says so; what follows would meet the engine that it closes.
    await workbench.notification('Restored.').first().waitFor(PATIENCE);
  }, 240_000);

  it('sets, changes and takes out a value of the profile', async () => {
    const value = async (): Promise<string | undefined> => (await cairn('profile')).json<{ values: { key: string; value: string }[] }>().values.find(({ key }) => key === 'python.formatter')?.value;
    const row = workbench.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
    // The status bar says it too, for three seconds; the store is what counts.
    // The box or pick before may still be on the screen, and would take what is typed.
    const boxWithTitle = async (title: RegExp): Promise<void> => workbench.quickInput().locator('.quick-input-title', { hasText: title }).waitFor(PATIENCE);
    const becomes = async (expected: string | undefined): Promise<unknown> => waitUntil(async () => (await value()) === expected, `the value ${expected ?? 'gone'}`);

    await workbench.runCommand('Cairn: Show Profile…');
    await row.filter({ hasText: 'Add a value…' }).click(PATIENCE);
    await workbench.quickInput().filter({ hasText: 'What is it about?' }).waitFor(PATIENCE);
    await workbench.answerInputBox('python.formatter');
    await boxWithTitle(/^python\.formatter$/);
    await workbench.answerInputBox('ruff');
    await becomes('ruff');

    await workbench.runCommand('Cairn: Show Profile…');
    await row.filter({ hasText: 'set by you' }).click(PATIENCE);
    await boxWithTitle(/^python\.formatter$/);
    await workbench.answerInputBox('black');
    await becomes('black');

    await workbench.runCommand('Cairn: Show Profile…');
    await row.filter({ hasText: 'python.formatter' }).hover(PATIENCE);
    await row.filter({ hasText: 'python.formatter' }).getByRole('button', { name: 'Take out' }).click(PATIENCE);
    await becomes(undefined);
  }, 240_000);
});
