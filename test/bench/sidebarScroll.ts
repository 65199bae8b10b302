/**
 * How the sidebar scrolls and searches at 100,000 memories, in a real browser with the built page: share of frames
 * under 33 ms (budget: 95 %), and time from a key to the rows it brings. The host answers at once, so the numbers are
 * the webview's own.
 *
 *   node test/bench/sidebarScroll.ts [rows]
 */
import os from 'node:os';
import { launchBrowser } from '../support/editorHost/workbench.ts';
import { openScripted } from '../extension/scriptedHost.ts';

const rows = Number(process.argv[2] ?? 100_000);
const WHEEL_TURNS = 300;

const percentile = (values: readonly number[], share: number): number => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

const browser = await launchBrowser();
try {
  const page = await openScripted(browser, { rows, proposals: 0 });
  await page.getByRole('listbox', { name: 'Memories' }).hover();
  await page.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    const step = (now: number): void => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
    Object.assign(window, { frames });
  });
  for (let turn = 0; turn < WHEEL_TURNS; turn += 1) await page.mouse.wheel(0, turn % 60 === 59 ? 200_000 : 240);
  const frames = (await page.evaluate('frames')) as number[];
  const fluid = frames.filter((ms) => ms < 33).length / frames.length;
  const searches: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const began = performance.now();
    await page.getByRole('textbox', { name: 'Search memories' }).fill(`promise ${round}`);
    await page.waitForFunction(() => document.querySelector('cairn-sidebar')?.shadowRoot?.querySelector('cairn-memories')?.shadowRoot?.querySelector('cairn-memory-list')?.shadowRoot?.querySelectorAll('.row').length === 3);
    searches.push(performance.now() - began);
    await page.getByRole('textbox', { name: 'Search memories' }).fill('');
    await page.waitForFunction(() => (document.querySelector('cairn-sidebar')?.shadowRoot?.querySelector('cairn-memories')?.shadowRoot?.querySelector('cairn-memory-list')?.shadowRoot?.querySelectorAll('.row').length ?? 0) > 3);
  }
  process.stdout.write(`sidebar at ${rows} memories (load ${os.loadavg()[0]?.toFixed(1)}, ${os.cpus().length} cores)\n`);
  process.stdout.write(`  frames under 33 ms: ${(fluid * 100).toFixed(1)} % of ${frames.length} (budget 95 %), p50 ${percentile(frames, 0.5).toFixed(1)} ms, p95 ${percentile(frames, 0.95).toFixed(1)} ms\n`);
  process.stdout.write(`  key to rows, with the pause of 60 ms while typing: p50 ${percentile(searches, 0.5).toFixed(0)} ms, p95 ${percentile(searches, 0.95).toFixed(0)} ms (budget 100 ms)\n`);
} finally {
  await browser.close();
}
