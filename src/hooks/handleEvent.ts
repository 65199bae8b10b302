/**
 * What each event of Claude Code means for Cairn: which memories to give, and whether there is something to take
 * later. Knows no process: stores, notes and the log are handed in.
 */
import type { SessionMoment } from '../operations/blockForMoment.ts';
import type { HookMomentOutput } from '../operations/hookMoment.ts';
import type { HookPayload } from './hookPayload.ts';

export interface HookHost {
  /** Gives the block of this moment; undefined where the repository has not said yes, is paused, or nothing fits. `file` is absolute. */
  give(moment: Omit<SessionMoment, 'path'>, cwd: string, file?: string): Promise<HookMomentOutput['block']>;
  /** True where the repository has said yes and nothing is paused. */
  mayCapture(cwd: string, sessionId: string): Promise<boolean>;
  /** Leaves a note for the worker and makes sure that one runs. */
  capture(request: { cwd: string; sessionId: string; transcriptPath: string; final: boolean }): void;
}

/** File gate: after a file was read, before it is changed. */
const GATED_TOOLS: Readonly<Record<string, readonly string[]>> = { PostToolUse: ['Read', 'NotebookRead'], PreToolUse: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'] };

/** The text for stdout: the hook's contract, or nothing. */
export async function handleEvent(payload: HookPayload, host: HookHost): Promise<string> {
  switch (payload.event) {
    case 'SessionStart': {
      const block = await host.give({ event: 'SessionStart', sessionId: payload.sessionId, ...(payload.source === undefined ? {} : { source: payload.source }) }, payload.cwd);
      // What earlier sessions left (a killed client, hooks that never fired) is caught up now.
      await captureLater(payload, host, false);
      return contract(payload.event, block);
    }
    case 'UserPromptSubmit': {
      const prompt = payload.prompt ?? '';
      // A background task's report is no person's prompt.
      if (prompt.trimStart().startsWith('<task-notification>')) return '';
      const block = await host.give({ event: 'UserPromptSubmit', sessionId: payload.sessionId, prompt, ...agentOf(payload) }, payload.cwd);
      await captureLater(payload, host, false);
      return contract(payload.event, block);
    }
    case 'PreToolUse':
    case 'PostToolUse': {
      if (payload.filePath === undefined || GATED_TOOLS[payload.event]?.includes(payload.toolName ?? '') !== true) return '';
      return contract(payload.event, await host.give({ event: payload.event, sessionId: payload.sessionId, ...agentOf(payload) }, payload.cwd, payload.filePath));
    }
    case 'SubagentStop':
      // The client summarises with an agent of its own when it compacts.
      if (payload.agentType !== '') await captureLater(payload, host, false);
      return '';
    case 'Stop':
      await captureLater(payload, host, false);
      return '';
    case 'PreCompact':
    case 'PostCompact':
    case 'SessionEnd':
      await captureLater(payload, host, payload.event !== 'PostCompact');
      return '';
  }
}

const agentOf = ({ agentId }: HookPayload): { agentId?: string } => (agentId === undefined ? {} : { agentId });

async function captureLater({ cwd, sessionId, transcriptPath }: HookPayload, host: HookHost, final: boolean): Promise<void> {
  if (transcriptPath !== undefined && (await host.mayCapture(cwd, sessionId))) host.capture({ cwd, sessionId, transcriptPath, final });
}

/** stdout of a hook that gives text: exactly this JSON, else nothing at all. */
export function contract(event: string, block: string | undefined): string {
  return block === undefined || block === '' ? '' : JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: block } });
}
