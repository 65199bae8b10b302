/**
 * Runs inside the extension host: hands over what the editor itself measured of extensions' activation.
 */
import fs from 'node:fs';
import { it } from 'mocha';
import * as vscode from 'vscode';

it('reads the editor\'s table of activations', async () => {
  await vscode.extensions.getExtension('cairn.cairn-memory')?.activate();
  await vscode.commands.executeCommand('perfview.show');
  for (let text = ''; !/cairn\.cairn-memory\s+\|/.test(text);) {
    text = vscode.window.activeTextEditor?.document.getText() ?? '';
    fs.writeFileSync(process.env.CAIRN_BENCH_OUTPUT ?? '', text);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
