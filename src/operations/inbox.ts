/**
 * The inbox: listing proposals with their reasons, and a person's decisions on them.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { OBSERVATION_STATES, REJECT_REASONS, parseKind } from '../engine/index.ts';
import type { InboxDecision, InboxPage } from '../engine/index.ts';
import { idField, instantField, kindField, limitField, scopeField, tagsField, toExpiry, toScope } from './fields.ts';
import { defineOperation } from './operation.ts';

const listInput = z.object({
  states: z.array(z.enum(OBSERVATION_STATES)).optional(),
  sessionId: z.string().optional(),
  rule: z.string().optional(),
  limit: limitField(1_000, 50),
  offset: z.number().int().min(0).optional(),
});

export const listInboxOperation = defineOperation<z.output<typeof listInput>, InboxPage>({
  name: 'listInbox',
  description: 'Proposals that wait for a decision, newest session first.',
  input: listInput,
  effect: 'read',
  needsConsent: false,
  run: async (context, given) => context.engine.inbox.list({ ...given, offset: given.offset ?? 0 }),
});

const many = z.object({
  ids: z.array(idField).min(1).max(10_000).optional(),
  /** Instead of ids: all of one session, all by one rule, or all. */
  sessionId: z.string().optional(),
  rule: z.string().optional(),
  all: z.literal(true).optional(),
});

const acceptInput = many.extend({
  /** Corrections made while accepting one proposal. */
  edit: z.object({ text: z.string().optional(), kind: kindField.optional(), importance: z.number().optional(), tags: tagsField.optional(), scope: scopeField.optional(), expiresAt: instantField.nullable().optional() }).strict().optional(),
});

type Many = z.output<typeof many>;

function selection({ ids, sessionId, rule, all }: Many): { ids?: readonly string[]; sessionId?: string; rule?: string } {
  if (ids === undefined && sessionId === undefined && rule === undefined && all !== true) throw new CairnError('INPUT_INVALID', 'Name proposals by id, or say which session, which rule, or all.', { data: { field: 'ids' } });
  return { ids, sessionId, rule };
}

export const acceptObservationOperation = defineOperation<z.output<typeof acceptInput>, InboxDecision>({
  name: 'acceptObservation',
  description: 'Accepts proposals as they are, or one with corrections.',
  input: acceptInput,
  effect: 'write',
  needsConsent: false,
  async run(context, given) {
    const { edit } = given;
    if (edit !== undefined && given.ids?.length !== 1) throw new CairnError('INPUT_INVALID', 'Corrections go with exactly one proposal.', { data: { field: 'edit' } });
    const patch = edit === undefined ? undefined : {
      text: edit.text,
      kind: edit.kind === undefined ? undefined : parseKind(edit.kind),
      importance: edit.importance,
      tags: edit.tags,
      scope: toScope(edit.scope),
      expiresAt: edit.expiresAt === null || edit.expiresAt === undefined ? undefined : toExpiry(edit.expiresAt, context.clock),
    };
    return context.engine.inbox.accept(selection(given), { actor: context.actor }, patch);
  },
});

const rejectInput = many.extend({ reason: z.enum(REJECT_REASONS).optional() });

export const rejectObservationOperation = defineOperation<z.output<typeof rejectInput>, InboxDecision>({
  name: 'rejectObservation',
  description: 'Rejects proposals; the same statement is not proposed again.',
  input: rejectInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, given) => context.engine.inbox.reject(selection(given), given.reason ?? 'unspecified', { actor: context.actor }),
});

const mergeInput = z.object({ id: idField, targetId: idField });

export const mergeObservationOperation = defineOperation<z.output<typeof mergeInput>, InboxDecision>({
  name: 'mergeObservation',
  description: 'Merges a proposal into a memory.',
  input: mergeInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, { id, targetId }) => context.engine.inbox.merge(id, targetId, { actor: context.actor }),
});

const undoInput = z.object({ ids: z.array(idField).min(1).max(10_000) });

export const undoDecisionOperation = defineOperation<z.output<typeof undoInput>, InboxDecision>({
  name: 'undoDecision',
  description: 'Puts decided proposals back into the inbox and takes back what accepting did.',
  input: undoInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, { ids }) => context.engine.inbox.undo(ids, { actor: context.actor }),
});

const trustInput = z.object({ rule: z.string().trim().min(1).max(128), trusted: z.boolean() });

export const trustRuleOperation = defineOperation<z.output<typeof trustInput>, { trustedRules: readonly string[] }>({
  name: 'trustRule',
  description: 'Lets what one rule finds become active without review, or asks again [E4].',
  input: trustInput,
  effect: 'write',
  needsConsent: false,
  run: async (context, { rule, trusted }) => ({ trustedRules: await context.engine.inbox.trust(rule, trusted) }),
});
