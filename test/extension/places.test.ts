/**
 * Where there is no ordinary folder: none, an untrusted one, several, two windows on one.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, writeFiles } from '../support/temporaryFolder.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { packDriver } from '../support/editorHost/packDriver.ts';
import { runCairn } from '../support/runCairn.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

describe('without a folder', () => {
  let editor: Editor;
  beforeAll(async () => { editor = await startEditor(); }, 240_000);
  afterAll(async () => { await editor.stop(); }, 60_000);

  it('shows the person\'s own memories, and commands answer with a plain sentence', async () => {
    const workbench = await editor.open();
    const sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.frame.getByText('No folder is open').waitFor(PATIENCE);
    await sidebar.remember('I prefer short commit messages');
    await sidebar.waitForRow('I prefer short commit messages');
    await workbench.runCommand('Cairn: Look Through Past Sessions');
    await workbench.notification('Open a folder first.').first().waitFor(PATIENCE);
    await workbench.close();
  }, 240_000);
});

describe('in an untrusted folder', () => {
  let editor: Editor;
  beforeAll(async () => { editor = await startEditor({ withWorkspaceTrust: true, settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.enabled': true } }); }, 240_000);
  afterAll(async () => { await editor.stop(); }, 60_000);

  it('reads nothing of the repository and registers nothing', async () => {
    const repository = createTemporaryRepository();
    await runCairn(['add', 'The release branch is frozen on Fridays', '--json'], { home: editor.home, cwd: repository.directory });
    const workbench = await editor.open({ target: repository.directory });
    const sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.frame.getByText('This folder is not trusted').waitFor(PATIENCE);
    await sidebar.frame.getByText('Nothing is remembered here yet.').waitFor(PATIENCE);
    expect(await sidebar.row('The release branch is frozen').count()).toBe(0);
    await workbench.close();
  }, 240_000);
});

describe('in a folder that is on no disk', () => {
  let editor: Editor;
  beforeAll(async () => {
    const main = path.join(import.meta.dirname, 'virtualFolder.ts');
    editor = await startEditor({ extensions: [await packDriver({ name: 'cairn-test-files', main, manifest: { activationEvents: ['onFileSystem:cairn-test'] } })] });
  }, 240_000);
  afterAll(async () => { await editor.stop(); }, 60_000);

  it('says what is missing and keeps what the person says, for all their repositories', async () => {
    const folder = createTemporaryFolder('virtual');
    writeFiles(folder, { 'remote.code-workspace': { folders: [{ uri: 'cairn-test:/project', name: 'project' }] } });
    const workbench = await editor.open({ target: path.join(folder, 'remote.code-workspace') });
    const sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.frame.getByText('This folder is not on a disk: only your own memories are shown.').waitFor(PATIENCE);
    await workbench.selectLines(1, 1);
    await workbench.chooseFromContextMenu('Remember This');
    await workbench.answerInputBox('');
    await sidebar.waitForRow('Deploys happen on Tuesdays');
    await workbench.runCommand('Cairn: Look Through Past Sessions');
    await workbench.notification('This folder is not on a disk; open a local one.').first().waitFor(PATIENCE);
    const { memories } = (await runCairn(['list', '--user', '--json'], { home: editor.home, cwd: folder })).json<{ memories: { text: string; anchors: unknown[] }[] }>();
    expect(memories).toMatchObject([{ text: 'Deploys happen on Tuesdays', anchors: [] }]);
    await workbench.close();
  }, 240_000);
});

describe('in a workspace of two folders', () => {
  let editor: Editor;
  beforeAll(async () => { editor = await startEditor(); }, 240_000);
  afterAll(async () => { await editor.stop(); }, 60_000);

  it('takes the folder of the active editor and names both', async () => {
    const parent = createTemporaryFolder('two');
    const a = createTemporaryRepository({ name: 'project-a', parent, files: { 'alpha.md': 'alpha\n' } });
    const b = createTemporaryRepository({ name: 'project-b', parent, files: { 'beta.md': 'beta\n' } });
    writeFiles(parent, { 'both.code-workspace': { folders: [{ path: 'project-a' }, { path: 'project-b' }] } });
    for (const [repository, text] of [[a, 'Alpha uses tabs'], [b, 'Beta uses spaces']] as const) await runCairn(['add', text, '--json'], { home: editor.home, cwd: repository.directory });
    const workbench = await editor.open({ target: path.join(parent, 'both.code-workspace') });
    const sidebar = new Sidebar(workbench);
    await sidebar.show();
    await workbench.openFile('beta.md');
    await sidebar.waitForRow('Beta uses spaces');
    expect(await sidebar.row('Alpha uses tabs').count()).toBe(0);
    await workbench.openFile('alpha.md');
    await sidebar.waitForRow('Alpha uses tabs');
    expect(await sidebar.row('Beta uses spaces').count()).toBe(0);
    expect(await sidebar.frame.locator('footer .where').getAttribute('title')).toContain('[project-a] project-b');
    await workbench.close();
  }, 300_000);

  it('shows in one window what was remembered in another', async () => {
    const repository = createTemporaryRepository();
    const [one, two] = [await editor.open({ target: repository.directory }), await editor.open({ target: repository.directory })];
    const [left, right] = [new Sidebar(one), new Sidebar(two)];
    await left.show();
    await right.show();
    await left.remember('Both windows see this');
    await right.waitForRow('Both windows see this');
    await right.openRow('Both windows see this');
    await right.rewrite('Both windows see the edit');
    await left.waitForRow('Both windows see the edit');
    await one.close();
    await two.close();
  }, 300_000);
});
