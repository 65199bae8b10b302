/**
 * EngineAccess: the editor's one engine client, opened at the first call and never
 * before. A client that could not be opened is tried again at the next call; callers
 * always get either an answer or a CairnError, in the person's language.
 */
import { toDisposable } from '../base/disposable.ts';
import type { Disposable } from '../base/disposable.ts';
import { isCairnError } from '../base/errors.ts';
import type { CallOptions, EngineClient, StoreChange, Target } from '../worker/engineClient.ts';
import { inTheirLanguage } from './errorWords.ts';
import type { Log } from './log.ts';

export type OpenClient = () => Promise<EngineClient>;

/** What a caller may say beside target and actor. */
export type AskOptions = Pick<CallOptions, 'signal' | 'onProgress'> & {
  /** `mcp`: a model asks, not the person; then the repository's yes and the rules for what models store apply. */
  readonly surface?: 'extension' | 'selection' | 'mcp';
};

export class EngineAccess implements Disposable {
  readonly #open: OpenClient;
  readonly #log: Log;
  #client: Promise<EngineClient> | undefined;
  #listeners = new Set<(change: StoreChange) => void>();
  #subscription: Disposable | undefined;
  #closed = false;
  /** Why there is no engine; undefined while nothing failed. */
  failure: Error | undefined;

  constructor(open: OpenClient, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  get started(): boolean {
    return this.#client !== undefined;
  }

  async ask<Output>(operation: string, input: unknown, target: Target, options: AskOptions = {}): Promise<Output> {
    const client = await this.#ready();
    try {
      return await client.call<Output>(operation, input, {
        target,
        actor: { surface: options.surface ?? 'extension' },
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
      });
    } catch (error) {
      if (!(isCairnError(error) && error.code === 'CANCELLED')) this.#log.failed(operation, error);
      // A model reads the engine's own sentence.
      throw options.surface === 'mcp' ? error : inTheirLanguage(error);
    }
  }

  onDidChange(listener: (change: StoreChange) => void): Disposable {
    this.#listeners.add(listener);
    return toDisposable(() => { this.#listeners.delete(listener); });
  }

  /** Lets the client go; the next call opens another. */
  async restart(): Promise<void> {
    const old = this.#client;
    this.#client = undefined;
    this.#subscription?.dispose();
    this.#subscription = undefined;
    if (old === undefined) return;
    try {
      await (await old).close();
    } catch (error) {
      this.#log.failed('close', error);
    }
  }

  dispose(): void {
    this.#closed = true;
    this.#listeners.clear();
    void this.restart();
  }

  /** For deactivation: resolves when the worker has let go of the stores. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.restart();
  }

  async #ready(): Promise<EngineClient> {
    if (this.#closed) throw new Error('Cairn is shutting down.');
    this.#client ??= this.#start();
    return this.#client;
  }

  async #start(): Promise<EngineClient> {
    try {
      const client = await this.#open();
      this.failure = undefined;
      this.#subscription = client.onDidChange((change) => {
        for (const listener of this.#listeners) listener(change);
      });
      return client;
    } catch (error) {
      const told = inTheirLanguage(error);
      this.failure = told instanceof Error ? told : new Error(String(told));
      this.#client = undefined;
      this.#log.failed('start', error);
      throw this.failure;
    }
  }
}
