/**
 * "Recall…": search as you type in a quick pick; Enter inserts at the cursor or copies,
 * the buttons do the other, or open the memory in the sidebar.
 */
import * as vscode from 'vscode';
import type { RecalledMemory, RecallResult } from '../../engine/index.ts';
import type { EngineAccess } from '../engineAccess.ts';
import { kindWord } from '../kindWords.ts';
import { shortened } from '../shortened.ts';
import type { Target } from '../../worker/engineClient.ts';

interface RecallItem extends vscode.QuickPickItem {
  readonly found?: RecalledMemory;
}

const TYPING_PAUSE_MS = 80;
const SHOWN = 50;
const LABEL_LENGTH = 120;

export async function recallPick(engine: EngineAccess, target: Target, open: (id: string) => Promise<void>): Promise<void> {
  const pick = vscode.window.createQuickPick<RecallItem>();
  const copy: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: vscode.l10n.t('Copy') };
  const show: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: vscode.l10n.t('Show in the sidebar') };
  pick.title = vscode.l10n.t('Recall');
  pick.placeholder = vscode.window.activeTextEditor === undefined ? vscode.l10n.t('Search memories; Enter copies') : vscode.l10n.t('Search memories; Enter inserts at the cursor');
  pick.matchOnDescription = false;
  let asking: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (): Promise<void> => {
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    pick.busy = true;
    try {
      const found = await engine.ask<RecallResult>('recall', { query: pick.value, limit: SHOWN, countUse: false }, target, { signal: mine.signal });
      if (mine.signal.aborted) return;
      pick.items = found.results.length === 0
        ? [{ label: vscode.l10n.t('No memory matches.'), alwaysShow: true }]
        : found.results.map((result) => ({ label: shortened(result.memory.text, LABEL_LENGTH), description: kindWord(result.memory.kind), alwaysShow: true, buttons: [copy, show], found: result }));
    } catch (error) {
      if (!mine.signal.aborted) pick.items = [{ label: error instanceof Error ? error.message : String(error), alwaysShow: true }];
    }
    if (!mine.signal.aborted) pick.busy = false;
  };
  pick.onDidChangeValue(() => {
    clearTimeout(timer);
    timer = setTimeout(() => { void ask(); }, TYPING_PAUSE_MS);
  });
  pick.onDidTriggerItemButton(async ({ item, button }) => {
    if (item.found === undefined) return;
    pick.hide();
    if (button === copy) await vscode.env.clipboard.writeText(item.found.memory.text);
    else await open(item.found.memory.id);
  });
  pick.onDidAccept(async () => {
    const text = pick.selectedItems[0]?.found?.memory.text;
    if (text === undefined) return;
    pick.hide();
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !(await editor.edit((edit) => { for (const selection of editor.selections) edit.replace(selection, text); }))) {
      await vscode.env.clipboard.writeText(text);
      void vscode.window.setStatusBarMessage(vscode.l10n.t('Copied'), 3_000);
    }
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    asking?.abort();
    pick.dispose();
  });
  pick.show();
  await ask();
}
