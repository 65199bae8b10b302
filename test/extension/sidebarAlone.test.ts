/**
 * The sidebar at sizes that no hand fills: a hundred thousand memories, a hundred proposals.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/editorHost/workbench.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { openScripted } from './scriptedHost.ts';

describe('the sidebar alone', () => {
  let browser: Browser;
  beforeAll(async () => { browser = await launchBrowser(); }, 120_000);
  afterAll(async () => { await browser.close(); });

  it('reviews a hundred proposals with at most 130 key presses', async () => {
    const page = await openScripted(browser, { rows: 0, proposals: 100 });
    let presses = 0;
    const press = async (key: string): Promise<void> => {
      presses += 1;
      await page.keyboard.press(key);
    };
    await page.getByRole('tab', { name: 'Memories' }).focus();
    await press('Control+2');
    await page.getByRole('grid', { name: 'Proposals to review' }).and(page.locator(':focus')).waitFor();
    for (let left = 100; left > 0; left -= 1) {
      await page.getByText(`${left} left`).waitFor();
      // Each is looked at by itself: seven of ten accepted, three rejected, every tenth with its reason.
      await press(left % 10 < 7 ? 'Enter' : 'x');
      if (left % 10 === 9) await press('2');
    }
    await page.getByText('Nothing to review.').waitFor();
    expect(presses).toBeLessThanOrEqual(130);
    await page.context().close();
  }, 180_000);

  it('accepts a whole session by one key', async () => {
    const page = await openScripted(browser, { rows: 0, proposals: 30 });
    await page.getByRole('tab', { name: 'Memories' }).focus();
    await page.keyboard.press('Control+2');
    await page.getByText('30 left').waitFor();
    await page.keyboard.press('Shift+A');
    await page.getByText('20 left').waitFor();
    await page.context().close();
  }, 120_000);

  it('walks 100,000 memories from the first to the last, with a handful of rows in the page', async () => {
    const page = await openScripted(browser, { rows: 100_000, proposals: 0 });
    const list = page.getByRole('listbox', { name: 'Memories' });
    await list.focus();
    await page.keyboard.press('End');
    await page.getByRole('option', { name: /^Memory number 99999:/ }).waitFor();
    expect(await page.getByRole('option').count()).toBeLessThan(80);
    await page.keyboard.press('Home');
    await page.getByRole('option', { name: /Memory number 0:/ }).waitFor();
    await page.context().close();
  }, 120_000);

  it('asks at once for what is typed, once for keys that come in a burst, and not again for a blank at the end', async () => {
    const page = await openScripted(browser, { rows: 50, proposals: 0 });
    const asked = async (): Promise<string[]> => (await page.evaluate("asked.filter(({ method, query }) => method === 'listMemories' && query !== '').map(({ query }) => query)")) as string[];
    const search = page.getByRole('textbox', { name: 'Search memories' });
    await page.getByRole('option', { name: 'Memory number 3:' }).waitFor();
    // Keys in one task of the page have no time between them.
    await search.evaluate((field: HTMLInputElement) => {
      for (const value of ['p', 'pr', 'pro', 'promise', 'promise ']) {
        field.value = value;
        field.dispatchEvent(new InputEvent('input'));
      }
    });
    await waitUntil(async () => (await asked()).at(-1) === 'promise', 'the question');
    expect(await asked()).toEqual(['p', 'promise']);
    await search.press('Space');
    expect(await asked()).toEqual(['p', 'promise']);
    await page.context().close();
  }, 120_000);

  it('asks once for a Chinese word, when the input method has finished it', async () => {
    const page = await openScripted(browser, { rows: 50, proposals: 0 });
    const search = page.getByRole('textbox', { name: 'Search memories' });
    await search.focus();
    const method = await page.context().newCDPSession(page);
    for (const text of ['s', 'sh', 'shu', 'shu j', 'shu ju', 'shu ju k', 'shu ju ku']) await method.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await page.keyboard.press('ArrowDown');
    expect(await search.evaluate((input) => input.matches(':focus'))).toBe(true);
    await method.send('Input.insertText', { text: '数据库' });
    await page.getByRole('option', { name: 'Memory number 3:' }).waitFor({ state: 'detached' });
    expect(await search.inputValue()).toBe('数据库');
    expect(await page.evaluate("asked.filter(({ method, query }) => method === 'listMemories' && query !== '').map(({ query }) => query)")).toEqual(['数据库']);
    await page.context().close();
  }, 120_000);

  it('takes back with the command key of a Mac, wherever the extension runs', async () => {
    const page = await openScripted(browser, { rows: 0, proposals: 3 }, 300, 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36');
    await page.getByRole('tab', { name: 'Memories' }).focus();
    await page.keyboard.press('Meta+2');
    await page.getByText('3 left').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 left').waitFor();
    await page.keyboard.press('Meta+z');
    await page.getByText('Undone: Accepted').first().waitFor();
    await page.context().close();
  }, 120_000);

  it('takes back the decision made last, also when the store has not answered to those before', async () => {
    const page = await openScripted(browser, { rows: 0, proposals: 5 });
    await page.getByRole('tab', { name: 'Memories' }).focus();
    await page.keyboard.press('Control+2');
    await page.getByText('5 left').waitFor();
    for (const key of ['Enter', 'Enter', 'x', 'u']) await page.keyboard.press(key);
    await page.getByText('Undone: Accepted').first().waitFor();
    expect(await page.evaluate("asked.filter(({ method }) => /Proposals$|^undo$/.test(method)).map(({ method }) => method)")).toEqual(['acceptProposals', 'acceptProposals', 'rejectProposals', 'undo']);
    await page.context().close();
  }, 120_000);

  it('keeps a proposal that is being reworded, and what is chosen, across a reload', async () => {
    const page = await openScripted(browser, { rows: 0, proposals: 5 });
    await page.getByRole('tab', { name: 'Memories' }).focus();
    await page.keyboard.press('Control+2');
    await page.getByText('5 left').waitFor();
    for (const key of ['j', ' ', 'j', ' ', 'e']) await page.keyboard.press(key);
    const field = page.getByRole('textbox', { name: 'Text of the proposal' });
    await field.fill('Proposal 2 in better words');
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('Proposal 2 in better words');
    await page.getByText('2 selected').waitFor();
    await page.context().close();
  }, 120_000);

  it('says what is chosen by an outline where the system takes colours away, and moves nothing where it is asked not to', async () => {
    const page = await openScripted(browser, { rows: 50, proposals: 0 });
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await page.getByRole('listbox', { name: 'Memories' }).focus();
    await page.keyboard.press('ArrowDown');
    const looks = await page.getByRole('option', { name: 'Memory number 1:' }).evaluate((row) => ({ outline: getComputedStyle(row).outlineStyle, width: getComputedStyle(row).outlineWidth }));
    expect(looks.outline).not.toBe('none');
    expect(looks.width).toBe('1px');
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    await page.context().close();
  }, 120_000);
});
