/**
 * Two MCP clients for the built server: raw JSON-RPC lines over stdio, for what a well-behaved client would never
 * send, and the official SDK's client, for what everybody sends.
 */
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { findProgram } from './program.ts';
import type { TemporaryHome } from './temporaryHome.ts';

export interface McpOptions {
  readonly home: TemporaryHome;
  /** The project the server is started for. */
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: string;
  /** Another file than the built program: the launcher of a home. */
  readonly program?: string;
}

export interface JsonRpcMessage {
  readonly jsonrpc?: string;
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface RawMcpClient {
  /** Everything the server wrote, in order; lines that are no JSON are in `garbage`. */
  readonly messages: readonly JsonRpcMessage[];
  readonly garbage: readonly string[];
  readonly pid: number;
  stderr(): string;
  /** Writes a line as it is. */
  write(line: string): void;
  /** Writes bytes as they are, without a line end. */
  writeBytes(bytes: Uint8Array | string): void;
  notify(method: string, params?: object): void;
  /** Resolves with the answer, be it a result or an error. */
  request(method: string, params?: object, timeoutMs?: number): Promise<JsonRpcMessage>;
  /** Resolves with the first message, past or coming, that fits. */
  waitFor(fits: (message: JsonRpcMessage) => boolean, what: string, timeoutMs?: number): Promise<JsonRpcMessage>;
  initialize(): Promise<JsonRpcMessage>;
  /** Ends the server's input and resolves when it is gone. */
  close(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal?: NodeJS.Signals): void;
}

export const PROTOCOL_VERSION = '2025-06-18';

export function openRawMcpClient(options: McpOptions): RawMcpClient {
  const child = spawn(options.node ?? process.execPath, [options.program ?? findProgram(), ...(options.args ?? ['mcp'])], {
    cwd: options.cwd, env: { ...options.home.env, ...options.env }, stdio: ['pipe', 'pipe', 'pipe'],
  });
  const messages: JsonRpcMessage[] = [];
  const garbage: string[] = [];
  const waiters = new Set<() => void>();
  let stderr = '';
  let rest = '';
  let nextId = 1;
  let isGone = false;
  const wake = (): void => waiters.forEach((waiter) => waiter());
  child.stdin.on('error', () => undefined); // the server is gone: `close` and `waitFor` tell
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    rest += text;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      try {
        messages.push(JSON.parse(line) as JsonRpcMessage);
      } catch {
        garbage.push(line); // stdout must carry protocol only; a test looks here
      }
    }
    wake();
  });
  const gone = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      isGone = true;
      wake();
      resolve({ code, signal });
    });
  });
  const client: RawMcpClient = {
    messages,
    garbage,
    pid: child.pid ?? -1,
    stderr: () => stderr,
    write: (line) => void child.stdin.write(`${line}\n`),
    writeBytes: (bytes) => void child.stdin.write(bytes),
    notify: (method, params) => client.write(JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })),
    request: (method, params, timeoutMs) => {
      const id = nextId++;
      client.write(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }));
      return client.waitFor((message) => message.id === id && message.method === undefined, `the answer to ${method}`, timeoutMs);
    },
    waitFor: (fits, what, timeoutMs = 90_000) => new Promise((resolve, reject) => {
      const look = (): void => {
        const found = messages.find(fits);
        if (found === undefined && !isGone) return;
        waiters.delete(look);
        clearTimeout(timer);
        if (found === undefined) reject(new Error(`The server ended while ${what} was awaited. stderr:\n${stderr}`));
        else resolve(found);
      };
      const timer = setTimeout(() => {
        waiters.delete(look);
        reject(new Error(`No sign of ${what} in ${timeoutMs} ms. stderr:\n${stderr}`));
      }, timeoutMs);
      waiters.add(look);
      look();
    }),
    initialize: async () => {
      const answer = await client.request('initialize', { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'cairn-tests', version: '1' } });
      client.notify('notifications/initialized');
      return answer;
    },
    close: () => {
      child.stdin.end();
      return gone;
    },
    kill: (signal = 'SIGKILL') => void child.kill(signal),
  };
  return client;
}

/** The official client, connected. Close it with `client.close()`. */
export async function openSdkMcpClient(options: McpOptions): Promise<Client> {
  const client = new Client({ name: 'cairn-tests', version: '1' });
  await client.connect(new StdioClientTransport({
    command: options.node ?? process.execPath,
    args: [findProgram(), ...(options.args ?? ['mcp'])],
    cwd: options.cwd,
    env: { ...options.home.env, ...options.env },
    stderr: 'pipe',
  }));
  return client;
}

/** The text of a tool's result, all blocks joined. */
export function toolText(result: unknown): string {
  const content = (result as { content?: readonly { type: string; text?: string }[] } | undefined)?.content ?? [];
  return content.map((block) => block.text ?? '').join('\n');
}
