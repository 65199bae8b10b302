/**
 * The sidebar after it was hidden, and after the window was reloaded: where the person was, what was typed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Locator } from 'playwright-core';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { runCairn } from '../support/runCairn.ts';
import { waitUntil } from '../support/waitUntil.ts';
import type { Workbench } from '../support/editorHost/workbench.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

const MANY = 60;

describe('the sidebar', () => {
  let editor: Editor;
  let workbench: Workbench;
  let sidebar: Sidebar;

  beforeAll(async () => {
    const repository = createTemporaryRepository({ files: { 'a.md': 'one\n' } });
    editor = await startEditor();
    await runCairn(['init', '--no-register'], { home: editor.home, cwd: repository.directory });
    const lines = Array.from({ length: MANY }, (_, index) => JSON.stringify({ text: `Service ${index} listens on port ${9_000 + index * 7}`, kind: index % 2 === 0 ? 'fact' : 'rule', tags: ['ports'] }));
    const run = await runCairn(['import', '-', '--no-consolidate'], { home: editor.home, cwd: repository.directory, stdin: lines.join('\n') });
    if (run.code !== 0) throw new Error(run.stderr);
    workbench = await editor.open({ target: repository.directory });
    sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.waitForRow('Service');
  }, 300_000);

  afterAll(async () => { await editor.stop(); }, 60_000);

  const hideAndShow = async (): Promise<void> => {
    await workbench.openActivity('Explorer');
    await sidebar.frame.locator('body').waitFor({ state: 'detached', ...PATIENCE });
    await sidebar.show();
  };
  const reload = async (): Promise<void> => {
    await workbench.reload();
    await sidebar.show();
  };

  for (const [what, leave] of [['hidden', hideAndShow], ['reloaded', reload]] as const) {
    it(`is where it was after being ${what}: search, filters, order, scroll, chosen rows`, async () => {
      await sidebar.frame.getByRole('tab', { name: 'Memories' }).click();
      await sidebar.frame.getByRole('button', { name: 'Filters' }).click();
      await sidebar.frame.getByRole('checkbox', { name: 'fact', exact: true }).click();
      await sidebar.frame.getByRole('button', { name: 'Filters' }).click();
      await sidebar.frame.getByLabel('Order').selectOption('importance');
      // Rows of an older answer stand until the new one is there: keys would go to their end.
      await sidebar.waitForRows(MANY / 2);
      await sidebar.list.focus();
      await workbench.page.keyboard.press('End');
      await workbench.page.keyboard.press('Shift+ArrowUp');
      const chosen = (): Locator => sidebar.frame.locator('.row[aria-selected=true]');
      await waitUntil(async () => (await chosen().count()) === 2, 'two chosen rows');
      const idsOf = async (): Promise<string[]> => chosen().evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id') ?? ''));
      const ids = await idsOf();
      await leave();
      await sidebar.frame.getByRole('button', { name: 'Remove filter fact' }).waitFor(PATIENCE);
      await waitUntil(async () => (await sidebar.frame.getByLabel('Order').inputValue()) === 'importance', 'the order as it was');
      await waitUntil(async () => (await chosen().count()) === 2, 'the two chosen rows again');
      expect(await idsOf()).toEqual(ids);
      await sidebar.frame.getByRole('button', { name: 'Remove filter fact' }).click();

      await sidebar.search('port 9070');
      await sidebar.waitForRow('port 9070');
      await leave();
      await waitUntil(async () => (await sidebar.frame.getByRole('textbox', { name: 'Search memories' }).inputValue()) === 'port 9070', 'the search as it was');
      await sidebar.waitForRow('port 9070');
      await sidebar.search('');
    }, 300_000);

    it(`has what was typed after being ${what}, and the place in Detail`, async () => {
      await sidebar.search('port 9070');
      await sidebar.openRow('port 9070');
      await sidebar.frame.getByRole('button', { name: 'History' }).click();
      await workbench.page.keyboard.press('Escape');
      await sidebar.openRow('port 9070');
      await sidebar.detail.click();
      const field = (): Locator => sidebar.frame.getByRole('textbox', { name: 'Text of the memory' });
      await field().fill('Service 10 listens on port 9999');
      await leave();
      await field().waitFor(PATIENCE);
      await waitUntil(async () => (await field().inputValue()) === 'Service 10 listens on port 9999', 'the draft as it was');
      await waitUntil(async () => (await sidebar.frame.getByRole('button', { name: 'History' }).getAttribute('aria-expanded')) === 'true', 'the history open as it was');
      await field().press('Escape');
      await sidebar.detail.waitFor(PATIENCE);
      await sidebar.frame.getByRole('button', { name: 'History' }).click();
      await sidebar.back();
      await sidebar.search('');
    }, 300_000);

    it(`shows the inbox or what was injected after being ${what}, where it was there`, async () => {
      await sidebar.frame.getByRole('tab', { name: 'Injected' }).click();
      await sidebar.frame.getByRole('button', { name: /^Next session would get/ }).click();
      await leave();
      await sidebar.frame.locator('cairn-injected').waitFor(PATIENCE);
      const preview = sidebar.frame.getByRole('button', { name: /^Next session would get/ });
      expect(await preview.getAttribute('aria-expanded')).toBe('false');
      await preview.click();
      await sidebar.frame.getByRole('tab', { name: 'Memories' }).click();
    }, 300_000);
  }

  it('follows a command given while it is hidden', async () => {
    await workbench.openActivity('Explorer');
    await sidebar.frame.locator('body').waitFor({ state: 'detached', ...PATIENCE });
    await workbench.runCommand('Cairn: Show Inbox');
    await sidebar.show();
    await sidebar.frame.getByText('Nothing to review.').waitFor(PATIENCE);
  }, 240_000);
});
