/**
 * hookMoment: a moment of a Claude Code session at which memories may be given: its start, a prompt, a file. The same
 * for the hook program and for hooks that Claude Code sends to the MCP server.
 */
import { z } from 'zod';
import type { Injection, ViewContext } from '../engine/index.ts';
import { defineOperation } from './operation.ts';

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

const momentInput = z.object({
  event: z.enum(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse']),
  sessionId: z.string().min(1).max(200),
  source: z.string().max(40).optional(),
  prompt: z.string().optional(),
  agentId: z.string().max(200).optional(),
});

export interface HookMomentOutput {
  readonly block?: string;
}

/** The file of a file event is the target's active path. */
export const hookMomentOperation = defineOperation<z.output<typeof momentInput>, HookMomentOutput>({
  name: 'hookMoment',
  description: 'Gives what a session should know at this moment.',
  input: momentInput,
  effect: 'read',
  needsConsent: true,
  async run(context, moment) {
    if (await context.host.isPaused()) return {};
    const { activePath } = context.view;
    // A file outside of the repository has no memories here.
    const path = activePath === undefined || activePath.startsWith('..') || activePath.startsWith('/') ? undefined : activePath;
    const block = await blockForMoment(context.engine.injection, { ...moment, ...(path === undefined ? {} : { path }) }, context.view);
    return block === undefined ? {} : { block };
  },
});
