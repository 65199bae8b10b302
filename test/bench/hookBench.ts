/**
 * Hooks: the hook program against an empty Node start of the same run, at several sizes of the store; the same prompt
 * through a server that is there; both without a model and with one that another process keeps resident; CPU of an
 * idle watcher.
 *
 *   node scripts/run.mjs test/bench/hookBench.ts [sizes=100,10000,100000] [runs=15] [models=off,bundled] [idleSeconds=60]
 *   node scripts/run.mjs test/bench/hookBench.ts sizes= idleSeconds=300        the watcher alone, five minutes
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { readLivingOwner } from '../../src/runtime/lease.ts';
import { homePaths } from '../../src/runtime/paths.ts';
import { ownerLock } from '../../src/runtime/residentEmbedder/protocol.ts';
import { SessionWatcher } from '../../src/transcripts/index.ts';

const options = Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('='))) as Record<string, string>;
const sizes = (options['sizes'] ?? '100,10000,100000').split(',').filter((size) => size !== '').map(Number);
const models = (options['models'] ?? 'off').split(',');
const runs = Number(options['runs'] ?? 15);
const idleSeconds = Number(options['idleSeconds'] ?? 60);
const program = path.join(import.meta.dirname, '../../dist/program');
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-hook-bench-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const WORDS = 'payment worker retry limit queue deploy branch release staging bucket cache session index vector token schema migration user login config timeout parser lexer build test lint format docker compose port host proxy header cookie theme button panel webhook invoice order stock price tax currency locale plugin hook server client socket stream buffer chunk batch'.split(' ');
const word = (index: number): string => WORDS[index % WORDS.length] ?? '';
const statement = (index: number): string => `The ${word(index * 7)} of the ${word(index * 13 + 1)} ${word(index * 17 + 2)} is ${index} since the ${word(index * 29 + 3)} ${word(index * 31 + 4)} changed.`;

const percentile = (values: readonly number[], share: number): number => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const summary = (values: readonly number[]): string => `p50 ${percentile(values, 0.5).toFixed(0)} ms, p95 ${percentile(values, 0.95).toFixed(0)} ms`;

function timed(command: string, args: readonly string[], input: string, env: NodeJS.ProcessEnv, cwd: string): { ms: number; output: string } {
  const start = performance.now();
  const { stdout } = spawnSync(command, [...args], { input, env, cwd, encoding: 'utf8' });
  return { ms: performance.now() - start, output: stdout };
}

const load = (): string => `load average ${os.loadavg()[0]?.toFixed(1)} on ${os.cpus().length} cores`;
say(`node ${process.version}, ${load()}`);

/** Processor time of children that have ended, which a busy machine changes little. Linux only; elsewhere 0. */
function childrenCpuMs(): number {
  if (process.platform !== 'linux') return 0;
  const fields = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

interface Bench {
  readonly env: NodeJS.ProcessEnv;
  readonly repository: string;
  readonly launcher: string;
}

/** A repository with a commit and this many memories, with vectors where the model gives some. */
function prepare(size: number, model: string): Bench {
  const home = path.join(root, `home-${size}-${model}`);
  const repository = path.join(root, `repo-${size}-${model}`);
  fs.mkdirSync(home, { recursive: true });
  fs.mkdirSync(repository, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, CAIRN_HOME: path.join(home, '.cairn'), CAIRN_HOOK_DEADLINE_MS: '30000', CAIRN_EMBEDDING_MODEL: model };
  const launcher = path.join(program, 'launcher.cjs');
  spawnSync('git', ['init', '-q', '.'], { cwd: repository });
  spawnSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.test', 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: repository });
  spawnSync(process.execPath, [launcher, 'init', '--no-register'], { cwd: repository, env });
  const file = path.join(root, `memories-${size}.jsonl`);
  fs.writeFileSync(file, Array.from({ length: size }, (_, index) => JSON.stringify({ text: statement(index), kind: index % 50 === 0 ? 'rule' : 'fact', importance: 1 + (index % 10) })).join('\n'));
  const imported = spawnSync(process.execPath, [launcher, 'import', file, '--no-consolidate', '--json'], { cwd: repository, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  say(`\n${size} memories, model ${model} (${imported.stdout.slice(0, 60).replaceAll('\n', ' ')})`);
  return { env, repository, launcher };
}

const question = (run: number): string => `what is the ${word(run * 7)} of the ${word(run * 13 + 1)} ${word(run * 17 + 2)}?`;

/** Interleaved, so that a busy moment hits both alike. */
function compareWithEmptyNode({ env, repository, launcher }: Bench, label: string): void {
  const [empty, hook, cpu]: [number[], number[], { empty: number; hook: number }] = [[], [], { empty: 0, hook: 0 }];
  let answered = 0;
  for (let run = 0; run < runs; run += 1) {
    const start = childrenCpuMs();
    empty.push(timed(process.execPath, ['-e', '0'], '', env, repository).ms);
    const between = childrenCpuMs();
    const payload = JSON.stringify({ session_id: `bench-${label}-${run}`, cwd: repository, hook_event_name: 'UserPromptSubmit', prompt: question(run) });
    const { ms, output } = timed(process.execPath, [launcher, 'hook', 'UserPromptSubmit'], payload, env, repository);
    hook.push(ms);
    cpu.empty += between - start;
    cpu.hook += childrenCpuMs() - between;
    if (output !== '') answered += 1;
  }
  say(`  empty Node start        ${summary(empty)}; processor ${(cpu.empty / runs).toFixed(0)} ms`);
  say(`  hook program${label.padEnd(12)}${summary(hook)}; processor ${(cpu.hook / runs).toFixed(0)} ms; ${answered} of ${runs} answered; ratio of medians ${(percentile(hook, 0.5) / percentile(empty, 0.5)).toFixed(1)} (limit 3)`);
}

class Server {
  readonly #child;
  readonly #waiting = new Map<number, (message: { result?: { content?: { text?: string }[] } }) => void>();
  #id = 0;
  readonly #cwd: string;

  constructor({ launcher, repository, env }: Bench) {
    this.#cwd = repository;
    this.#child = spawn(process.execPath, [launcher, 'mcp'], { cwd: repository, env, stdio: ['pipe', 'pipe', 'ignore'] });
    readline.createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as { id?: number };
      this.#waiting.get(message.id ?? -1)?.(message as never);
    });
  }

  async ask(method: string, params: object): Promise<{ ms: number; text: string }> {
    const start = performance.now();
    const own = ++this.#id;
    const answered = new Promise<{ result?: { content?: { text?: string }[] } }>((resolve) => this.#waiting.set(own, resolve));
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: own, method, params })}\n`);
    const message = await answered;
    return { ms: performance.now() - start, text: message.result?.content?.[0]?.text ?? '' };
  }

  initialize = async (): Promise<number> => (await this.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } })).ms;

  prompt = async (session: string, run: number): Promise<number> => (await this.ask('tools/call', { name: 'hook', arguments: { event: 'UserPromptSubmit', session_id: session, cwd: this.#cwd, prompt: question(run) } })).ms;

  residentMb(): number {
    const status = process.platform === 'linux' ? fs.readFileSync(`/proc/${this.#child.pid}/status`, 'utf8') : '';
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024 / 1e6);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await new Promise((resolve) => this.#child.on('exit', resolve));
  }
}

/** The same prompts as `mcp_tool` hooks: no process is started. */
async function throughServer(bench: Bench, label: string): Promise<void> {
  const server = new Server(bench);
  const initializeMs = await server.initialize();
  const firstMs = await server.prompt(`${label}-0`, 0);
  const laterMs: number[] = [];
  for (let run = 1; run <= runs * 2; run += 1) laterMs.push(await server.prompt(`${label}-${run}`, run));
  say(`  through the server      initialize ${initializeMs.toFixed(0)} ms, first prompt ${firstMs.toFixed(0)} ms, then ${summary(laterMs)}; resident ${server.residentMb()} MB`);
  await server.close();
}

/** A server of another session that holds the model for everybody. */
async function openOwner(bench: Bench): Promise<Server> {
  const owner = new Server(bench);
  await owner.initialize();
  const lock = ownerLock(homePaths(bench.env['CAIRN_HOME'] ?? '', bench.env));
  for (;;) {
    // It asks with other words each time, until the answer comes with vectors.
    await owner.ask('tools/call', { name: 'recall', arguments: { query: `${word(Math.trunc(performance.now()))} limit` } });
    if (readLivingOwner(lock) !== undefined) return owner;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

for (const size of sizes) {
  for (const model of models) {
    const bench = prepare(size, model);
    compareWithEmptyNode(bench, ', alone');
    if (model === 'off') {
      await throughServer(bench, 'off');
      continue;
    }
    const owner = await openOwner(bench);
    compareWithEmptyNode(bench, ', resident');
    await throughServer(bench, 'resident');
    const laterMs: number[] = [];
    for (let run = 1; run <= runs * 2; run += 1) laterMs.push(await owner.prompt(`owner-${run}`, run));
    say(`  through the owner       ${summary(laterMs)}; resident ${owner.residentMb()} MB with the model`);
    await owner.close();
  }
}

/** Idle: 200 session files of this and other repositories, nothing happens. */
if (idleSeconds > 0) await watchIdly();
fs.rmSync(root, { recursive: true, force: true });

async function watchIdly(): Promise<void> {
  const claude = path.join(root, 'claude');
  for (let index = 0; index < 200; index += 1) {
    const folder = path.join(claude, 'projects', `p${index % 20}`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, `0b5f0c5e-1111-4222-8333-44445555${String(index).padStart(4, '0')}.jsonl`), `${JSON.stringify({ type: 'user', uuid: `u${index}`, cwd: index % 20 === 0 ? '/w/app' : '/w/other', message: { role: 'user', content: 'x' } })}\n`);
  }
  const watcher = new SessionWatcher({ claudeDirectory: claude, roots: ['/w/app'], onSession: () => undefined });
  await watcher.start();
  await watcher.check();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1_000));
  const used = process.cpuUsage(before);
  say(`\nidle watcher over 200 files, ${idleSeconds} s: ${(((used.user + used.system) / 1_000 / (performance.now() - startedAt)) * 100).toFixed(3)} % of a core (limit 0.5)`);
  watcher.dispose();
}
