/**
 * Extractor over Claude Code itself, headless, on the person's own plan. Off unless chosen. Not
 * `--bare`, which ignores the plan's login; hooks are off by settings, nothing is written to a
 * transcript, no tool can be used, and a variable keeps any hook of ours from starting another.
 */
import { CairnError } from '../../../base/errors.ts';
import type { ExtractionRequest, Extractor } from '../extractor.ts';
import { converse, type Exchange, type Piece } from './conversation.ts';
import { failureOfCall } from './failures.ts';
import { estimatePromptTokens, promptOf } from './prompt.ts';

/** Runs the client and collects what it prints. Handed in by the host: the engine starts no process. */
export type RunClaude = (args: readonly string[], options: { readonly stdin: string; readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number; readonly signal?: AbortSignal }) => Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;

export interface ClaudeCodeOptions {
  readonly run: RunClaude;
  /** A small model if absent: the client's own default is its largest, and reading is light work. */
  readonly model?: string;
  readonly timeoutMs?: number;
}

const PROVIDER = 'claude-code';
/** The client's alias for its current small model. */
const DEFAULT_MODEL = 'haiku';
const TIMEOUT_MS = 180_000;
/** What a hook of ours looks for before it does anything. */
export const REENTRANCY = { CAIRN_REENTRANT: '1' } as const;

export function claudeArguments(system: string, model: string): string[] {
  return [
    '-p', '--output-format', 'json', '--no-session-persistence', '--strict-mcp-config',
    '--settings', JSON.stringify({ disableAllHooks: true }),
    '--tools', '',
    '--system-prompt', system,
    '--model', model,
  ];
}

export function createClaudeCodeExtractor(options: ClaudeCodeOptions): Extractor {
  const model = options.model ?? DEFAULT_MODEL;
  return {
    provider: PROVIDER,
    model,
    estimateTokens: estimatePromptTokens,
    extract: (request) => converse(request, model, (exchange) => call(options, request, exchange)),
  };
}

async function* call(options: ClaudeCodeOptions, request: ExtractionRequest, exchange: Exchange): AsyncGenerator<Piece> {
  const { system, user } = promptOf(request, false);
  const stdin = exchange.failed === undefined ? user : `${user}\n\nYou answered before:\n${exchange.failed.answer}\n\n${exchange.failed.ask}`;
  let answer: Awaited<ReturnType<RunClaude>>;
  try {
    answer = await options.run(claudeArguments(system, options.model ?? DEFAULT_MODEL), { stdin, env: REENTRANCY, timeoutMs: options.timeoutMs ?? TIMEOUT_MS, ...(request.signal === undefined ? {} : { signal: request.signal }) });
  } catch (error) {
    throw failureOfCall(PROVIDER, error, request.signal);
  }
  const result = resultOf(answer.stdout);
  if (result === undefined || answer.exitCode !== 0 || result.isError) {
    const detail = (result?.text ?? answer.stderr).replaceAll(/\s+/g, ' ').slice(0, 200);
    const isLogin = /log ?in|api key|unauthori|authentication|credit|subscription/i.test(detail);
    throw new CairnError(isLogin ? 'PROVIDER_REJECTED' : 'PROVIDER_UNAVAILABLE', `Claude Code ended with ${answer.exitCode}: ${detail === '' ? 'no answer' : detail}.`, { data: { provider: PROVIDER, exitCode: answer.exitCode } });
  }
  yield { text: `${result.text}\n`, usage: result.usage };
}

function resultOf(stdout: string): { text: string; isError: boolean; usage: { inputTokens: number; outputTokens: number } } | undefined {
  // The last line that is a result; a run may print several objects.
  for (const line of stdout.trim().split('\n').reverse()) {
    try {
      const value = JSON.parse(line) as { type?: unknown; result?: unknown; is_error?: unknown; usage?: Record<string, unknown> };
      if (value.type !== 'result') continue;
      const usage = value.usage ?? {};
      const count = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0);
      return { text: typeof value.result === 'string' ? value.result : '', isError: value.is_error === true, usage: { inputTokens: count('input_tokens') + count('cache_creation_input_tokens') + count('cache_read_input_tokens'), outputTokens: count('output_tokens') } };
    } catch {
      // Not every line is JSON: warnings of the client may stand between.
    }
  }
  return undefined;
}
