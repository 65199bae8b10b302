/**
 * In the extension host: a session that the command line queued is read by a chat model of the editor, brought by
 * another extension, once there is one.
 */
import assert from 'node:assert';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { continueSession } from '../../support/claudeSession.ts';
import { cairn, eventually } from './support.ts';
import type { ModelDriver } from './modelDriver.ts';

async function driver(): Promise<ModelDriver> {
  const extension = vscode.extensions.getExtension<ModelDriver>('cairn-tests.cairn-test-driver');
  assert.ok(extension !== undefined, 'the driver is installed');
  return extension.activate();
}

async function doctorText(): Promise<string> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  void vscode.commands.executeCommand('cairn.doctor');
  return eventually(async () => {
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    return text.startsWith('# Cairn doctor') ? text : undefined;
  }, 'the doctor\'s report');
}

describe('the editor\'s language model', () => {
  it('is waited for while the editor offers none, and doctor says so with the cure', async () => {
    await cairn();
    assert.deepStrictEqual((await driver()).requests, []);
    const text = await doctorText();
    assert.match(text, /! \*\*The editor's language model\*\*: Sessions wait to be read: this editor offers no language model/);
    assert.match(text, /→ Sign in to a provider of models/);
  });

  it('reads what waited as soon as there is one, with the person\'s words and no more than once', async () => {
    const model = await driver();
    model.appear();
    await eventually(async () => (model.requests.length > 0 ? true : undefined), 'the request');
    assert.match(model.requests[0] ?? '', /the ledger is append only/);
    const text = await eventually(async () => {
      const report = await doctorText();
      return report.includes('cairn-test/reader reads sessions.') ? report : undefined;
    }, 'a healthy doctor');
    assert.match(text, /✓ \*\*The editor's language model\*\*/);
    await vscode.commands.executeCommand('cairn.refresh');
    assert.strictEqual(model.requests.length, 1);
  });

  it('that refuses is asked no second time at once', async () => {
    const model = await driver();
    model.answer = 'refuse';
    continueSession(process.env.CAIRN_TEST_SESSION ?? '', 'hm, and what about the payroll?');
    await eventually(async () => (model.requests.length === 2 ? true : undefined), 'the refused request');
    await vscode.commands.executeCommand('cairn.refresh');
    assert.strictEqual(model.requests.length, 2);
  });
});
