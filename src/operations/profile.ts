/**
 * profile, editProfile: the person's key-value profile [K7]; relate, relations: the
 * small graph of entities [K8].
 */
import { z } from 'zod';
import type { ProfileValue, Relation } from '../engine/index.ts';
import { defineOperation } from './operation.ts';

const nothing = z.object({});

export const profileOperation = defineOperation<z.output<typeof nothing>, { values: readonly ProfileValue[] }>({
  name: 'profile',
  description: 'What is known of the person, as key and value, with the memories it came from.',
  input: nothing,
  effect: 'read',
  needsConsent: false,
  run: async (context) => ({ values: await context.engine.profile() }),
});

export const profileKeyField = z.string().trim().min(1).max(128).regex(/^[\p{L}\p{N}_.\- ]+$/u, 'A profile key has letters, digits, dots, dashes and underscores.');
export const profileValueField = z.string().trim().min(1).max(1_000);

const editInput = z.object({
  key: profileKeyField,
  /** Null removes the key. */
  value: profileValueField.nullable(),
});

export const editProfileOperation = defineOperation<z.output<typeof editInput>, { values: readonly ProfileValue[] }>({
  name: 'editProfile',
  description: 'Sets or removes one value of the profile.',
  input: editInput,
  effect: 'write',
  needsConsent: false,
  async run(context, { key, value }) {
    await context.engine.setProfileValue(key, value);
    return { values: await context.engine.profile() };
  },
});

const relateInput = z.object({
  subject: z.string().trim().min(1).max(256),
  predicate: z.string().trim().min(1).max(128),
  object: z.string().trim().min(1).max(256),
  memoryId: z.string().optional(),
});

export const relateOperation = defineOperation<z.output<typeof relateInput>, { relation: Relation }>({
  name: 'relate',
  description: 'Links two entities, for example service "orders" uses database "PostgreSQL".',
  input: relateInput,
  effect: 'write',
  needsConsent: true,
  run: async (context, given) => ({ relation: await context.engine.relate(given) }),
});

const relationsInput = z.object({ entity: z.string().optional(), memoryId: z.string().optional(), prefix: z.string().optional(), limit: z.number().int().min(1).max(2_000).optional() });

export const relationsOperation = defineOperation<z.output<typeof relationsInput>, { relations: readonly Relation[]; entities: readonly { name: string; relations: number }[] }>({
  name: 'relations',
  description: 'Relations around an entity or a memory.',
  input: relationsInput,
  effect: 'read',
  needsConsent: false,
  run: async (context, { entity, memoryId, prefix, limit }) => ({
    relations: await context.engine.relations({ entity, memoryId }, limit ?? 200),
    entities: await context.engine.entities(prefix ?? '', limit ?? 200),
  }),
});
