/**
 * Extractor over any OpenAI-compatible endpoint, by fetch. For Ollama on the same machine:
 * `extraction.baseUrl` `http://localhost:11434/v1`, `extraction.model` `qwen3:8b` (after
 * `ollama pull qwen3:8b`), no key. Endpoints differ in what they accept: a refused response
 * format or stream is asked for again without it.
 */
import { CairnError } from '../../../base/errors.ts';
import type { ExtractionRequest, Extractor } from '../extractor.ts';
import { converse, type Exchange, type Piece } from './conversation.ts';
import { createPatience, failureOfCall, failureOfStatus } from './failures.ts';
import { ANSWER_SCHEMA, estimatePromptTokens, promptOf } from './prompt.ts';

export interface OpenAiOptions {
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly fetch: typeof fetch;
  readonly idleMs?: number;
}

const IDLE_MS = 120_000;
const LONGEST_LINE = 1_000_000;

/** Local endpoints are named apart: they cost nothing. */
export function createOpenAiExtractor(options: OpenAiOptions): Extractor {
  const isLocal = /^https?:\/\/(?:localhost|127\.|\[::1\]|host\.docker\.internal)/i.test(options.baseUrl);
  const provider = isLocal ? 'openai-local' : 'openai';
  return {
    provider,
    model: options.model,
    estimateTokens: estimatePromptTokens,
    extract: (request) => converse(request, options.model, (exchange) => stream(options, provider, request, exchange)),
  };
}

type Form = 'schema' | 'object' | 'plain';

async function* stream(options: OpenAiOptions, provider: string, request: ExtractionRequest, exchange: Exchange): AsyncGenerator<Piece> {
  const patience = createPatience(options.idleMs ?? IDLE_MS, request.signal);
  try {
    const response = await ask(options, provider, request, exchange, patience.signal);
    if (/json/i.test(response.headers.get('content-type') ?? '') && !/event-stream|ndjson/i.test(response.headers.get('content-type') ?? '')) {
      yield pieceOf(await response.json());
      return;
    }
    for await (const line of linesOf(response, patience.beat)) {
      const data = line.replace(/^data:\s*/, '');
      if (line === '' || data === '[DONE]' || /^(?:event|id|retry|:)/.test(line)) continue;
      const event = parseEvent(data);
      if (event !== undefined) yield pieceOf(event);
    }
    yield { text: '\n' };
  } catch (error) {
    throw failureOfCall(provider, error, request.signal);
  } finally {
    patience.end();
  }
}

async function ask(options: OpenAiOptions, provider: string, request: ExtractionRequest, exchange: Exchange, signal: AbortSignal): Promise<Response> {
  const { system, user } = promptOf(request, false);
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
    ...(exchange.failed === undefined ? [] : [{ role: 'assistant', content: exchange.failed.answer }, { role: 'user', content: exchange.failed.ask }]),
  ];
  for (const form of ['schema', 'object', 'plain'] satisfies Form[]) {
    const response = await options.fetch(`${options.baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(options.apiKey === undefined || options.apiKey === '' ? {} : { authorization: `Bearer ${options.apiKey}` }) },
      body: JSON.stringify({ model: options.model, messages, max_tokens: request.maxOutputTokens, stream: true, ...(form === 'plain' ? {} : { stream_options: { include_usage: true } }), ...responseFormat(form) }),
      signal,
    });
    if (response.ok) return response;
    const detail = await response.text().catch(() => '');
    // 400 and 422 may mean "I do not know response_format"; the plain form decides.
    if ((response.status === 400 || response.status === 422) && form !== 'plain' && !/model|context length|api key/i.test(detail)) continue;
    throw failureOfStatus(provider, response.status, detail);
  }
  throw new CairnError('PROVIDER_REJECTED', `${provider} refused the request in every form.`);
}

function responseFormat(form: Form): Record<string, unknown> {
  if (form === 'schema') return { response_format: { type: 'json_schema', json_schema: { name: 'statements', schema: ANSWER_SCHEMA } } };
  return form === 'object' ? { response_format: { type: 'json_object' } } : {};
}

/** Lines of a streamed body; UTF-8 may be cut anywhere. */
async function* linesOf(response: Response, beat: () => void): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    beat();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = done ? '' : (lines.pop() ?? '').slice(0, LONGEST_LINE);
    yield* lines;
    if (done) return;
  }
}

function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // An endpoint that streams plain text: take it as words of the answer.
    return { choices: [{ delta: { content: `${data}\n` } }] };
  }
}

const field = (value: unknown, name: string): unknown => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined);

function pieceOf(event: unknown): Piece {
  const problem = field(event, 'error');
  if (problem !== undefined && problem !== null) {
    const status = Number(field(problem, 'code') ?? field(problem, 'status'));
    throw failureOfStatus('openai', Number.isInteger(status) && status >= 400 ? status : 500, String(field(problem, 'message') ?? problem));
  }
  const choices = field(event, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const content = field(field(choice, 'delta'), 'content') ?? field(field(choice, 'message'), 'content') ?? field(choice, 'text') ?? field(field(event, 'message'), 'content');
  const text = typeof content === 'string' ? content : Array.isArray(content) ? content.map((part) => String(field(part, 'text') ?? '')).join('') : undefined;
  const usage = field(event, 'usage');
  const count = (name: string): number | undefined => (typeof field(usage, name) === 'number' ? (field(usage, name) as number) : undefined);
  return { ...(text === undefined ? {} : { text }), usage: { inputTokens: count('prompt_tokens'), outputTokens: count('completion_tokens') } };
}
