/**
 * `cairn` in the editor's terminals: CAIRN_HOME/bin at the end of their PATH, so that the
 * command line is there without installing anything, and never before a program that the
 * person has under the same name.
 */
import path from 'node:path';
import * as vscode from 'vscode';

type TerminalEnvironment = Pick<vscode.EnvironmentVariableCollection, 'append' | 'clear'> & { description: string | vscode.MarkdownString | undefined };

/** The editor keeps the change for windows to come and takes it back when the extension is removed. */
export function offerInTerminals(environment: TerminalEnvironment, home: string): void {
  environment.clear(); // an earlier window may have had another home
  environment.description = vscode.l10n.t('The `cairn` command');
  environment.append('PATH', `${path.delimiter}${path.join(home, 'bin')}`);
}
