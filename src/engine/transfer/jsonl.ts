/**
 * The simple transfer format: one JSON object a line (a record), the fields of the command line's
 * contract. Version 1 has no header line; a later version announces itself with one
 * (`{"cairn": N}`), which older programs refuse politely (invariant 14).
 */
import { CairnError } from '../../base/errors.ts';
import type { RememberInput } from '../engineTypes.ts';
import { parseKind } from '../model/kinds.ts';
import { MAX_TEXT_LENGTH } from '../model/memory.ts';
import type { Anchor, Memory } from '../model/memory.ts';
import { checkText, parseExpiry, parseInstant } from '../model/memoryInput.ts';
import { formatScope, parseScope } from '../model/scope.ts';
import { splitText } from '../text/split.ts';
import { toOwnFields, type ImportRecord } from './records.ts';

export const TRANSFER_VERSION = 1;

export type ImportedInput = Omit<RememberInput, 'provenance'> & { branch?: string; quote?: string };

/** The value of one line. Throws IMPORT_LINE_INVALID. */
export function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new CairnError('IMPORT_LINE_INVALID', `Not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`, { cause: error });
  }
}

/**
 * One record as what remember takes; several when it holds several statements or a text that is longer than one memory
 * and had to be split. Throws IMPORT_LINE_INVALID, FORMAT_TOO_NEW and the model's codes.
 */
export const parseImportRecord = (record: unknown, now: number): ImportedInput[] => toOwnFields(record).flatMap((fields) => parseFields(fields, now));

function parseFields(fields: ImportRecord, now: number): ImportedInput[] {
  if (typeof fields['cairn'] === 'number') {
    if (fields['cairn'] > TRANSFER_VERSION) throw new CairnError('FORMAT_TOO_NEW', `The file has format ${fields['cairn']}; this program reads up to ${TRANSFER_VERSION}. Update Cairn.`);
    return [];
  }
  const text = stringOf(fields, 'text', 'content', 'memory');
  if (text === undefined) throw new CairnError('IMPORT_LINE_INVALID', 'The field "text" is missing or not a string.', { data: { field: 'text' } });
  const kind = stringOf(fields, 'kind', 'type', 'category', 'memory_type');
  const scope = stringOf(fields, 'scope');
  const createdAt = saidAt(fields, now);
  const shared = {
    ...(isArchived(fields['status']) ? { archived: true } : {}),
    ...(kind === undefined ? {} : { kind: parseKind(kind) }),
    ...(numberOf(fields, 'importance')),
    ...(numberOf(fields, 'confidence')),
    tags: tagsOf(fields['tags']),
    ...(scope === undefined ? {} : { scope: parseScope(scope) }),
    ...(createdAt === undefined ? {} : { createdAt, validFrom: createdAt }),
    externalId: stringOf(fields, 'externalId', 'external_id') ?? (typeof fields['id'] === 'string' ? fields['id'] : undefined),
    pinned: fields['pinned'] === true || fields['pinned'] === 'true',
    expiresAt: instantOf(fields, now, parseExpiry, 'expiresAt', 'expires_at'),
    branch: stringOf(fields, 'branch'),
    quote: stringOf(fields, 'quote'),
    anchors: anchorsOf(fields['anchor'] ?? fields['anchors']),
  };
  return pieces(text).map((piece) => ({ ...shared, text: piece }));
}

const pieces = (text: string): string[] => (text.trim().length <= MAX_TEXT_LENGTH ? [text] : splitText(checkLongText(text), MAX_TEXT_LENGTH));

/** Everything checkText asks for but the length. */
function checkLongText(text: string): string {
  checkText(text.slice(0, 64).toWellFormed());
  if (!text.isWellFormed()) throw new CairnError('TEXT_MALFORMED', 'The text is not well-formed Unicode.');
  return text;
}

/** A blank field is one left out, except for the text, where that is an error. */
function stringOf(fields: ImportRecord, ...names: readonly string[]): string | undefined {
  for (const name of names) if (typeof fields[name] === 'string' && (names[0] === 'text' || fields[name].trim() !== '')) return fields[name];
  return undefined;
}

/** Nothing was said later than now; a clock ahead of ours would keep it first for ever. */
function saidAt(fields: ImportRecord, now: number): number | undefined {
  const at = instantOf(fields, now, parseInstant, 'createdAt', 'created_at', 'timestamp', 'created_at_epoch');
  return at === undefined ? undefined : Math.min(at, now);
}

/** What was forgotten or never accepted elsewhere is not brought back by a file. */
function isArchived(status: unknown): boolean {
  if (status === undefined || status === null || status === 'active') return false;
  if (status === 'archived' || status === 'superseded') return true;
  throw new CairnError('IMPORT_LINE_INVALID', status === 'forgotten' ? 'It was forgotten where it comes from.' : `The status "${String(status)}" cannot be imported; active, archived and superseded can.`, { data: { field: 'status' } });
}

function numberOf(fields: ImportRecord, name: 'importance' | 'confidence'): Record<string, number> {
  const value = fields[name];
  if (value === undefined || value === null) return {};
  if (typeof value !== 'number') throw new CairnError('IMPORT_LINE_INVALID', `The field "${name}" is not a number.`, { data: { field: name } });
  return { [name]: value };
}

/** Epochs before 1973 are seconds. */
const SECONDS_BELOW = 1e11;

function instantOf(fields: ImportRecord, now: number, parse: typeof parseInstant, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'number') return parse(value > 0 && value < SECONDS_BELOW ? value * 1_000 : value, now);
    if (typeof value === 'string' && value.trim() !== '') return parse(value, now);
  }
  return undefined;
}

function tagsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',');
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((tag) => typeof tag === 'string' || typeof tag === 'number')) throw new CairnError('IMPORT_LINE_INVALID', 'The field "tags" is no list of words.', { data: { field: 'tags' } });
  return value.map(String);
}

function anchorsOf(value: unknown): Anchor[] {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return list.map((anchor) => {
    if (typeof anchor === 'string') return { path: anchor };
    if (typeof anchor === 'object' && anchor !== null && typeof (anchor as { path?: unknown }).path === 'string') return anchor as Anchor;
    throw new CairnError('IMPORT_LINE_INVALID', 'An anchor needs a "path".', { data: { field: 'anchor' } });
  });
}

/** The fields of one line, in a fixed order, so that equal memories give equal bytes. */
export function exportLine(memory: Memory): string {
  return JSON.stringify({
    id: memory.id,
    text: memory.text,
    kind: memory.kind,
    importance: memory.importance,
    confidence: memory.confidence,
    tags: memory.tags,
    scope: formatScope(memory.scope),
    createdAt: new Date(memory.createdAt).toISOString(),
    externalId: memory.externalId,
    pinned: memory.pinned,
    expiresAt: memory.expiresAt === undefined ? undefined : new Date(memory.expiresAt).toISOString(),
    branch: memory.provenance.branch,
    quote: memory.provenance.quote,
    status: memory.status === 'active' ? undefined : memory.status,
    anchor: memory.anchors.length === 0 ? undefined : memory.anchors,
  });
}
