/**
 * What an import file holds, whatever wraps it: one JSON object a line, a JSON array, or an object with lists in it, as
 * other memory tools export them; and their records in the fields of our own lines.
 */
import { CairnError } from '../../base/errors.ts';

export type ImportRecord = Readonly<Record<string, unknown>>;

/** Lists that exports of other tools keep their records in. Prompts and sessions of theirs are no memories. */
const LISTS = ['memories', 'observations', 'results', 'items', 'data', 'entities', 'relations'] as const;

const isRecord = (value: unknown): value is ImportRecord => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The records of one JSON value: its own, or those of the lists in it. What is no record is returned for the caller to refuse. */
export function recordsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value) || textIn(value) !== undefined || typeof value['name'] === 'string') return [value];
  const lists = LISTS.map((name) => value[name]).filter((list) => Array.isArray(list));
  return lists.length === 0 ? [value] : lists.flat();
}

/** A record of another tool as lines of ours; several where it holds several statements. Throws IMPORT_LINE_INVALID. */
export function toOwnFields(record: unknown): ImportRecord[] {
  if (!isRecord(record)) throw new CairnError('IMPORT_LINE_INVALID', 'Not a JSON object.');
  const { name, observations, from, to, relationType, entityType } = record;
  // The reference memory server: a graph of entities that observations are about.
  if (typeof name === 'string' && Array.isArray(observations)) {
    const tags = typeof entityType === 'string' ? [entityType] : [];
    const said = observations.filter((observation) => typeof observation === 'string' && observation.trim() !== '');
    return said.length === 0 ? [{ text: typeof entityType === 'string' ? `${name} (${entityType})` : name, kind: 'entity', tags }] : said.map((observation) => ({ text: `${name}: ${String(observation)}`, kind: 'fact', tags }));
  }
  if (typeof from === 'string' && typeof to === 'string' && typeof relationType === 'string') return [{ text: `${from} ${relationType.replaceAll('_', ' ')} ${to}`, kind: 'relation' }];
  const text = textIn(record) ?? toldIn(record);
  return [text === undefined ? record : { ...record, text }];
}

const textIn = (record: ImportRecord): string | undefined => ['text', 'content', 'memory'].map((name) => record[name]).find((value) => typeof value === 'string');

/** claude-mem tells an observation in a title and what follows from it. */
function toldIn({ title, subtitle, narrative }: ImportRecord): string | undefined {
  const parts = [title, narrative ?? subtitle].filter((part) => typeof part === 'string' && part.trim() !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}
