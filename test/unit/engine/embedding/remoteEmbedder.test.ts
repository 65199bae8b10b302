/** The remote embedder against a server that misbehaves by script. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openRemoteEmbedder, type RemoteOptions } from '../../../../src/engine/embedding/remote/remoteEmbedder.ts';

interface Received {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly input: string[];
}

type Step = (response: http.ServerResponse, input: string[]) => void;

const vectors = (response: http.ServerResponse, input: string[]): void => {
  response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [text.length, 1, 0] })) }));
};
const status = (code: number, headers: Record<string, string> = {}): Step => (response) => response.writeHead(code, headers).end('{"error":"secret-key and the text"}');
const say = (body: string): Step => (response) => response.end(body);

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Plays the steps in order, then answers properly. */
async function scripted(steps: Step[]): Promise<{ options: RemoteOptions; received: Received[] }> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      const { input } = JSON.parse(body) as { input: string[] };
      received.push({ url: request.url, authorization: request.headers.authorization, input });
      (steps.shift() ?? vectors)(response, input);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { received, options: { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, model: 'm', backOffMs: 1, timeoutMs: 5_000 } };
}

describe('the remote embedder', () => {
  it('asks the endpoint for floats with the key, and learns the dimensions from one call', async () => {
    const { options, received } = await scripted([]);
    const embedder = await openRemoteEmbedder({ ...options, apiKey: () => 'secret-key' });
    expect(embedder.dimensions).toBe(3);
    expect(received).toEqual([{ url: '/v1/embeddings', authorization: 'Bearer secret-key', input: ['dimensions'] }]);
  });

  it('sends at most 32 texts at a time, blank ones as a word, half characters mended', async () => {
    const { options, received } = await scripted([]);
    const embedder = await openRemoteEmbedder(options);
    expect(await embedder.embed([...Array.from({ length: 33 }, (_value, i) => `text ${i}`), '  ', 'half \ud800'], { role: 'query' })).toHaveLength(35);
    expect(received.map(({ input }) => input.length)).toEqual([1, 32, 3]);
    expect(received[2]?.input.slice(1)).toEqual(['(blank)', 'half \ufffd']);
  });

  it('uses the prefixes of a model it knows', async () => {
    const { options, received } = await scripted([]);
    const embedder = await openRemoteEmbedder({ ...options, model: 'nomic-embed-text-v1.5' });
    await embedder.embed(['a'], { role: 'query' });
    await embedder.embed(['a'], { role: 'passage' });
    expect(received.slice(1).map(({ input }) => input[0])).toEqual(['search_query: a', 'search_document: a']);
  });

  it('tries again after 429 and 5xx and broken connections, then gives up with the status', async () => {
    const { options, received } = await scripted([status(429, { 'retry-after': '0' }), status(503), (response) => response.destroy()]);
    const embedder = await openRemoteEmbedder(options);
    expect(received).toHaveLength(4);
    const { options: broken } = await scripted(Array.from({ length: 9 }, () => status(500)));
    await expect(openRemoteEmbedder(broken)).rejects.toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringContaining('500') as string });
    await embedder.close();
  });

  it('does not try again after a refusal, and repeats neither the key nor the answer', async () => {
    const { options, received } = await scripted([status(401)]);
    const outcome = await openRemoteEmbedder({ ...options, apiKey: () => 'secret-key' }).catch((error: unknown) => error as Error & { code: string });
    expect(outcome).toMatchObject({ code: 'PROVIDER_REJECTED' });
    expect(received).toHaveLength(1);
    expect(JSON.stringify([(outcome as Error).message, outcome])).not.toContain('secret-key');
  });

  it('refuses answers that are no list of one vector per text', async () => {
    for (const body of ['<html>', '{}', '{"data":[]}', '{"data":[{"index":0,"embedding":[]}]}', '{"data":[{"index":0,"embedding":["x"]}]}', '{"data":[{"index":5,"embedding":[1]}]}', '{"data":[{"index":0,"embedding":[1,nul', '{"data":[{"index":0,"embedding":[1,NaN,0]}]}', '{"data":[{"index":0,"embedding":[1,null,0]}]}', '{"data":[{"index":0,"embedding":[1e999,1,0]}]}']) {
      const { options } = await scripted([say(body)]);
      await expect(openRemoteEmbedder(options)).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    }
  });

  it('refuses a zero vector, and one of another length than before', async () => {
    for (const embedding of ['[0,0,0]', '[1,2]']) {
      const { options } = await scripted([vectors, say(`{"data":[{"index":0,"embedding":${embedding}}]}`)]);
      const embedder = await openRemoteEmbedder(options);
      await expect(embedder.embed(['a'], { role: 'query' })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    }
  });

  it('gives up on a server that never answers, and at once when the caller cancels', async () => {
    const never: Step = () => undefined;
    const { options } = await scripted([never, never, vectors, never]);
    await expect(openRemoteEmbedder({ ...options, timeoutMs: 50, retries: 1 })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringContaining('50 ms') as string });
    const embedder = await openRemoteEmbedder(options);
    const abort = new AbortController();
    const asked = embedder.embed(['a'], { role: 'query', signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('checks the dimensions the person stated', async () => {
    const { options } = await scripted([]);
    await expect(openRemoteEmbedder({ ...options, dimensions: 384 })).rejects.toMatchObject({ code: 'EMBEDDING_MISMATCH' });
  });

  it('follows no redirect and sends no key over plain http to another machine', async () => {
    const { options } = await scripted([status(307, { location: 'http://127.0.0.1:9/' }), status(307, { location: 'http://127.0.0.1:9/' })]);
    await expect(openRemoteEmbedder({ ...options, retries: 0 })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    await expect(openRemoteEmbedder({ baseUrl: 'http://models.example/v1', model: 'm', apiKey: () => 'key' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    for (const baseUrl of ['', 'models', 'file:///etc']) await expect(openRemoteEmbedder({ baseUrl, model: 'm' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
