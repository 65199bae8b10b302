/**
 * The receipt at a session's end [U10]: once, with the numbers, and a way into the inbox; the same numbers in the status
 * bar without asking for anything.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { continueSession, writeSession } from '../support/claudeSession.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

describe('the receipt of a session', () => {
  const home = createTemporaryHome();
  const repository = createTemporaryRepository();
  const session = writeSession(home.claudeDirectory, repository.directory, ['Hello, what is in this repository?']);
  let editor: Editor;

  beforeAll(async () => {
    const consent = await runCairn(['init', '--no-register'], { home, cwd: repository.directory });
    expect(consent.code, consent.stderr).toBe(0);
    editor = await startEditor({ home, settings: { 'cairn.editor.receipts': true } });
  }, 240_000);
  afterAll(async () => { await editor.stop(); }, 60_000);

  it('comes once, when its end was captured, and leads to the proposal', async () => {
    const workbench = await editor.open({ target: repository.directory });
    const sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.frame.getByText('Nothing is remembered here yet.').waitFor(PATIENCE);
    continueSession(session, 'From now on always run the smoke tests before a deploy.');
    // The editor follows the file by itself; that the session is over only its end tells.
    await workbench.statusBarItem('1 to review').first().waitFor(PATIENCE);
    const saved = await runCairn(['save'], { home, cwd: repository.directory, stdin: JSON.stringify({ transcript_path: session }) });
    expect(saved.code, saved.stderr).toBe(0);
    const receipt = workbench.notification('From the session: 0 remembered, 1 proposed.');
    await receipt.first().waitFor(PATIENCE);
    expect(await receipt.count()).toBe(1);
    await workbench.chooseFromNotification('From the session:', 'Review');
    await sidebar.frame.getByText('always run the smoke tests before a deploy').first().waitFor(PATIENCE);
    await workbench.statusBarItem('1 to review').first().hover();
    await workbench.page.locator('.monaco-hover', { hasText: 'Sessions last read' }).first().waitFor(PATIENCE);
    await workbench.close();
  }, 240_000);
});
