/**
 * The sidebar's webview view: one page, badge with the inbox count, events for the page
 * kept until it is there.
 */
import * as vscode from 'vscode';
import type { HostSnapshot, ViewEvent } from '../../protocol/index.ts';
import type { HostState } from '../hostState.ts';
import type { Log } from '../log.ts';
import { webviewDocument, webviewFolder } from './webviewDocument.ts';
import type { OpenLink, WebviewLink } from './webviewLink.ts';

export const SIDEBAR_ID = 'cairn.sidebar';

export interface SidebarParts {
  readonly extensionUri: vscode.Uri;
  readonly state: HostState;
  readonly openLink: OpenLink;
  readonly log: Log;
}

export class SidebarView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #parts: SidebarParts;
  readonly #subscription: vscode.Disposable;
  #view: vscode.WebviewView | undefined;
  #link: WebviewLink | undefined;
  #waiting: ViewEvent[] = [];

  constructor(parts: SidebarParts) {
    this.#parts = parts;
    this.#subscription = parts.state.onDidChange((snapshot) => { this.#show(snapshot); });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#link?.dispose();
  }

  get visible(): boolean {
    return this.#view?.visible === true;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extensionUri, log, openLink, state } = this.#parts;
    this.#link?.dispose();
    this.#link = undefined;
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [webviewFolder(extensionUri)] };
    // Listening comes before the page: its first words must not be missed.
    openLink(view.webview).then((link) => {
      if (this.#view !== view) {
        link.dispose();
        return;
      }
      this.#link = link;
      for (const event of this.#waiting.splice(0)) link.tell(event);
      view.webview.html = webviewDocument(view.webview, extensionUri, 'sidebar');
    }, (error: unknown) => { log.failed('sidebar', error); });
    view.onDidChangeVisibility(() => {
      if (!view.visible && this.#view === view) this.#link?.pageHidden();
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = undefined;
      this.#link?.dispose();
      this.#link = undefined;
    });
    state.wake();
    this.#show(state.snapshot);
  }

  /** Brings the sidebar up and tells it something. */
  async reveal(event?: ViewEvent): Promise<void> {
    if (event !== undefined) this.#tell(event);
    await vscode.commands.executeCommand(`${SIDEBAR_ID}.focus`);
  }

  /** Tells the page if there is one; a toast for a hidden page is dropped by the caller. */
  #tell(event: ViewEvent): void {
    if (this.#link === undefined) this.#waiting.push(event);
    else this.#link.tell(event);
  }

  tellIfVisible(event: ViewEvent): boolean {
    if (!this.visible || this.#link === undefined) return false;
    this.#link.tell(event);
    return true;
  }

  #show(snapshot: HostSnapshot): void {
    this.#link?.tellSnapshot(snapshot);
    if (this.#view === undefined) return;
    const { inbox } = snapshot.counts;
    this.#view.badge = inbox > 0 ? { value: inbox, tooltip: vscode.l10n.t('{0} to review', inbox) } : undefined;
  }
}
