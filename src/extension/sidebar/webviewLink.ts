/**
 * WebviewLink: the host's end of the wire. Checks every message by schema, answers each
 * request once, cancels what the page cancels, and tells every page the snapshot.
 */
import * as vscode from 'vscode';
import { isCairnError } from '../../base/errors.ts';
import { METHODS, fromWebview, isMethod } from '../../protocol/index.ts';
import type { FromHost, HostSnapshot, MethodName, ParamsOf, ResultOf, ViewEvent, WireError } from '../../protocol/index.ts';
import type { Log } from '../log.ts';

export type Handlers = { readonly [M in MethodName]: (params: ParamsOf<M>, signal: AbortSignal) => Promise<ResultOf<M>> };

/** Loads the wire with its schemas and handlers at the first page, not at activation. */
export type OpenLink = (webview: vscode.Webview) => Promise<WebviewLink>;

export interface LinkOptions {
  readonly webview: vscode.Webview;
  readonly handlers: Handlers;
  readonly snapshot: () => HostSnapshot;
  readonly log: Log;
}

export class WebviewLink implements vscode.Disposable {
  readonly #options: LinkOptions;
  readonly #running = new Map<number, AbortController>();
  readonly #subscription: vscode.Disposable;
  #ready = false;
  /** Events for a page that is not up yet. */
  #waiting: ViewEvent[] = [];

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#subscription = options.webview.onDidReceiveMessage((message: unknown) => { void this.#receive(message); });
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  /** The editor takes a hidden page down; what it is told meanwhile waits until it is back and says so. */
  pageHidden(): void {
    this.#ready = false;
  }

  tellSnapshot(snapshot: HostSnapshot): void {
    if (this.#ready) this.#post({ type: 'snapshot', snapshot });
  }

  tell(event: ViewEvent): void {
    if (this.#ready) this.#post({ type: 'event', event });
    else this.#waiting.push(event);
  }

  #post(message: FromHost): void {
    // False means that the page is gone; it asks anew when it is back.
    void this.#options.webview.postMessage(message);
  }

  async #receive(data: unknown): Promise<void> {
    const parsed = fromWebview.safeParse(data);
    if (!parsed.success) {
      this.#options.log.failed('webview', new Error(`A message does not have the agreed shape: ${parsed.error.issues[0]?.message ?? ''}`));
      return;
    }
    const message = parsed.data;
    if (message.type === 'ready') {
      this.#ready = true;
      const words = Object.fromEntries(Object.entries(vscode.l10n.bundle ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
      this.#post({ type: 'init', words, locale: vscode.env.language, snapshot: this.#options.snapshot() });
      for (const event of this.#waiting.splice(0)) this.#post({ type: 'event', event });
    } else if (message.type === 'cancel') this.#running.get(message.id)?.abort();
    else await this.#answer(message.id, message.method, message.params);
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    const refuse = (error: WireError): void => { this.#post({ type: 'response', id, ok: false, error }); };
    if (!isMethod(method)) {
      refuse({ code: 'OPERATION_UNKNOWN', message: `No method ${method}.` });
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      this.#post({ type: 'response', id, ok: true, result: await this.#run(method, params, controller.signal) });
    } catch (error) {
      if (!isCairnError(error)) this.#options.log.failed(method, error);
      refuse({ code: isCairnError(error) ? error.code : 'INTERNAL', message: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #run<M extends MethodName>(method: M, params: unknown, signal: AbortSignal): Promise<unknown> {
    const checked = METHODS[method].params.safeParse(params);
    if (!checked.success) throw new Error(`${method}: ${checked.error.issues[0]?.path.join('.') ?? ''} ${checked.error.issues[0]?.message ?? ''}`);
    // The table pairs each schema with its handler; the compiler cannot follow that through a generic index.
    const handler = this.#options.handlers[method] as (params: unknown, signal: AbortSignal) => Promise<unknown>;
    return handler(checked.data, signal);
  }
}
