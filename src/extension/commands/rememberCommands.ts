/**
 * Commands that remember.
 */
import * as vscode from 'vscode';
import type { EngineAccess } from '../engineAccess.ts';
import type { RememberThis } from '../remember/rememberThis.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import type { Guard } from './guard.ts';

export interface RememberCommandParts {
  readonly guard: Guard;
  readonly remember: RememberThis;
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
}

export function registerRememberCommands({ guard, remember, engine, workspace }: RememberCommandParts): vscode.Disposable[] {
  const say = (sentence: string): void => { void vscode.window.showInformationMessage(sentence); };
  return [
    guard.command('cairn.remember', async () => remember.statement()),
    guard.command('cairn.rememberSelection', async () => remember.selection()),
    guard.command('cairn.rememberFile', async (uri?: vscode.Uri | { resourceUri?: vscode.Uri }) => {
      const given = uri instanceof vscode.Uri ? uri : uri?.resourceUri;
      return remember.file(given);
    }),
    guard.command('cairn.rememberLastAnswer', async () => {
      const answer = await engine.ask<{ text?: string; sessionId?: string }>('lastAnswer', {}, workspace.current.target);
      if (answer.text !== undefined && answer.text.trim() !== '') return remember.text(answer.text, vscode.l10n.t('Claude’s last answer'), answer.text);
      say(vscode.l10n.t('No Claude Code session of this folder has an answer yet.'));
      return undefined;
    }),
    guard.command('cairn.rememberTerminalSelection', async () => {
      const text = await terminalSelection();
      if (text.trim() !== '') return remember.text(text, vscode.l10n.t('the terminal’s selection'), text);
      say(vscode.l10n.t('Select text in a terminal first.'));
      return undefined;
    }),
    guard.command('cairn.rememberProblem', async (given?: Problem) => {
      const problem = given ?? problemAtCursor();
      if (problem !== undefined) return remember.problem(problem.uri, problem.range, problem.message);
      say(vscode.l10n.t('There is no problem at the cursor.'));
      return undefined;
    }),
    vscode.languages.registerCodeActionsProvider({ pattern: '**' }, { provideCodeActions: ({ uri }, _range, { diagnostics, triggerKind }) => problemActions(uri, diagnostics, triggerKind) }, { providedCodeActionKinds: [vscode.CodeActionKind.Empty] }),
  ];
}

interface Problem {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  readonly message: string;
}

/** Only when asked for: the light bulb is not ours to light. */
function problemActions(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[], trigger: vscode.CodeActionTriggerKind): vscode.CodeAction[] {
  if (trigger !== vscode.CodeActionTriggerKind.Invoke) return [];
  return diagnostics.slice(0, 1).map((diagnostic) => {
    const title = vscode.l10n.t('Remember this problem');
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.Empty);
    action.command = { command: 'cairn.rememberProblem', title, arguments: [{ uri, range: diagnostic.range, message: diagnostic.message } satisfies Problem] };
    return action;
  });
}

/** The one under the cursor, else the first in its line. */
function problemAtCursor(): Problem | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { uri } = editor.document;
  const cursor = editor.selection.active;
  const inLine = vscode.languages.getDiagnostics(uri).filter(({ range }) => range.start.line <= cursor.line && range.end.line >= cursor.line);
  const found = inLine.find(({ range }) => range.contains(cursor)) ?? inLine[0];
  return found === undefined ? undefined : { uri, range: found.range, message: found.message };
}

/** The API gives no terminal selection: it is copied, read, and the clipboard put back. */
async function terminalSelection(): Promise<string> {
  const before = await vscode.env.clipboard.readText();
  await vscode.env.clipboard.writeText('');
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    return await vscode.env.clipboard.readText();
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}
