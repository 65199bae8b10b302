/**
 * Tells when a session file of this repository has grown: what makes capture work in the editor's panel, where Claude
 * Code's hooks partly do not fire.
 *
 * File-system events say "look now", a slow poll catches what they miss (network folders, lost events, a folder that
 * did not exist yet). Both only compare size and inode with what was seen last, so neither a wrong clock nor a repeated
 * event matters, and an idle watcher does a handful of `stat` calls per poll.
 */
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Disposable } from '../base/disposable.ts';
import { belongsTo, childFolders, describeFile, projectsFolder, readSessionCwd, sessionFilesIn, type SessionFile } from './sessionFiles.ts';

export interface WatcherOptions {
  /** Claude Code's folder, `~/.claude` or CLAUDE_CONFIG_DIR. */
  readonly claudeDirectory: string;
  /** Roots of the repository's working trees; sessions started below them count. */
  readonly roots: readonly string[];
  /** Called once per change, never twice at a time for one file. What it throws goes to `onError`. */
  readonly onSession: (file: SessionFile) => void | Promise<void>;
  readonly onError?: (error: unknown) => void;
  /** Default 20 s. */
  readonly pollMs?: number;
  /** Writes that follow each other within this time are one change. Default 400 ms. */
  readonly settleMs?: number;
  /** At the start, files last written before this instant are left alone (backfill is for those). Default: none is. */
  readonly changedSince?: number;
}

export class SessionWatcher implements Disposable {
  readonly #options: WatcherOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  /** `inode:size` when last reported. */
  readonly #seen = new Map<string, string>();
  /** Whether a file is this repository's; absent while nobody knows yet. */
  readonly #ours = new Map<string, { readonly isOurs: boolean; readonly cwd: string }>();
  readonly #busy = new Map<string, Promise<void>>();
  #poll: NodeJS.Timeout | undefined;
  #settle: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  /** Something happened while a look was under way. */
  #lookAgain = false;
  #disposed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#look(this.#options.changedSince ?? 0);
    if (this.#disposed) return;
    this.#poll = setInterval(() => void this.check(), this.#options.pollMs ?? 20_000);
    this.#poll.unref();
  }

  /** Looks at once; resolves when everything found has been handed over. */
  async check(): Promise<void> {
    if (this.#checking !== undefined) this.#lookAgain = true;
    this.#checking ??= this.#lookUntilQuiet().finally(() => (this.#checking = undefined));
    await this.#checking;
    await Promise.all(this.#busy.values());
  }

  dispose(): void {
    this.#disposed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#settle);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #lookUntilQuiet(): Promise<void> {
    do {
      this.#lookAgain = false;
      await this.#look(0);
    } while (this.#lookAgain && !this.#disposed);
  }

  async #look(changedSince: number): Promise<void> {
    const projects = projectsFolder(this.#options.claudeDirectory);
    this.#watch(projects);
    for (const folder of await childFolders(projects)) {
      let hasOurs = false;
      for (const file of await sessionFilesIn(folder)) {
        if (this.#disposed) return;
        hasOurs = (await this.#lookAtFile(file, changedSince)) || hasOurs;
      }
      // A folder without a session of ours is only asked again by the poll.
      if (hasOurs) this.#watch(folder);
    }
  }

  /** True when the file is this repository's. */
  async #lookAtFile(file: string, changedSince: number): Promise<boolean> {
    const now = await readState(file);
    const state = now?.state;
    if (now === undefined || state === undefined) {
      this.#seen.delete(file);
      return false;
    }
    if (this.#seen.get(file) === state) return this.#ours.get(file)?.isOurs === true;
    const known = this.#ours.get(file) ?? (await this.#askWhose(file));
    if (known === undefined) return false; // nothing said in it yet
    this.#seen.set(file, state);
    if (known.isOurs && now.modifiedAt >= changedSince) this.#handOver(file, known.cwd);
    return known.isOurs;
  }

  async #askWhose(file: string): Promise<{ isOurs: boolean; cwd: string } | undefined> {
    const cwd = await readSessionCwd(file);
    if (cwd === undefined) return undefined;
    const answer = { isOurs: await belongsTo(cwd, this.#options.roots), cwd };
    this.#ours.set(file, answer);
    return answer;
  }

  #handOver(file: string, cwd: string): void {
    const before = this.#busy.get(file) ?? Promise.resolve();
    const work = before.then(async () => {
      const described = await describeFile(file, cwd);
      if (described !== undefined && !this.#disposed) await this.#options.onSession(described);
    }).catch((error: unknown) => this.#options.onError?.(error)).finally(() => {
      if (this.#busy.get(file) === work) this.#busy.delete(file);
    });
    this.#busy.set(file, work);
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder) || this.#disposed) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
      watcher.on('error', () => this.#unwatch(folder)); // the folder went away: the poll finds its successor
      this.#watchers.set(folder, watcher);
    } catch {
      // Not there yet, or no watches left on this system: the poll serves alone.
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #lookSoon(): void {
    if (this.#disposed || this.#settle !== undefined) return;
    this.#settle = setTimeout(() => {
      this.#settle = undefined;
      void this.check();
    }, this.#options.settleMs ?? 400);
    this.#settle.unref();
  }
}

async function readState(file: string): Promise<{ state: string; modifiedAt: number } | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(file);
    return { state: `${ino}:${size}`, modifiedAt: mtimeMs };
  } catch {
    return undefined; // deleted
  }
}
