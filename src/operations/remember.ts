/**
 * remember: stores one statement. An explicit act of a person (selection, command, sidebar,
 * command line) is active at once; what Claude stores through MCP is active only where the
 * person's words asked for it [P2], which the MCP surface establishes and passes as `asked`.
 */
import { z } from 'zod';
import { CairnError } from '../base/errors.ts';
import { parseExpiry, parseInstant, parseKind, statedEnd, turnContext } from '../engine/index.ts';
import type { Anchor, RememberResult, StatedEnd } from '../engine/index.ts';
import { anchorField, idField, instantField, kindField, scopeField, tagsField, toAnchorPath, toExpiry, toScope, utcOffsetOf } from './fields.ts';
import { hereOrElsewhere } from './getMemory.ts';
import { defineOperation } from './operation.ts';
import type { OperationContext } from './operation.ts';

const input = z.object({
  text: z.string(),
  kind: kindField.optional(),
  importance: z.number().optional(),
  confidence: z.number().optional(),
  tags: tagsField.optional(),
  scope: scopeField.optional(),
  pinned: z.boolean().optional(),
  expiresAt: instantField.optional(),
  createdAt: instantField.optional(),
  externalId: z.string().max(256).optional(),
  anchors: z.array(anchorField).max(32).optional(),
  supersedes: z.array(idField).max(32).optional(),
  quote: z.string().optional(),
  branch: z.string().optional(),
  /** False: a model wants to store this and no word of the person asked for it; it goes to the inbox as untrusted. */
  asked: z.boolean().optional(),
  untrusted: z.boolean().optional(),
  consolidate: z.boolean().optional(),
});

export type RememberOperationInput = z.input<typeof input>;

export interface RememberOutput extends RememberResult {
  /** The end that the text names for itself, where the caller gave none; with a date it was set [F2]. */
  readonly statedEnd?: StatedEnd;
}

export const rememberOperation = defineOperation<z.output<typeof input>, RememberOutput>({
  name: 'remember',
  description: 'Stores one statement that will still matter in three months.',
  input,
  effect: 'write',
  needsConsent: false,
  async run(context, given) {
    const now = context.clock.now();
    const offset = utcOffsetOf(context.clock);
    const provenance = {
      via: viaOf(context),
      sessionId: context.actor.sessionId,
      clientId: context.actor.clientId ?? context.host.clientId,
      author: context.actor.author,
      branch: given.branch ?? context.view.branch,
      commit: given.branch === undefined || given.branch === context.view.branch ? context.view.commit : undefined,
      saidAt: given.createdAt === undefined ? undefined : saidBefore(given.createdAt, now),
      quote: given.quote,
      context: context.actor.sessionId === undefined ? undefined : await turnContext(context.engine, context.actor.sessionId),
    };
    // What was said at another time (an import, a replay) has its caller for that.
    const end = given.expiresAt !== undefined || given.createdAt !== undefined ? undefined : statedEnd(given.text, now, offset);
    const statement = {
      text: given.text,
      kind: given.kind === undefined ? undefined : parseKind(given.kind),
      importance: given.importance,
      confidence: given.confidence,
      tags: given.tags,
      scope: toScope(given.scope),
      pinned: given.pinned,
      expiresAt: given.expiresAt === undefined ? end?.at : given.createdAt === undefined ? toExpiry(given.expiresAt, context.clock) : parseExpiry(given.expiresAt, now, offset),
      createdAt: given.createdAt === undefined ? undefined : saidBefore(given.createdAt, now),
      externalId: given.externalId,
      anchors: given.anchors?.map((anchor) => ({ commit: context.view.commit, ...checkAnchor(anchor, context) })),
      supersedes: given.supersedes,
      provenance,
      untrusted: given.untrusted,
      consolidate: given.consolidate,
    };
    const acting = { actor: context.actor };
    const result = await hereOrElsewhere(context, given.supersedes?.[0] ?? '', async () => (given.asked === false ? context.engine.propose(statement, acting) : context.engine.remember(statement, acting)));
    const isNew = result.outcome === 'added' || result.outcome === 'superseded' || result.outcome === 'inbox';
    return end === undefined || !isNew ? result : { ...result, statedEnd: end };
  },
});

const DAY_MS = 86_400_000;

/** A bare date may begin elsewhere before it does here; what is further ahead would stand first for ever. Throws TIME_INVALID. */
function saidBefore(value: string | number, now: number): number {
  const at = parseInstant(value, now);
  if (at > now + DAY_MS) throw new CairnError('TIME_INVALID', `"${value}" has not come yet, so nothing was said then. Give a date that is past, or an age such as 3d.`, { data: { value } });
  return Math.min(at, now);
}

export function viaOf(context: Pick<OperationContext, 'actor'>): 'selection' | 'command' | 'mcp' | 'transcript' | 'import' | 'cli' | 'sync' | 'server' {
  const { surface } = context.actor;
  if (surface === 'extension') return 'command';
  if (surface === 'hook' || surface === 'policy') return 'transcript';
  return surface;
}

/** Throws PATH_OUTSIDE_REPOSITORY. `context` where the path means a file here. */
export function checkAnchor(anchor: z.infer<typeof anchorField>, context?: OperationContext): Anchor {
  const path = toAnchorPath(anchor.path, context);
  if (path === '') throw new CairnError('INPUT_INVALID', 'A memory is anchored to a file or a folder below the root; about all of the repository it is without a path.', { data: { field: 'path' } });
  if (anchor.startLine !== undefined && anchor.endLine !== undefined && anchor.endLine < anchor.startLine) {
    throw new CairnError('INPUT_INVALID', `An anchor cannot end (line ${anchor.endLine}) before it starts (line ${anchor.startLine}).`, { data: { field: 'anchors' } });
  }
  return { ...anchor, path };
}
