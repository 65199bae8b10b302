/**
 * Pages of the editor area: one panel per page, brought up again instead of doubled, and
 * restored after a reload.
 */
import * as vscode from 'vscode';
import type { ViewEvent } from '../../protocol/index.ts';
import type { HostState } from '../hostState.ts';
import type { Log } from '../log.ts';
import { webviewDocument, webviewFolder } from '../sidebar/webviewDocument.ts';
import type { PageName } from '../sidebar/webviewDocument.ts';
import type { OpenLink, WebviewLink } from '../sidebar/webviewLink.ts';

export type PanelPage = Exclude<PageName, 'sidebar'>;
const PAGES: readonly PanelPage[] = ['firstRun', 'insights', 'graph'];

export interface PagePanelParts {
  readonly extensionUri: vscode.Uri;
  readonly state: HostState;
  readonly openLink: OpenLink;
  readonly log: Log;
}

const titleOf = (page: PanelPage): string => (page === 'firstRun' ? vscode.l10n.t('Cairn: Set Up') : page === 'insights' ? vscode.l10n.t('Cairn: Insights') : vscode.l10n.t('Cairn: Graph'));

export class PagePanels implements vscode.Disposable {
  readonly #parts: PagePanelParts;
  readonly #open = new Map<PanelPage, { readonly panel: vscode.WebviewPanel; link?: WebviewLink }>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(parts: PagePanelParts) {
    this.#parts = parts;
    this.#subscriptions = [
      parts.state.onDidChange((snapshot) => { for (const { link } of this.#open.values()) link?.tellSnapshot(snapshot); }),
      ...PAGES.map((page) => vscode.window.registerWebviewPanelSerializer(`cairn.${page}`, { deserializeWebviewPanel: async (panel) => { this.#fill(page, panel); } })),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const { panel } of this.#open.values()) panel.dispose();
  }

  /** Brings the page up, and tells it something. */
  open(page: PanelPage, event?: ViewEvent): void {
    const known = this.#open.get(page);
    if (known !== undefined) {
      if (event !== undefined) known.link?.tell(event);
      known.panel.reveal();
      return;
    }
    void this.#closeSleeping(page);
    this.#fill(page, vscode.window.createWebviewPanel(`cairn.${page}`, titleOf(page), vscode.ViewColumn.Active), event);
  }

  /** Tabs that a reload brought back are nobody's until they are looked at; the new one takes their place. */
  async #closeSleeping(page: PanelPage): Promise<void> {
    const sleeping = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(`cairn.${page}`));
    if (sleeping.length > 0) await vscode.window.tabGroups.close(sleeping, true);
  }

  #fill(page: PanelPage, panel: vscode.WebviewPanel, event?: ViewEvent): void {
    const { extensionUri, log, openLink, state } = this.#parts;
    panel.webview.options = { enableScripts: true, localResourceRoots: [webviewFolder(extensionUri)] };
    panel.iconPath = { light: vscode.Uri.joinPath(extensionUri, 'media', 'gutter-light.svg'), dark: vscode.Uri.joinPath(extensionUri, 'media', 'gutter-dark.svg') };
    const entry: { readonly panel: vscode.WebviewPanel; link?: WebviewLink } = { panel };
    this.#open.set(page, entry);
    panel.onDidChangeViewState(() => {
      if (!panel.visible) entry.link?.pageHidden();
    });
    panel.onDidDispose(() => {
      entry.link?.dispose();
      if (this.#open.get(page) === entry) this.#open.delete(page);
    });
    state.wake();
    openLink(panel.webview).then((link) => {
      if (this.#open.get(page) !== entry) {
        link.dispose();
        return;
      }
      entry.link = link;
      if (event !== undefined) link.tell(event);
      panel.webview.html = webviewDocument(panel.webview, extensionUri, page);
    }, (error: unknown) => { log.failed(page, error); });
  }
}
