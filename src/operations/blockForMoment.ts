/**
 * blockForMoment: what a session should know at one of its moments. Beside its operation and not in it, because the
 * hook program needs this alone: the schema library would cost it as much as an empty Node.
 */
import type { Injection, ViewContext } from '../engine/index.ts';

export interface SessionMoment {
  readonly event: 'SessionStart' | 'UserPromptSubmit' | 'PreToolUse' | 'PostToolUse';
  readonly sessionId: string;
  /** SessionStart. */
  readonly source?: string;
  /** UserPromptSubmit. */
  readonly prompt?: string;
  /** File events; relative to the repository's root, with `/`. */
  readonly path?: string;
  /** A sub-agent has a context of its own. */
  readonly agentId?: string;
}

const SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork'] as const;

/** The block to give at this moment; undefined when there is none. */
export async function blockForMoment(injection: Injection, moment: SessionMoment, view: ViewContext): Promise<string | undefined> {
  const sessionId = moment.agentId === undefined ? moment.sessionId : `${moment.sessionId}/${moment.agentId}`;
  switch (moment.event) {
    case 'SessionStart':
      return (await injection.startBlock({ sessionId, source: SOURCES.find((source) => source === moment.source) ?? 'startup', view }))?.text;
    case 'UserPromptSubmit':
      return moment.prompt === undefined ? undefined : (await injection.promptBlock({ sessionId, prompt: moment.prompt, view }))?.text;
    default:
      return moment.path === undefined ? undefined : (await injection.fileBlock({ sessionId, path: moment.path, view: { ...view, activePath: moment.path } }))?.text;
  }
}
