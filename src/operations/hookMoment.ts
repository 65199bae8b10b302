/**
 * hookMoment: a moment of a Claude Code session at which memories may be given: its start, a prompt, a file. The same
 * for the hook program and for hooks that Claude Code sends to the MCP server.
 */
import { z } from 'zod';
import { blockForMoment } from './blockForMoment.ts';
import { defineOperation } from './operation.ts';

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
