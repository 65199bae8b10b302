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
      if (answer.text === undefined || answer.text.trim() === '') say(vscode.l10n.t('No Claude Code session of this folder has an answer yet.'));
      else await remember.text(answer.text, vscode.l10n.t('Claude’s last answer'), answer.text);
    }),
    guard.command('cairn.rememberTerminalSelection', async () => {
      const text = await terminalSelection();
      if (text.trim() === '') say(vscode.l10n.t('Select text in a terminal first.'));
      else await remember.text(text, vscode.l10n.t('the terminal’s selection'), text);
    }),
    guard.command('cairn.rememberProblem', async (message?: string) => {
      const text = typeof message === 'string' ? message : problemAtCursor();
      if (text === undefined) say(vscode.l10n.t('There is no problem at the cursor.'));
      else await remember.text(text, vscode.l10n.t('this problem'));
    }),
    vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, { provideCodeActions: (_document, _range, { diagnostics, triggerKind }) => problemActions(diagnostics, triggerKind) }, { providedCodeActionKinds: [vscode.CodeActionKind.Empty] }),
  ];
}

/** Only when asked for: the light bulb is not ours to light. */
function problemActions(diagnostics: readonly vscode.Diagnostic[], trigger: vscode.CodeActionTriggerKind): vscode.CodeAction[] {
  if (trigger !== vscode.CodeActionTriggerKind.Invoke) return [];
  return diagnostics.slice(0, 1).map((diagnostic) => {
    const title = vscode.l10n.t('Remember this problem');
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.Empty);
    action.command = { command: 'cairn.rememberProblem', title, arguments: [diagnostic.message] };
    return action;
  });
}

function problemAtCursor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  return vscode.languages.getDiagnostics(editor.document.uri).find((diagnostic) => diagnostic.range.contains(editor.selection.active))?.message;
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
