/**
 * Reviewing in the real editor: proposals of a session by single keys, what the next session gets, marks in the code.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';
import type { Workbench } from '../support/editorHost/workbench.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

const SAID = ['From now on always run the smoke tests before a deploy.', 'We decided to use SQLite instead of files for the job queue.', '记住：所有接口都要写中文注释。'];
const SESSION = '7f3f1c9a-2f6b-4d3e-9a55-0d1c2b3a4e5f';

function writeSession(claudeDirectory: string, cwd: string): string {
  const folder = path.join(claudeDirectory, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${SESSION}.jsonl`);
  fs.writeFileSync(file, SAID.map((content, index) => JSON.stringify({ type: 'user', uuid: `u-${index}`, parentUuid: null, sessionId: SESSION, cwd, version: '2.1.332', gitBranch: 'main', isSidechain: false, userType: 'external', timestamp: new Date(Date.now() - 60_000 * (SAID.length - index)).toISOString(), message: { role: 'user', content } })).join('\n') + '\n');
  return file;
}

describe('reviewing in the editor', () => {
  let editor: Editor;
  let repository: TemporaryRepository;
  let workbench: Workbench;
  let sidebar: Sidebar;

  beforeAll(async () => {
    const home = createTemporaryHome();
    repository = createTemporaryRepository({ files: { 'src/queue.ts': 'export function push(job: string): void {\n  jobs.push(job);\n}\n\nconst jobs: string[] = [];\n' } });
    const cairn = async (args: readonly string[], stdin?: string) => runCairn(args, { home, cwd: repository.directory, ...(stdin === undefined ? {} : { stdin }) });
    await cairn(['init', '--no-register']);
    await cairn(['save'], JSON.stringify({ transcript_path: writeSession(home.claudeDirectory, repository.directory), session_id: SESSION, cwd: repository.directory }));
    editor = await startEditor({ home });
    workbench = await editor.open({ target: repository.directory });
    sidebar = new Sidebar(workbench);
    await sidebar.show();
  }, 300_000);

  afterAll(async () => { await editor.stop(); }, 60_000);

  it('accepts, rejects and takes back by single keys, and shows the quote', async () => {
    await workbench.runCommand('Cairn: Show Inbox');
    const list = sidebar.frame.getByRole('listbox', { name: 'Proposals to review' });
    await list.waitFor(PATIENCE);
    await list.and(sidebar.frame.locator(':focus')).waitFor(PATIENCE);
    const left = async (): Promise<number> => list.getByRole('option').count();
    const before = await left();
    expect(before).toBeGreaterThanOrEqual(2);
    await sidebar.frame.getByText(/“.*smoke tests before a deploy/).first().waitFor(PATIENCE);
    await workbench.page.keyboard.press('Enter');
    await sidebar.toast('Accepted').waitFor(PATIENCE);
    await waitUntil(async () => (await left()) === before - 1, 'one proposal less', 60_000);
    await workbench.page.keyboard.press('x');
    await sidebar.toast('Rejected').waitFor(PATIENCE);
    await workbench.page.keyboard.press('u');
    await sidebar.toast('Undone').waitFor(PATIENCE);
    await waitUntil(async () => (await left()) === before - 1, 'the rejected one back', 60_000);
    await workbench.runCommand('Cairn: Show Memories');
    await sidebar.waitForRow('smoke tests before a deploy');
  }, 300_000);

  it('shows what the next session would get, with its tokens', async () => {
    await workbench.runCommand('Cairn: Show What Claude Was Given');
    await sidebar.frame.getByText('Next session would get').waitFor(PATIENCE);
    await sidebar.frame.getByText(/of 1,500 tokens/).first().waitFor(PATIENCE);
    await sidebar.frame.getByRole('button', { name: /smoke tests before a deploy/ }).waitFor(PATIENCE);
  }, 240_000);

  it('marks anchored lines in the gutter, follows them, and says in a hover what is known', async () => {
    await workbench.openFile('queue.ts');
    await workbench.selectLines(1, 3);
    await workbench.chooseFromContextMenu('Remember This');
    await workbench.answerInputBox('Jobs are pushed, never spliced !rule');
    const mark = workbench.page.locator('.margin-view-overlays .cgmr, .glyph-margin-widgets .cgmr');
    await mark.first().waitFor(PATIENCE);
    await workbench.page.locator('.view-line', { hasText: 'push' }).first().hover({ position: { x: 60, y: 8 } });
    await workbench.page.locator('.monaco-hover:visible', { hasText: 'Jobs are pushed, never spliced' }).waitFor(PATIENCE);
  }, 240_000);

  it('lists the memories of the open file below the list', async () => {
    await workbench.runCommand('Cairn: Show Memories');
    await sidebar.frame.getByRole('region', { name: 'Memories of this file' }).getByText('Jobs are pushed').waitFor(PATIENCE);
  }, 240_000);
});
