/** The remote embedder under the Embedder contract, against a local server with the hashing embedder behind it. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { createHashingEmbedder } from '../../src/engine/embedding/hashing/hashingEmbedder.ts';
import { openRemoteEmbedder } from '../../src/engine/embedding/remote/remoteEmbedder.ts';
import { describeEmbedder } from './embedder.contract.ts';

const hashing = createHashingEmbedder();
const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (part: Buffer) => (body += part.toString('utf8')));
  request.on('end', () => {
    const { input } = JSON.parse(body) as { input: string[] };
    void hashing.embed(input, { role: 'passage' }).then((vectors) => {
      response.setHeader('content-type', 'application/json');
      // Backwards, since only `index` says which is which.
      response.end(JSON.stringify({ data: vectors.map((vector, index) => ({ index, embedding: [...vector] })).reverse() }));
    });
  });
});

beforeAll(async () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describeEmbedder({
  name: 'The remote embedder',
  // The port is part of the version; it is the same for all openings of this file.
  open: async () => openRemoteEmbedder({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'test-model' }),
  supports: { meaning: false },
});
