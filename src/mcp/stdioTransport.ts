/**
 * The stdio transport: one JSON-RPC message a line, over streams that are handed in.
 *
 * The SDK's own transport drops a line that is not JSON without an answer and does not
 * notice the end of stdin; here a bad line is answered with -32700, a part that is null counts
 * as absent, and the end of input closes the connection (a client that was killed leaves
 * no server behind). What is written is ASCII: a console in another code page cannot
 * spoil it. Invariant 8: nothing but protocol is written.
 */
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** A line longer than this is not a request of any client; it is refused instead of filling memory. */
const MAX_LINE_BYTES = 16 * 1_048_576;

const WRONG_SHAPE = 'Invalid request: id is a text or a whole number, params and its _meta are objects, a progress token is a text or a whole number, and there is nothing beside jsonrpc, id, method and params';

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#input.on('end', () => void this.close());
    this.#input.on('close', () => void this.close());
    this.#input.on('error', (error) => this.onerror?.(error));
    // The reader went away: nothing can be said any more.
    this.#output.on('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      if (this.#output.write(`${toAscii(JSON.stringify(message))}\n`)) resolve();
      else this.#output.once('drain', resolve);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.removeAllListeners('data');
    this.onclose?.();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(0x0a);
      if (end < 0) break;
      this.#keep(rest.subarray(0, end));
      this.#finishLine();
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > MAX_LINE_BYTES) {
      this.#skipping = true;
      this.#parts = [];
    }
    if (!this.#skipping) this.#parts.push(part);
  }

  #finishLine(): void {
    const tooLong = this.#skipping;
    const line = Buffer.concat(this.#parts).toString('utf8').trim();
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = false;
    if (tooLong) this.#refuse(-32700, `Parse error: a message has at most ${MAX_LINE_BYTES} bytes`);
    else if (line !== '') this.#receive(line);
  }

  #receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // The sender learns of it by the protocol's own error.
      this.#refuse(-32700, 'Parse error: not JSON');
      return;
    }
    dropNulls(value);
    const parsed = JSONRPCMessageSchema.safeParse(value);
    if (!parsed.success) {
      const id = isObject(value) && (typeof value['id'] === 'string' || typeof value['id'] === 'number') ? value['id'] : null;
      this.#refuse(-32600, isObject(value) && value['jsonrpc'] === '2.0' && typeof value['method'] === 'string' ? WRONG_SHAPE : 'Invalid request: not a JSON-RPC 2.0 message', id);
      return;
    }
    this.onmessage?.(parsed.data);
  }

  #refuse(code: number, message: string, id: string | number | null = null): void {
    if (!this.#closed) this.#output.write(`${toAscii(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))}\n`);
  }
}

/** Some clients write what they leave out as null. */
function dropNulls(message: unknown): void {
  if (!isObject(message)) return;
  if (message['params'] === null) delete message['params'];
  const { params } = message;
  if (!isObject(params)) return;
  for (const name of ['arguments', '_meta', 'cursor']) if (params[name] === null) delete params[name];
  if (isObject(params['_meta']) && params['_meta']['progressToken'] === null) delete params['_meta']['progressToken'];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const toAscii = (json: string): string => json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
