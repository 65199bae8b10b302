/**
 * In the extension host: the sample of docs/extension-api.md, as the extension of somebody else beside Cairn.
 */
import assert from 'node:assert';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { cairn, eventually } from './support.ts';

describe('another extension', () => {
  it('keeps and finds memories through the API, and learns of bad input by its code', async () => {
    await cairn();
    await eventually(async () => ((await vscode.commands.getCommands(true)).includes('sample.keep') ? true : undefined), 'the sample');
    assert.strictEqual(await vscode.commands.executeCommand('sample.keep', 'Feature flags live in flags.yaml'), 'kept');
    assert.deepStrictEqual(await vscode.commands.executeCommand('sample.whatIsKnown', 'feature flags'), ['decision: Feature flags live in flags.yaml']);
    assert.strictEqual(await vscode.commands.executeCommand('sample.keep', '  '), 'refused: TEXT_EMPTY');
  });

  it('is told when a memory changed', async () => {
    await vscode.commands.executeCommand('sample.whatIsKnown', 'feature flags');
    await (await cairn()).remember('Flags are removed after a release', { anchor: { path: 'src/order.ts', startLine: 1, endLine: 2 } });
    await eventually(async () => ((await vscode.commands.executeCommand('sample.isStale')) === true ? true : undefined), 'the event');
  });
});
