/**
 * The main job in a real editor: install the package, open a repository, select lines, Remember This, see, edit,
 * search, forget, undo. Nothing in the chain is a stand-in.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';
import { runCairn } from '../support/runCairn.ts';
import type { Workbench } from '../support/editorHost/workbench.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { saveSession } from './sampleSession.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

const CODE = 'export function rotate(token: string): string {\n  return `${token}-${12 * 3600}`;\n}\n\nexport const limit = 88;\n';

describe('remembering a selection in a repository with a space and Chinese letters in its path', () => {
  let editor: Editor;
  let repository: TemporaryRepository;
  let workbench: Workbench;
  let sidebar: Sidebar;

  beforeAll(async () => {
    repository = createTemporaryRepository({ name: '订单 service', files: { 'src/auth/session.ts': CODE } });
    editor = await startEditor();
    workbench = await editor.open({ target: repository.directory });
    sidebar = new Sidebar(workbench);
  }, 240_000);

  afterAll(async () => { await editor.stop(); }, 60_000);

  it('asks its one question on a page of its own at the first start, and takes the yes', async () => {
    const page = workbench.webview('iframe.webview.ready[src*="cairn.firstRun"], iframe.webview.ready:not([src*="purpose=webviewView"])');
    await page.getByRole('heading', { name: /Remember for Claude Code in/ }).waitFor(PATIENCE);
    await page.getByRole('button', { name: 'Yes, for this repository' }).click();
    await page.locator('[data-check=store].ok').waitFor(PATIENCE);
    await page.locator('[data-check=registered].ok').waitFor(PATIENCE);
    expect(repository.git('status', '--porcelain')).toBe('');
  }, 240_000);

  it('stores selected lines with their place by the context menu, and shows them at once', async () => {
    await sidebar.show();
    await workbench.openFile('session.ts');
    await workbench.selectLines(1, 3);
    await workbench.chooseFromContextMenu('Remember This');
    await workbench.answerInputBox('Session tokens rotate every 12 hours #auth !decision *8');
    await sidebar.waitForRow('Session tokens rotate every 12 hours');
    await workbench.statusBarItem('Remembered').waitFor(PATIENCE);
    await sidebar.openRow('Session tokens rotate every 12 hours');
    await sidebar.frame.getByRole('button', { name: 'src/auth/session.ts:1-3' }).waitFor(PATIENCE);
    expect(await sidebar.frame.getByLabel('Kind').inputValue()).toBe('decision');
    expect(await sidebar.frame.getByLabel('Importance').inputValue()).toBe('8');
    expect(await sidebar.frame.getByLabel('Tags').inputValue()).toBe('auth');
  }, 240_000);

  it('edits the statement in place, keeps the older one in the history, and points it to other lines', async () => {
    await sidebar.rewrite('Session tokens rotate every 24 hours');
    await sidebar.frame.getByRole('button', { name: 'History' }).click();
    await sidebar.frame.getByText('edited', { exact: true }).waitFor(PATIENCE);
    await workbench.openFile('session.ts');
    await workbench.selectLines(5);
    await sidebar.frame.getByRole('button', { name: 'Anchor to the selection' }).click();
    await sidebar.frame.getByRole('button', { name: 'src/auth/session.ts:5', exact: true }).waitFor(PATIENCE);
    await sidebar.back();
    await sidebar.waitForRow('Session tokens rotate every 24 hours');
  }, 240_000);

  it('finds by search as one types, and says what hides the rest', async () => {
    await sidebar.remember('Format Python with ruff, line length 88 !rule');
    await sidebar.waitForRow('Format Python with ruff');
    await sidebar.search('rotate');
    await sidebar.waitForRowGone('Format Python with ruff');
    await sidebar.waitForRow('Session tokens rotate every 24 hours');
    await sidebar.search('zzqqxx');
    await sidebar.frame.getByText('No memory matches the search and the filters.').waitFor(PATIENCE);
    await sidebar.frame.getByRole('button', { name: 'Clear filters' }).click();
    await sidebar.waitForRow('Format Python with ruff');
  }, 240_000);

  it('forgets with the Delete key and brings back with Undo', async () => {
    await sidebar.row('Session tokens rotate').first().click();
    await sidebar.detail.waitFor(PATIENCE);
    await workbench.page.keyboard.press('Delete');
    await sidebar.toast('Forgotten').waitFor(PATIENCE);
    await sidebar.waitForRowGone('Session tokens rotate');
    await sidebar.toast('Forgotten').getByRole('button', { name: 'Undo' }).click();
    await sidebar.waitForRow('Session tokens rotate every 24 hours');
  }, 240_000);

  it('hands the same memory to the command line, and shows what the command line adds', async () => {
    const found = await runCairn(['search', 'rotate', '--json'], { home: editor.home, cwd: repository.directory });
    expect(JSON.parse(found.stdout)).toMatchObject({ results: [expect.objectContaining({ text: 'Session tokens rotate every 24 hours' })] });
    await runCairn(['add', 'Deploys happen on Tuesdays', '--json'], { home: editor.home, cwd: repository.directory });
    await sidebar.waitForRow('Deploys happen on Tuesdays');
  }, 240_000);

  it('takes what is said in a session whose hooks never fire, and proposes it in the inbox', async () => {
    const sessionId = '0b0f7c52-7a53-4a55-9a3e-2f1d4c5b6a70';
    const turn = (uuid: string, parentUuid: string | null, type: 'user' | 'assistant', message: object): string => JSON.stringify({
      parentUuid, isSidechain: false, userType: 'external', cwd: repository.directory, sessionId, version: '2.1.332', gitBranch: 'main', type, uuid, timestamp: new Date().toISOString(), message,
    });
    const folder = path.join(editor.home.claudeDirectory, 'projects', repository.directory.replaceAll(/[^A-Za-z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${sessionId}.jsonl`), [
      turn('11111111-1111-4111-8111-111111111111', null, 'user', { role: 'user', content: 'From now on always run the smoke tests before a deploy.' }),
      turn('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', 'assistant', { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'text', text: 'Understood.' }] }),
      turn('33333333-3333-4333-8333-333333333333', '22222222-2222-4222-8222-222222222222', 'user', { role: 'user', content: 'Now rename the module, please.' }),
      turn('44444444-4444-4444-8444-444444444444', '33333333-3333-4333-8333-333333333333', 'assistant', { id: 'msg_2', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'text', text: 'Renamed.' }] }),
      '',
    ].join('\n'));
    await waitUntil(async () => {
      const inbox = await runCairn(['inbox', '--json'], { home: editor.home, cwd: repository.directory });
      return inbox.json<{ observations: { text: string }[] }>().observations.some(({ text }) => text.includes('smoke tests'));
    }, 'the proposal', 120_000);
    await sidebar.frame.getByRole('tab', { name: /^Inbox/ }).click();
    const header = sidebar.frame.getByRole('rowheader', { name: 'Session "From now on always run the smoke tests before a deploy."' });
    await header.waitFor(PATIENCE);
    expect(await header.getAttribute('title')).toContain(sessionId);
    expect(await sidebar.frame.getByRole('rowgroup').filter({ has: header }).getByRole('gridcell', { name: /^today \d\d?:\d\d.* · 1$/ }).count()).toBe(1);
  }, 240_000);

  it('takes the last turn of a session that falls silent, after the idle time and not before', async () => {
    const place = { home: editor.home, cwd: repository.directory };
    for (const [key, value] of [['capture.everyTurns', '20'], ['capture.idleSeconds', '5']] as const) await runCairn(['config', key, value, '--repository'], place);
    const sessionId = '1c0f7c52-7a53-4a55-9a3e-2f1d4c5b6a71';
    // Said a little later than the file is written, so that a busy machine looks at it before it is due.
    const saidAt = Date.now() + 8_000;
    writeFileSync(path.join(editor.home.claudeDirectory, 'projects', repository.directory.replaceAll(/[^A-Za-z0-9]/g, '-'), `${sessionId}.jsonl`), `${JSON.stringify({
      parentUuid: null, isSidechain: false, userType: 'external', cwd: repository.directory, sessionId, version: '2.1.332', gitBranch: 'main', type: 'user', uuid: '55555555-5555-4555-8555-555555555555', timestamp: new Date(saidAt).toISOString(), message: { role: 'user', content: 'From now on always write the changelog before a release.' },
    })}\n`);
    const looks = async (): Promise<{ proposed: number; startedAt: number }[]> => {
      const { jobs } = (await runCairn(['jobs', '--json'], place)).json<{ jobs: { sessionId?: string; state: string; startedAt: number; detail?: { proposed?: number } }[] }>();
      return jobs.filter((job) => job.sessionId === sessionId && job.state === 'done').map((job) => ({ proposed: job.detail?.proposed ?? 0, startedAt: job.startedAt })).sort((a, b) => a.startedAt - b.startedAt);
    };
    await waitUntil(async () => (await looks()).some(({ proposed }) => proposed === 1), 'the proposal', 120_000);
    const [first, ...later] = await looks();
    expect(first?.proposed).toBe(0);
    expect(later.at(-1)?.startedAt).toBeGreaterThanOrEqual(saidAt + 5_000);
    await sidebar.frame.getByRole('row', { name: /^new, .*write the changelog before a release/ }).waitFor(PATIENCE);
  }, 240_000);

  it('accepts at once all that one rule found, and takes it back', async () => {
    const place = { home: editor.home, cwd: repository.directory };
    await saveSession(['We decided to use SQLite for the job queue.', 'We decided to use Redis for the page cache.', 'We decided to use NATS for the order events.'], place);
    const waiting = async (): Promise<number> => (await runCairn(['inbox', '--json'], place)).json<{ total: number }>().total;
    const before = await waiting();
    await sidebar.frame.getByText('3 were found by en.decided.').waitFor(PATIENCE);
    await sidebar.frame.getByRole('button', { name: 'Accept all like these' }).click();
    await waitUntil(async () => (await waiting()) === before - 3, 'three accepted', PATIENCE.timeout);
    await sidebar.frame.getByRole('grid', { name: 'Proposals to review' }).press('u');
    await waitUntil(async () => (await waiting()) === before, 'three waiting again', PATIENCE.timeout);
  }, 240_000);

  it('shows what stands near a memory, and why', async () => {
    await runCairn(['add', 'Two people watch when deploys happen', '--no-consolidate', '--json'], { home: editor.home, cwd: repository.directory });
    await sidebar.frame.getByRole('tab', { name: /^Memories/ }).click();
    await sidebar.openRow('Two people watch when deploys happen');
    await sidebar.frame.getByRole('button', { name: 'Related' }).click();
    await sidebar.frame.getByRole('button', { name: /Deploys happen on Tuesdays.*words in common/ }).click();
    await sidebar.frame.getByRole('button', { name: 'Edit: Deploys happen on Tuesdays' }).waitFor(PATIENCE);
    await sidebar.back();
  }, 240_000);

  it('says what is refused with a cure that the editor has', async () => {
    const place = { home: editor.home, cwd: repository.directory };
    const { id } = (await runCairn(['add', 'The tea kitchen is cleaned on Mondays', '--json'], place)).json<{ id: string }>();
    await sidebar.waitForRow('The tea kitchen is cleaned');
    await sidebar.openRow('The tea kitchen is cleaned');
    await runCairn(['forget', id], place);
    await sidebar.frame.getByRole('button', { name: 'Restore', exact: true }).waitFor(PATIENCE);
    await sidebar.frame.getByLabel('Kind').selectOption('rule');
    expect(await sidebar.frame.getByRole('alert').innerText()).toBe('It was forgotten, superseded or decided already. Restore it first.');
    await sidebar.back();
  }, 240_000);

  it('asks nothing of any other machine', () => {
    expect(workbench.externalRequests).toEqual([]);
  });
});
