/**
 * What views show while they wait, when something fails, when nothing is there or nothing fits; that walking through a
 * list moves nothing else; and that no width cuts a view.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/waitUntil.ts';
import { launchBrowser } from '../support/editorHost/workbench.ts';
import { openScripted, type ScriptedHost } from './scriptedHost.ts';

const VIEWS = [['Memories', 'listMemories'], ['Inbox', 'listInbox'], ['Injected', 'listInjected']] as const;

describe('a view', () => {
  let browser: Browser;
  beforeAll(async () => { browser = await launchBrowser(); }, 120_000);
  afterAll(async () => { await browser.close(); });

  const open = async (options: Partial<ScriptedHost>, width?: number): Promise<Page> => openScripted(browser, { rows: 0, proposals: 0, ...options }, width);
  const ranCommands = async (page: Page): Promise<string[]> => page.evaluate("asked.filter(({ method }) => method === 'runCommand').map(({ command }) => command)");

  it.each(VIEWS)('%s holds the place of what is late with bars', async (tab, method) => {
    const page = await open({ silent: [method] });
    await page.getByRole('tab', { name: tab }).click();
    await page.locator('[aria-busy=true]').filter({ hasText: /^Loading/ }).first().waitFor();
    await page.context().close();
  }, 120_000);

  it('holds the place of a memory and of the graph in the same way', async () => {
    const page = await open({ rows: 3, silent: ['getMemory'] });
    await page.getByRole('option', { name: 'Memory number 0:' }).click();
    await page.locator('cairn-detail [aria-busy=true]').waitFor();
    await page.context().close();
    const graph = await open({ page: 'graph', silent: ['graph'] });
    await graph.locator('cairn-graph [aria-busy=true]').waitFor();
    await graph.context().close();
  }, 120_000);

  it.each(VIEWS)('%s says what failed, why, and what can be done, and shows the log', async (tab, method) => {
    const page = await open({ failing: [method] });
    await page.getByRole('tab', { name: tab }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('could not be read.').waitFor();
    await alert.getByText('The store cannot be read; check its permissions.').waitFor();
    await alert.getByText('Try again').waitFor();
    await alert.getByRole('button', { name: 'Show log' }).click();
    expect(await ranCommands(page)).toEqual(['cairn.showLog']);
    await page.context().close();
  }, 120_000);

  it.each([['Memories', 'Remember…', 'cairn.remember'], ['Inbox', 'Look through past sessions', 'cairn.backfill'], ['Injected', 'Run doctor', 'cairn.doctor']] as const)('%s has one thing to do when it is empty', async (tab, button, command) => {
    const page = await open({});
    await page.getByRole('tab', { name: tab }).click();
    await page.getByText(button).click();
    expect(await ranCommands(page)).toEqual([command]);
    await page.context().close();
  }, 120_000);

  it('shows in a field what is stored once a refused value is given up', async () => {
    const page = await open({ rows: 3 });
    await page.getByRole('option', { name: 'Memory number 0:' }).click();
    const expiry = page.getByLabel('Expires');
    await expiry.fill('2020-01-01');
    await expiry.blur();
    await page.getByText('The expiry lies in the past').waitFor();
    expect(await expiry.inputValue()).toBe('2020-01-01');
    const tags = page.getByLabel('Tags');
    await tags.fill('x'.repeat(65));
    await tags.blur();
    await page.getByText('A tag has at most 64 characters.').waitFor();
    expect(await expiry.inputValue()).toBe('');
    await page.context().close();
  }, 120_000);

  it('walks through proposals without moving any of them', async () => {
    const page = await open({ proposals: 8 });
    await page.getByRole('tab', { name: 'Inbox' }).click();
    await page.getByRole('row', { name: 'Proposal 0' }).waitFor();
    const places = async (): Promise<number[]> => page.locator('.proposal').evaluateAll((cards) => cards.map((card) => (card as HTMLElement).offsetTop));
    const before = await places();
    await page.getByRole('grid').focus();
    for (const key of ['j', 'j', 'k']) {
      await page.keyboard.press(key);
      expect(await places()).toEqual(before);
    }
    await page.context().close();
  }, 120_000);

  it.each([240, 300, 480])('fits into %i pixels whatever is in it', async (width) => {
    const page = await open({ rows: 40, proposals: 6, words: `${'Unbrechbares'.repeat(20)} 没有空格的很长的中文句子一直写下去没有停顿` }, width);
    for (const tab of ['Memories', 'Inbox', 'Injected']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByText(tab === 'Memories' ? 'Memory number 1:' : tab === 'Inbox' ? '6 left' : 'Next session would get').first().waitFor();
      const wide = await page.evaluate(() => {
        const found: string[] = [];
        const visit = (root: ParentNode): void => {
          for (const element of root.querySelectorAll<HTMLElement>('*')) {
            if (element.shadowRoot !== null) visit(element.shadowRoot);
            const box = element.getBoundingClientRect();
            if (box.width > 1 && box.right > document.documentElement.clientWidth + 1 && !element.matches('.sr')) found.push(`${element.tagName}.${element.className}`);
          }
        };
        visit(document);
        return found;
      });
      expect(wide, tab).toEqual([]);
    }
    await page.context().close();
  }, 120_000);

  it('lists and draws a graph of 2,000, walked by keys, and says when a filter leaves nothing', async () => {
    const page = await open({ page: 'graph', nodes: 2_000 }, 1_000);
    const list = page.getByRole('list').first();
    await list.getByRole('button', { name: 'Entity 0', exact: true }).waitFor();
    expect(await list.getByRole('listitem').first().getAttribute('aria-setsize')).toBe('2000');
    await list.evaluate((element) => { element.scrollTop = element.scrollHeight; });
    await list.getByRole('button', { name: 'Entity 1999' }).waitFor();
    expect(await list.getByRole('button').count()).toBeLessThan(120);
    const canvas = page.getByRole('img', { name: /^Graph around Entity 0: 2,000/ });
    await canvas.focus();
    const chosen = async (): Promise<string> => page.getByRole('heading', { level: 2 }).innerText();
    for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown']) if ((await chosen()) === 'Entity 0') await page.keyboard.press(key);
    expect(await chosen()).not.toBe('Entity 0');
    // The list goes where the keys go.
    await list.locator('[aria-current=true]').and(page.locator(':visible')).waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('no such thing');
    await page.getByText('Nothing here matches the filters.').waitFor();
    await page.getByText('Clear filters').click();
    await waitUntil(async () => (await list.getByRole('listitem').count()) > 10, 'the whole list again');
    await page.context().close();
  }, 120_000);
});
