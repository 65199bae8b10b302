/**
 * In the extension host, in a folder that nobody trusted: nothing of it is read, given to agents or registered.
 */
import assert from 'node:assert';
import fs from 'node:fs';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { cairn } from './support.ts';

describe('in an untrusted folder', () => {
  it('the person\'s own memories are found, the repository\'s are not', async () => {
    assert.strictEqual(vscode.workspace.isTrusted, false);
    const { id } = await (await cairn()).remember('I prefer short commit messages');
    assert.deepStrictEqual((await (await cairn()).recall('')).map((memory) => memory.id), [id]);
  });

  it('agents get nothing', async () => {
    for (const name of ['cairn_recall', 'cairn_remember', 'cairn_get_context']) {
      await assert.rejects(Promise.resolve(vscode.lm.invokeTool(name, { input: { query: '', text: 'x' }, toolInvocationToken: undefined })), /not trusted/);
    }
    await vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true, autoTrustChanges: true });
    assert.deepStrictEqual(vscode.lm.tools.filter(({ name }) => name.startsWith('mcp_cairn')), []);
  });

  it('what a client stripped of the registration stays away', () => {
    assert.strictEqual(fs.readFileSync(process.env.CAIRN_TEST_CLAUDE_SETTINGS ?? '', 'utf8'), '{}\n');
  });
});
