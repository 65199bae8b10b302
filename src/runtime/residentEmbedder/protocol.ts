/**
 * Protocol of the resident embedder: one JSON object per line over a local socket. The
 * client speaks first and proves with the token that it may read this user's files.
 *
 *   client: hello {protocol, version, token, model}
 *   server: hello {protocol, version, pid, startedAt, embeddingVersion, dimensions}  or  refused {reason}
 *   client: embed {id, role, texts}          server: vectors {id, data}  or  failed {id, message}
 *   client: cancel {id}                      (no answer)
 *   client: retire {version}                 server leaves when `version` is newer than its own
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Socket } from 'node:net';
import type { EmbeddingRole } from '../../engine/index.ts';
import { type HomePaths, readFileIfPresent, writeFileAtomically } from '../paths.ts';

export const PROTOCOL = 1;
/** A client that sends more in one line is none of ours: 32 texts of 8,000 characters fit five times. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** sun_path holds 104 to 108 bytes, depending on the system. */
const MAX_SOCKET_BYTES = 100;

export type ClientMessage =
  | { readonly type: 'hello'; readonly protocol: number; readonly version: string; readonly token: string; readonly model: string }
  | { readonly type: 'embed'; readonly id: number; readonly role: EmbeddingRole; readonly texts: readonly string[] }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'retire'; readonly version: string };

export type ServerMessage =
  | { readonly type: 'hello'; readonly protocol: number; readonly version: string; readonly pid: number; readonly startedAt: number; readonly embeddingVersion: string; readonly dimensions: number }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'vectors'; readonly id: number; readonly data: string }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };

/** How to reach the owner; a 0600 file, so that only this user can know the token. */
export interface Address {
  readonly socket: string;
  readonly token: string;
  readonly protocol: number;
  readonly version: string;
  readonly model: string;
}

export const addressFile = (paths: HomePaths): string => path.join(paths.leases, 'embedder.json');
export const ownerLock = (paths: HomePaths): string => path.join(paths.leases, 'embedder.lock');
export const createToken = (): string => randomBytes(32).toString('hex');

export function readAddress(paths: HomePaths): Address | undefined {
  try {
    const parsed = JSON.parse(readFileIfPresent(addressFile(paths)) ?? '') as Partial<Address>;
    return typeof parsed.socket === 'string' && typeof parsed.token === 'string' && typeof parsed.version === 'string' && typeof parsed.model === 'string' && parsed.protocol === PROTOCOL ? (parsed as Address) : undefined;
  } catch {
    return undefined; // nobody serves, or one of another protocol does
  }
}

export function writeAddress(paths: HomePaths, address: Address): void {
  writeFileAtomically(addressFile(paths), JSON.stringify(address));
}

export function isSameToken(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * A new socket path: short whatever CAIRN_HOME is, inside a folder that only this user can
 * enter. On Windows a named pipe, whose name nobody can guess.
 */
export function createSocketPath(paths: HomePaths): string {
  const name = createHash('sha256').update(`${paths.home}\n${randomBytes(8).toString('hex')}`).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\cairn-${name}`;
  for (const base of [process.env.XDG_RUNTIME_DIR, os.tmpdir(), '/tmp']) {
    if (base === undefined || base === '') continue;
    const folder = path.join(base, `cairn-${process.getuid?.() ?? 0}`);
    const socket = path.join(folder, `${name}.sock`);
    if (Buffer.byteLength(socket) < MAX_SOCKET_BYTES && isPrivateFolder(folder)) return socket;
  }
  throw new Error('No private folder for a socket was found.');
}

/** Made by us with 0700, or found exactly so: in a shared /tmp somebody else may have been there first. */
function isPrivateFolder(folder: string): boolean {
  try {
    fs.mkdirSync(folder, { mode: 0o700, recursive: true });
    const stat = fs.lstatSync(folder);
    return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
  } catch {
    return false; // the next folder is tried
  }
}

export const encodeVectors = (vectors: readonly Float32Array[]): string => Buffer.concat(vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))).toString('base64');

export function decodeVectors(data: string, dimensions: number, count: number): Float32Array[] {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length !== dimensions * count * 4) throw new Error(`The embedder answered with ${bytes.length} bytes instead of ${dimensions * count * 4}.`);
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return Array.from({ length: count }, (_, i) => all.slice(i * dimensions, (i + 1) * dimensions));
}

export const send = (socket: Socket, message: ClientMessage | ServerMessage): void => void socket.write(`${JSON.stringify(message)}\n`);

/** Calls back with each parsed line; a line that is none of ours ends the connection. */
export function onMessages<T>(socket: Socket, receive: (message: T) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    rest += chunk;
    if (rest.length > MAX_LINE_BYTES) return void socket.destroy();
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      let message: T;
      try {
        message = JSON.parse(line) as T;
      } catch {
        socket.destroy(); // not our protocol
        return;
      }
      receive(message);
    }
  });
}
