/**
 * A model endpoint on a loopback port that answers as told: OpenAI-compatible or Anthropic, streaming in small
 * pieces that cut words and characters anywhere, with every way of going wrong.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ModelScript {
  readonly text?: string;
  readonly status?: number;
  readonly hang?: boolean;
  readonly breakOff?: boolean;
  /** Refuses response_format with 400, as older endpoints do. */
  readonly refusesFormat?: boolean;
  /** Answers with one JSON document instead of a stream. */
  readonly whole?: boolean;
}

export interface ScriptedEndpoint {
  readonly url: string;
  /** Bodies of the requests, newest last. */
  readonly bodies: string[];
  close(): void;
}

const PIECE = 7;
const pieces = (text: string): string[] => Array.from({ length: Math.ceil(text.length / PIECE) }, (_, i) => text.slice(i * PIECE, (i + 1) * PIECE));

/** Answers the n-th request by the n-th script, and all later ones by the last. */
export async function openScriptedEndpoint(kind: 'openai' | 'anthropic', scripts: readonly ModelScript[]): Promise<ScriptedEndpoint> {
  const bodies: string[] = [];
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const script = scripts[Math.min(bodies.length, scripts.length - 1)] ?? {};
      bodies.push(body);
      if (script.refusesFormat === true && body.includes('response_format')) {
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"response_format is not supported"}}');
        bodies.pop();
        return;
      }
      if (script.status !== undefined) {
        response.writeHead(script.status, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error: { type: 'scripted', message: script.text ?? '' } }));
        return;
      }
      answer(kind, script, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(kind: 'openai' | 'anthropic', script: ModelScript, response: http.ServerResponse): void {
  const text = script.text ?? '';
  if (script.whole === true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [{ message: { content: text } }], usage: { prompt_tokens: 11, completion_tokens: 7 } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (name: string, data: unknown): string => `${kind === 'anthropic' ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
  const events: string[] = [];
  if (kind === 'openai') {
    for (const piece of pieces(text)) events.push(event('', { choices: [{ delta: { content: piece } }] }));
  } else {
    events.push(event('message_start', { type: 'message_start', message: { id: 'x', type: 'message', role: 'assistant', content: [], model: 'm', stop_reason: null, stop_sequence: null, usage: { input_tokens: 11, output_tokens: 1 } } }));
    // An answer that begins like JSON comes as the tool's input, all else as words.
    const isTool = text.startsWith('{');
    events.push(event('content_block_start', { type: 'content_block_start', index: 0, content_block: isTool ? { type: 'tool_use', id: 't', name: 'keep_statements', input: {} } : { type: 'text', text: '' } }));
    for (const piece of pieces(text)) events.push(event('content_block_delta', { type: 'content_block_delta', index: 0, delta: isTool ? { type: 'input_json_delta', partial_json: piece } : { type: 'text_delta', text: piece } }));
  }
  const bytes = Buffer.from(events.join(''), 'utf8');
  // Cut in the middle of lines and characters, as networks do.
  for (let at = 0; at < bytes.length; at += 997) response.write(bytes.subarray(at, at + 997));
  if (script.hang === true) return;
  if (script.breakOff === true) {
    response.write('', () => response.destroy());
    return;
  }
  if (kind === 'openai') response.end(`${event('', { choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } })}data: [DONE]\n\n`);
  else {
    response.end([event('content_block_stop', { type: 'content_block_stop', index: 0 }), event('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } }), event('message_stop', { type: 'message_stop' })].join(''));
  }
}
