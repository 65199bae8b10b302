/**
 * The embedder of a process, wherever it runs: an owner elected by a lock serves all
 * processes of this user, so that one model is in memory and not one per session.
 *
 *   host     MCP server, editor: uses an owner if there is one, else becomes it
 *   command  command line: uses an owner, else loads the model for itself
 *   hook     uses an owner, else has none: a model load would cost more than the hook may take
 */
import type { Clock } from '../../base/clock.ts';
import type { Embedder, EmbedderSource } from '../../engine/index.ts';
import { tryAcquireLease } from '../lease.ts';
import type { HomePaths } from '../paths.ts';
import { compareVersions } from '../programHome.ts';
import { connectToEmbedder, type ResidentEmbedder } from './client.ts';
import { ownerLock } from './protocol.ts';
import type { EmbedderServer } from './server.ts';

export type ProcessRole = 'host' | 'command' | 'hook';

export interface ResidentSourceOptions {
  readonly role: ProcessRole;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly version: string;
  /** `embedding.model`; `off` never loads anything. */
  readonly model: () => string;
  /** Loads the model into this process. */
  readonly load: (model: string) => Promise<Embedder | undefined>;
  readonly log?: (line: string) => void;
  readonly idleMs?: number;
  readonly retryAfterMs?: number;
}

const DEADLINES: Readonly<Record<ProcessRole, { connectMs: number; callMs: number }>> = {
  host: { connectMs: 1_000, callMs: 30_000 }, command: { connectMs: 500, callMs: 30_000 }, hook: { connectMs: 80, callMs: 250 },
};
const IDLE_MS = 10 * 60_000;
const RETRY_AFTER_MS = 30_000;
/** An owner that is just loading its model answers within this time, or this process loads one of its own. */
const ELECTION_MS = 8_000;
const ELECTION_STEP_MS = 100;

export function createResidentSource(options: ResidentSourceOptions): EmbedderSource {
  return new ResidentSource(options);
}

class ResidentSource implements EmbedderSource {
  readonly #options: ResidentSourceOptions;
  #local: { embedder: Embedder; model: string; server: EmbedderServer | undefined } | undefined;
  #remote: ResidentEmbedder | undefined;
  #model = '';
  #starting: Promise<Embedder | undefined> | undefined;
  #failed: { at: number; message: string } | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #facade: Embedder | undefined;

  constructor(options: ResidentSourceOptions) {
    this.#options = options;
  }

  state(): ReturnType<EmbedderSource['state']> {
    if (this.#options.model() === 'off') return 'off';
    if (this.#isReady()) return 'ready';
    if (this.#starting !== undefined) return 'starting';
    return this.#failed === undefined ? 'absent' : 'failed';
  }

  current(): Embedder | undefined {
    if (this.#isReady()) return this.#facade;
    void this.get();
    return undefined;
  }

  async get(signal?: AbortSignal): Promise<Embedder | undefined> {
    if (this.#isClosed || signal?.aborted === true || this.#options.model() === 'off') return undefined;
    if (this.#isReady()) return this.#facade;
    if (this.#failed !== undefined && this.#options.clock.now() - this.#failed.at < (this.#options.retryAfterMs ?? RETRY_AFTER_MS)) return undefined;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  failure(): string | undefined {
    return this.#failed?.message;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#starting;
    await this.#remote?.close();
    await this.#dropLocal();
  }

  #isReady(): boolean {
    if (this.#facade === undefined || this.#model !== this.#options.model()) return false;
    return this.#local !== undefined || this.#remote?.isConnected === true;
  }

  async #start(): Promise<Embedder | undefined> {
    const model = this.#options.model();
    try {
      if (this.#model !== model) await this.#dropLocal();
      const embedder = await this.#find(model);
      this.#failed = undefined;
      this.#model = model;
      this.#facade = embedder === undefined ? undefined : this.#wrap(embedder);
      return this.#facade;
    } catch (error) {
      this.#failed = { at: this.#options.clock.now(), message: error instanceof Error ? error.message : String(error) };
      this.#options.log?.(`embedder failed: ${this.#failed.message}`);
      return undefined;
    }
  }

  async #find(model: string): Promise<Embedder | undefined> {
    const { role, paths, version } = this.#options;
    const remote = await this.#connect(model);
    if (remote !== undefined) return remote;
    if (role === 'hook') return undefined;
    if (role === 'command') return this.#load(model, undefined);
    const deadline = this.#options.clock.now() + ELECTION_MS;
    for (;;) {
      const lease = tryAcquireLease(ownerLock(paths), `embedder ${version}`);
      if (lease !== undefined) {
        try {
          return await this.#load(model, lease);
        } catch (error) {
          lease.dispose();
          throw error;
        }
      }
      if (this.#options.clock.now() >= deadline || this.#isClosed) return this.#load(model, undefined);
      await new Promise((resolve) => setTimeout(resolve, ELECTION_STEP_MS).unref());
      const other = await this.#connect(model);
      if (other !== undefined) return other;
    }
  }

  async #connect(model: string): Promise<ResidentEmbedder | undefined> {
    const { paths, version, role } = this.#options;
    const remote = await connectToEmbedder({ paths, version, model, ...DEADLINES[role], onLost: () => (this.#remote = undefined) });
    if (remote === undefined) return undefined;
    if (role === 'host' && compareVersions(version, remote.ownerVersion) > 0) {
      // An older program may hold the model; the newer one takes over.
      remote.retireOwner();
      await remote.close();
      return undefined;
    }
    this.#remote = remote;
    return remote;
  }

  async #load(model: string, lease: ReturnType<typeof tryAcquireLease>): Promise<Embedder | undefined> {
    const embedder = await this.#options.load(model);
    if (embedder === undefined) {
      lease?.dispose();
      return undefined;
    }
    let server: EmbedderServer | undefined;
    if (lease !== undefined) {
      try {
        const { serveEmbedder } = await import('./server.ts');
        server = await serveEmbedder({ ...this.#options, model, embedder, lease, onUse: () => this.#restartIdleTimer(), onLeft: () => this.#forgetServer() });
      } catch (error) {
        // Without a socket this process still has its model; the others load their own.
        lease.dispose();
        this.#options.log?.(`embedder is not shared: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    this.#local = { embedder, model, server };
    this.#restartIdleTimer();
    return embedder;
  }

  #forgetServer(): void {
    if (this.#local !== undefined) this.#local = { ...this.#local, server: undefined };
  }

  /** Counts use, and turns the loss of the owner into one attempt with a new one. */
  #wrap(embedder: Embedder): Embedder {
    return {
      version: embedder.version,
      dimensions: embedder.dimensions,
      countTokens: (text) => embedder.countTokens(text),
      close: async () => undefined,
      embed: async (texts, call) => {
        this.#restartIdleTimer();
        try {
          return await embedder.embed(texts, call);
        } catch (error) {
          const isLost = embedder !== this.#local?.embedder && this.#remote === undefined;
          if (!isLost || this.#isClosed || this.#options.role === 'hook' || call.signal?.aborted === true) throw error;
          const next = await this.get(call.signal);
          if (next === undefined || next.version !== embedder.version) throw error;
          return next.embed(texts, call);
        }
      },
    };
  }

  /** An owner that nobody uses gives the memory back; whoever needs the model next becomes the owner. */
  #restartIdleTimer(): void {
    if (this.#options.role !== 'host' || this.#local === undefined) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#dropLocal(), this.#options.idleMs ?? IDLE_MS);
    this.#idleTimer.unref();
  }

  async #dropLocal(): Promise<void> {
    const local = this.#local;
    this.#local = undefined;
    clearTimeout(this.#idleTimer);
    await local?.server?.close();
    await local?.embedder.close();
  }
}

