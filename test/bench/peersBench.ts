/**
 * Cairn beside two peers in one run, all as Claude would meet them: @modelcontextprotocol/server-memory over MCP, mem0
 * in its local form with vectors of the very model that Cairn uses, and Cairn over MCP.
 *
 *   node scripts/run.mjs test/bench/peersBench.ts [statements=1000]
 *
 * Our English set (statements and paraphrase questions) among filler statements: how often is the right one among the
 * five that are given, how long does a question take, what does it cost in memory and on disk. Installs the peers into
 * .cache/peers once (mem0's SQLite is compiled).
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { cacheDirectory, installPackages } from '../../scripts/installing.mjs';
import { openPairedEmbedder } from '../../src/engine/embedding/bundled/pairedEmbedder.ts';
import { ownSets } from '../quality/recall/corpus.ts';
import { toolText } from '../support/mcpClient.ts';
import { findLauncher, findProgram, repositoryDirectory } from '../support/program.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

const PEERS = ['@modelcontextprotocol/server-memory@2026.8.31', 'mem0ai@3.3.1'];
const count = Number(process.argv[2]?.split('=')[1] ?? 1_000);
const folder = path.join(cacheDirectory, 'peers');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
await installPackages({ folder, packages: PEERS });

const [english] = ownSets();
if (english === undefined) throw new Error('the English set is part of this repository');
const textOf = new Map(english.memories.map((memory) => [memory.id, memory.text]));
const questions = english.questions.filter(({ relevantIds }) => relevantIds.length > 0);
const PARTS = ['billing', 'search', 'upload', 'login', 'export', 'webhook', 'cache', 'mailer', 'scheduler', 'gateway'];
const filler = Array.from({ length: Math.max(0, count - english.memories.length) }, (_, i) => `The ${PARTS[i % 10] ?? ''} component number ${i} logs to file ${i % 97} and is reviewed by team ${i % 13} in week ${i % 52}.`);
const statements = [...english.memories.map(({ text }) => text), ...filler];

interface Subject {
  readonly name: string;
  readonly pid: number | null | undefined;
  readonly files: string;
  /** Texts given for a question, best first, at most five. */
  ask(question: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const residentMb = (pid: number | null | undefined): string => {
  const line = pid === null || pid === undefined || process.platform !== 'linux' ? undefined : fs.readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/);
  return line?.[1] === undefined ? '?' : (Number(line[1]) / 1024).toFixed(0);
};
const folderMb = (where: string): string => (fs.readdirSync(where, { recursive: true, withFileTypes: true }).reduce((sum, file) => sum + (file.isFile() ? fs.statSync(path.join(file.parentPath, file.name)).size : 0), 0) / 1e6).toFixed(1);

async function openCairn(): Promise<Subject> {
  const home = createTemporaryHome();
  const cwd = createTemporaryRepository().directory;
  const file = path.join(home.root, 'statements.jsonl');
  fs.writeFileSync(file, statements.map((text) => JSON.stringify({ text })).join('\n'));
  await runCairn(['init', '--no-register'], { home, cwd });
  await runCairn(['import', file, '--no-consolidate'], { home, cwd });
  await runCairn(['embeddings', 'backfill'], { home, cwd });
  const transport = new StdioClientTransport({ command: process.execPath, args: [findProgram(), 'mcp'], cwd, env: { ...home.env }, stderr: 'ignore' });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  const ask = async (query: string): Promise<readonly string[]> => [toolText(await client.callTool({ name: 'recall', arguments: { query, limit: 5 } }))];
  // The first question loads the model.
  for (let i = 0; i < 3; i += 1) await ask(`warm ${i}`);
  return { name: 'Cairn', pid: transport.pid, files: path.join(home.cairnHome, 'repos'), ask, close: async () => client.close() };
}

async function openServerMemory(pick: (question: string) => string, name: string): Promise<Subject> {
  const files = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-peer-'));
  const transport = new StdioClientTransport({ command: process.execPath, args: [path.join(folder, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')], env: { PATH: process.env.PATH ?? '', MEMORY_FILE_PATH: path.join(files, 'memory.jsonl') }, stderr: 'ignore' });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  for (let from = 0; from < statements.length; from += 200) {
    await client.callTool({ name: 'create_entities', arguments: { entities: statements.slice(from, from + 200).map((text, i) => ({ name: `statement ${from + i}`, entityType: 'memory', observations: [text] })) } });
  }
  const ask = async (question: string): Promise<readonly string[]> => {
    const { entities } = JSON.parse(toolText(await client.callTool({ name: 'search_nodes', arguments: { query: pick(question) } }))) as { entities: { observations: string[] }[] };
    return entities.slice(0, 5).flatMap(({ observations }) => observations);
  };
  return { name, pid: transport.pid, files, ask, close: async () => client.close() };
}

/** The Node that npm compiled mem0's SQLite for: the one on the PATH that can load it. */
function nodeOfMem0(): string {
  const opens = `new (require(${JSON.stringify(path.join(folder, 'node_modules/better-sqlite3'))}))(':memory:')`;
  const nodes = [process.execPath, ...(process.env.PATH ?? '').split(path.delimiter).map((directory) => path.join(directory, 'node'))];
  const found = nodes.find((node) => fs.existsSync(node) && spawnSync(node, ['-e', opens]).status === 0);
  if (found === undefined) throw new Error('No Node on the PATH can load the SQLite that npm compiled for mem0.');
  return found;
}

async function openMem0(): Promise<Subject> {
  const models = path.join(repositoryDirectory, 'media/models');
  const embedder = await openPairedEmbedder({ englishFolder: path.join(models, 'all-minilm-l6-v2'), multilingualFolder: path.join(models, 'use-multilingual') });
  const server = http.createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const part of request) body += String(part);
      const { input, encoding_format: format } = JSON.parse(body) as { input: string | string[]; encoding_format?: string };
      const vectors = await embedder.embed([input].flat(), { role: 'passage' });
      const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector] }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', model: 'local', data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
    })();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const files = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-peer-'));
  const { port } = server.address() as { port: number };
  const child = spawn(nodeOfMem0(), [path.join(repositoryDirectory, 'test/support/mem0Peer.mjs'), folder, `http://127.0.0.1:${port}/v1`, String(embedder.dimensions), path.join(files, 'mem0.db')], { env: { PATH: process.env.PATH, HOME: files, MEM0_TELEMETRY: 'False' }, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = async (request: object): Promise<readonly string[]> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('mem0 ended');
    return JSON.parse(value) as string[];
  };
  for (const text of statements) await send({ add: text });
  return {
    name: 'mem0 3.3.1, local, the same model', pid: child.pid, files, ask: async (question) => send({ search: question }),
    async close() {
      child.kill();
      server.close();
      await embedder.close();
    },
  };
}

const longestWord = (question: string): string => [...question.split(/[^\p{L}\p{N}]+/u)].sort((a, b) => b.length - a.length)[0] ?? question;
say(`${os.cpus().length} x ${os.cpus()[0]?.model ?? 'CPU'}, load ${os.loadavg()[0]?.toFixed(1)}, node ${process.version}, built ${path.basename(findLauncher())}\n`);
say(`${statements.length} statements, ${questions.length} questions\n\n| | right one among five | a question, p50 / p95 ms | resident MB | on disk MB |\n| --- | --- | --- | --- | --- |`);
for (const open of [openCairn, async () => openServerMemory((question) => question, 'server-memory, the question'), async () => openServerMemory(longestWord, 'server-memory, its longest word'), openMem0]) {
  const subject = await open();
  const times: number[] = [];
  let right = 0;
  for (const { text, relevantIds } of questions) {
    const start = performance.now();
    const given = (await subject.ask(text)).join('\n');
    times.push(performance.now() - start);
    if (relevantIds.some((id) => given.includes(textOf.get(id) ?? '\0'))) right += 1;
  }
  times.sort((a, b) => a - b);
  say(`| ${subject.name} | ${((100 * right) / questions.length).toFixed(1)} % | ${times[Math.floor(times.length / 2)]?.toFixed(1)} / ${times[Math.floor(times.length * 0.95)]?.toFixed(1)} | ${residentMb(subject.pid)} | ${folderMb(subject.files)} |`);
  await subject.close();
}
