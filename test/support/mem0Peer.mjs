/**
 * mem0 in its local form as a child of the peers' benchmark: one JSON request a line, one JSON answer a line.
 * Runs on the Node that compiled its SQLite, in the folder where it is installed.
 *
 *   node mem0Peer.mjs FOLDER EMBEDDINGS_URL DIMENSIONS DATABASE
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder = '', baseURL = '', dimensions = '', database = ''] = process.argv.slice(2);
const entry = createRequire(path.join(folder, 'package.json')).resolve('mem0ai/oss').replace(/\.js$/, '.mjs');
const { Memory } = await import(pathToFileURL(entry).href);
const connection = { apiKey: 'none', model: 'local', baseURL };
const memory = new Memory({
  version: 'v1.1',
  embedder: { provider: 'openai', config: { ...connection, url: baseURL, embeddingDims: Number(dimensions) } },
  vectorStore: { provider: 'memory', config: { collectionName: 'bench', dimension: Number(dimensions), dbPath: database } },
  llm: { provider: 'openai', config: connection },
  historyDbPath: `${database}.history`,
  disableHistory: true,
});

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { add, search } = JSON.parse(line);
  const answer = add === undefined
    ? (await memory.search(search, { filters: { user_id: 'bench' }, topK: 5 })).results.map((result) => result.memory)
    : await memory.add(add, { userId: 'bench', infer: false }).then(() => []);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
