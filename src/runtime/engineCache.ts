/**
 * Open engines of a process, one per repository and working tree. An engine in use is
 * never closed; of the others the least recently used go when there are many
 * (`--global` over all repositories). One whose file was exchanged (a damaged store set aside
 * and repaired by another process), or that found no room on the disk, is opened anew before it
 * is used again.
 */
import type { Engine } from '../engine/index.ts';

interface Entry {
  readonly engine: Promise<Engine>;
  readonly source: EngineSource;
  /** Which files are open. */
  readonly files: Promise<string>;
  users: number;
  lastUsed: number;
}

export interface EngineHold {
  readonly engine: Engine;
  release(): void;
}

export interface EngineSource {
  readonly open: () => Promise<Engine>;
  /** Tells the files behind the engine apart from others put in their place. */
  readonly filesNow: () => string;
}

const MAX_IDLE = 8;
/** Is never the name of files: an engine that is marked so is opened anew each time. */
const OUT_OF_ROOM = 'out of room';

export class EngineCache {
  readonly #entries = new Map<string, Entry>();
  #uses = 0;
  #isClosed = false;

  /** Opens at most once per key; an open that failed is not kept. */
  async hold(key: string, source: EngineSource): Promise<EngineHold> {
    if (this.#isClosed) throw new Error('The runtime is closed.');
    const held = (await this.#current(key)) ?? this.#entries.get(key) ?? this.#open(key, source);
    held.users += 1;
    held.lastUsed = this.#uses++;
    try {
      const engine = await held.engine;
      let isReleased = false;
      return {
        engine,
        release: () => {
          if (isReleased) return;
          isReleased = true;
          held.users -= 1;
          if (this.#entries.get(key) !== held && held.users === 0) void closeQuietly(held);
          void this.#closeIdle();
        },
      };
    } catch (error) {
      if (this.#entries.get(key) === held) this.#entries.delete(key);
      throw error;
    }
  }

  /** Engines that are open now. */
  async open(): Promise<{ key: string; engine: Engine }[]> {
    const opened: { key: string; engine: Engine }[] = [];
    for (const key of [...this.#entries.keys()]) {
      const stale = this.#entries.get(key)?.source;
      const entry = (await this.#current(key)) ?? (stale === undefined || this.#isClosed ? undefined : this.#open(key, stale));
      if (entry === undefined) continue;
      try {
        opened.push({ key, engine: await entry.engine });
      } catch {
        continue; // it failed to open: whoever asked for it was told
      }
    }
    return opened;
  }

  #open(key: string, source: EngineSource): Entry {
    const engine = source.open();
    const entry: Entry = { engine, source, files: engine.then((opened) => (opened.isOutOfRoom ? OUT_OF_ROOM : source.filesNow()), () => ''), users: 0, lastUsed: 0 };
    this.#entries.set(key, entry);
    return entry;
  }

  /** The open engine, unless its files were exchanged: then it goes as soon as nobody uses it. */
  async #current(key: string): Promise<Entry | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const files = await entry.files;
    if (this.#entries.get(key) !== entry) return this.#current(key);
    if (files === '' || files === entry.source.filesNow()) return entry;
    this.#entries.delete(key);
    if (entry.users === 0) await closeQuietly(entry);
    return this.#entries.get(key);
  }

  /** Closes the engines whose key fits, as soon as nobody uses them; for restore and relink. */
  async drop(fits: (key: string) => boolean): Promise<void> {
    for (const [key, entry] of [...this.#entries]) {
      if (!fits(key)) continue;
      this.#entries.delete(key);
      await closeQuietly(entry);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.drop(() => true);
  }

  async #closeIdle(): Promise<void> {
    const idle = [...this.#entries].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    for (const [key, entry] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE))) {
      this.#entries.delete(key);
      await closeQuietly(entry);
    }
  }
}

async function closeQuietly(entry: Entry): Promise<void> {
  try {
    await (await entry.engine).close();
  } catch {
    return; // it never opened, or its file is gone: there is nothing left to close
  }
}
