/**
 * In the extension host without a folder: every contributed command ends with a plain answer and throws nothing.
 */
import assert from 'node:assert';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';

const ID = 'cairn.cairn-memory';

/** Turns away from whatever the command asks, until it ends. */
async function runToEnd(command: string): Promise<void> {
  let ended = false;
  const run = Promise.resolve(vscode.commands.executeCommand(command)).finally(() => { ended = true; });
  // The rejection is looked at below; until then it must not count as unhandled.
  run.catch(() => undefined);
  for (const end = Date.now() + 40_000; !ended && Date.now() < end;) {
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await vscode.commands.executeCommand('notifications.clearAll');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(ended, `${command} did not end`);
  await run;
}

describe('without a folder', () => {
  const manifest = vscode.extensions.getExtension(ID)?.packageJSON as { contributes: { commands: { command: string }[] } };
  it('has no folder', () => { assert.strictEqual(vscode.workspace.workspaceFolders, undefined); });
  for (const { command } of manifest.contributes.commands) it(`ends ${command} without an exception`, async () => runToEnd(command));
});
