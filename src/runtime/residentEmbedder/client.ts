/**
 * Client's side: an Embedder whose work another process of this user does. Connecting and
 * each call have a deadline, so that an owner that hangs costs a degradation and no more.
 */
import type { Socket } from 'node:net';
import { CairnError } from '../../base/errors.ts';
import type { Embedder, EmbeddingRole } from '../../engine/index.ts';
import type { HomePaths } from '../paths.ts';
import { type Address, decodeVectors, onMessages, PROTOCOL, readAddress, send, type ServerMessage } from './protocol.ts';

export interface ConnectOptions {
  readonly paths: HomePaths;
  readonly version: string;
  readonly model: string;
  readonly connectMs: number;
  readonly callMs: number;
  /** The connection ended: the next use has to look for an owner again. */
  readonly onLost?: () => void;
}

export interface ResidentEmbedder extends Embedder {
  readonly ownerVersion: string;
  readonly isConnected: boolean;
  /** Asks an older owner to leave. */
  retireOwner(): void;
}

interface Waiting {
  readonly count: number;
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: Error) => void;
}

/** Undefined when nobody serves this model, or not in time. */
export async function connectToEmbedder(options: ConnectOptions): Promise<ResidentEmbedder | undefined> {
  const address = readAddress(options.paths);
  if (address === undefined || address.model !== options.model) return undefined;
  // Loaded only where there is somebody to talk to: most hooks find nobody.
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(address.socket);
    const giveUp = (): void => {
      socket.destroy();
      resolve(undefined);
    };
    const timer = setTimeout(giveUp, options.connectMs);
    socket.once('error', giveUp); // the owner was killed and left its address behind
    socket.once('close', () => resolve(undefined));
    socket.once('connect', () => greet(socket, address, options));
    const waiting = new Map<number, Waiting>();
    let embedder: ResidentEmbedder | undefined;
    onMessages<ServerMessage>(socket, (message) => {
      if (message.type === 'hello' && embedder === undefined) {
        clearTimeout(timer);
        // A short-lived caller ends when its own work is done.
        socket.unref();
        embedder = createEmbedder(socket, message, waiting, options);
        resolve(embedder);
      } else if (message.type === 'refused') giveUp();
      else if (embedder !== undefined) settle(waiting, message, embedder.dimensions);
    });
  });
}

const greet = (socket: Socket, address: Address, options: ConnectOptions): void => send(socket, { type: 'hello', protocol: PROTOCOL, version: options.version, token: address.token, model: options.model });

function settle(waiting: Map<number, Waiting>, message: ServerMessage, dimensions: number): void {
  if (message.type !== 'vectors' && message.type !== 'failed') return;
  const entry = waiting.get(message.id);
  waiting.delete(message.id);
  if (entry === undefined) return;
  if (message.type === 'failed') return entry.reject(new CairnError('EMBEDDING_FAILED', message.message));
  try {
    entry.resolve(decodeVectors(message.data, dimensions, entry.count));
  } catch (cause) {
    entry.reject(new CairnError('EMBEDDING_FAILED', 'The resident embedder answered with something else than vectors.', { cause }));
  }
}

function createEmbedder(socket: Socket, hello: Extract<ServerMessage, { type: 'hello' }>, waiting: Map<number, Waiting>, options: ConnectOptions): ResidentEmbedder {
  let nextId = 1;
  socket.on('error', () => socket.destroy()); // told by `close`
  socket.on('close', () => {
    for (const entry of waiting.values()) entry.reject(new CairnError('EMBEDDING_FAILED', 'The process that served the embedding model ended.'));
    waiting.clear();
    options.onLost?.();
  });
  const embed = (texts: readonly string[], { role, signal }: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]> => {
    if (texts.length === 0) return Promise.resolve([]);
    if (socket.destroyed) return Promise.reject(new CairnError('EMBEDDING_FAILED', 'The process that served the embedding model ended.'));
    if (signal?.aborted === true) return Promise.reject(new CairnError('CANCELLED', 'Cancelled.'));
    const id = nextId++;
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        waiting.delete(id);
      };
      const fail = (error: Error): void => {
        finish();
        reject(error);
      };
      const cancel = (): void => {
        send(socket, { type: 'cancel', id });
        fail(new CairnError('CANCELLED', 'Cancelled.'));
      };
      const timer = setTimeout(() => {
        send(socket, { type: 'cancel', id });
        fail(new CairnError('EMBEDDING_FAILED', `The resident embedder did not answer within ${options.callMs} ms.`));
      }, options.callMs);
      signal?.addEventListener('abort', cancel, { once: true });
      waiting.set(id, { count: texts.length, reject: fail, resolve: (vectors) => { finish(); resolve(vectors); } });
      send(socket, { type: 'embed', id, role, texts });
    });
  };
  return {
    version: hello.embeddingVersion,
    dimensions: hello.dimensions,
    ownerVersion: hello.version,
    get isConnected() {
      return !socket.destroyed;
    },
    embed,
    countTokens: estimateModelTokens,
    retireOwner: () => send(socket, { type: 'retire', version: options.version }),
    close: async () => void socket.destroy(),
  };
}

/**
 * Upper estimate of a word-piece model's tokens, for chunking without its vocabulary:
 * one per CJK character and punctuation mark, one per three other characters of a word.
 * Chunks come out a little shorter than with the true count, never longer.
 */
export function estimateModelTokens(text: string): number {
  let tokens = 0;
  for (const [word] of text.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu)) tokens += Math.ceil(word.length / 3);
  return tokens;
}
