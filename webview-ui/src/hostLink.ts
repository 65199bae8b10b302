/**
 * HostLink: the webview's only way out. Requests carry ids and are answered once;
 * snapshots replace each other; everything that comes in is checked by schema and
 * dropped with a report if it does not fit.
 */
import { METHODS, fromHost } from '../../src/protocol/index.ts';
import type { FromHost, FromWebview, HostSnapshot, MethodName, ParamsOf, ResultOf, ViewEvent } from '../../src/protocol/index.ts';

/** What the editor gives to every webview. `State` survives hiding and reload. */
export interface EditorApi<State> {
  postMessage(message: FromWebview): void;
  getState(): State | undefined;
  setState(state: State): void;
}

export class HostError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Init = Extract<FromHost, { type: 'init' }>;
interface Waiting { readonly method: MethodName; resolve(value: unknown): void; reject(error: Error): void }

export class HostLink {
  readonly #post: (message: FromWebview) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #snapshotListeners = new Set<(snapshot: HostSnapshot) => void>();
  readonly #eventListeners = new Set<(event: ViewEvent) => void>();
  /** Events that came before the page was built: the host speaks as soon as the frame is there. */
  #earlyEvents: ViewEvent[] = [];
  #lastId = 0;
  #resolveInit: (init: Init) => void = () => undefined;
  readonly init: Promise<Init> = new Promise((resolve) => { this.#resolveInit = resolve; });
  /** The newest snapshot; undefined until init. */
  snapshot: HostSnapshot | undefined;

  constructor(post: (message: FromWebview) => void, source: Pick<Window, 'addEventListener'>) {
    this.#post = post;
    source.addEventListener('message', (event) => { this.#receive((event as MessageEvent<unknown>).data); });
  }

  /** Tells the host that messages can be received; it answers with init. */
  ready(): void {
    this.#post({ type: 'ready' });
  }

  /** Rejects with HostError (the engine's code and sentence), or CANCELLED when `signal` fires. */
  request<M extends MethodName>(method: M, params: ParamsOf<M>, signal?: AbortSignal): Promise<ResultOf<M>> {
    const id = ++this.#lastId;
    return new Promise<ResultOf<M>>((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new HostError('CANCELLED', 'Cancelled.'));
        return;
      }
      this.#waiting.set(id, { method, resolve: (value) => { resolve(value as ResultOf<M>); }, reject });
      signal?.addEventListener('abort', () => {
        if (!this.#waiting.delete(id)) return;
        this.#post({ type: 'cancel', id });
        reject(new HostError('CANCELLED', 'Cancelled.'));
      }, { once: true });
      this.#post({ type: 'request', id, method, params });
    });
  }

  onSnapshot(listener: (snapshot: HostSnapshot) => void): () => void {
    this.#snapshotListeners.add(listener);
    return () => { this.#snapshotListeners.delete(listener); };
  }

  onEvent(listener: (event: ViewEvent) => void): () => void {
    this.#eventListeners.add(listener);
    for (const event of this.#earlyEvents.splice(0)) listener(event);
    return () => { this.#eventListeners.delete(listener); };
  }

  #receive(data: unknown): void {
    const parsed = fromHost.safeParse(data);
    if (!parsed.success) return; // Not ours: the editor posts messages of its own into the frame.
    const message = parsed.data;
    switch (message.type) {
      case 'init':
        this.snapshot = message.snapshot;
        this.#resolveInit(message);
        for (const listener of this.#snapshotListeners) listener(message.snapshot);
        return;
      case 'snapshot':
        this.snapshot = message.snapshot;
        for (const listener of this.#snapshotListeners) listener(message.snapshot);
        return;
      case 'event':
        if (this.#eventListeners.size === 0) this.#earlyEvents.push(message.event);
        for (const listener of this.#eventListeners) listener(message.event);
        return;
      case 'response': {
        const waiting = this.#waiting.get(message.id);
        if (waiting === undefined) return;
        this.#waiting.delete(message.id);
        if (!message.ok) {
          waiting.reject(new HostError(message.error.code, message.error.message));
          return;
        }
        const result = METHODS[waiting.method].result.safeParse(message.result);
        if (result.success) waiting.resolve(result.data);
        else waiting.reject(new HostError('ANSWER_INVALID', `The answer to ${waiting.method} does not have the agreed shape: ${result.error.issues[0]?.path.join('.') ?? ''} ${result.error.issues[0]?.message ?? ''}`));
      }
    }
  }
}
