/**
 * What processes cost: start of the program, of a hook and of the MCP server against an empty Node of the same run, and
 * the server's memory before and with the model. Prints a section for RESULTS.md. Needs a build.
 *
 *   node test/bench/processes.ts [memories, default 10000] [rounds, default 9]
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { createSeededRandom } from '../support/seededRandom.ts';

const program = path.resolve(import.meta.dirname, '../../dist/program');
const [memories = 10_000, rounds = 9] = process.argv.slice(2).map(Number);
const random = createSeededRandom(11);
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-bench-')));
const repository = path.join(scratch, 'repository');
const home = path.join(scratch, 'home');
const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: scratch, CAIRN_HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
const launcher = path.join(program, 'launcher.cjs');

function run(args: readonly string[], input = '', more: Record<string, string> = {}): { ms: number; stdout: string } {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, env: { ...env, ...more }, input, encoding: 'utf8', maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { ms: performance.now() - startedAt, stdout };
}

/** Interleaved, so that a busy moment hits all alike. */
function measureAll(cases: Readonly<Record<string, () => number | Promise<number>>>): Promise<Map<string, number[]>> {
  return (async () => {
    const times = new Map<string, number[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, measure] of Object.entries(cases)) times.set(name, [...(times.get(name) ?? []), await measure()]);
    }
    return times;
  })();
}

const smallest = (values: readonly number[]): number => Math.min(...values);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const WORDS = ['build', 'test', 'service', 'database', 'deploy', 'cache', 'worker', 'queue', 'config', 'release', 'client', 'server', 'schema', 'index', 'token', 'retry', 'limit', 'branch', 'review', 'module'];
const sentence = (i: number): string => `${Array.from({ length: 8 + Math.floor(random() * 10) }, () => WORDS[Math.floor(random() * WORDS.length)] ?? '').join(' ')} number ${i} uses part${Math.floor(random() * 5_000)}`;

function prepare(): void {
  fs.mkdirSync(repository, { recursive: true });
  spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: repository });
  const file = path.join(scratch, 'memories.jsonl');
  fs.writeFileSync(file, Array.from({ length: memories }, (_, i) => JSON.stringify({ text: sentence(i) })).join('\n'));
  run([launcher, 'init', '--no-register', '--json']);
  run([launcher, 'import', file, '--no-consolidate', '--json'], '', { CAIRN_EMBEDDING_MODEL: 'off' });
}

interface Server {
  request(method: string, params: object): Promise<{ result?: unknown; error?: unknown }>;
  notify(method: string): void;
  residentBytes(): number;
  close(): Promise<void>;
}

function openServer(more: Record<string, string> = {}): Server {
  const child = spawn(process.execPath, [launcher, 'mcp'], { cwd: repository, env: { ...env, ...more }, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>();
  let [rest, nextId] = ['', 1];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    rest += text;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown };
      if (message.id !== undefined) waiting.get(message.id)?.(message);
    }
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    request: (method, params) => new Promise((resolve) => {
      const id = nextId++;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    }),
    notify: (method) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`),
    residentBytes: () => Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

async function initializeOnce(): Promise<number> {
  const startedAt = performance.now();
  const server = openServer();
  await server.request('initialize', INITIALIZE);
  const ms = performance.now() - startedAt;
  await server.close();
  return ms;
}

async function measureMemory(model: string, question = 'deploy service'): Promise<{ initialized: number; recalled: number }> {
  const server = openServer({ CAIRN_EMBEDDING_MODEL: model });
  await server.request('initialize', INITIALIZE);
  server.notify('notifications/initialized');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const initialized = server.residentBytes();
  let recalled = 0;
  for (let i = 0; i < 20; i += 1) {
    await server.request('tools/call', { name: 'recall', arguments: { query: `${question} ${i}` } });
    recalled = Math.max(recalled, server.residentBytes());
  }
  if (model !== 'off') {
    // The first recall starts the model; what has no vector gets one meanwhile.
    for (let i = 0; i < 40; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      recalled = Math.max(recalled, server.residentBytes());
    }
  }
  await server.close();
  return { initialized, recalled };
}

const promptHook = (): number => run([launcher, 'hook', 'UserPromptSubmit'], JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: '6f6c1c4e-0f0a-4a53-9d0a-000000000001', cwd: repository, prompt: 'how do we deploy the cache service to the server?', transcript_path: path.join(scratch, 'none.jsonl') })).ms;

/** Time to load the editor's bundle, with nothing of the editor in it. */
function extensionLoadMs(): number {
  const file = path.resolve(program, '../extension.cjs');
  if (!fs.existsSync(file)) return Number.NaN;
  const script = `const Module=require('node:module');const load=Module._load;const stub=new Proxy(function(){},{get:(t,k)=>k==='prototype'?Object.prototype:stub,apply:()=>stub,construct:()=>stub});Module._load=function(n,...r){return n==='vscode'?stub:load.call(this,n,...r)};const t=performance.now();require(${JSON.stringify(file)});process.stdout.write(String(performance.now()-t))`;
  return Number(run(['-e', script]).stdout);
}

prepare();
const times = await measureAll({
  'empty Node': () => run(['-e', '']).ms,
  'cairn --version': () => run([launcher, '--version']).ms,
  'MCP initialize': initializeOnce,
  [`prompt hook at ${memories.toLocaleString('en')} memories`]: promptHook,
  [`cairn search (words only) at ${memories.toLocaleString('en')}`]: () => run([launcher, 'search', 'deploy cache service', '--json'], '', { CAIRN_EMBEDDING_MODEL: 'off' }).ms,
  'loading extension.cjs': extensionLoadMs,
});
const base = times.get('empty Node') ?? [];
const lines = [
  '## Processes', '',
  `Node ${process.versions.node}, ${os.cpus().length} cores, load average ${os.loadavg()[0]?.toFixed(1)} (read the ratios), ${rounds} interleaved rounds. \`node test/bench/processes.ts\``, '',
  '| process | min ms | median ms | x empty Node (min / median) | budget |', '|---|---|---|---|---|',
];
const BUDGETS: Readonly<Record<string, string>> = { 'MCP initialize': '< 3 x', [`prompt hook at ${memories.toLocaleString('en')} memories`]: '< 3 x', 'loading extension.cjs': 'activate() < 50 ms' };
for (const [name, values] of times) {
  const isPart = name.startsWith('loading');
  lines.push(`| ${name} | ${smallest(values).toFixed(0)} | ${median(values).toFixed(0)} | ${isPart ? '' : `${(smallest(values) / smallest(base)).toFixed(1)} / ${(median(values) / median(base)).toFixed(1)}`} | ${BUDGETS[name] ?? ''} |`);
}
const [without, withModel, inChinese] = [await measureMemory('off'), await measureMemory('bundled'), await measureMemory('bundled', '部署服务的队列')];
const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
lines.push('', '| resident memory of the MCP server | measured | budget |', '|---|---|---|',
  `| after initialize | ${mb(withModel.initialized)} | |`,
  `| at ${memories.toLocaleString('en')} memories, 20 recalls, no model | ${mb(without.recalled)} | < 120 MB |`,
  `| the same with the model, embedding in the background | ${mb(withModel.recalled)} | < 300 MB |`,
  `| the same, asked in Chinese: the lexicon is read | ${mb(inChinese.recalled)} | < 300 MB |`);
process.stdout.write(`${lines.join('\n')}\n`);
fs.rmSync(scratch, { recursive: true, force: true });
