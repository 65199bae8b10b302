/**
 * Runs the real Claude Code client, headless and offline, in a scratch home against the scripted API.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { CLAUDE_VERSIONS, ensureClaude } from '../../../scripts/installClients.mjs';
import type { TemporaryHome } from '../temporaryHome.ts';
import type { FakeApi } from './fakeApi.ts';

export { CLAUDE_VERSIONS };

/** Keeps a run off the network and deterministic. */
const OFFLINE: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1',
};

export interface ClaudeOptions {
  readonly home: TemporaryHome;
  /** The project. */
  readonly cwd: string;
  /** One of CLAUDE_VERSIONS. */
  readonly version: string;
  /** Without one, a dead loopback address stands in: never the real host. */
  readonly api?: FakeApi;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs?: number;
}

export interface ClaudeRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One line of `--output-format stream-json`; only the fields that tests read. */
export interface StreamEvent {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly result?: string;
  readonly is_error?: boolean;
  readonly tools?: readonly string[];
  readonly mcp_servers?: readonly { readonly name: string; readonly status: string }[];
  readonly plugins?: readonly unknown[];
  readonly message?: unknown;
}

export interface PromptRun extends ClaudeRun {
  readonly events: readonly StreamEvent[];
  readonly init: StreamEvent | undefined;
  /** The last one: a finished background agent starts a turn of its own, so a run can give several. */
  readonly result: StreamEvent | undefined;
  readonly sessionId: string | undefined;
}

/** The client's whole environment; nothing of the caller's leaks in but the PATH and the language. */
export function claudeEnvironment(options: Pick<ClaudeOptions, 'home' | 'api' | 'env'>): Record<string, string> {
  // As the client is found in a terminal: the Node that runs the tests is the one on the PATH.
  const PATH = [path.dirname(process.execPath), options.home.env.PATH ?? ''].join(path.delimiter);
  return { ...options.home.env, PATH, TERM: 'dumb', ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: options.api?.url ?? 'http://127.0.0.1:9', ...OFFLINE, ...options.env };
}

/** Any `claude ...` command line. Rejects only where the client cannot be started or does not end. */
export async function runClaude(args: readonly string[], options: ClaudeOptions): Promise<ClaudeRun> {
  const executable = await ensureClaude(options.version);
  const child = spawn(executable, [...args], { cwd: options.cwd, env: claudeEnvironment(options), stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined); // a client that ended early: its exit code tells
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`claude ${args.join(' ')} did not end.\nstdout: ${stdout}\nstderr: ${stderr}`));
    }, options.timeoutMs ?? 90_000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

/** `claude -p PROMPT`, its events parsed. Tools need `--allowedTools NAME` in `args`. */
export async function promptClaude(prompt: string, options: ClaudeOptions & { readonly args?: readonly string[] }): Promise<PromptRun> {
  const run = await runClaude(['-p', prompt, '--output-format', 'stream-json', '--verbose', ...(options.args ?? [])], options);
  const events = run.stdout.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as StreamEvent);
  const init = events.find((event) => event.type === 'system' && event.subtype === 'init');
  const result = events.findLast((event) => event.type === 'result');
  return { ...run, events, init, result, sessionId: init?.session_id ?? result?.session_id };
}

export interface ClaudeSession {
  readonly events: readonly StreamEvent[];
  stderr(): string;
  /** Sends a prompt; resolves with its result. */
  say(text: string): Promise<StreamEvent>;
  end(): Promise<void>;
}

/** One long-lived client that takes many prompts, the way the Agent SDK and the editor's panel drive it. */
export async function openClaudeSession(options: ClaudeOptions & { readonly args?: readonly string[] }): Promise<ClaudeSession> {
  const executable = await ensureClaude(options.version);
  const child = spawn(executable, ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', ...(options.args ?? [])], {
    cwd: options.cwd, env: claudeEnvironment(options), stdio: ['pipe', 'pipe', 'pipe'],
  });
  const events: StreamEvent[] = [];
  const waiting: { resolve(event: StreamEvent): void; reject(error: Error): void }[] = [];
  let stderr = '';
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined); // the client is gone: `say` rejects through 'close'
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    rest += text;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((candidate) => candidate.startsWith('{'))) {
      const event = JSON.parse(line) as StreamEvent;
      events.push(event);
      if (event.type === 'result') waiting.shift()?.resolve(event);
    }
  });
  const closed = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      for (const waiter of waiting.splice(0)) waiter.reject(new Error(`claude ended (${code ?? signal}): ${stderr}`));
      resolve();
    });
  });
  return {
    events,
    stderr: () => stderr,
    say: (text) => new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no result for "${text}". stderr: ${stderr}`)), options.timeoutMs ?? 90_000);
      waiting.push({
        resolve: (event) => {
          clearTimeout(timer);
          resolve(event);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`);
    }),
    end: async () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Skips the first-run screens and the trust question of a project, for commands that would ask. */
export function seedOnboarding(home: TemporaryHome, project: string): void {
  const file = path.join(home.home, '.claude.json');
  const old = (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}) as { projects?: Record<string, object> };
  const real = fs.realpathSync(project);
  fs.writeFileSync(file, JSON.stringify({
    ...old, hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { ...old.projects, [real]: { ...old.projects?.[real], hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  }, null, 2));
}

/** Every transcript that the client wrote in this home, sub-agents' included, as parsed lines. */
export function readTranscripts(home: TemporaryHome): { readonly file: string; readonly lines: readonly Record<string, unknown>[] }[] {
  const folder = path.join(home.claudeDirectory, 'projects');
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl')).sort().map((name) => {
    const file = path.join(folder, name);
    return { file, lines: fs.readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>) };
  });
}
