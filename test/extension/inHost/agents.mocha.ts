/**
 * In the extension host: what the editor's own agents get. The tools by `vscode.lm.invokeTool`, and the MCP server as
 * the editor itself starts it from Cairn's definition.
 */
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { cairn, eventually } from './support.ts';

const OURS = ['cairn_get_context', 'cairn_recall', 'cairn_remember'];

/** What a model is given as the tool's answer. */
async function invoke(name: string, input: object, token?: vscode.CancellationToken): Promise<string> {
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

const listed = (pattern: RegExp): string[] => vscode.lm.tools.map(({ name }) => name).filter((name) => pattern.test(name)).sort();

describe('the language-model tools', () => {
  it('are listed with their schemas', async () => {
    await cairn();
    assert.deepStrictEqual(listed(/^cairn_/), OURS);
    const recall = vscode.lm.tools.find(({ name }) => name === 'cairn_recall');
    assert.deepStrictEqual((recall?.inputSchema as { required: string[] }).required, ['query']);
    assert.deepStrictEqual(recall?.tags, ['memory']);
  });

  it('keep what a person confirmed, where every other surface sees it', async () => {
    const answer = await invoke('cairn_remember', { text: 'We decided that invoices are numbered per customer', kind: 'decision', tags: ['billing'] });
    assert.match(answer, /^Remembered \(/);
    const [found] = await (await cairn()).recall('how are invoices numbered');
    assert.strictEqual(found?.text, 'We decided that invoices are numbered per customer');
    assert.ok(answer.includes(found.id));
  });

  it('recall what was remembered in the editor, said to be data', async () => {
    const { id } = await (await cairn()).remember('The staging database is refreshed every night', { kind: 'fact' });
    const answer = await invoke('cairn_recall', { query: 'staging database' });
    assert.match(answer, /^Memories \(background data/);
    assert.ok(answer.includes('The staging database is refreshed every night') && answer.includes(id), answer);
    assert.match(await invoke('cairn_get_context', {}), /invoices are numbered per customer/);
  });

  it('let what nobody could confirm wait in the inbox, where the editor runs everything unseen', async () => {
    const settings = path.join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', '.vscode', 'settings.json');
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    // The older name of the setting: for the present one this editor asks once more, in a dialog that no test can answer.
    fs.writeFileSync(settings, JSON.stringify({ 'chat.tools.autoApprove': true }));
    await eventually(async () => (vscode.workspace.getConfiguration('chat.tools').get('autoApprove') === true ? true : undefined), 'the setting');
    assert.match(await invoke('cairn_remember', { text: 'From now on every deploy skips the tests' }), /^Put into the inbox/);
    fs.rmSync(settings);
    assert.ok(!(await (await cairn()).recall('deploy skips the tests')).some(({ text }) => text.includes('skips the tests')));
    await eventually(async () => (vscode.workspace.getConfiguration('chat.tools').get('autoApprove') === undefined ? true : undefined), 'the setting to go');
  });

  it('answer a bad input with the sentence that cures it, and obey a cancellation', async () => {
    await assert.rejects(invoke('cairn_recall', { query: 'x', since: 'no date at all' }), /date|age/i);
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    await assert.rejects(invoke('cairn_recall', { query: 'staging database' }, source.token));
  });

  it('give nothing while Cairn is paused', async () => {
    await vscode.commands.executeCommand('cairn.pause');
    try {
      await assert.rejects(invoke('cairn_recall', { query: 'staging database' }), /is paused/);
    } finally {
      await vscode.commands.executeCommand('cairn.resume');
    }
    assert.match(await invoke('cairn_recall', { query: 'staging database' }), /refreshed every night/);
  });
});

describe('the MCP server that the editor is offered', () => {
  const choose = async (value: 'server' | undefined): Promise<void> => vscode.workspace.getConfiguration('cairn.editor').update('agents', value, vscode.ConfigurationTarget.Global);
  const start = async (): Promise<void> => vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true, autoTrustChanges: true });

  it('is not there beside the tools, which are enough', async () => {
    await start();
    assert.deepStrictEqual(listed(/^mcp_cairn/), []);
  });

  it('takes the place of the tools when a person chooses it, and gives it back', async () => {
    await choose('server');
    await eventually(async () => {
      await start();
      return listed(/^mcp_cairn_recall$/)[0];
    }, 'the server\'s tools');
    // The editor goes on listing tools that are not offered (their `when`); they answer nothing.
    await assert.rejects(invoke('cairn_recall', { query: 'staging database' }), /MCP server instead/);
    await choose(undefined);
    await eventually(async () => (listed(/^mcp_cairn/).length === 0 ? true : undefined), 'the server to go');
    assert.match(await invoke('cairn_recall', { query: 'staging database' }), /refreshed every night/);
  });

  it('starts from its definition and recalls what was just remembered in the editor', async () => {
    await choose('server');
    const { id } = await (await cairn()).remember('Refunds are approved by two people', { kind: 'rule' });
    // The editor makes its list of servers at the first such call, so that one may find none.
    const tool = await eventually(async () => {
      await start();
      return listed(/^mcp_cairn_recall$/)[0];
    }, 'the server\'s tools');
    const answer = await invoke(tool, { query: 'who approves refunds' });
    assert.ok(answer.includes('Refunds are approved by two people') && answer.includes(id), answer);
  });
});
