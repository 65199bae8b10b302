/**
 * RemoteEmbedder: vectors from an OpenAI-compatible `/embeddings` endpoint, on the person's
 * machine (Ollama, LM Studio, llama.cpp) or on the net. Only by setting: it is the one
 * embedder that sends memory text elsewhere.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CairnError } from '../../../base/errors.ts';
import { estimateModelTokens } from '../chunker.ts';
import type { Embedder, EmbeddingRole } from '../embedder.ts';
import { profileOf } from '../modelProfiles.ts';
import { assertNotCancelled, unitVector } from '../unitVector.ts';

export interface RemoteOptions {
  /** Up to and including the version, for example `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Asked at each call, so that a changed key is used at once; it is sent to `baseUrl` and goes nowhere else. */
  readonly apiKey?: () => string | undefined;
  /** What the model should give; checked against its first answer. Found out by one call when absent. */
  readonly dimensions?: number;
  /** For one attempt; 30 s if absent. */
  readonly timeoutMs?: number;
  /** Further attempts after 429, 5xx and broken connections; 3 if absent. */
  readonly retries?: number;
  /** Before the first further attempt, doubled each time; 500 if absent. A `Retry-After` of the server wins, up to a minute. */
  readonly backOffMs?: number;
}

const MAX_BATCH = 32;
const TIMEOUT_MS = 30_000;
const RETRIES = 3;
const BACK_OFF_MS = 500;
const MAX_WAIT_MS = 60_000;

/**
 * Asks the endpoint once to learn the dimensions. Throws CONFIG_INVALID for an unusable address,
 * PROVIDER_REJECTED for a refused key or model, EMBEDDING_FAILED when there is no usable answer.
 */
export async function openRemoteEmbedder(options: RemoteOptions): Promise<Embedder> {
  const url = endpointOf(options);
  const [probe] = await request(url, options, ['dimensions'], undefined);
  const found = probe?.length ?? 0;
  if (options.dimensions !== undefined && options.dimensions !== found) throw new CairnError('EMBEDDING_MISMATCH', `The model ${options.model} gives ${found} dimensions, not ${options.dimensions}.`, { data: { expected: options.dimensions, found } });
  return new RemoteEmbedder(url, options, found);
}

class RemoteEmbedder implements Embedder {
  readonly version: string;
  readonly dimensions: number;
  readonly #url: URL;
  readonly #options: RemoteOptions;
  readonly #prefixes: { readonly query: string; readonly passage: string };
  readonly #closing = new AbortController();

  constructor(url: URL, options: RemoteOptions, dimensions: number) {
    this.#url = url;
    this.#options = options;
    this.#prefixes = profileOf(options.model)?.prefixes ?? { query: '', passage: '' };
    this.dimensions = dimensions;
    // The address is part of it: two servers may call different weights by one name.
    this.version = `remote-${url.host}-${options.model}-${dimensions}`.replaceAll(/[^\w.:/@-]/g, '_');
  }

  async embed(texts: readonly string[], { role, signal }: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += MAX_BATCH) {
      assertNotCancelled(signal);
      if (this.#closing.signal.aborted) throw new CairnError('EMBEDDING_FAILED', 'The embedder is closed.');
      const batch = texts.slice(from, from + MAX_BATCH).map((text) => inputOf(this.#prefixes[role] + text));
      const answer = await request(this.#url, this.#options, batch, signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]));
      for (const values of answer) vectors.push(unitVector(values, this.dimensions, this.#options.model));
    }
    assertNotCancelled(signal);
    return vectors;
  }

  countTokens(text: string): number {
    return estimateModelTokens(text);
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }
}

/** Endpoints refuse an empty input, and JSON cannot carry half a surrogate pair. */
const inputOf = (text: string): string => (text.trim() === '' ? '(blank)' : text.toWellFormed());

function endpointOf({ baseUrl, apiKey }: RemoteOptions): URL {
  let url: URL;
  try {
    url = new URL(`${baseUrl.replace(/\/+$/, '')}/embeddings`);
  } catch (error) {
    throw new CairnError('CONFIG_INVALID', 'embedding.baseUrl is not an address, for example http://127.0.0.1:11434/v1.', { cause: error });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new CairnError('CONFIG_INVALID', 'embedding.baseUrl must begin with https: or http:.');
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !isHere && apiKey?.() !== undefined) throw new CairnError('CONFIG_INVALID', 'A key is not sent over plain http to another machine; use https in embedding.baseUrl.');
  return url;
}

async function request(url: URL, options: RemoteOptions, input: readonly string[], signal: AbortSignal | undefined): Promise<number[][]> {
  const retries = options.retries ?? RETRIES;
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await tryOnce(url, options, input, signal);
    if (outcome.kind === 'done') return outcome.vectors;
    if (outcome.kind === 'refused' || attempt >= retries) throw outcome.error;
    const backOffMs = Math.min(outcome.waitMs ?? (options.backOffMs ?? BACK_OFF_MS) * 2 ** attempt, MAX_WAIT_MS);
    try {
      await wait(backOffMs, undefined, { signal });
    } catch (error) {
      throw cancelled(error);
    }
  }
}

type Outcome = { kind: 'done'; vectors: number[][] } | { kind: 'refused'; error: CairnError } | { kind: 'again'; error: CairnError; waitMs: number | undefined };

async function tryOnce(url: URL, options: RemoteOptions, input: readonly string[], signal: AbortSignal | undefined): Promise<Outcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const key = options.apiKey?.();
  let status: number;
  let body: string;
  let retryAfter: string | null;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model: options.model, input, encoding_format: 'float' }),
      // A redirect would carry texts, and on some servers the key, to an address nobody chose.
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    status = response.status;
    retryAfter = response.headers.get('retry-after');
    body = await response.text();
  } catch (error) {
    if (signal?.aborted === true) throw cancelled(error);
    const why = timeout.aborted ? `did not answer within ${options.timeoutMs ?? TIMEOUT_MS} ms` : 'cannot be reached';
    return { kind: 'again', error: new CairnError('EMBEDDING_FAILED', `${url.host} ${why}.`, { cause: error }), waitMs: undefined };
  }
  if (status === 429 || status >= 500) {
    const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
    return { kind: 'again', error: new CairnError('EMBEDDING_FAILED', `${url.host} answered ${status}.`, { data: { status } }), waitMs: Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : undefined };
  }
  // The answer may repeat the request, so only the status is passed on.
  if (status < 200 || status > 299) return { kind: 'refused', error: new CairnError('PROVIDER_REJECTED', `${url.host} refused the request with ${status}; check the key, the model "${options.model}" and the address.`, { data: { status } }) };
  const vectors = parseVectors(body, input.length);
  if (vectors === undefined) return { kind: 'refused', error: new CairnError('EMBEDDING_FAILED', `${url.host} gave no usable vectors for ${input.length} texts.`) };
  return { kind: 'done', vectors };
}

/** The vectors in the order of the texts, which `index` says; undefined when one is missing, doubled, or no list of finite numbers. */
function parseVectors(body: string, count: number): number[][] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined; // a page of a proxy, or half an answer: said by the caller
  }
  const data = (parsed as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors = new Array<number[] | undefined>(count).fill(undefined);
  for (const [i, entry] of (data as unknown[]).entries()) {
    const { embedding, index = i } = (entry ?? {}) as { embedding?: unknown; index?: unknown };
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) return undefined;
    if (!Array.isArray(embedding) || embedding.length === 0 || !embedding.every((value) => typeof value === 'number' && Number.isFinite(value))) return undefined;
    vectors[index] = embedding as number[];
  }
  return vectors as number[][];
}

const cancelled = (cause: unknown): CairnError => new CairnError('CANCELLED', 'Cancelled.', { cause });
