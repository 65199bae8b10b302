/**
 * Open engines of a process, one per repository and working tree. An engine in use is
 * never closed; of the others the least recently used go when there are many
 * (`--global` over all repositories).
 */
import type { Engine } from '../engine/index.ts';

interface Entry {
  readonly engine: Promise<Engine>;
  users: number;
  lastUsed: number;
}

export interface EngineHold {
  readonly engine: Engine;
  release(): void;
}

const MAX_IDLE = 8;

export class EngineCache {
  readonly #entries = new Map<string, Entry>();
  #uses = 0;
  #isClosed = false;

  /** Opens at most once per key; an open that failed is not kept. */
  async hold(key: string, open: () => Promise<Engine>): Promise<EngineHold> {
    if (this.#isClosed) throw new Error('The runtime is closed.');
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { engine: open(), users: 0, lastUsed: 0 };
      this.#entries.set(key, entry);
    }
    const held = entry;
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
    for (const [key, { engine }] of this.#entries) {
      try {
        opened.push({ key, engine: await engine });
      } catch {
        continue; // it failed to open: whoever asked for it was told
      }
    }
    return opened;
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
