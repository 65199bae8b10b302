/**
 * InProcessClient: the engine in this very thread, for processes that live for one command.
 */
import { type Disposable, toDisposable } from '../base/disposable.ts';
import type { Composition } from './composition.ts';
import type { CallOptions, EngineClient, StoreChange } from './engineClient.ts';

const POLL_MS = 500;

export class InProcessClient implements EngineClient {
  readonly composition: Composition;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(composition: Composition) {
    this.composition = composition;
  }

  async call<Output = unknown>(operation: string, input: unknown, options: CallOptions): Promise<Output> {
    const signal = options.signal ?? new AbortController().signal;
    return (await this.composition.call(operation, input, { target: options.target, actor: options.actor, signal, onProgress: options.onProgress ?? (() => undefined) })) as Output;
  }

  onDidChange(listener: (change: StoreChange) => void): Disposable {
    this.#listeners.add(listener);
    this.#timer ??= this.#poll();
    return toDisposable(() => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.composition.close();
  }

  #poll(): NodeJS.Timeout {
    let isLooking = false;
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void this.composition.readChanges().then((changes) => {
        for (const change of changes) for (const listener of this.#listeners) listener(change);
      }).finally(() => {
        isLooking = false;
      });
    }, POLL_MS);
    timer.unref();
    return timer;
  }
}
