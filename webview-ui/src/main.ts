/**
 * Entry of the webview: asks the host for its first words, then shows the page that the
 * document names. All pages are one application, so they share look and protocol.
 */
import '@vscode-elements/elements/dist/vscode-button/index.js';
import './page.css';
import { HostLink } from './hostLink.ts';
import type { EditorApi } from './hostLink.ts';
import { meanNothing } from './menuContext.ts';
import type { SidebarApp } from './sidebarApp.ts';
import { readViewState } from './viewState.ts';
import type { ViewState } from './viewState.ts';
import { readPageState } from './pageState.ts';
import type { PageState } from './pageState.ts';
import { useWords } from './words.ts';

declare function acquireVsCodeApi(): EditorApi<unknown>;

const editor = acquireVsCodeApi();
const link = new HostLink((message) => { editor.postMessage(message); }, window);
const page = document.body.dataset['page'] ?? 'sidebar';

// The menu's context belongs to the row under the pointer; a row that is meant writes it anew, before the editor reads it.
document.addEventListener('contextmenu', meanNothing, { capture: true });

link.ready();
const { words, locale, snapshot } = await link.init;
// The person's keyboard, not the host's: the extension may run on another machine.
const isMac = navigator.userAgent.includes('Macintosh');
useWords(words, locale);
document.documentElement.lang = locale;

/** Each page is a chunk of its own: the sidebar does not pay for the charts. */
async function createPage(): Promise<HTMLElement> {
  const pageState = { saved: readPageState(editor.getState()), save: (state: PageState) => { editor.setState(state); } };
  switch (page) {
    case 'firstRun': {
      const { FirstRunPage } = await import('./firstRunPage.ts');
      return Object.assign(new FirstRunPage(), { link });
    }
    case 'insights': {
      const { InsightsView } = await import('./insightsView.ts');
      return Object.assign(new InsightsView(), { link, ...pageState });
    }
    case 'graph': {
      const { GraphView } = await import('./graphView.ts');
      return Object.assign(new GraphView(), { link, ...pageState });
    }
    default: {
      const { SidebarApp: Sidebar } = await import('./sidebarApp.ts');
      const sidebar: SidebarApp = new Sidebar();
      return Object.assign(sidebar, { link, snapshot, isMac, state: readViewState(editor.getState()), save: (state: ViewState) => { editor.setState(state); } });
    }
  }
}

document.body.replaceChildren(await createPage());
