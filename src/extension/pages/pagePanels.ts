/**
 * Pages of the editor area: one panel per page, brought up again instead of doubled, and
 * restored after a reload.
 */
import * as vscode from 'vscode';
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

  open(page: PanelPage): void {
    const known = this.#open.get(page);
    if (known !== undefined) {
      known.panel.reveal();
      return;
    }
    this.#fill(page, vscode.window.createWebviewPanel(`cairn.${page}`, titleOf(page), vscode.ViewColumn.Active));
  }

  #fill(page: PanelPage, panel: vscode.WebviewPanel): void {
    const { extensionUri, log, openLink, state } = this.#parts;
    panel.webview.options = { enableScripts: true, localResourceRoots: [webviewFolder(extensionUri)] };
    panel.iconPath = { light: vscode.Uri.joinPath(extensionUri, 'media', 'gutter-light.svg'), dark: vscode.Uri.joinPath(extensionUri, 'media', 'gutter-dark.svg') };
    const entry: { readonly panel: vscode.WebviewPanel; link?: WebviewLink } = { panel };
    this.#open.set(page, entry);
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
      panel.webview.html = webviewDocument(panel.webview, extensionUri, page);
    }, (error: unknown) => { log.failed(page, error); });
  }
}
