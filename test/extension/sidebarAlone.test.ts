/**
 * The sidebar at sizes that no hand fills: a hundred thousand memories, a hundred proposals.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/editorHost/workbench.ts';
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
});
