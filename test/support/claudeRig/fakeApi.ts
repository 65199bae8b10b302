/**
 * A scripted stand-in for the Anthropic Messages API on loopback, so that the real Claude Code client runs offline.
 * It streams what the script says and keeps every request: what the model would have read is what tests look at.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Which request of the client a turn is for. `side` are small questions without tools, answered by default. */
export type RequestKind = 'main' | 'subagent' | 'compact' | 'title' | 'side';

export interface ToolCall {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly content?: string | readonly Block[];
}

export interface Turn {
  /** What to answer: text, tool calls, whole blocks, an error, or a socket that breaks. */
  readonly text?: string;
  readonly tool?: ToolCall | readonly ToolCall[];
  readonly thinking?: string;
  readonly blocks?: readonly Block[];
  readonly reply?: (request: ApiRequest) => Turn | Promise<Turn>;
  readonly error?: { readonly status: number; readonly type?: string; readonly message?: string; readonly headers?: Readonly<Record<string, string>> };
  readonly hangUp?: boolean;
  readonly stopReason?: string;
  readonly delayMs?: number;
  /** Which request: the first that has not been answered and fits. Default kind: `main`. */
  readonly kind?: RequestKind | 'any';
  readonly when?: { readonly userIncludes?: string | RegExp; readonly bodyIncludes?: string | RegExp; readonly hasTool?: string };
  /** How often it may be used; 0 = for ever. Default 1. */
  readonly times?: number;
}

export interface Script {
  readonly turns?: readonly Turn[];
  /** Answer 400 where no turn fits a main request, instead of a filler text. */
  readonly strict?: boolean;
  readonly fallback?: Turn;
}

export interface ApiMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

export interface ApiRequestBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly system?: string | readonly Block[];
  readonly messages?: readonly ApiMessage[];
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly input_schema?: unknown; readonly defer_loading?: boolean }[];
}

export interface ApiRequest {
  /** 1-based, in order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ApiRequestBody;
  /** Set for requests to `/v1/messages`. */
  readonly kind?: RequestKind;
}

export interface FakeApi {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ApiRequest[];
  /** Main requests that found no turn. */
  readonly unmatched: readonly ApiRequest[];
  setScript(script: Script): void;
  /** Requests to `/v1/messages`, of one kind or all. */
  messages(kind?: RequestKind): ApiRequest[];
  unusedTurns(): Turn[];
  close(): Promise<void>;
}

/** One place where a string reached the model. */
export interface Finding {
  readonly request: number;
  readonly kind: RequestKind | undefined;
  /** Like `system[1]`, `messages[3:user].content[0]`, `tools[mcp__cairn__recall]`. */
  readonly place: string;
  readonly block: unknown;
}

/** Every place of every request that holds the marker. */
export function findInRequests(api: Pick<FakeApi, 'messages'>, marker: string): Finding[] {
  const quoted = JSON.stringify(marker).slice(1, -1);
  return api.messages().flatMap((request) => {
    const { system, messages = [], tools = [] } = request.body;
    const places: [string, unknown][] = [
      ...(typeof system === 'string' ? [system] : (system ?? [])).map((block, i): [string, unknown] => [`system[${i}]`, block]),
      ...messages.flatMap((message, i) => asBlocks(message.content).map((block, j): [string, unknown] => [`messages[${i}:${message.role}].content[${j}]`, block])),
      ...tools.map((tool): [string, unknown] => [`tools[${tool.name}]`, tool]),
    ];
    return places.filter(([, block]) => JSON.stringify(block).includes(quoted)).map(([place, block]) => ({ request: request.number, kind: request.kind, place, block }));
  });
}

const asBlocks = (content: string | readonly Block[]): readonly Block[] => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);

/** All text of a message, tool results included. */
export function messageText(content: string | readonly Block[] | undefined): string {
  if (content === undefined) return '';
  return asBlocks(content).map((block) => block.text ?? (block.type === 'tool_result' ? messageText(block.content) : '')).join('\n');
}

const lastUserText = (body: ApiRequestBody): string => messageText(body.messages?.findLast((message) => message.role === 'user')?.content);

function classify(body: ApiRequestBody, headers: http.IncomingHttpHeaders): RequestKind {
  if (headers['x-claude-code-agent-id'] !== undefined) return 'subagent';
  if (/create a detailed summary of (the|this) conversation|Your task is to create a detailed summary/i.test(lastUserText(body))) return 'compact';
  const system = typeof body.system === 'string' ? body.system : messageText(body.system);
  if (/sentence-case title|Generate a (concise|short).*title|isNewTopic|title for this (coding )?session/i.test(system)) return 'title';
  return body.tools === undefined || body.tools.length === 0 ? 'side' : 'main';
}

const includes = (wanted: string | RegExp | undefined, text: string): boolean => wanted === undefined || (wanted instanceof RegExp ? wanted.test(text) : text.includes(wanted));

function turnFits(turn: Turn, kind: RequestKind, body: ApiRequestBody): boolean {
  const wanted = turn.kind ?? 'main';
  if (wanted !== 'any' && wanted !== kind) return false;
  const { when } = turn;
  return when === undefined || (includes(when.userIncludes, lastUserText(body)) && includes(when.bodyIncludes, JSON.stringify(body))
    && (when.hasTool === undefined || (body.tools ?? []).some((tool) => tool.name === when.hasTool)));
}

const DEFAULTS: Readonly<Partial<Record<RequestKind, Turn>>> = {
  title: { text: '{"title":"scripted session title","branch":"scripted-branch"}' },
  compact: { text: '<analysis>scripted</analysis>\n<summary>\nSCRIPTED-SUMMARY: the conversation so far was summarised by the fake API.\n</summary>' },
  side: { text: 'OK' },
  subagent: { text: 'subagent done (fake API)' },
};

let lastId = 0;
const nextId = (prefix: string): string => `${prefix}_fake${String((lastId += 1)).padStart(6, '0')}`;
/** A rough count is enough: the client only compares it with its context window. */
const roughTokens = (value: unknown): number => Math.ceil((JSON.stringify(value) ?? '').length / 4);

function blocksOf(turn: Turn): Block[] {
  if (turn.blocks !== undefined) return turn.blocks.map((block) => (block.type === 'tool_use' ? { id: nextId('toolu'), ...block } : block));
  const tools = turn.tool === undefined ? [] : [turn.tool].flat() as ToolCall[];
  return [
    ...(turn.thinking === undefined ? [] : [{ type: 'thinking', thinking: turn.thinking, signature: 'ZmFrZS1zaWduYXR1cmU=' }]),
    ...(turn.text === undefined ? [] : [{ type: 'text', text: turn.text }]),
    ...tools.map((tool) => ({ type: 'tool_use', id: tool.id ?? nextId('toolu'), name: tool.name, input: tool.input ?? {} })),
  ];
}

function buildMessage(turn: Turn, body: ApiRequestBody): { content: Block[]; usage: Record<string, unknown>; stop_reason: string } & Record<string, unknown> {
  const content = blocksOf(turn);
  return {
    id: nextId('msg'), type: 'message', role: 'assistant', model: body.model ?? 'unknown', content, stop_sequence: null,
    stop_reason: turn.stopReason ?? (content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn'),
    usage: {
      input_tokens: roughTokens(body.messages) + roughTokens(body.system), cache_creation_input_tokens: 0, cache_read_input_tokens: 0,
      output_tokens: roughTokens(content), service_tier: 'standard',
    },
  };
}

function* pieces(text: string, size = 40): Generator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

function sendStream(response: http.ServerResponse, message: ReturnType<typeof buildMessage>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'request-id': nextId('req') });
  const send = (type: string, data: object): void => void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } } });
  message.content.forEach((block, index) => {
    const deltas = (deltaType: string, field: string, text: string): void => {
      for (const piece of pieces(text)) send('content_block_delta', { index, delta: { type: deltaType, [field]: piece } });
    };
    if (block.type === 'text') {
      send('content_block_start', { index, content_block: { type: 'text', text: '' } });
      deltas('text_delta', 'text', block.text ?? '');
    } else if (block.type === 'thinking') {
      send('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } });
      deltas('thinking_delta', 'thinking', block.thinking ?? '');
      send('content_block_delta', { index, delta: { type: 'signature_delta', signature: block.signature ?? 'ZmFrZS1zaWduYXR1cmU=' } });
    } else if (block.type === 'tool_use') {
      send('content_block_start', { index, content_block: { type: 'tool_use', id: block.id, name: block.name, input: {} } });
      deltas('input_json_delta', 'partial_json', JSON.stringify(block.input ?? {}));
    } else {
      send('content_block_start', { index, content_block: block });
    }
    send('content_block_stop', { index });
  });
  send('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage });
  send('message_stop', {});
  response.end();
}

function sendJson(response: http.ServerResponse, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': nextId('req'), ...headers });
  response.end(JSON.stringify(value));
}

const sendError = (response: http.ServerResponse, status: number, type: string, message: string, headers?: Readonly<Record<string, string>>): void =>
  sendJson(response, status, { type: 'error', error: { type, message } }, headers);

export async function startFakeApi(script: Script = {}): Promise<FakeApi> {
  let current = script;
  let slots = slotsOf(script);
  const requests: ApiRequest[] = [];
  const unmatched: ApiRequest[] = [];

  const chooseTurn = (request: ApiRequest, kind: RequestKind): Turn => {
    const slot = slots.find((candidate) => candidate.left > 0 && turnFits(candidate.turn, kind, request.body));
    if (slot !== undefined) {
      slot.left -= 1;
      return slot.turn;
    }
    const byDefault = DEFAULTS[kind];
    if (byDefault !== undefined) return byDefault;
    unmatched.push(request);
    if (current.strict === true) return { error: { status: 400, type: 'invalid_request_error', message: 'fake API: script exhausted' } };
    return current.fallback ?? { text: 'OK (fake API: script exhausted)' };
  };

  const answer = async (request: ApiRequest, kind: RequestKind, response: http.ServerResponse): Promise<void> => {
    let turn = chooseTurn(request, kind);
    if (turn.reply !== undefined) turn = { ...turn, ...(await turn.reply(request)) };
    if (turn.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, turn.delayMs));
    if (turn.hangUp === true) {
      response.socket?.destroy();
      return;
    }
    if (turn.error !== undefined) {
      sendError(response, turn.error.status, turn.error.type ?? 'api_error', turn.error.message ?? 'scripted error', turn.error.headers);
      return;
    }
    const message = buildMessage(turn, request.body);
    if (request.body.stream === true) sendStream(response, message);
    else sendJson(response, 200, message);
  };

  const serve = async (incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const body = (text === '' ? {} : JSON.parse(text)) as ApiRequestBody;
    const { pathname } = new URL(incoming.url ?? '/', 'http://loopback');
    const isMessage = pathname === '/v1/messages' && incoming.method === 'POST';
    const kind = isMessage ? classify(body, incoming.headers) : undefined;
    const request: ApiRequest = { number: requests.length + 1, method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body, ...(kind === undefined ? {} : { kind }) };
    requests.push(request);
    if (kind !== undefined) return answer(request, kind, response);
    if (pathname === '/v1/messages/count_tokens') return sendJson(response, 200, { input_tokens: roughTokens(body) });
    if (pathname === '/v1/models') return sendJson(response, 200, { data: [], has_more: false });
    if (pathname === '/api/hello') return sendJson(response, 200, { ok: true });
    // Everything else (bootstrap, telemetry, registries) is optional for the client.
    return sendError(response, 404, 'not_found_error', `fake API has no ${incoming.method} ${pathname}`);
  };

  const server = http.createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.end();
      else sendError(response, 500, 'api_error', `fake API failed: ${String(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    unmatched,
    setScript: (next) => {
      current = next;
      slots = slotsOf(next);
    },
    messages: (kind) => requests.filter((request) => request.kind !== undefined && (kind === undefined || request.kind === kind)),
    unusedTurns: () => slots.filter((slot) => slot.left > 0 && slot.left !== Infinity).map((slot) => slot.turn),
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}

const slotsOf = (script: Script): { turn: Turn; left: number }[] => (script.turns ?? []).map((turn) => ({ turn, left: turn.times === 0 ? Infinity : (turn.times ?? 1) }));
