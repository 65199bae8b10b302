/**
 * In the extension host with the real `vscode` API: activation, commands, the API for other extensions.
 */
import assert from 'node:assert';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { cairn as api, EXTENSION_ID as ID, eventually } from './support.ts';

describe('the extension', () => {
  it('activates and hands out its API', async () => {
    assert.strictEqual((await api()).version, 1);
  });

  it('contributes every command it registers and registers every command it contributes', async () => {
    await api();
    const manifest = vscode.extensions.getExtension(ID)?.packageJSON as { contributes: { commands: { command: string }[] } };
    const contributed = manifest.contributes.commands.map(({ command }) => command).sort();
    // The views' own commands (focus, resetViewLocation ...) are the editor's.
    const registered = (await vscode.commands.getCommands(true)).filter((command) => command.startsWith('cairn.') && !command.startsWith('cairn.sidebar.')).sort();
    assert.deepStrictEqual(registered, contributed);
  });

  it('remembers and recalls for other extensions, and tells them of changes', async () => {
    const cairn = await api();
    let changes = 0;
    const subscription = cairn.onDidChange(() => { changes += 1; });
    const { id, outcome } = await cairn.remember('Orders are stored in PostgreSQL', { kind: 'decision', tags: ['db'] });
    assert.strictEqual(outcome, 'added');
    const found = await cairn.recall('PostgreSQL orders');
    assert.ok(found.some((memory) => memory.id === id && memory.kind === 'decision' && memory.tags.includes('db')));
    await eventually(async () => (changes > 0 ? true : undefined), 'a change');
    subscription.dispose();
  });

  it('refuses bad input with a code', async () => {
    const cairn = await api();
    await assert.rejects(cairn.remember('   '), (error: Error & { code?: string }) => error.code === 'TEXT_EMPTY');
    await assert.rejects(cairn.remember('x', { kind: 'nonsense' }), (error: Error & { code?: string }) => error.code === 'KIND_UNKNOWN');
    await assert.rejects(cairn.recall('x', { limit: 0 }), (error: Error & { code?: string }) => error.code === 'LIMIT_RANGE');
  });

  it('takes back the last act of this window', async () => {
    const cairn = await api();
    const { id } = await cairn.remember('A statement that is taken back');
    await vscode.commands.executeCommand('cairn.undo');
    assert.ok(!(await cairn.recall('statement that is taken back')).some((memory) => memory.id === id));
  });

  it('offers its MCP server to the editor\'s own agents, where the editor has any', () => {
    assert.strictEqual(typeof vscode.lm.registerMcpServerDefinitionProvider, 'function');
  });

  it('gives the editor\'s agents nothing before the repository\'s yes', async () => {
    await api();
    for (const name of ['cairn_recall', 'cairn_remember', 'cairn_get_context']) {
      await assert.rejects(Promise.resolve(vscode.lm.invokeTool(name, { input: { query: 'orders', text: 'An agent\'s own idea' }, toolInvocationToken: undefined })), /not switched on for this repository/);
    }
  });

  it('pauses and goes on', async () => {
    await api();
    await vscode.commands.executeCommand('cairn.pause');
    await vscode.commands.executeCommand('cairn.resume');
  });

  it('keeps the thread of the extension host free while it activates', async () => {
    // Order of events, not a time: a task queued before a call into the engine runs before its answer.
    const cairn = await api();
    const order: string[] = [];
    const answer = cairn.recall('anything').then(() => { order.push('answer'); });
    setImmediate(() => { order.push('loop turned'); });
    await answer;
    assert.deepStrictEqual(order, ['loop turned', 'answer']);
  });
});
