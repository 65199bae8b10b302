/**
 * updateMemory: a person's (or Claude's, on request) correction of a stored memory.
 */
import { z } from 'zod';
import { parseKind } from '../engine/index.ts';
import type { EditResult } from '../engine/index.ts';
import { anchorField, idField, instantField, kindField, scopeField, tagsField, toExpiry, toScope } from './fields.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';
import { checkAnchor } from './remember.ts';

const input = z.object({
  id: idField,
  patch: z.object({
    text: z.string().optional(),
    kind: kindField.optional(),
    importance: z.number().optional(),
    confidence: z.number().optional(),
    tags: tagsField.optional(),
    pinned: z.boolean().optional(),
    scope: scopeField.optional(),
    expiresAt: instantField.nullable().optional(),
    anchors: z.array(anchorField).max(32).optional(),
  }).strict(),
  expectedVersion: z.number().int().optional(),
  reason: z.string().max(500).optional(),
});

export const updateMemoryOperation = defineOperation<z.output<typeof input>, EditResult>({
  name: 'updateMemory',
  description: 'Corrects a stored memory.',
  input,
  effect: 'write',
  needsConsent: false,
  async run(context, { id, patch, expectedVersion, reason }) {
    return hereOrElsewhere(context, id, async () => context.engine.edit(
      id,
      {
        text: patch.text,
        kind: patch.kind === undefined ? undefined : parseKind(patch.kind),
        importance: patch.importance,
        confidence: patch.confidence,
        tags: patch.tags,
        pinned: patch.pinned,
        scope: toScope(patch.scope),
        expiresAt: patch.expiresAt === null || patch.expiresAt === undefined ? patch.expiresAt : toExpiry(patch.expiresAt, context.clock),
        anchors: patch.anchors?.map((anchor) => checkAnchor(anchor, context)),
      },
      { actor: context.actor, reason },
      { expectedVersion },
    ));
  },
});
