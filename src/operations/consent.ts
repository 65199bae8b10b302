/**
 * consent, personAsked and correct: what the MCP surface asks before and while it serves.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { personAsked, personDecides, personSaid } from '../engine/index.ts';
import type { RememberInput, Turn } from '../engine/index.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';
import { profileKeyField, profileValueField } from './profile.ts';
import type { OperationContext } from './operation.ts';

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
  /** It replaces something that is remembered: then it is enough that the person said it. */
  replaces: z.boolean().optional(),
});

/** How many of the person's turns before a `remember` are looked at [P2]. */
const TURNS_LOOKED_AT = 6;

export const personAskedOperation = defineOperation<z.output<typeof askedInput>, { asked: boolean }>({
  name: 'personAsked',
  description: 'Whether the person\'s own words in this session ask for keeping this statement.',
  input: askedInput,
  effect: 'read',
  needsConsent: true,
  async run(context, { text, prompts = [], replaces }) {
    const said = await readSaid(context, prompts);
    if (said === undefined) return { asked: true };
    const all = [...said.turns, ...said.handedOver];
    return { asked: personAsked(said.turns, text) || personAsked(all, text) || (replaces === true && (personSaid(said.turns, text) || personSaid(all, text))) };
  },
});

/** Undefined for clients other than Claude Code: they show each call to the person before it runs; there is no transcript to look into. */
async function readSaid(context: OperationContext, prompts: readonly string[]): Promise<{ turns: readonly Turn[]; handedOver: readonly Turn[] } | undefined> {
  const { sessionId } = context.actor;
  if (sessionId === undefined) return undefined;
  const handedOver = prompts.map((prompt, blockIndex): Turn => ({ sessionId, messageId: 'prompt', blockIndex, speaker: 'user', text: prompt, at: context.clock.now(), sidechain: false }));
  return { turns: await context.host.recentTurns(sessionId, TURNS_LOOKED_AT), handedOver };
}

export const personDecidesOperation = defineOperation<Pick<z.output<typeof askedInput>, 'prompts'>, { decides: boolean }>({
  name: 'personDecides',
  description: 'Whether the person\'s own words in this session decide about what waits in the inbox.',
  input: askedInput.pick({ prompts: true }),
  effect: 'read',
  needsConsent: true,
  async run(context, { prompts = [] }) {
    const said = await readSaid(context, prompts);
    return { decides: said === undefined || personDecides(said.turns) || personDecides(said.handedOver) };
  },
});

const correctInput = z.object({
  id: z.string().optional(),
  profileKey: z.string().optional(),
  newValue: z.string().optional(),
  remove: z.boolean().optional(),
  /** False: no word of the person asked for it [P2]; the new value goes to the inbox. */
  asked: z.boolean().optional(),
  reason: z.string().max(2_000).optional(),
});

/** A memory's new value may be longer, and only a profile has keys: the schema cannot say either. */
function checkProfileField(field: 'profileKey' | 'newValue', text: string | undefined): string {
  const checked = (field === 'profileKey' ? profileKeyField : profileValueField).safeParse(text);
  if (!checked.success) throw new CairnError('INPUT_INVALID', `"${field}": ${field === 'profileKey' ? 'a profile key has 1 to 128 letters, digits, dots, dashes and underscores' : 'a profile value has 1 to 1,000 characters'}`, { data: { field } });
  return checked.data;
}

export const correctOperation = defineOperation<z.output<typeof correctInput>, { message: string }>({
  name: 'correct',
  description: 'Corrects or removes a memory or a profile value, superseding with the person\'s words.',
  input: correctInput,
  effect: 'write',
  needsConsent: true,
  async run(context, { id, profileKey, newValue, remove, asked, reason }) {
    if ((id === undefined) === (profileKey === undefined)) throw new CairnError('INPUT_INVALID', 'Give either observation_id or profile_key.', { data: { field: 'observation_id' } });
    if (newValue === undefined && remove !== true) throw new CairnError('INPUT_INVALID', 'Give new_value, or delete: true.', { data: { field: 'new_value' } });
    if (profileKey !== undefined && asked === false) return { message: 'Nothing was changed: the person did not say so in this session. Ask them first.' };
    if (profileKey !== undefined) {
      const key = checkProfileField('profileKey', profileKey);
      const value = remove === true ? null : checkProfileField('newValue', newValue);
      await context.engine.setProfileValue(key, value);
      return { message: value === null ? `Removed ${key} from the profile.` : `${key} is now "${value}".` };
    }
    const target = id ?? '';
    const acting = { actor: context.actor, reason };
    return hereOrElsewhere(context, target, async () => {
      if (remove === true) {
        await context.engine.setStatus([target], 'forgotten', 'forget', acting);
        return { message: `Forgotten ${target}. The person can undo this.` };
      }
      const { memory } = await context.engine.get(target);
      const input: RememberInput = {
        text: newValue ?? '', kind: memory.kind, importance: memory.importance, tags: memory.tags, scope: memory.scope, pinned: memory.pinned, anchors: memory.anchors, supersedes: [target],
        provenance: { via: 'mcp', sessionId: context.actor.sessionId, clientId: context.host.clientId, quote: reason, branch: context.view.branch },
      };
      if (asked === false) return { message: `Put into the inbox for the person to review (${(await context.engine.propose(input, acting)).id}): they did not ask for it in so many words. ${target} holds until then.` };
      const result = await context.engine.remember(input, acting);
      return { message: `Corrected: ${result.id} replaces ${target}.` };
    });
  },
});
