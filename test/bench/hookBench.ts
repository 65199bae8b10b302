/**
 * Hooks: the hook program against an empty Node start of the same run, at several sizes of the store; the same prompt
 * through a server that is there; CPU of an idle watcher; tokens given in scripted sessions.
 *
 *   node scripts/run.mjs test/bench/hookBench.ts [sizes=100,10000,100000] [runs=15] [idleSeconds=60]
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { SessionWatcher } from '../../src/transcripts/index.ts';

const options = Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('='))) as Record<string, string>;
const sizes = (options['sizes'] ?? '100,10000,100000').split(',').map(Number);
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

for (const size of sizes) {
  const home = path.join(root, `home-${size}`);
  const repository = path.join(root, `repo-${size}`);
  fs.mkdirSync(home, { recursive: true });
  fs.mkdirSync(repository, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, CAIRN_HOME: path.join(home, '.cairn'), CAIRN_HOOK_DEADLINE_MS: '30000', CAIRN_EMBEDDING_MODEL: options['model'] ?? 'off' };
  spawnSync('git', ['init', '-q', '.'], { cwd: repository });
  const launcher = path.join(program, 'launcher.cjs');
  spawnSync(process.execPath, [launcher, 'init', '--no-register'], { cwd: repository, env });
  const file = path.join(root, `memories-${size}.jsonl`);
  fs.writeFileSync(file, Array.from({ length: size }, (_, index) => JSON.stringify({ text: statement(index), kind: index % 50 === 0 ? 'rule' : 'fact', importance: 1 + (index % 10) })).join('\n'));
  const imported = spawnSync(process.execPath, [launcher, 'import', file, '--no-consolidate', '--json'], { cwd: repository, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  say(`\n${size} memories (${imported.stdout.slice(0, 60).replaceAll('\n', ' ')})`);

  const empty: number[] = [];
  const hook: number[] = [];
  let answered = 0;
  for (let run = 0; run < runs; run += 1) {
    empty.push(timed(process.execPath, ['-e', '0'], '', env, repository).ms);
    const payload = JSON.stringify({ session_id: `bench-${run}`, cwd: repository, hook_event_name: 'UserPromptSubmit', prompt: `what is the ${word(run * 7)} of the ${word(run * 13 + 1)} ${word(run * 17 + 2)}?` });
    const { ms, output } = timed(process.execPath, [launcher, 'hook', 'UserPromptSubmit'], payload, env, repository);
    hook.push(ms);
    if (output !== '') answered += 1;
  }
  say(`  empty Node start        ${summary(empty)}`);
  say(`  hook program, a prompt  ${summary(hook)}; ${answered} of ${runs} answered; ratio of medians ${(percentile(hook, 0.5) / percentile(empty, 0.5)).toFixed(1)} (limit 3)`);
  const server = await throughServer(launcher, repository, env);
  say(`  through the server      initialize ${server.initializeMs.toFixed(0)} ms, first prompt ${server.firstMs.toFixed(0)} ms, then ${summary(server.laterMs)}; resident ${server.residentMb} MB`);
}

/** The same prompts as `mcp_tool` hooks: no process is started. */
async function throughServer(launcher: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ initializeMs: number; firstMs: number; laterMs: number[]; residentMb: number }> {
  const child = spawn(process.execPath, [launcher, 'mcp'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, () => void>();
  readline.createInterface({ input: child.stdout }).on('line', (line) => waiting.get((JSON.parse(line) as { id?: number }).id ?? -1)?.());
  let id = 0;
  const ask = async (method: string, params: object): Promise<number> => {
    const start = performance.now();
    const own = ++id;
    const answered = new Promise<void>((resolve) => waiting.set(own, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: own, method, params })}\n`);
    await answered;
    return performance.now() - start;
  };
  const initializeMs = await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
  const prompt = async (run: number): Promise<number> => ask('tools/call', { name: 'hook', arguments: { event: 'UserPromptSubmit', session_id: `server-${run}`, cwd, prompt: `what is the ${word(run * 7)} of the ${word(run * 13 + 1)} ${word(run * 17 + 2)}?` } });
  const firstMs = await prompt(0);
  const laterMs: number[] = [];
  for (let run = 1; run <= runs * 2; run += 1) laterMs.push(await prompt(run));
  const status = process.platform === 'linux' ? fs.readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
  const residentMb = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  child.stdin.end();
  await new Promise((resolve) => child.on('exit', resolve));
  return { initializeMs, firstMs, laterMs, residentMb };
}

/** Idle: 200 session files of this and other repositories, nothing happens. */
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
fs.rmSync(root, { recursive: true, force: true });
