/**
 * The sidebar as a person sees it: rows, Detail, toasts, by role and text. And the start of one editor with the
 * packaged extension for a test file.
 */
import type { Browser, FrameLocator, Locator } from 'playwright-core';
import { findPackagedExtension } from '../support/program.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { startCodeServer, type CodeServer, type CodeServerOptions } from '../support/editorHost/codeServer.ts';
import { launchBrowser, openWorkbench, type Workbench, type WorkbenchOptions } from '../support/editorHost/workbench.ts';

/** The machine may be busy with other tests; what is waited for is a state, never a time. */
export const PATIENCE = { timeout: 90_000 } as const;

export interface Editor {
  readonly home: TemporaryHome;
  readonly server: CodeServer;
  readonly browser: Browser;
  open(options?: WorkbenchOptions): Promise<Workbench>;
  stop(): Promise<void>;
}

/** An editor with Cairn installed from its package. `used`: Cairn was used before on this machine, so that it does not ask. */
export async function startEditor(options: Partial<Omit<CodeServerOptions, 'home'>> & { readonly home?: TemporaryHome } = {}): Promise<Editor> {
  const home = options.home ?? createTemporaryHome();
  const server = await startCodeServer({ ...options, home, extensions: [findPackagedExtension(), ...(options.extensions ?? [])] });
  const browser = await launchBrowser();
  return {
    home, server, browser,
    open: async (workbenchOptions) => openWorkbench(browser, server, workbenchOptions),
    stop: async () => {
      await browser.close();
      await server.stop();
    },
  };
}

export class Sidebar {
  readonly workbench: Workbench;
  frame: FrameLocator;

  constructor(workbench: Workbench) {
    this.workbench = workbench;
    this.frame = workbench.webview('iframe.webview.ready[src*="purpose=webviewView"]');
  }

  async show(): Promise<void> {
    await this.workbench.openActivity('Cairn');
    await this.#findFrame();
    await this.frame.getByRole('tab').first().waitFor(PATIENCE);
  }

  /** The editor makes a frame anew after hiding, and names its purpose only the first time. */
  async #findFrame(): Promise<void> {
    const frames = this.workbench.page.locator('iframe.webview.ready');
    await waitUntil(async () => {
      for (const name of await frames.evaluateAll((found) => found.map((frame) => frame.getAttribute('name') ?? ''))) {
        const frame = this.workbench.webview(`iframe.webview.ready[name="${name}"]`);
        if ((await frame.locator('body[data-page=sidebar]').count()) === 0) continue;
        this.frame = frame;
        return true;
      }
      return false;
    }, 'the sidebar', PATIENCE.timeout);
  }

  get list(): Locator {
    return this.frame.getByRole('listbox', { name: 'Memories' });
  }

  row(text: string): Locator {
    return this.frame.getByRole('option', { name: text });
  }

  async waitForRow(text: string): Promise<void> {
    await this.row(text).first().waitFor(PATIENCE);
  }

  async waitForRowGone(text: string): Promise<void> {
    await this.row(text).first().waitFor({ state: 'detached', ...PATIENCE });
  }

  /** Until the list answers what was asked last, with this many rows. */
  async waitForRows(count: number): Promise<void> {
    await this.frame.locator(`[role=listbox][aria-label=Memories][aria-busy=false] .row[aria-setsize="${count}"]`).first().waitFor(PATIENCE);
  }

  async search(query: string): Promise<void> {
    await this.frame.getByRole('textbox', { name: 'Search memories' }).fill(query);
  }

  async openRow(text: string): Promise<void> {
    await this.row(text).first().click();
    await this.detail.waitFor(PATIENCE);
  }

  /** The statement in Detail, which is a button that starts editing. */
  get detail(): Locator {
    return this.frame.locator('.statement[role=button]');
  }

  /** Saves another text from Detail. */
  async rewrite(text: string): Promise<void> {
    await this.detail.click();
    const field = this.frame.getByRole('textbox', { name: 'Text of the memory' });
    await field.fill(text);
    await field.press('Control+Enter');
    await this.frame.getByRole('button', { name: `Edit: ${text}` }).waitFor(PATIENCE);
  }

  async back(): Promise<void> {
    await this.frame.getByRole('button', { name: 'Back to the list (Esc)' }).click();
    await this.list.waitFor(PATIENCE);
  }

  toast(text: string): Locator {
    return this.frame.locator('cairn-toast .toast', { hasText: text });
  }

  /** Remembers a sentence by the palette. */
  async remember(text: string): Promise<void> {
    await this.workbench.runCommand('Cairn: Remember…');
    await this.workbench.answerInputBox(text);
  }
}
