/**
 * A person at the editor: a headless browser on the workbench, and the few things that a person does there, by what
 * can be seen on the screen.
 */
import fs from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { findBrowser } from '../../../scripts/installEditorHost.mjs';
import { repositoryDirectory } from '../program.ts';
import { waitUntil } from '../waitUntil.ts';
import type { CodeServer } from './codeServer.ts';

/** Colour themes by what the editor calls them, and the mark that it then wears. */
export const THEMES = {
  dark: { label: 'Dark Modern', cssClass: 'vs-dark' },
  light: { label: 'Light Modern', cssClass: 'vs' },
  highContrastDark: { label: 'Dark High Contrast', cssClass: 'hc-black' },
  highContrastLight: { label: 'Light High Contrast', cssClass: 'hc-light' },
} as const;

const BROWSER_ARGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
];

export interface WorkbenchOptions {
  /** Folder, `.code-workspace` file, or nothing for an empty window. */
  readonly target?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A running browser that can open several windows on one server. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('No Chromium-based browser was found. Install chromium, or set CHROME_PATH.');
  return chromium.launch({ executablePath, headless: true, args: BROWSER_ARGS });
}

export async function openWorkbench(browser: Browser, server: CodeServer, options: WorkbenchOptions = {}): Promise<Workbench> {
  const context = await browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const workbench = new Workbench(page, context);
  await page.goto(server.addressOf(options.target), { timeout: 180_000 });
  await workbench.waitUntilUp();
  return workbench;
}

export class Workbench {
  readonly page: Page;
  /** Requests that left the machine; a test may demand that there are none. */
  readonly externalRequests: string[] = [];
  readonly #context: BrowserContext;

  constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.#context = context;
    page.on('request', (request) => {
      const { host, protocol, hostname } = new URL(request.url());
      // Resources of webviews have a public-looking name, and are answered by the page's own service worker.
      if (protocol.startsWith('http') && host !== '' && !['127.0.0.1', 'localhost'].includes(hostname) && !hostname.endsWith('vscode-cdn.net')) this.externalRequests.push(request.url());
    });
  }

  async waitUntilUp(): Promise<void> {
    for (const part of ['activitybar .action-item', 'statusbar']) await this.page.waitForSelector(`.monaco-workbench .part.${part}`, { timeout: 180_000 });
  }

  /** The window starts anew, after it has written what it keeps. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: 180_000 });
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.waitUntilUp();
  }

  /** Runs a command by what the palette calls it. */
  async runCommand(label: string): Promise<void> {
    await this.#chooseFromQuickAccess('F1', `>${label}`, label);
  }

  /** Whether the palette offers a command of that name. */
  async offersCommand(label: string): Promise<boolean> {
    await this.page.keyboard.press('F1');
    await this.#fillQuickInput(`>${label}`);
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    await rows.first().waitFor({ timeout: 60_000 });
    const found = (await rows.allInnerTexts()).some((text) => text.includes(label));
    await this.page.keyboard.press('Escape');
    return found;
  }

  /** Opens a file of the workspace by its name. */
  async openFile(name: string): Promise<void> {
    const tab = this.page.locator('.tab.active', { hasText: path.basename(name) });
    await waitUntil(async () => {
      // A list that is made anew under the pointer opens another file or none.
      await this.#chooseFromQuickAccess('Control+P', name, path.basename(name));
      await tab.waitFor({ timeout: 15_000 });
      return true;
    }, `${path.basename(name)} to be the active tab`, 180_000);
    await this.page.locator('.editor-instance .monaco-editor .view-line').first().waitFor({ timeout: 60_000 });
  }

  /** Selects whole lines of the active editor, 1-based and inclusive. */
  async selectLines(first: number, last: number = first): Promise<void> {
    await this.page.keyboard.press('Control+P');
    await this.#fillQuickInput(`:${first}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').first().waitFor({ state: 'hidden', timeout: 60_000 });
    await this.page.keyboard.press('Home');
    for (let line = first; line < last; line += 1) await this.page.keyboard.press('Shift+ArrowDown');
    await this.page.keyboard.press('Shift+End');
    await this.page.locator('.part.statusbar', { hasText: 'selected' }).waitFor({ timeout: 60_000 });
  }

  /** Opens the active editor's context menu where the cursor is, so that the selection stays. */
  async openContextMenu(): Promise<Locator> {
    await this.page.keyboard.press('Shift+F10');
    // The menu is in a shadow root, which Playwright's selectors look into.
    const menu = this.page.locator('.context-view .monaco-menu');
    await menu.waitFor({ timeout: 60_000 });
    return menu;
  }

  async chooseFromContextMenu(label: string): Promise<void> {
    const menu = await this.openContextMenu();
    const item = menu.locator('.action-menu-item', { hasText: label }).first();
    await item.hover({ timeout: 60_000 });
    // The editor ignores a mouse button that is released right after a menu opened.
    await this.page.waitForTimeout(200);
    await item.click();
  }

  /** Types into the input box that the editor shows, and accepts. */
  async answerInputBox(text: string): Promise<void> {
    await this.#fillQuickInput(text);
    await this.page.keyboard.press('Enter');
  }

  /** Chooses a row of the quick pick that the editor shows. */
  async pick(label: string): Promise<void> {
    await this.#chooseRow(label);
  }

  /** The quick input that is on the screen: its title, placeholder and rows are in its text. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** Shows a view of the activity bar, by the beginning of its title. */
  async openActivity(title: string): Promise<void> {
    const icon = this.page.locator(`.activitybar .action-item:has(.action-label[aria-label^="${title}"])`).first();
    await icon.waitFor({ timeout: 60_000 });
    const shown = this.page.locator(`.activitybar .action-item.checked:has(.action-label[aria-label^="${title}"])`).first();
    // A click on what is shown hides it, and a window that is loading brings back by itself what was shown: look again after each click.
    await waitUntil(async () => {
      if ((await shown.count()) > 0) return true;
      await icon.click(); // On the item: a badge may lie on its label.
      return shown.waitFor({ timeout: 5_000 }).then(() => true, () => false);
    }, `the activity ${title}`);
  }

  /** The document of a webview: the sidebar's, or the one whose outer frame fits. */
  webview(outerFrame = 'iframe.webview.ready'): FrameLocator {
    return this.page.frameLocator(outerFrame).frameLocator('iframe#active-frame');
  }

  /** The webview shown in the editor area; those behind it are not alive. */
  editorWebview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"])').last().frameLocator('iframe#active-frame');
  }

  notification(text: string): Locator {
    return this.page.locator('.notifications-toasts .notification-toast, .notifications-center .notification-list-item', { hasText: text });
  }

  async chooseFromNotification(text: string, button: string): Promise<void> {
    const toast = this.notification(text).first();
    await toast.waitFor({ timeout: 60_000 });
    await toast.hover();
    await toast.locator('.monaco-button, .action-label', { hasText: button }).first().click();
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item', { hasText: text });
  }

  /** As a person does it: the editor's watch on its settings file is not to be relied on here. */
  async switchTheme(theme: keyof typeof THEMES): Promise<void> {
    const { label, cssClass } = THEMES[theme];
    const row = this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row', { hasText: label }).first();
    await waitUntil(async () => {
      await this.runCommand('Preferences: Color Theme');
      await this.page.locator('.quick-input-widget:visible input').first().fill(label, { timeout: 8_000 });
      await row.click({ timeout: 8_000 });
      await this.page.locator(`.monaco-workbench.${cssClass}`).waitFor({ timeout: 15_000 });
      return true;
    }, `the theme ${label}`, 180_000);
  }

  /** Writes `.cache/screenshots/NAME.png` and returns its path. */
  async screenshot(name: string): Promise<string> {
    const file = path.join(repositoryDirectory, '.cache', 'screenshots', `${name}.png`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file });
    return file;
  }

  async close(): Promise<void> {
    await this.#context.close();
  }

  /** Right after the start keys may be lost and commands unknown, so the question is asked again until it is answered. */
  async #chooseFromQuickAccess(key: string, text: string, label: string): Promise<void> {
    const row = this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row', { hasText: label }).first();
    const input = this.page.locator('.quick-input-widget:visible input').first();
    await waitUntil(async () => {
      await this.page.keyboard.press(key);
      await input.fill(text, { timeout: 8_000 });
      await row.click({ timeout: 8_000 });
      return true;
    }, `"${label}" in the quick access`, 180_000);
  }

  async #fillQuickInput(text: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget:visible input').first();
    await input.waitFor({ timeout: 60_000 });
    await input.fill(text);
  }

  async #chooseRow(label: string): Promise<void> {
    const row = this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row', { hasText: label }).first();
    await row.waitFor({ timeout: 60_000 });
    await row.click();
  }
}
