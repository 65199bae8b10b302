/**
 * SettingsFace: the editor's settings page shows and writes Cairn's settings files, both
 * ways. The files are the truth; the editor's own files only mirror them.
 */
import fs from 'node:fs';
import * as vscode from 'vscode';
import type { SettingValue } from '../operations/index.ts';
import type { EngineAccess } from './engineAccess.ts';
import type { Log } from './log.ts';
import { planSync } from './settingsSync.ts';
import type { SettingSides } from './settingsSync.ts';

const SECTION = 'cairn';
const AGREED_KEY = 'cairn.settings.agreed';
const SETTLE_MS = 200;

export interface SettingsFaceParts {
  readonly engine: EngineAccess;
  readonly memento: vscode.Memento;
  readonly keys: readonly string[];
  /** Absolute path of the user's settings file. */
  readonly file: () => Promise<string>;
  readonly log: Log;
  readonly onDidSync: () => void;
}

export class SettingsFace implements vscode.Disposable {
  readonly #parts: SettingsFaceParts;
  readonly #subscription: vscode.Disposable;
  #watcher: fs.FSWatcher | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: SettingsFaceParts) {
    this.#parts = parts;
    this.#subscription = vscode.workspace.onDidChangeConfiguration((change) => { if (change.affectsConfiguration(SECTION)) this.#soon(); });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    this.#watcher?.close();
  }

  /** Starts to follow the file; before that only the editor's side is heard. */
  async follow(): Promise<void> {
    await this.sync();
    try {
      const file = await this.#parts.file();
      // The folder, since the file is replaced as a whole and may not exist yet.
      this.#watcher = fs.watch(file.replace(/[\\/][^\\/]+$/, ''), (_event, name) => { if (name === null || file.endsWith(name)) this.#soon(); });
      this.#watcher.on('error', () => undefined); // A vanished home is reported by the engine, with its cure.
    } catch (error) {
      this.#parts.log.failed('settings', error);
    }
  }

  sync(): Promise<void> {
    this.#running = this.#running.then(() => this.#syncOnce()).catch((error: unknown) => { this.#parts.log.failed('settings', error); });
    return this.#running;
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { void this.sync(); }, SETTLE_MS);
  }

  async #syncOnce(): Promise<void> {
    const { engine, keys, memento, onDidSync } = this.#parts;
    const { settings } = await engine.ask<{ settings: readonly SettingValue[] }>('settings', {}, { userOnly: true });
    const agreed = memento.get<Record<string, unknown>>(AGREED_KEY, {});
    const config = vscode.workspace.getConfiguration(SECTION);
    const sides: SettingSides[] = settings.filter(({ key }) => keys.includes(key)).map(({ key, value, from }) => ({
      key, agreed: agreed[key], inEditor: config.inspect(key)?.globalValue ?? undefined, inFile: from === 'user' ? value : undefined,
    }));
    const steps = planSync(sides);
    if (steps.length === 0) return;
    const next = { ...agreed };
    for (const { to, key, value } of steps) {
      if (to === 'file') await engine.ask('setSetting', { key, level: 'user', ...(value === undefined ? {} : { value }) }, { userOnly: true });
      else if (to === 'editor') await config.update(key, value, vscode.ConfigurationTarget.Global);
      next[key] = value;
    }
    await memento.update(AGREED_KEY, next);
    onDidSync();
  }
}
