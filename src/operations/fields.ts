/**
 * The zod fields that several operations share, so that a kind, a scope or a time is
 * read the same way on every surface. Aliases of field names (type, category,
 * memory_type) are folded here too.
 */
import { z } from 'zod';
import { MEMORY_STATUSES, VIAS, checkLimit, parseExpiry, parseInstant, parseKind, parseScope } from '../engine/index.ts';
import type { Clock } from '../base/clock.ts';
import { CairnError } from '../base/errors.ts';
import type { RecallFilters, Scope } from '../engine/index.ts';
import type { OperationContext } from './operation.ts';

/** Ids are written in capitals; typed small they are the same. */
export const idField = z.string().trim().min(1).max(64).transform((id) => (/^[0-9a-z]{26}$/i.test(id) ? id.toUpperCase() : id)).describe('Id of a memory');
export const idsField = z.array(idField).min(1).max(10_000);

/** Kind names stay strings in the schema (aliases are allowed); parseKind gives the error with the list. */
export const kindField = z.string().describe('rule, decision, preference, code_pattern, technical_context, project_context, communication_pattern, subtle_signal, identity, fact, observation, entity, relation or session_summary');
export const kindsField = z.union([kindField, z.array(kindField)], { error: 'expected a kind or a list of kinds' }).transform((value) => (Array.isArray(value) ? value : value.split(',')));
export const tagsField = z.union([z.string(), z.array(z.string())], { error: 'expected a list of tags, each as text' }).transform((value) => (Array.isArray(value) ? value : value.split(',')));
export const scopeField = z.string().describe('user, repository, branch:NAME or path:GLOB');
export const instantField = z.union([z.string(), z.number()], { error: 'expected a date as text, or an age such as 3d' }).describe('ISO date, epoch milliseconds, or an age such as 3d');

/** A page size by the one rule for limits (LIMIT_RANGE, capped at `max`). */
export const limitField = (max: number, fallback: number) => z.number().optional().transform((limit) => checkLimit(limit, max, fallback).limit);

/** Throws TIME_INVALID, also for an end that is past already: the memory would never be seen. */
export function toExpiry(value: string | number, clock: Clock): number {
  const now = clock.now();
  const at = parseExpiry(value, now, utcOffsetOf(clock));
  if (at <= now) throw new CairnError('TIME_INVALID', `"${value}" is past already. Give a date to come, or a time from now such as 3d or 2w.`, { data: { value } });
  return at;
}

/** Of the person's wall clock: a day that they name ends where they are. */
export const utcOffsetOf = (clock: Clock) => (at: number): number => clock.utcOffsetMinutes?.(at) ?? 0;

export const anchorField = z.object({
  path: z.string().min(1).max(4096),
  symbol: z.string().max(512).optional(),
  startLine: z.number().int().min(1).optional(),
  endLine: z.number().int().min(1).optional(),
  contentHash: z.string().max(128).optional(),
  commit: z.string().max(64).optional(),
  snippet: z.string().optional(),
});

/** Filters as the flags of the command line and the arguments of the tools name them. */
export const filterFields = {
  kinds: kindsField.optional(),
  tags: tagsField.optional(),
  scopes: z.array(z.enum(['user', 'repository', 'branch', 'path'])).optional(),
  path: z.string().optional().describe('Only memories anchored at or below this path'),
  branch: z.string().optional(),
  since: instantField.optional(),
  until: instantField.optional(),
  client: z.string().optional(),
  via: z.union([z.enum(VIAS), z.array(z.enum(VIAS))], { error: `expected one of ${VIAS.join(', ')}` }).optional(),
  statuses: z.array(z.enum(MEMORY_STATUSES)).optional(),
  pinned: z.boolean().optional(),
  stores: z.array(z.enum(['repository', 'user'])).optional(),
};

const filtersObject = z.object(filterFields);
export type FilterInput = z.infer<typeof filtersObject>;

/** Throws KIND_UNKNOWN, TIME_INVALID, PATH_OUTSIDE_REPOSITORY. */
export function toFilters(context: OperationContext, input: FilterInput): RecallFilters {
  const now = context.clock.now();
  const tags = input.tags?.map((tag) => tag.trim().replace(/^#/, '').toLowerCase()).filter((tag) => tag !== '');
  return {
    ...(input.kinds === undefined ? {} : { kinds: input.kinds.map((kind) => parseKind(kind)) }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
    ...(input.scopes === undefined ? {} : { scopeLevels: input.scopes }),
    ...(input.path === undefined ? {} : { path: toPathFilter(context, input.path) }),
    ...(input.branch === undefined ? {} : { branch: input.branch }),
    ...(input.since === undefined ? {} : { since: parseInstant(input.since, now) }),
    ...(input.until === undefined ? {} : { until: parseInstant(input.until, now) }),
    ...(input.client === undefined ? {} : { clientId: input.client }),
    ...(input.via === undefined ? {} : { vias: Array.isArray(input.via) ? input.via : [input.via] }),
    ...(input.statuses === undefined ? {} : { statuses: input.statuses }),
    ...(input.pinned === undefined ? {} : { pinned: input.pinned }),
    ...(input.stores === undefined ? {} : { stores: input.stores }),
  };
}

/** Anchors and filters use `/` and no leading `./`. */
const normalizePath = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');

/**
 * A path as it was typed or sent, as anchors have it: from the root. Throws PATH_OUTSIDE_REPOSITORY, and INPUT_INVALID for
 * an empty one. Without a working tree (`context` left out: another machine's anchors) only its spelling is looked at.
 */
export function toAnchorPath(given: string, context?: Pick<OperationContext, 'host' | 'repository'>): string {
  if (given.trim() === '') throw new CairnError('INPUT_INVALID', 'The path is empty. Give a file or folder of the repository.', { data: { field: 'path' } });
  if (/[\p{Cc}\u2028\u2029]/u.test(given)) throw new CairnError('INPUT_INVALID', 'The path holds a line end or a control character. Give one path.', { data: { field: 'path' } });
  const here = context?.repository?.root === undefined ? lexicalPath(given) : context.host.pathInRepository(given);
  if (here === undefined) throw new CairnError('PATH_OUTSIDE_REPOSITORY', `"${given}" does not lie inside the repository. Give a path below its root.`, { data: { path: given } });
  return here;
}

function lexicalPath(given: string): string | undefined {
  const path = normalizePath(given);
  return path === '' || path.startsWith('/') || /^[a-z]:/i.test(path) || path.split('/').includes('..') ? undefined : path;
}

/** A filter means a file or everything below a folder; `src/**` says the same in other words. */
function toPathFilter(context: OperationContext, given: string): string {
  // The editor asks for a file that is open, whatever its name.
  if (context.actor.surface === 'extension') return toAnchorPath(given, context);
  const folder = given.replace(/[\\/]\*{1,2}$/, '');
  if (folder.includes('*')) throw new CairnError('INPUT_INVALID', `"${given}" is a pattern. Give a file or a folder, such as src/payments; all below it counts.`, { data: { field: 'path' } });
  return toAnchorPath(folder, context);
}

export const toScope = (text: string | undefined): Scope | undefined => (text === undefined ? undefined : parseScope(text));

export const summarySchema = z.object({ changed: z.array(z.string()), unchanged: z.array(z.string()), actId: z.string() });
