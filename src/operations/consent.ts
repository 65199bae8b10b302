/**
 * consent, personAsked and correct: what the MCP surface asks before and while it serves.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { personAsked } from '../engine/index.ts';
import type { Turn } from '../engine/index.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';

const nothing = z.object({});

export const consentOperation = defineOperation<z.output<typeof nothing>, { enabled: boolean; paused: boolean }>({
  name: 'consent',
  description: 'Whether memory is switched on here and not paused.',
  input: nothing,
  effect: 'read',
  needsConsent: false,
  runsWithoutStore: true,
  async run(context) {
    const [on, paused] = await Promise.all([context.host.isEnabled(), context.host.isPaused()]);
    return { enabled: on && !paused, paused };
  },
});

const askedInput = z.object({
  text: z.string(),
  /** Prompts that the client itself handed over before the call: its transcript may lag behind them. Oldest first. */
  prompts: z.array(z.string()).max(20).optional(),
});

/** How many of the person's turns before a `remember` are looked at [P2]. */
const TURNS_LOOKED_AT = 6;

export const personAskedOperation = defineOperation<z.output<typeof askedInput>, { asked: boolean }>({
  name: 'personAsked',
  description: 'Whether the person\'s own words in this session ask for keeping this statement.',
  input: askedInput,
  effect: 'read',
  needsConsent: true,
  async run(context, { text, prompts = [] }) {
    const { sessionId } = context.actor;
    // Clients other than Claude Code show each call to the person before it runs; there is no transcript to look into.
    if (sessionId === undefined) return { asked: true };
    const turns = await context.host.recentTurns(sessionId, TURNS_LOOKED_AT);
    const handedOver = prompts.map((prompt, blockIndex): Turn => ({ sessionId, messageId: 'prompt', blockIndex, speaker: 'user', text: prompt, at: context.clock.now(), sidechain: false }));
    return { asked: personAsked(turns, text) || (handedOver.length > 0 && personAsked([...turns, ...handedOver], text)) };
  },
});

const correctInput = z.object({
  id: z.string().optional(),
  profileKey: z.string().optional(),
  newValue: z.string().optional(),
  remove: z.boolean().optional(),
  reason: z.string().max(2_000).optional(),
});

export const correctOperation = defineOperation<z.output<typeof correctInput>, { message: string }>({
  name: 'correct',
  description: 'Corrects or removes a memory or a profile value, superseding with the person\'s words.',
  input: correctInput,
  effect: 'write',
  needsConsent: true,
  async run(context, { id, profileKey, newValue, remove, reason }) {
    if ((id === undefined) === (profileKey === undefined)) throw new CairnError('INPUT_INVALID', 'Give either observation_id or profile_key.', { data: { field: 'observation_id' } });
    if (newValue === undefined && remove !== true) throw new CairnError('INPUT_INVALID', 'Give new_value, or delete: true.', { data: { field: 'new_value' } });
    if (profileKey !== undefined) {
      await context.engine.setProfileValue(profileKey, remove === true ? null : (newValue ?? ''));
      return { message: remove === true ? `Removed ${profileKey} from the profile.` : `${profileKey} is now "${newValue}".` };
    }
    const target = id ?? '';
    const acting = { actor: context.actor, reason };
    return hereOrElsewhere(context, target, async () => {
      if (remove === true) {
        await context.engine.setStatus([target], 'forgotten', 'forget', acting);
        return { message: `Forgotten ${target}. The person can undo this.` };
      }
      const { memory } = await context.engine.get(target);
      const result = await context.engine.remember({
        text: newValue ?? '', kind: memory.kind, importance: memory.importance, tags: memory.tags, scope: memory.scope, pinned: memory.pinned, anchors: memory.anchors, supersedes: [target],
        provenance: { via: 'mcp', sessionId: context.actor.sessionId, clientId: context.host.clientId, quote: reason, branch: context.view.branch },
      }, acting);
      return { message: `Corrected: ${result.id} replaces ${target}.` };
    });
  },
});
