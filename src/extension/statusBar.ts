/**
 * The status bar: count and inbox, or what keeps Cairn from working; a tooltip with the
 * facts; a menu on click; and for some seconds after Remember, "Remembered · Undo · Open".
 */
import * as vscode from 'vscode';
import type { HostState } from './hostState.ts';
import type { HostSnapshot } from '../protocol/index.ts';

const PRIORITY = 90;
const ANNOUNCED_MS = 10_000;
const MIB = 1_048_576;

export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #announced: vscode.StatusBarItem[] = [];
  readonly #subscription: vscode.Disposable;
  readonly #state: HostState;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: HostState) {
    this.#state = state;
    this.#item = vscode.window.createStatusBarItem('cairn.status', vscode.StatusBarAlignment.Right, PRIORITY);
    this.#item.name = 'Cairn';
    this.#item.command = 'cairn.statusMenu';
    this.#subscription = state.onDidChange((snapshot) => { this.#show(snapshot); });
    this.#show(state.snapshot);
    this.#item.show();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    this.#item.dispose();
    this.#clearAnnounced();
  }

  /** `openId` adds "Open"; undo is offered when there is something to take back. */
  announce(message: string, undoable: boolean, openId: string | undefined): void {
    this.#clearAnnounced();
    const add = (id: string, text: string, priority: number, command?: vscode.Command): void => {
      const item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority);
      item.name = vscode.l10n.t('Cairn: last memory');
      item.text = text;
      item.command = command;
      item.accessibilityInformation = { label: text.replace(/\$\([^)]*\)\s*/, ''), role: command === undefined ? 'status' : 'button' };
      item.show();
      this.#announced.push(item);
    };
    add('cairn.announced', `$(check) ${message}`, 3);
    if (undoable) add('cairn.announcedUndo', vscode.l10n.t('Undo'), 2, { command: 'cairn.undo', title: vscode.l10n.t('Undo') });
    if (openId !== undefined) add('cairn.announcedOpen', vscode.l10n.t('Open'), 1, { command: 'cairn.memory.open', title: vscode.l10n.t('Open'), arguments: [openId] });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#clearAnnounced(); }, ANNOUNCED_MS);
  }

  #clearAnnounced(): void {
    for (const item of this.#announced.splice(0)) item.dispose();
  }

  #show(snapshot: HostSnapshot): void {
    const { text, warning } = statusText(snapshot);
    this.#item.text = text;
    this.#item.backgroundColor = warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.tooltip = tooltip(snapshot, this.#state);
    this.#item.accessibilityInformation = { label: `Cairn: ${text.replaceAll(/\$\([^)]*\)\s*/g, '')}`, role: 'button' };
  }
}

export function statusText(snapshot: HostSnapshot): { text: string; warning: boolean } {
  switch (snapshot.state) {
    case 'unsupported': return { text: `$(warning) ${vscode.l10n.t('Cairn: needs a newer editor')}`, warning: true };
    case 'failed': return { text: `$(warning) ${vscode.l10n.t('Cairn: not working')}`, warning: true };
    case 'paused': return { text: `$(debug-pause) ${vscode.l10n.t('Cairn paused')}`, warning: false };
    case 'starting': return { text: '$(cairn-stones)', warning: false };
    default: {
      const count = snapshot.counts.memories.toLocaleString(vscode.env.language);
      const review = snapshot.counts.inbox > 0 ? ` · ${vscode.l10n.t('{0} to review', snapshot.counts.inbox)}` : '';
      return { text: `${snapshot.state === 'degraded' ? '$(warning)' : '$(cairn-stones)'} ${count}${review}`, warning: false };
    }
  }
}

function tooltip(snapshot: HostSnapshot, { status, waitingBecause }: HostState): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(undefined, true);
  markdown.appendMarkdown('**Cairn**\n\n');
  if (snapshot.repository !== undefined) markdown.appendText(`${snapshot.repository.name}${snapshot.branch === undefined ? '' : ` · ${snapshot.branch}`}\n\n`);
  if (status !== undefined) {
    markdown.appendText(`${vscode.l10n.t('{0} memories here, {1} of yours everywhere', status.counts.repository, status.counts.user)}\n\n`);
    markdown.appendText(`${vscode.l10n.t('Store: {0} MiB', (status.storeSizeBytes / MIB).toFixed(1))}\n\n`);
    if (status.lastCapture !== undefined) markdown.appendText(`${vscode.l10n.t('Sessions last read {0}: {1} remembered, {2} proposed', new Date(status.lastCapture.at).toLocaleString(vscode.env.language), status.lastCapture.remembered, status.lastCapture.proposed)}\n\n`);
    markdown.appendText(`${vscode.l10n.t('Spent today: {0} of {1} USD', status.spendTodayUsd.toFixed(2), status.spendCapUsd.toFixed(2))}\n\n`);
    if (!status.enabled && snapshot.workspace === 'folder') markdown.appendText(`${vscode.l10n.t('Claude Code does not use it here yet.')}\n\n`);
  }
  if (waitingBecause !== undefined) markdown.appendText(`${vscode.l10n.t('Sessions wait to be read: {0}.', waitingBecause)}\n\n`);
  if (snapshot.reason !== undefined) markdown.appendText(snapshot.reason);
  return markdown;
}

/** The menu behind the item. */
export async function showStatusMenu(state: HostState): Promise<void> {
  const { snapshot } = state;
  const items: (vscode.QuickPickItem & { command?: string })[] = [
    { label: `$(list-unordered) ${vscode.l10n.t('Memories')}`, command: 'cairn.showMemories' },
    { label: `$(inbox) ${vscode.l10n.t('Inbox')}`, ...(snapshot.counts.inbox > 0 ? { description: String(snapshot.counts.inbox) } : {}), command: 'cairn.showInbox' },
    { label: `$(search) ${vscode.l10n.t('Recall…')}`, command: 'cairn.recall' },
    { label: `$(add) ${vscode.l10n.t('Remember…')}`, command: 'cairn.remember' },
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    snapshot.state === 'paused' ? { label: `$(debug-continue) ${vscode.l10n.t('Resume')}`, command: 'cairn.resume' } : { label: `$(debug-pause) ${vscode.l10n.t('Pause')}`, command: 'cairn.pause' },
    ...(snapshot.state === 'off' ? [{ label: `$(rocket) ${vscode.l10n.t('Set up')}`, command: 'cairn.firstRun' }] : []),
    { label: `$(graph) ${vscode.l10n.t('Insights')}`, command: 'cairn.openInsights' },
    { label: `$(gear) ${vscode.l10n.t('Settings')}`, command: 'cairn.openSettings' },
    { label: `$(pulse) ${vscode.l10n.t('Doctor')}`, command: 'cairn.doctor' },
    { label: `$(output) ${vscode.l10n.t('Show log')}`, command: 'cairn.showLog' },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: 'Cairn', ...(snapshot.reason === undefined ? {} : { placeHolder: snapshot.reason.split('\n')[0] ?? '' }) });
  if (chosen?.command !== undefined) await vscode.commands.executeCommand(chosen.command);
}
