/**
 * Reviewing in the editor beside the single keys: by context menu and palette, a whole session at once, what an empty
 * inbox tells; and Injected, from what a real hook gave to the preview that a pin reorders.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';
import type { Workbench } from '../support/editorHost/workbench.ts';
import { saveSession } from './sampleSession.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

describe('reviewing', () => {
  const home = createTemporaryHome();
  const repository = createTemporaryRepository();
  const place = { home, cwd: repository.directory };
  let editor: Editor;
  let workbench: Workbench;
  let sidebar: Sidebar;
  const left = async (count: number): Promise<void> => sidebar.frame.getByText(`${count} left`).waitFor(PATIENCE);
  const choose = async (label: string): Promise<void> => {
    const item = workbench.page.locator('.context-view .action-menu-item', { hasText: label }).first();
    await item.hover(PATIENCE);
    // The editor ignores a mouse button that is released right after a menu opened.
    await workbench.page.waitForTimeout(200);
    await item.click();
  };

  beforeAll(async () => {
    await runCairn(['init', '--no-register'], place);
    await runCairn(['add', 'Dates in the API are ISO 8601 in UTC', '--kind', 'rule', '--json'], place);
    await runCairn(['add', 'The orders service reads prices from the catalogue cache', '--kind', 'technical_context', '--json'], place);
    await saveSession(['From now on always run the smoke tests before a deploy.', 'I prefer tabs over spaces in Go code, please remember that.', 'We decided to use SQLite instead of files for the job queue.'], place);
    editor = await startEditor({ home });
    workbench = await editor.open({ target: repository.directory });
    sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.waitForRow('Dates in the API');
  }, 300_000);
  afterAll(async () => {
    await workbench.close();
    await editor.stop();
  }, 60_000);

  it('decides nothing from the palette while the inbox is out of sight, and shows it instead', async () => {
    await workbench.runCommand('Cairn: Accept Proposal');
    await left(3);
  }, 240_000);

  it('opens the turn that a proposal came from, in the transcript of its session', async () => {
    await sidebar.frame.getByRole('grid').focus();
    await workbench.page.keyboard.press('o');
    await workbench.page.getByRole('tab', { name: /\.jsonl/ }).waitFor(PATIENCE);
    await waitUntil(async () => (await workbench.page.locator('.monaco-editor .view-lines').first().innerText()).replaceAll('\u00a0', ' ').includes('From now on always run the smoke tests'), 'the transcript\'s text');
  }, 240_000);

  it('does by the context menu and the palette what the keys do', async () => {
    const proposal = sidebar.frame.getByRole('row', { name: 'tabs over spaces' });
    await proposal.click({ button: 'right', position: { x: 120, y: 12 } });
    await choose('Reject Proposal');
    await left(2);
    await sidebar.frame.getByRole('button', { name: '2 not lasting' }).click();
    await sidebar.frame.getByText('Why? (optional)').first().waitFor({ state: 'detached', ...PATIENCE });
    await workbench.runCommand('Cairn: Edit Proposal');
    const field = sidebar.frame.getByRole('textbox', { name: 'Text of the proposal' });
    await field.fill('Smoke tests run before every deploy');
    await field.press('Control+Enter');
    await left(1);
    await waitUntil(async () => (await runCairn(['list', '--json'], place)).stdout.includes('Smoke tests run before every deploy'), 'the reworded memory');
  }, 240_000);

  it('offers the editor\'s own cut, copy and paste in a field, and the memory\'s acts elsewhere in Detail', async () => {
    await sidebar.frame.getByRole('tab', { name: 'Memories' }).click();
    await sidebar.openRow('Dates in the API');
    await sidebar.frame.getByLabel('Tags').click({ button: 'right' });
    await workbench.page.locator('.context-view .action-menu-item', { hasText: 'Paste' }).waitFor(PATIENCE);
    await workbench.page.keyboard.press('Escape');
    await workbench.page.locator('.context-view .action-menu-item').first().waitFor({ state: 'detached', ...PATIENCE });
    await sidebar.detail.click({ button: 'right' });
    await choose('Pin');
    await sidebar.toast('Pinned').waitFor(PATIENCE);
    await sidebar.back();
  }, 240_000);

  it('accepts what is left of a session at once; an empty inbox says when it looked last and what that cost', async () => {
    await sidebar.frame.getByRole('tab', { name: /^Inbox/ }).click();
    await left(1);
    await sidebar.frame.getByRole('grid').focus();
    await workbench.page.keyboard.press('Shift+A');
    await sidebar.frame.getByText('Nothing to review. Statements that Cairn finds in your Claude Code sessions wait here').waitFor(PATIENCE);
    await sidebar.frame.getByText(/^Last look: today .*, \d+ proposed, 0\.00 USD\.$/).waitFor(PATIENCE);
  }, 240_000);

  it('shows what a session was given, when, why and for how many tokens, and what the next would get, in the order of pins', async () => {
    const session = { session_id: 'aaaaaaaa-0000-4000-8000-000000000001', transcript_path: path.join(home.root, 'none.jsonl'), cwd: repository.directory };
    for (const [event, more] of [['SessionStart', { source: 'startup' }], ['UserPromptSubmit', { prompt: 'Where does the orders service read prices from?' }]] as const) {
      const run = await runCairn(['hook', event], { ...place, stdin: JSON.stringify({ ...session, hook_event_name: event, ...more }) });
      expect(run.stdout, run.stderr).toContain('hookSpecificOutput');
    }
    await sidebar.frame.getByRole('tab', { name: 'Injected' }).click();
    const given = sidebar.frame.getByRole('button', { name: /^Session "Where does the orders service/ });
    await given.click(PATIENCE);
    const injected = sidebar.frame.locator('cairn-injected');
    await injected.getByText('Session start').first().waitFor(PATIENCE);
    await injected.getByText(/^matches the prompt \(.*\) · \d+ tokens$/).first().waitFor(PATIENCE);
    const preview = injected.locator('section').first();
    await preview.getByText(/^pinned · \d+ tokens$/).waitFor(PATIENCE);
    const firstOf = async (): Promise<string> => preview.getByRole('listitem').first().getByRole('button').first().evaluate((button) => button.querySelector('cairn-clamped')?.shadowRoot?.textContent ?? '');
    expect(await firstOf()).toContain('Dates in the API');
    const other = preview.getByRole('listitem').filter({ hasText: 'Smoke tests run' });
    await other.getByRole('button', { name: 'Pin' }).click();
    await sidebar.toast('Pinned').waitFor(PATIENCE);
    await preview.getByRole('listitem').filter({ hasText: 'Dates in the API' }).getByRole('button', { name: 'Pin' }).click();
    await waitUntil(async () => (await firstOf()).includes('Smoke tests run'), 'the pinned memory first');
  }, 240_000);
});
