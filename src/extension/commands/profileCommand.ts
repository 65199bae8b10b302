/**
 * The person's profile [K7] as a quick pick: key and value, changed or taken out in place.
 */
import * as vscode from 'vscode';
import type { ProfileValue } from '../../engine/index.ts';
import type { EngineAccess } from '../engineAccess.ts';
import type { HostState } from '../hostState.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import type { Guard } from './guard.ts';

interface ProfileItem extends vscode.QuickPickItem {
  /** Absent: the row that adds one. */
  readonly known?: ProfileValue;
}

export interface ProfileCommandParts {
  readonly guard: Guard;
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
  readonly state: HostState;
}

export function registerProfileCommand({ guard, engine, workspace, state }: ProfileCommandParts): vscode.Disposable {
  return guard.command('cairn.showProfile', async () => {
    const { target } = workspace.current;
    const { values } = await engine.ask<{ values: readonly ProfileValue[] }>('profile', {}, target);
    const chosen = await choose(values);
    if (chosen === undefined) return;
    const key = chosen.item.known?.key ?? (await vscode.window.showInputBox({ title: vscode.l10n.t('Profile'), prompt: vscode.l10n.t('What is it about? For example python.formatter') }))?.trim();
    if (key === undefined || key === '') return;
    const value = chosen.remove ? null : await vscode.window.showInputBox({ title: key, value: chosen.item.known?.value ?? '', validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Write at least one word.') : undefined) });
    if (value === undefined) return;
    await engine.ask('editProfile', { key, value }, target);
    state.bump();
    void vscode.window.setStatusBarMessage(value === null ? vscode.l10n.t('{0} is no longer in your profile', key) : `${key}: ${value}`, 3_000);
  });
}

async function choose(values: readonly ProfileValue[]): Promise<{ readonly item: ProfileItem; readonly remove: boolean } | undefined> {
  const pick = vscode.window.createQuickPick<ProfileItem>();
  const takeOut: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('close'), tooltip: vscode.l10n.t('Take out') };
  pick.title = vscode.l10n.t('Profile');
  pick.placeholder = vscode.l10n.t('What Claude knows of you in every repository; Enter changes a value');
  pick.matchOnDescription = true;
  pick.items = [
    ...values.map((known): ProfileItem => ({ label: known.key, description: known.value, detail: known.edited ? vscode.l10n.t('set by you') : vscode.l10n.t('from {0} memories', known.memoryIds.length), buttons: [takeOut], known })),
    { label: `$(add) ${vscode.l10n.t('Add a value…')}`, alwaysShow: true },
  ];
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => {
        const item = pick.selectedItems[0];
        resolve(item === undefined ? undefined : { item, remove: false });
      });
      pick.onDidTriggerItemButton(({ item }) => { resolve({ item, remove: true }); });
      pick.onDidHide(() => { resolve(undefined); });
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
