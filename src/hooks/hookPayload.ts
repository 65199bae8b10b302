/**
 * What Claude Code writes to a hook's stdin, reduced to what we use. Unknown fields and events are passed over.
 */

export const HOOK_EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreCompact', 'PostCompact', 'Stop', 'SubagentStop', 'SessionEnd'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export interface HookPayload {
  readonly event: HookEvent;
  readonly sessionId: string;
  readonly cwd: string;
  readonly transcriptPath?: string;
  /** SessionStart: startup, resume, clear, compact, fork. */
  readonly source?: string;
  readonly prompt?: string;
  readonly toolName?: string;
  /** The file a tool reads or changes, as the tool was told. */
  readonly filePath?: string;
  /** Inside a sub-agent. The client's own agent for compaction has the type "". */
  readonly agentId?: string;
  readonly agentType?: string;
}

/** Undefined for anything that is no event of ours. `named` is the event from the command line, which the payload must not contradict. */
export function parseHookPayload(text: string, named?: string): HookPayload | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const event = HOOK_EVENTS.find((known) => known === (value['hook_event_name'] ?? named));
  const sessionId = textOf(value['session_id']);
  const cwd = textOf(value['cwd']);
  if (event === undefined || sessionId === undefined || cwd === undefined || (named !== undefined && named !== event)) return undefined;
  const input = typeof value['tool_input'] === 'object' && value['tool_input'] !== null ? (value['tool_input'] as Record<string, unknown>) : {};
  return {
    event, sessionId, cwd,
    ...optional('transcriptPath', textOf(value['transcript_path'])),
    ...optional('source', textOf(value['source'])),
    ...optional('prompt', typeof value['prompt'] === 'string' ? value['prompt'] : undefined),
    ...optional('toolName', textOf(value['tool_name'])),
    ...optional('filePath', textOf(input['file_path']) ?? textOf(input['notebook_path'])),
    ...optional('agentId', textOf(value['agent_id'])),
    ...optional('agentType', typeof value['agent_type'] === 'string' ? value['agent_type'] : undefined),
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // not for us; a hook says nothing then
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const optional = <K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> => (value === undefined ? {} : ({ [key]: value } as Record<K, V>));
