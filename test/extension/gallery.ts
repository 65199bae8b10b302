/**
 * Pictures of every view in every theme, for the documentation and for looking at: fills a scratch home through the
 * command line, drives the packaged extension in the real editor, and writes PNGs. Not a test.
 *
 *   node test/extension/gallery.ts OUTPUT_FOLDER [theme ...]
 */
import fs from 'node:fs';
import path from 'node:path';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { THEMES } from '../support/editorHost/workbench.ts';
import { relate, saveSession } from './sampleSession.ts';
import { PATIENCE, Sidebar, startEditor } from './sidebarDriver.ts';

type Theme = keyof typeof THEMES;

const SESSION_CODE = 'const WINDOW_HOURS = 12;\n\n/** A token is good for one window. */\nexport function rotate(token: string): string {\n  return `${token}.${Math.floor(now() / (WINDOW_HOURS * 3600))}`;\n}\n\nconst now = (): number => Date.now() / 1000;\n';
const MEMORIES: readonly (readonly string[])[] = [
  ['Dates in the API are ISO 8601 in UTC, without exception', '--kind', 'rule', '--importance', '8', '--tags', 'api'],
  ['We decided on PostgreSQL 16, not MySQL, for orders: row locks and JSON columns matter more than familiarity', '--kind', 'decision', '--importance', '9', '--tags', 'db,orders'],
  ['Format Python with ruff, line length 88', '--kind', 'rule', '--importance', '7', '--tags', 'python', '--scope', 'user'],
  ['I prefer small commits with the reason in the message', '--kind', 'preference', '--importance', '6', '--scope', 'user'],
  ['发布前先在预发环境跑一遍冒烟测试，周五不发布', '--kind', 'rule', '--importance', '8', '--tags', '发布'],
  ['The orders service reads prices from the catalogue cache, never from the database', '--kind', 'technical_context', '--importance', '7', '--tags', 'orders,cache'],
  ['Errors cross module borders as Result values; exceptions are for programming mistakes', '--kind', 'code_pattern', '--importance', '7'],
  ['Mia owns billing and reviews every change to invoices', '--kind', 'fact', '--importance', '5', '--tags', 'people'],
];
const SAID = ['From now on always run the smoke tests before a deploy.', 'We decided to use SQLite instead of files for the job queue.', 'I prefer tabs over spaces in Go code, please remember that.', '记住：所有接口都要写中文注释。'];

/** What Claude was given in it is what Injected shows. */
const GIVEN_SESSION = 'c0ffee00-2f6b-4d3e-9a55-0d1c2b3a4e5f';

const [output = path.resolve('.cache/gallery'), ...wanted] = process.argv.slice(2);
const themes = (wanted.length > 0 ? wanted : Object.keys(THEMES)) as Theme[];

const home = createTemporaryHome();
const repository = createTemporaryRepository({ name: 'orders 订单', files: { 'src/auth/session.ts': SESSION_CODE, 'README.md': '# Orders\n' } });
const cairn = async (args: readonly string[]): Promise<string> => {
  const run = await runCairn(args, { home, cwd: repository.directory });
  if (run.code !== 0) process.stderr.write(`cairn ${args.join(' ')}: ${run.stderr}\n`);
  return run.stdout;
};
await cairn(['init']);
const ids = new Map<string, string>();
for (const memory of MEMORIES) ids.set(memory[0] ?? '', (JSON.parse(await cairn(['add', ...memory, '--json'])) as { id: string }).id);
const idOf = (start: string): string | undefined => [...ids].find(([text]) => text.startsWith(start))?.[1];
await relate([
  ['orders', 'uses', 'PostgreSQL', idOf('We decided on PostgreSQL')], ['orders', 'reads', 'catalogue cache', idOf('The orders service')], ['billing', 'owned by', 'Mia', idOf('Mia owns')],
  ['invoices', 'part of', 'billing', idOf('Mia owns')], ['billing', 'calls', 'orders'], ['PostgreSQL', 'runs on', 'db-1'],
], { home, cwd: repository.directory });
await saveSession(SAID, { home, cwd: repository.directory });
for (const [event, more] of [['SessionStart', { source: 'startup' }], ['UserPromptSubmit', { prompt: 'Which database does the orders service use, and why?' }]] as const) {
  const input = { session_id: GIVEN_SESSION, transcript_path: path.join(home.root, 'none.jsonl'), cwd: repository.directory, hook_event_name: event, ...more };
  await runCairn(['hook', event], { home, cwd: repository.directory, stdin: JSON.stringify(input) });
}

fs.mkdirSync(output, { recursive: true });
const editor = await startEditor({ home });
try {
  const workbench = await editor.open({ target: repository.directory, viewport: { width: 1180, height: 760 } });
  const sidebar = new Sidebar(workbench);
  const { page } = workbench;
  await sidebar.show();
  await workbench.openFile('session.ts');
  await workbench.selectLines(4, 6);
  await workbench.chooseFromContextMenu('Remember This');
  await workbench.quickInput().waitFor(PATIENCE);
  await page.locator('.quick-input-widget:visible input').first().fill('Session tokens rotate every 12 h #auth !decision *8');
  await workbench.quickInput().getByText('importance 8').waitFor(PATIENCE);
  await page.waitForTimeout(500); // Its icons are a font that comes a moment later.
  await page.screenshot({ path: path.join(output, 'remember-this.png') });
  await page.keyboard.press('Enter');
  await sidebar.waitForRow('Session tokens rotate');
  await sidebar.toast('Remembered').getByRole('button', { name: 'Close' }).click();

  const part = page.locator('.part.sidebar');
  const shoot = async (name: string): Promise<void> => { await part.screenshot({ path: path.join(output, `${name}.png`) }); };
  const widen = async (width: number): Promise<void> => {
    const box = await part.boundingBox();
    if (box === null) return;
    await page.mouse.move(box.x + box.width, 400);
    await page.mouse.down();
    await page.mouse.move(box.x + width, 400, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(box.x + 500, 40);
  };
  for (const theme of themes) {
    await workbench.switchTheme(theme);
    await sidebar.show();
    for (const width of theme === 'dark' ? [240, 480, 300] : [300]) {
      await widen(width);
      const tag = width === 300 ? theme : `${theme}-${width}`;
      await sidebar.frame.getByRole('tab', { name: 'Memories' }).click();
      await sidebar.waitForRow('PostgreSQL');
      await shoot(`memories-${tag}`);
      await sidebar.search('which database');
      await sidebar.waitForRowGone('Mia owns');
      await shoot(`search-${tag}`);
      await sidebar.search('');
      await sidebar.waitForRow('Mia owns');
      await sidebar.openRow('Session tokens rotate');
      await sidebar.frame.getByRole('button', { name: 'src/auth/session.ts' }).waitFor(PATIENCE);
      await shoot(`detail-${tag}`);
      await sidebar.back();
      await sidebar.frame.getByRole('tab', { name: /^Inbox/ }).click();
      await sidebar.frame.getByRole('grid', { name: 'Proposals to review' }).or(sidebar.frame.getByText('Nothing to review.')).waitFor(PATIENCE);
      await shoot(`inbox-${tag}`);
      await sidebar.frame.getByRole('tab', { name: 'Injected' }).click();
      await sidebar.frame.getByText('Next session would get').waitFor(PATIENCE);
      await shoot(`injected-${tag}`);
    }
    await sidebar.frame.getByRole('tab', { name: 'Memories' }).click();
    await sidebar.frame.getByRole('button', { name: 'Filters' }).click();
    await sidebar.frame.getByRole('group', { name: 'Filters' }).waitFor(PATIENCE);
    await shoot(`filters-${theme}`);
    await sidebar.frame.getByRole('button', { name: 'Filters' }).click();
    await page.screenshot({ path: path.join(output, `window-${theme}.png`) });
    for (const [command, name, ready] of [['Cairn: Open Insights', 'insights', 'Memories by kind and month'], ['Cairn: Set Up', 'set-up', 'What it keeps'], ['Cairn: Open Graph', 'graph', 'PostgreSQL']] as const) {
      await workbench.runCommand(command);
      await page.frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"])').last().frameLocator('iframe#active-frame').getByText(ready).first().waitFor(PATIENCE);
      await page.screenshot({ path: path.join(output, `${name}-${theme}.png`) });
      await page.keyboard.press('Control+F4');
    }
  }
  await workbench.close();
} finally {
  await editor.stop();
}
process.stdout.write(`${fs.readdirSync(output).length} pictures in ${output}\n`);
