/**
 * The worker's side of the thread boundary: takes calls from a port, runs them, and sends
 * back results, progress and changes. The port is an argument, so that it runs anywhere.
 */
import type { MessagePort } from 'node:worker_threads';
import { CairnError, deserializeError, serializeError } from '../base/errors.ts';
import type { HealthCheck } from '../operations/index.ts';
import type { Composition } from './composition.ts';
import type { ChosenModel, HostParts } from './hostServices.ts';
import type { Ask } from './hostModel.ts';
import type { FromWorker, HostQuestion, ToWorker } from './messages.ts';

const POLL_MS = 500;

export interface WorkerHost {
  /** Resolves when the host asked to close and everything is closed. */
  readonly closed: Promise<void>;
}

type HostReply = Extract<ToWorker, { type: 'answer' | 'piece' }>;

interface Asked {
  readonly settle: (message: Extract<HostReply, { type: 'answer' }>) => void;
  readonly onPiece: ((piece: unknown) => void) | undefined;
}

/** Questions to the host's thread, as promises. `receive` gets the answers. A question whose signal aborts is taken back. */
export function createAsk(port: MessagePort): { ask: Ask; receive: (message: HostReply) => void } {
  const waiting = new Map<number, Asked>();
  let nextId = 1;
  return {
    ask: (question, input, { signal, onPiece } = {}) => new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const askId = nextId++;
      const stop = (): void => {
        waiting.delete(askId);
        port.postMessage({ type: 'stopAsking', askId } satisfies FromWorker);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      const settle: Asked['settle'] = ({ value, error }) => {
        signal?.removeEventListener('abort', stop);
        if (error === undefined) resolve(value);
        else reject(deserializeError(error));
      };
      waiting.set(askId, { settle, onPiece });
      port.postMessage({ type: 'ask', askId, question, input } satisfies FromWorker);
    }),
    receive: (message) => {
      const asked = waiting.get(message.askId);
      if (message.type === 'piece') return asked?.onPiece?.(message.piece);
      waiting.delete(message.askId);
      asked?.settle(message);
    },
  };
}

export function hostPartsOver(ask: Ask, offered: readonly HostQuestion[]): HostParts {
  return {
    ...(offered.includes('healthChecks') ? { healthChecks: async (chosen: ChosenModel) => (await ask('healthChecks', chosen)) as readonly HealthCheck[] } : {}),
    ...(offered.includes('fixHealth') ? { fixHealth: async (ids: readonly string[]) => (await ask('fixHealth', ids)) as readonly HealthCheck[] } : {}),
  };
}

export function runWorkerHost(port: MessagePort, composition: Composition, receiveAnswer: (message: HostReply) => void): WorkerHost {
  const running = new Map<number, AbortController>();
  const life = new AbortController();
  let poll: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isEmbedding = false;
  const send = (message: FromWorker): void => port.postMessage(message);

  const run = async ({ callId, operation, input, target, actor }: Extract<ToWorker, { type: 'call' }>): Promise<void> => {
    const controller = new AbortController();
    running.set(callId, controller);
    try {
      const output = await composition.call(operation, input, { target, actor, signal: controller.signal, onProgress: (progress) => send({ type: 'progress', callId, progress }) });
      send({ type: 'result', callId, output });
    } catch (error) {
      const serialized = serializeError(error);
      if (serialized.code === 'INTERNAL') composition.runtime.log.write('error', `${operation} failed`, { error: serialized.message });
      send({ type: 'error', callId, error: serialized });
    } finally {
      running.delete(callId);
    }
  };

  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const changes = await composition.readChanges();
      for (const change of changes) send({ type: 'change', change });
      if (changes.length > 0 && !isEmbedding) {
        isEmbedding = true;
        void composition.embedPending(life.signal).finally(() => (isEmbedding = false));
      }
    } finally {
      isLooking = false;
    }
  };

  const closed = new Promise<void>((resolve) => {
    const close = async (): Promise<void> => {
      clearInterval(poll);
      life.abort();
      for (const controller of running.values()) controller.abort(new CairnError('CANCELLED', 'The host is closing.'));
      await composition.close();
      send({ type: 'closed' });
      port.close();
      resolve();
    };
    port.on('message', (message: ToWorker) => {
      switch (message.type) {
        case 'call': return void run(message);
        case 'cancel': return running.get(message.callId)?.abort();
        case 'answer': case 'piece': return receiveAnswer(message);
        case 'close': return void close();
        case 'listen': {
          clearInterval(poll);
          poll = message.on ? setInterval(() => void look(), POLL_MS) : undefined;
          return;
        }
      }
    });
  });
  return { closed };
}
