/**
 * Owner's side: serves one loaded embedder to this user's other processes. Lives inside a
 * process that lives anyway (MCP server, editor) and ends with it, or when idle, or when
 * a newer version asks it to.
 */
import { createServer, type Server, type Socket } from 'node:net';
import fs from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { Embedder } from '../../engine/index.ts';
import type { Lease } from '../lease.ts';
import type { HomePaths } from '../paths.ts';
import { compareVersions } from '../programHome.ts';
import { addressFile, type ClientMessage, createSocketPath, createToken, encodeVectors, isSameToken, onMessages, PROTOCOL, readAddress, send, writeAddress } from './protocol.ts';

export interface EmbedderServerOptions {
  readonly paths: HomePaths;
  readonly lease: Lease;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly version: string;
  /** The setting `embedding.model` that this embedder stands for. */
  readonly model: string;
  /** Called with each text that somebody else wants embedded. */
  readonly onUse: () => void;
  /** Called once when the server has left, for whatever reason. */
  readonly onLeft: () => void;
}

export interface EmbedderServer {
  readonly connections: number;
  /** Answers what is under way, then leaves: socket, address and lock are gone. */
  close(): Promise<void>;
}

/** Resolves when others can connect. */
export async function serveEmbedder(options: EmbedderServerOptions): Promise<EmbedderServer> {
  const { paths, embedder, version, model } = options;
  const startedAt = options.clock.now();
  const token = createToken();
  const socketPath = createSocketPath(paths);
  const sockets = new Set<Socket>();
  const working = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  const serve = (socket: Socket): void => {
    const running = new Map<number, AbortController>();
    let isTrusted = false;
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // the other side went away
    socket.on('close', () => {
      sockets.delete(socket);
      for (const controller of running.values()) controller.abort();
    });
    onMessages<ClientMessage>(socket, (message) => {
      if (!isTrusted) {
        if (message.type !== 'hello' || message.protocol !== PROTOCOL || !isSameToken(message.token, token)) return void socket.destroy();
        if (message.model !== model) {
          send(socket, { type: 'refused', reason: `This owner serves "${model}".` });
          return void socket.end();
        }
        isTrusted = true;
        return send(socket, { type: 'hello', protocol: PROTOCOL, version, pid: process.pid, startedAt, embeddingVersion: embedder.version, dimensions: embedder.dimensions });
      }
      if (message.type === 'cancel') running.get(message.id)?.abort();
      else if (message.type === 'retire' && compareVersions(message.version, version) > 0) void close();
      else if (message.type === 'embed') {
        const controller = new AbortController();
        options.onUse();
        running.set(message.id, controller);
        const work = embed(socket, message, controller.signal).finally(() => running.delete(message.id));
        working.add(work);
        void work.finally(() => working.delete(work));
      }
    });
  };

  const embed = async (socket: Socket, { id, role, texts }: Extract<ClientMessage, { type: 'embed' }>, signal: AbortSignal): Promise<void> => {
    try {
      const vectors = await embedder.embed(texts, { role, signal });
      if (!socket.destroyed) send(socket, { type: 'vectors', id, data: encodeVectors(vectors) });
    } catch (error) {
      if (!socket.destroyed) send(socket, { type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
    }
  };

  const close = (): Promise<void> => {
    closing ??= (async () => {
      server.close();
      if (readAddress(paths)?.token === token) fs.rmSync(addressFile(paths), { force: true });
      await Promise.allSettled([...working]);
      for (const socket of sockets) socket.end();
      if (process.platform !== 'win32') fs.rmSync(socketPath, { force: true });
      options.lease.dispose();
      options.onLeft();
    })();
    return closing;
  };

  const server: Server = createServer(serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, () => resolve());
  });
  // A host that has nothing else to do may end; the socket must not keep it.
  server.unref();
  if (process.platform !== 'win32') fs.chmodSync(socketPath, 0o600);
  writeAddress(paths, { socket: socketPath, token, protocol: PROTOCOL, version, model });
  return { get connections() { return sockets.size; }, close };
}
