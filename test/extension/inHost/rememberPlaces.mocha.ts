/**
 * In the extension host: everything that "Remember This" takes besides a selection. The quick input is accepted as it
 * comes, so what is stored is what Cairn proposes.
 */
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { RememberResult } from '../../../src/engine/index.ts';
import { cairn, eventually } from './support.ts';

const root = (): string => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
const order = (): vscode.Uri => vscode.Uri.file(path.join(root(), 'src', 'order.ts'));

/** Runs a command and accepts its quick input. */
async function rememberBy(command: string, ...args: readonly unknown[]): Promise<RememberResult> {
  let ended = false;
  const run = Promise.resolve(vscode.commands.executeCommand<RememberResult | undefined>(command, ...args)).finally(() => { ended = true; });
  await eventually(async () => {
    if (!ended) await vscode.commands.executeCommand('quickInput.accept');
    return ended ? true : undefined;
  }, `${command} to end`);
  const result = await run;
  assert.ok(result !== undefined, `${command} remembered nothing`);
  return result;
}

describe('what is at hand', () => {
  it('is a file: the memory points to it as a whole', async () => {
    await cairn();
    const { memory } = await rememberBy('cairn.rememberFile', order());
    assert.deepStrictEqual(memory?.anchors.map(({ path: file, startLine }) => [file, startLine]), [['src/order.ts', undefined]]);
    // From a row of the source-control view, which hands over something that has the file.
    assert.strictEqual((await rememberBy('cairn.rememberFile', { resourceUri: order() })).outcome, 'duplicate');
  });

  it('is a problem: its message, anchored to its lines', async () => {
    const problems = vscode.languages.createDiagnosticCollection('test');
    problems.set(order(), [new vscode.Diagnostic(new vscode.Range(1, 0, 1, 5), 'Tax is never read')]);
    const editor = await vscode.window.showTextDocument(order());
    editor.selection = new vscode.Selection(1, 8, 1, 8);
    const { memory } = await rememberBy('cairn.rememberProblem');
    problems.dispose();
    assert.strictEqual(memory?.text, 'Tax is never read');
    assert.deepStrictEqual(memory.anchors.map(({ path: file, startLine, endLine }) => [file, startLine, endLine]), [['src/order.ts', 2, 2]]);
  });

  it('is Claude\'s last answer in a session of this folder, with the words as they were', async () => {
    const { memory } = await rememberBy('cairn.rememberLastAnswer');
    assert.strictEqual(memory?.text, 'Understood.');
    assert.strictEqual(memory.provenance.quote, 'Understood.');
  });

  it('is what is selected in a terminal, and the clipboard stays as it was', async () => {
    await vscode.env.clipboard.writeText('mine');
    const terminal = vscode.window.createTerminal({ name: 'test', shellPath: '/bin/sh', env: { PS1: '> ' } });
    terminal.show();
    terminal.sendText('echo "port $((8000 + 420)) is taken"');
    const result = await eventually(async () => {
      await vscode.commands.executeCommand('workbench.action.terminal.focus');
      await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
      await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
      return (await vscode.env.clipboard.readText()).includes('port 8420 is taken') ? true : undefined;
    }, 'the terminal\'s output');
    assert.ok(result);
    await vscode.env.clipboard.writeText('mine');
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    const { memory } = await rememberBy('cairn.rememberTerminalSelection');
    assert.match(memory?.text ?? '', /port 8420 is taken/);
    assert.strictEqual(await vscode.env.clipboard.readText(), 'mine');
    terminal.dispose();
  });
});

describe('the editor\'s terminals', () => {
  it('know the command cairn, after whatever else the PATH has, and it answers for the open folder', async () => {
    await cairn();
    const answer = path.join(root(), 'answer.txt');
    const terminal = vscode.window.createTerminal({ name: 'command', shellPath: '/bin/sh', cwd: root() });
    terminal.show();
    terminal.sendText(`cairn search "Tax is never read" --json > '${answer}.part'; echo "$PATH" >> '${answer}.part'; mv '${answer}.part' '${answer}'`);
    const text = await eventually(async () => {
      try {
        return await fs.promises.readFile(answer, 'utf8');
      } catch {
        return undefined; // not answered yet
      }
    }, 'the command\'s answer');
    terminal.dispose();
    await fs.promises.rm(answer);
    const lines = text.trimEnd().split('\n');
    const found = JSON.parse(lines.slice(0, -1).join('\n')) as { results: { text: string }[] };
    assert.strictEqual(found.results[0]?.text, 'Tax is never read');
    assert.strictEqual(lines.at(-1)?.split(path.delimiter).at(-1), path.join(process.env['CAIRN_HOME'] ?? '', 'bin'));
  });
});
