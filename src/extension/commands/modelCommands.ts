/**
 * Commands about models that read sessions. Using one of the editor's: the person's yes, the
 * editor's own question of consent, and the two settings that say so. Setting a provider's key:
 * into the editor's secret storage, never into a file of ours.
 */
import * as vscode from 'vscode';
import { EDITOR_KEYS } from '../editorKeys.ts';
import type { EditorKeyName, EditorKeys } from '../editorKeys.ts';
import type { EditorModels } from '../editorModels.ts';
import type { EngineAccess } from '../engineAccess.ts';
import type { HostState } from '../hostState.ts';
import type { WaitingBatches } from '../waitingBatches.ts';
import type { Guard } from './guard.ts';
import { withProgress } from './guard.ts';

export interface ModelCommandParts {
  readonly guard: Guard;
  readonly engine: EngineAccess;
  readonly state: HostState;
  readonly keys: EditorKeys;
  readonly models: EditorModels;
  readonly waiting: WaitingBatches;
}

export function registerModelCommands({ guard, engine, keys, state, models, waiting }: ModelCommandParts): vscode.Disposable[] {
  return [
    guard.command('cairn.useEditorModel', async () => {
      const wished = vscode.workspace.getConfiguration('cairn').get<string | null>('extraction.model') ?? undefined;
      const { model } = await withProgress(vscode.l10n.t('Cairn: asking the editor’s language model'), async (signal) => models.allow(wished, signal));
      const go = vscode.l10n.t('Let It Read');
      const detail = vscode.l10n.t('What you and Claude say goes to its provider, with secrets masked. It costs no money here, but counts against your plan there.');
      if (await vscode.window.showInformationMessage(vscode.l10n.t('Let {0} read your Claude Code sessions, to propose what is worth remembering?', model), { modal: true, detail }, go) !== go) return;
      for (const [key, value] of [['extraction.provider', 'vscode'], ['capture.mode', 'model']] as const) await engine.ask('setSetting', { key, value, level: 'user' }, { userOnly: true });
      state.bump();
      await waiting.read();
    }),
    guard.command('cairn.setKey', async () => {
      const chosen = await vscode.window.showQuickPick((Object.keys(EDITOR_KEYS) as EditorKeyName[]).map((name) => ({ label: EDITOR_KEYS[name], description: name, name })), { title: vscode.l10n.t('Whose key?'), placeHolder: vscode.l10n.t('It stays in this editor’s secret storage; a provider is used only where you chose it') });
      if (chosen === undefined) return;
      const value = await vscode.window.showInputBox({ title: chosen.label, prompt: vscode.l10n.t('The key; an empty text takes it out'), password: true, ignoreFocusOut: true });
      if (value === undefined) return;
      await keys.set(chosen.name, value);
      // The worker is given its keys at its start.
      await engine.restart();
      state.bump();
      void vscode.window.setStatusBarMessage(value.trim() === '' ? vscode.l10n.t('The key was taken out') : vscode.l10n.t('The key is kept'), 3_000);
      await waiting.read();
    }),
  ];
}
