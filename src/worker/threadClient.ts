/**
 * ThreadClient: the engine in a worker thread, for hosts whose own thread must never wait
 * (extension host, MCP server). A worker that dies fails the calls under way with
 * WORKER_STOPPED and is started again by the next one.
 */
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { CairnError, deserializeError, isCairnError, serializeError } from '../base/errors.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import type { Progress } from '../operations/index.ts';
import type { CallOptions, EngineClient, StoreChange } from './engineClient.ts';
import type { FromWorker, HostQuestion, ToWorker, WorkerSettings } from './messages.ts';

export interface ThreadClientOptions {
  /** `engineWorker.mjs` of the program. */
  readonly workerFile: string | URL;
  readonly env: WorkerSettings['env'];
  /** For the log: mcp, extension. */
  readonly processName: string;
  readonly claudeFolder?: string;
  readonly keys?: WorkerSettings['keys'];
  /** Answers of this host to the worker's questions. */
  readonly hostParts?: HostAnswers;
  /** Lines that the worker's own stderr gets; never memory text. */
  readonly onStderr?: (text: string) => void;
}

/** `piece` hands over a part of an answer that comes in parts; the signal aborts when nobody waits for it any more. */
export type HostAnswers = Readonly<Partial<Record<HostQuestion, (input: unknown, asked: { readonly signal: AbortSignal; readonly piece: (piece: unknown) => void }) => Promise<unknown>>>>;

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  /** The worker's questions that are being answered. */
  readonly answering: Map<number, AbortController>;
  readonly ready: Promise<void>;
  closed: Promise<void>;
}

/** A worker that does not end by itself within this time is ended. */
const CLOSE_MS = 3_000;
const RESTART_MS = 1_000;
/** V8's own choice (48 MB for each thread) is made for servers under load; the engine's garbage is small and short-lived. */
const YOUNG_GENERATION_MB = 8;

export class ThreadClient implements EngineClient {
  readonly #options: ThreadClientOptions;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  #thread: Thread | undefined;
  #nextCall = 1;
  #isClosed = false;

  constructor(options: ThreadClientOptions) {
    this.#options = options;
  }

  /** Starts the worker before the first call needs it. */
  start(): void {
    if (!this.#isClosed) this.#thread ??= this.#startThread();
  }

  async call<Output = unknown>(operation: string, input: unknown, options: CallOptions): Promise<Output> {
    if (this.#isClosed) throw new CairnError('WORKER_STOPPED', 'The engine was closed.');
    if (options.signal?.aborted === true) throw new CairnError('CANCELLED', 'The caller cancelled.');
    const thread = (this.#thread ??= this.#startThread());
    const callId = this.#nextCall++;
    return new Promise<Output>((resolve, reject) => {
      const cancel = (): void => {
        if (!thread.waiting.has(callId)) return;
        // The host is answered at once; the worker stops when it sees the signal.
        post(thread, { type: 'cancel', callId });
        thread.waiting.delete(callId);
        reject(new CairnError('CANCELLED', 'The caller cancelled.'));
      };
      const settle = <T>(then: (value: T) => void) => (value: T): void => {
        options.signal?.removeEventListener('abort', cancel);
        thread.waiting.delete(callId);
        then(value);
      };
      options.signal?.addEventListener('abort', cancel, { once: true });
      thread.waiting.set(callId, { resolve: settle((output) => resolve(output as Output)), reject: settle(reject), onProgress: options.onProgress });
      try {
        post(thread, { type: 'call', callId, operation, input, target: options.target, actor: options.actor });
      } catch (cause) {
        settle(reject)(new CairnError('INPUT_INVALID', 'The input cannot be handed to the engine: it holds something that is no data.', { cause }));
      }
    });
  }

  onDidChange(listener: (change: StoreChange) => void): Disposable {
    this.#listeners.add(listener);
    // A worker that does not run yet has no store open that could change; it is told when it starts.
    if (this.#thread !== undefined && this.#listeners.size === 1) post(this.#thread, { type: 'listen', on: true });
    return toDisposable(() => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0 && this.#thread !== undefined) post(this.#thread, { type: 'listen', on: false });
    });
  }

  /** Ends the worker at once, as a crash would; the next call starts another. For `restart` commands and tests. */
  async terminateWorker(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    await thread.worker.terminate();
    await thread.closed;
  }

  /** Ends the worker; calls under way are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    const thread = this.#thread;
    if (thread === undefined) return;
    post(thread, { type: 'close' });
    const timer = setTimeout(() => void thread.worker.terminate(), CLOSE_MS);
    await thread.closed;
    clearTimeout(timer);
  }

  #startThread(): Thread {
    const { env, processName, claudeFolder, keys, hostParts = {} } = this.#options;
    const settings: WorkerSettings = { env: { ...env }, processName, hostParts: Object.keys(hostParts) as HostQuestion[], ...(claudeFolder === undefined ? {} : { claudeFolder }), ...(keys === undefined ? {} : { keys }) };
    // Its stdout must never reach ours: there the protocol of the MCP server lives.
    const worker = new Worker(this.#options.workerFile, { workerData: settings, stdout: true, stderr: true, env: { ...env, ...compileCache() }, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
    worker.stdout.on('data', (chunk: Buffer) => this.#options.onStderr?.(chunk.toString()));
    worker.stderr.on('data', (chunk: Buffer) => this.#options.onStderr?.(chunk.toString()));
    let markReady: () => void = () => undefined;
    let markClosed: () => void = () => undefined;
    const thread: Thread = {
      worker, waiting: new Map(), answering: new Map(),
      ready: new Promise((resolve) => (markReady = resolve)),
      closed: new Promise((resolve) => (markClosed = resolve)),
    };
    let failure: Error | undefined;
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'failedToStart') failure = deserializeError(message.error);
      else if (message.type === 'ready') markReady();
      else this.#receive(thread, message);
    });
    worker.on('error', (error) => (failure ??= new CairnError('WORKER_STOPPED', `The engine worker stopped: ${error.message}. It is started again at the next call.`, { cause: error })));
    worker.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      markReady();
      markClosed();
      const reason = failure ?? new CairnError('WORKER_STOPPED', 'The engine worker stopped. It is started again at the next call.');
      for (const waiting of [...thread.waiting.values()]) waiting.reject(reason);
      for (const controller of thread.answering.values()) controller.abort(reason);
      // Whoever listens for changes goes on listening; a worker that cannot start at all is left to the next call.
      if (this.#listeners.size > 0 && !(isCairnError(reason) && reason.code !== 'WORKER_STOPPED')) setTimeout(() => this.#listeners.size > 0 && this.start(), RESTART_MS).unref();
    });
    if (this.#listeners.size > 0) post(thread, { type: 'listen', on: true });
    return thread;
  }

  #receive(thread: Thread, message: Exclude<FromWorker, { type: 'failedToStart' | 'ready' }>): void {
    switch (message.type) {
      case 'result': return thread.waiting.get(message.callId)?.resolve(message.output);
      case 'error': return thread.waiting.get(message.callId)?.reject(deserializeError(message.error));
      case 'progress': return thread.waiting.get(message.callId)?.onProgress?.(message.progress);
      case 'change': return this.#listeners.forEach((listener) => listener(message.change));
      case 'ask': return void this.#answer(thread, message.askId, message.question, message.input);
      case 'stopAsking': return thread.answering.get(message.askId)?.abort();
      case 'closed': return;
    }
  }

  async #answer(thread: Thread, askId: number, question: HostQuestion, input: unknown): Promise<void> {
    const controller = new AbortController();
    thread.answering.set(askId, controller);
    try {
      const value = await this.#options.hostParts?.[question]?.(input, { signal: controller.signal, piece: (piece) => post(thread, { type: 'piece', askId, piece }) });
      post(thread, { type: 'answer', askId, value });
    } catch (error) {
      post(thread, { type: 'answer', askId, error: serializeError(error) });
    } finally {
      thread.answering.delete(askId);
    }
  }
}

const post = (thread: Thread, message: ToWorker): void => thread.worker.postMessage(message);

/** A thread keeps compiled code where its process does, but only if it is told; what Node names is a folder of its version below that place. */
function compileCache(): NodeJS.Dict<string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}
