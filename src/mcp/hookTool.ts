/**
 * The tool behind Claude Code's `mcp_tool` hooks: a prompt, or a file about to be read or changed, arrives here
 * instead of starting a process. It is not listed: Claude has no business calling it, and the client calls it by name.
 *
 * It never fails: whatever goes wrong, the answer is an empty object and the session goes on (invariant 7).
 */
import type { HookMomentOutput } from '../operations/index.ts';
import type { EngineClient } from '../worker/index.ts';

export const HOOK_TOOL = 'hook';

const EVENTS = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse'] as const;

/** Claude Code's own limit for these hooks is set in the plugin; this one ends our part before it. */
const DEADLINE_MS = 900;
/** The first one may meet a server whose store is still being opened. */
const FIRST_DEADLINE_MS = 1_800;

const KEPT_PROMPTS = 6;
const MAX_PROMPT_LENGTH = 8_000;

export interface HookToolContext {
  readonly client: EngineClient;
  /** Where the arguments name no folder. */
  readonly cwd: string;
  /** In place of both deadlines; for machines where everything is slow. */
  readonly deadlineMs?: number;
  readonly log: (line: string) => void;
}

/** What the client puts in for `${...}`; an absent field comes empty or as it was written. */
function textOf(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' && !value.startsWith('${') ? value : undefined;
}

export class HookTool {
  readonly #context: HookToolContext;
  #capturing: Promise<void> | undefined;
  #isFirst = true;
  #prompts: string[] = [];

  constructor(context: HookToolContext) {
    this.#context = context;
  }

  /** The person's latest prompts on this connection, oldest first: what a `remember` may rest on while the transcript lags. */
  get prompts(): readonly string[] {
    return this.#prompts;
  }

  /** The hook's contract as JSON text. */
  async answer(args: Readonly<Record<string, unknown>>): Promise<string> {
    const event = EVENTS.find((known) => known === args['event']);
    const sessionId = textOf(args, 'session_id');
    if (event === undefined || sessionId === undefined) return '{}';
    const prompt = textOf(args, 'prompt');
    if (event === 'UserPromptSubmit' && (prompt === undefined || prompt.trimStart().startsWith('<task-notification>'))) return '{}';
    if (event === 'UserPromptSubmit' && prompt !== undefined && textOf(args, 'agent_id') === undefined) this.#prompts = [...this.#prompts.slice(1 - KEPT_PROMPTS), prompt.slice(0, MAX_PROMPT_LENGTH)];
    const cwd = textOf(args, 'cwd') ?? this.#context.cwd;
    const block = await this.#give({ event, sessionId, prompt, agentId: textOf(args, 'agent_id') }, cwd, textOf(args, 'file_path') ?? textOf(args, 'notebook_path'));
    const transcriptPath = textOf(args, 'transcript_path');
    // Where hooks for a turn's end do not fire, the next prompt catches up; nobody waits for it.
    if (event === 'UserPromptSubmit' && transcriptPath !== undefined) this.#capture(sessionId, transcriptPath, cwd);
    return block === undefined ? '{}' : JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: block } });
  }

  async #give(moment: { event: string; sessionId: string; prompt?: string; agentId?: string }, cwd: string, file: string | undefined): Promise<string | undefined> {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), this.#context.deadlineMs ?? (this.#isFirst ? FIRST_DEADLINE_MS : DEADLINE_MS));
    this.#isFirst = false;
    try {
      const call = this.#context.client.call<HookMomentOutput>('hookMoment', moment, { target: { cwd, ...(file === undefined ? {} : { activePath: file }) }, actor: { surface: 'hook', sessionId: moment.sessionId }, signal: stop.signal });
      const late = new Promise<HookMomentOutput>((resolve) => stop.signal.addEventListener('abort', () => resolve({})));
      return (await Promise.race([call, late])).block;
    } catch (error) {
      // No consent, a locked or damaged store: nothing is given.
      this.#context.log(`hook ${moment.event}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #capture(sessionId: string, transcriptPath: string, cwd: string): void {
    if (this.#capturing !== undefined) return;
    this.#capturing = this.#context.client.call('saveConversation', { sessionId, transcriptPath, final: false }, { target: { cwd }, actor: { surface: 'hook', sessionId } })
      .then(() => undefined, (error: unknown) => this.#context.log(`capture: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => {
        this.#capturing = undefined;
      });
  }
}
