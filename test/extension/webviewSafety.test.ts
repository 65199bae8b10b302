/**
 * The webview under a hostile memory, a strict policy, a screen reader's rules and no mouse.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';
import { runCairn } from '../support/runCairn.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { THEMES, type Workbench } from '../support/editorHost/workbench.ts';
import { relate, saveSession } from './sampleSession.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const ROWS = [
  HOSTILE, `\u202Eright to left override ${'שלום עולם '.repeat(5)}`, '👩‍👩‍👧‍👦 family emoji 🇨🇭 flags', `${'long '.repeat(1_590)}end`.slice(0, 7_990), '"; drop table memory; --', '[link](javascript:alert(1)) **bold** `code`',
];

interface Violation { readonly id: string; readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[] }

/** All rules, those of good practice and the experimental ones too. Evaluated by the debugger, so the page's policy is not asked. */
async function violationsIn(page: FrameLocator): Promise<string[]> {
  const frame = await (await page.locator('body').elementHandle())?.ownerFrame();
  if (frame === null || frame === undefined) throw new Error('The page is gone.');
  await frame.evaluate(AXE);
  const violations = (await frame.evaluate("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'experimental'] }).then((result) => result.violations)")) as readonly Violation[];
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160) ?? ''} ${nodes[0]?.failureSummary ?? ''}`);
}

describe('the sidebar\'s webview', () => {
  let editor: Editor;
  let repository: TemporaryRepository;
  let workbench: Workbench;
  let sidebar: Sidebar;
  const complaints: string[] = [];

  beforeAll(async () => {
    repository = createTemporaryRepository({ files: { 'a.md': 'one\ntwo\n' } });
    editor = await startEditor();
    await runCairn(['init', '--no-register'], { home: editor.home, cwd: repository.directory });
    await runCairn(['add', 'An ordinary decision about databases', '--kind', 'decision', '--tags', 'db', '--json'], { home: editor.home, cwd: repository.directory });
    for (const text of [...ROWS, 'Mia owns billing and reviews every change to invoices']) await runCairn(['add', text, '--json'], { home: editor.home, cwd: repository.directory });
    const owner = (await runCairn(['add', 'Lena owns the ledger', '--json'], { home: editor.home, cwd: repository.directory })).json<{ id: string }>();
    await relate([['ledger', 'owned by', 'Lena', owner.id], ['ledger', 'uses', 'PostgreSQL']], { home: editor.home, cwd: repository.directory });
    await saveSession(['From now on always run the smoke tests before a deploy.', 'I prefer tabs over spaces in Go code, please remember that.'], { home: editor.home, cwd: repository.directory });
    workbench = await editor.open({ target: repository.directory });
    workbench.page.on('console', (message) => {
      // The editor's own pages complain too; only what names our policy or a refusal inside our frame counts.
      if (/Content Security Policy/i.test(message.text()) && /cairn|webview/i.test(message.location().url)) complaints.push(message.text());
    });
    sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.waitForRow('An ordinary decision');
  }, 300_000);

  afterAll(async () => { await editor.stop(); }, 60_000);

  it('shows hostile text as text, in the list and in Detail', async () => {
    await sidebar.waitForRow('onerror');
    await sidebar.row('onerror').first().click();
    await sidebar.detail.waitFor(PATIENCE);
    expect(await sidebar.detail.innerText()).toBe(HOSTILE);
    const inside = sidebar.frame.locator('body');
    expect(await inside.evaluate((body) => body.ownerDocument.title)).toBe('Cairn');
    expect(await inside.evaluate((body) => {
      const roots: ParentNode[] = [body];
      let count = 0;
      for (let root = roots.pop(); root !== undefined; root = roots.pop()) {
        count += root.querySelectorAll('img, script:not([type=module])').length;
        for (const element of root.querySelectorAll('*')) if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      }
      return count;
    })).toBe(0);
    await sidebar.back();
  }, 240_000);

  it('has a policy without inline script or style, and nothing breaks it', async () => {
    const policy = await sidebar.frame.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'nonce-[\w+/=]+'(;|$)/);
    expect(policy).not.toContain('unsafe');
    expect(complaints).toEqual([]);
  });

  it('passes axe in every view of the sidebar, in every theme', async () => {
    const found: string[] = [];
    for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
      await workbench.switchTheme(theme);
      await sidebar.show();
      const check = async (view: string): Promise<void> => { found.push(...(await violationsIn(sidebar.frame)).map((violation) => `${theme}, ${view}: ${violation}`)); };
      await check('list');
      await sidebar.frame.getByRole('button', { name: 'Filters' }).click();
      await sidebar.frame.getByRole('group', { name: 'Filters' }).waitFor(PATIENCE);
      await check('filters');
      await sidebar.frame.getByRole('button', { name: 'Filters' }).click();
      await sidebar.openRow('An ordinary decision');
      await check('detail');
      await workbench.page.keyboard.press('e');
      await sidebar.frame.getByRole('textbox', { name: 'Text of the memory' }).waitFor(PATIENCE);
      await check('editing');
      await workbench.page.keyboard.press('Escape');
      await sidebar.back();
      await workbench.page.keyboard.press('Control+2');
      await sidebar.frame.getByRole('row', { name: 'tabs over spaces' }).waitFor(PATIENCE);
      await check('inbox');
      await workbench.page.keyboard.press('?');
      await sidebar.frame.getByRole('dialog', { name: 'Keys' }).waitFor(PATIENCE);
      await check('keys');
      await workbench.page.keyboard.press('Escape');
      await workbench.page.keyboard.press('Control+3');
      await sidebar.frame.getByText('Next session would get').waitFor(PATIENCE);
      await check('injected');
      await workbench.page.keyboard.press('Control+1');
      await sidebar.list.waitFor(PATIENCE);
    }
    expect(found).toEqual([]);
  }, 600_000);

  it('passes axe in the pages of the editor area, in every theme', async () => {
    const found: string[] = [];
    for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
      await workbench.switchTheme(theme);
      for (const [command, ready] of [['Cairn: Open Insights', 'Memories by kind and month'], ['Cairn: Set Up', 'What it keeps'], ['Cairn: Open Graph', 'Lena owns the ledger']] as const) {
        await workbench.runCommand(command);
        const page = workbench.editorWebview();
        await page.getByText(ready).first().waitFor(PATIENCE);
        found.push(...(await violationsIn(page)).map((violation) => `${theme}, ${command}: ${violation}`));
      }
    }
    expect(found).toEqual([]);
  }, 600_000);

  it('goes from a memory to its place in the graph, along its links by keys, and back', async () => {
    await sidebar.openRow('Lena owns the ledger');
    const related = sidebar.frame.getByRole('button', { name: 'Related' });
    if ((await related.getAttribute('aria-expanded')) === 'false') await related.click();
    await sidebar.frame.getByRole('button', { name: 'Show in the graph' }).click();
    const graph = workbench.editorWebview();
    await graph.getByRole('heading', { name: 'Lena owns the ledger' }).waitFor(PATIENCE);
    await sidebar.back();
    await graph.getByLabel('Kind').selectOption('fact');
    await graph.getByRole('button', { name: 'PostgreSQL' }).waitFor({ state: 'detached', ...PATIENCE });
    await graph.getByLabel('Kind').selectOption('');
    await graph.getByRole('button', { name: 'ledger', exact: true }).first().click();
    await graph.getByRole('button', { name: 'Make it the focus' }).click();
    const canvas = graph.getByRole('img', { name: /^Graph around ledger/ });
    await canvas.focus();
    const chosen = async (): Promise<string> => graph.getByRole('heading', { level: 2 }).innerText();
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']) if ((await chosen()) === 'ledger') await workbench.page.keyboard.press(key);
    expect(['Lena', 'PostgreSQL', 'Lena owns the ledger']).toContain(await chosen());
    await graph.getByRole('button', { name: 'Lena owns the ledger' }).first().click();
    await graph.getByRole('button', { name: 'Open the memory' }).click();
    await sidebar.detail.waitFor(PATIENCE);
    await sidebar.back();
  }, 240_000);

  it('is worked by keyboard alone: search, move, open, pin, forget, undo, back', async () => {
    const { keyboard } = workbench.page;
    await workbench.runCommand('Cairn: Search Memories');
    await sidebar.frame.locator('cairn-memories').getByRole('textbox').and(sidebar.frame.locator(':focus')).waitFor(PATIENCE);
    await keyboard.type('databases');
    await sidebar.frame.locator('#row-0', { hasText: 'An ordinary decision' }).waitFor(PATIENCE);
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await sidebar.detail.waitFor(PATIENCE);
    await keyboard.press('p');
    await sidebar.toast('Pinned').waitFor(PATIENCE);
    await keyboard.press('Escape');
    await sidebar.list.waitFor(PATIENCE);
    await keyboard.press('Delete');
    await sidebar.toast('Forgotten').waitFor(PATIENCE);
    await keyboard.press('Control+Z');
    await sidebar.toast('Undone: Forgotten').waitFor(PATIENCE);
    await sidebar.waitForRow('An ordinary decision');
    await sidebar.search('');
  }, 240_000);

  it('takes back an edit, a field and a decision with Ctrl+Z, and leaves text fields their own undo', async () => {
    const { keyboard } = workbench.page;
    const search = sidebar.frame.getByRole('textbox', { name: 'Search memories' });
    await sidebar.toast('Undone').waitFor({ state: 'detached', ...PATIENCE });
    await search.click();
    await keyboard.type('xyz');
    // The browser decides how many letters one step takes back.
    await waitUntil(async () => {
      await keyboard.press('Control+Z');
      return (await search.inputValue()) === '';
    }, 'the search without what was typed');
    expect(await sidebar.toast('Undone').count()).toBe(0);
    await sidebar.search('');

    await sidebar.openRow('An ordinary decision');
    await keyboard.press('e');
    const field = sidebar.frame.getByRole('textbox', { name: 'Text of the memory' });
    await field.and(sidebar.frame.locator(':focus')).waitFor(PATIENCE);
    await keyboard.type(' and more');
    await keyboard.press('Control+Z');
    await waitUntil(async () => !(await field.inputValue()).includes('more'), 'the field without what was typed');
    await keyboard.type(' and queues');
    await keyboard.press('Control+Enter');
    await sidebar.toast('Saved').waitFor(PATIENCE);
    await keyboard.press('Control+Z');
    await sidebar.toast('Undone: Saved').waitFor(PATIENCE);
    await sidebar.frame.getByRole('button', { name: 'Edit: An ordinary decision about databases', exact: true }).waitFor(PATIENCE);

    const importance = sidebar.frame.getByLabel('Importance');
    const before = await importance.inputValue();
    await sidebar.toast('Undone').waitFor({ state: 'detached', ...PATIENCE });
    await importance.focus();
    await keyboard.press('ArrowUp');
    await sidebar.toast('Saved').waitFor(PATIENCE);
    // The toast may come before the value that the store gave back.
    await waitUntil(async () => (await importance.inputValue()) !== before, 'another importance');
    await keyboard.press('Control+Z');
    await sidebar.toast('Undone: Saved').waitFor(PATIENCE);
    await waitUntil(async () => (await importance.inputValue()) === before, 'the importance as it was');
    await sidebar.back();

    await keyboard.press('Control+2');
    const proposal = sidebar.frame.getByRole('row', { name: 'tabs over spaces' });
    await proposal.waitFor(PATIENCE);
    await sidebar.frame.getByRole('grid').and(sidebar.frame.locator(':focus')).waitFor(PATIENCE);
    await keyboard.press('Enter');
    await sidebar.toast('Accepted').waitFor(PATIENCE);
    await keyboard.press('Control+Z');
    await sidebar.toast('Undone: Accepted').waitFor(PATIENCE);
    await sidebar.frame.getByRole('row', { name: 'tabs over spaces' }).waitFor(PATIENCE);
    await sidebar.frame.getByRole('tab', { name: 'Memories' }).click();
  }, 300_000);

  it('gives the keys back to the list when Undo brings back its only row', async () => {
    const { keyboard } = workbench.page;
    await sidebar.frame.getByRole('button', { name: 'Filters' }).click();
    await sidebar.frame.getByRole('checkbox', { name: /^db / }).click();
    await sidebar.waitForRowGone('Mia owns billing');
    await sidebar.openRow('An ordinary decision');
    await keyboard.press('Delete');
    await sidebar.frame.getByText('No memory matches').waitFor(PATIENCE);
    await keyboard.press('Control+Z');
    await sidebar.list.and(sidebar.frame.locator(':focus')).waitFor(PATIENCE);
    await keyboard.press('Enter');
    await sidebar.detail.waitFor(PATIENCE);
    await sidebar.back();
    await sidebar.frame.getByRole('button', { name: 'Remove filter #db' }).click();
  }, 240_000);
});
