/**
 * The command that lets one of the editor's language models read sessions: the person's yes,
 * the editor's own question of consent, and the two settings that say so.
 */
import * as vscode from 'vscode';
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
  readonly models: EditorModels;
  readonly waiting: WaitingBatches;
}

export function registerModelCommands({ guard, engine, state, models, waiting }: ModelCommandParts): vscode.Disposable[] {
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
  ];
}
