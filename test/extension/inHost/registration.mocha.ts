/**
 * In the extension host: activation reads whether Claude Code still knows Cairn, and what its person did since.
 */
import assert from 'node:assert';
import fs from 'node:fs';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { cairn, eventually } from './support.ts';

interface Settings {
  readonly model?: string;
  readonly enabledPlugins?: Readonly<Record<string, boolean>>;
}

const file = process.env.CAIRN_TEST_CLAUDE_SETTINGS ?? '';
const read = (): Settings => JSON.parse(fs.readFileSync(file, 'utf8')) as Settings;

describe('the registration with Claude Code', () => {
  it('is back after activation, beside what the client wrote', async () => {
    await cairn();
    const settings = await eventually(async () => (read().enabledPlugins === undefined ? undefined : read()), 'the registration');
    assert.deepStrictEqual(settings.enabledPlugins, { 'cairn@cairn-local': true });
    assert.strictEqual(settings.model, 'opus');
  });

  it('goes when the person takes it out, with the client\'s bytes as they were', async () => {
    await vscode.commands.executeCommand('cairn.unregister');
    assert.strictEqual(fs.readFileSync(file, 'utf8'), '{ "model": "opus" }\n');
  });
});
