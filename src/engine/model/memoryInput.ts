/**
 * The validators at the model's edge: what a surface hands in becomes either clean
 * values or a CairnError that names the field and the limit. Every way in uses them.
 */
import { CairnError } from '../../base/errors.ts';
import { oneLine } from './oneLine.ts';
import { MAX_TEXT_LENGTH } from './memory.ts';

export const MAX_TAGS = 32;
export const MAX_TAG_LENGTH = 64;
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 200;

/** Colours and cursor moves of a terminal, and control characters other than line end and tab: they mean nothing in a statement. */
const TERMINAL_CODES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))|[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;
/** Marks, direction signs and joiners alone say nothing. */
const UNSEEN = /[\p{White_Space}\p{M}\p{Cf}]/gu;

/** Trims, joins line ends, takes out terminal codes, applies NFC. Throws TEXT_EMPTY, TEXT_TOO_LONG, TEXT_MALFORMED. */
export function checkText(text: string): string {
  if (!text.isWellFormed()) throw new CairnError('TEXT_MALFORMED', 'The text holds half of a surrogate pair; it is not well-formed Unicode.');
  if (text.includes('\u0000')) throw new CairnError('TEXT_MALFORMED', 'The text holds a NUL character; is it a binary file?');
  const clean = text.replaceAll(/\r\n?/g, '\n').replaceAll(TERMINAL_CODES, '').normalize('NFC').trim();
  if (clean.replaceAll(UNSEEN, '') === '') throw new CairnError('TEXT_EMPTY', 'The text is empty. Give at least one word.');
  if (clean.length > MAX_TEXT_LENGTH) {
    throw new CairnError('TEXT_TOO_LONG', `The text has ${clean.length} characters; a memory holds at most ${MAX_TEXT_LENGTH}. Shorten it, or use import, which splits.`, {
      data: { length: clean.length, limit: MAX_TEXT_LENGTH },
    });
  }
  return clean;
}

export function checkImportance(importance: number): number {
  if (!Number.isInteger(importance) || importance < 1 || importance > 10) {
    throw new CairnError('IMPORTANCE_RANGE', `Importance must be a whole number from 1 to 10, not ${importance}.`, { data: { importance } });
  }
  return importance;
}

export function checkConfidence(confidence: number): number {
  if (!(confidence >= 0 && confidence <= 1)) {
    throw new CairnError('CONFIDENCE_RANGE', `Confidence must be a number from 0 to 1, not ${confidence}.`, { data: { confidence } });
  }
  return confidence;
}

/** Lower-cased, on one line, without `#`, without repeats, in the order given. */
export function cleanTags(tags: readonly string[]): string[] {
  const clean = tags.map((tag) => oneLine(tag).replace(/^#/, '').toLowerCase()).filter((tag) => tag !== '');
  for (const tag of clean) {
    if (tag.length > MAX_TAG_LENGTH) throw new CairnError('INPUT_INVALID', `A tag has at most ${MAX_TAG_LENGTH} characters: "${tag.slice(0, 20)}..." has ${tag.length}.`, { data: { field: 'tags' } });
  }
  const unique = [...new Set(clean)];
  if (unique.length > MAX_TAGS) throw new CairnError('INPUT_INVALID', `A memory has at most ${MAX_TAGS} tags, not ${unique.length}.`, { data: { field: 'tags' } });
  return unique;
}

export interface CheckedLimit {
  readonly limit: number;
  /** Set when a larger limit was asked for. */
  readonly cappedFrom?: number;
}

/**
 * The one rule for limits on every surface: 0, negative, fractional and non-numbers are
 * refused with LIMIT_RANGE, anything above `max` is capped and says so.
 */
export function checkLimit(limit: number | undefined, max: number = MAX_LIMIT, fallback: number = DEFAULT_LIMIT): CheckedLimit {
  if (limit === undefined) return { limit: fallback };
  if (!Number.isInteger(limit) || limit < 1) throw new CairnError('LIMIT_RANGE', `The limit must be a whole number of at least 1, not ${limit}.`, { data: { limit } });
  return limit > max ? { limit: max, cappedFrom: limit } : { limit };
}

const AGE = /^(\d{1,5})\s*(m|h|d|w|mo|y)$/i;
const AGE_MS: Readonly<Record<string, number>> = { m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3, mo: 30 * 86400e3, y: 365 * 86400e3 };

/** ISO date or date-time, epoch milliseconds, or an age such as `3d` counted back from `now`. Throws TIME_INVALID. */
export function parseInstant(value: string | number, now: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  const text = String(value).trim();
  const age = AGE.exec(text);
  if (age !== null) return now - Number(age[1]) * (AGE_MS[(age[2] ?? '').toLowerCase()] ?? Number.NaN);
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const parsed = /^\d{4}-\d{2}(-\d{2}.*)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(parsed) || !isDayOfCalendar(text)) throw new CairnError('TIME_INVALID', `"${value}" is not a date. Use 2026-11-30, a full ISO time, or an age such as 3d or 2w.`, { data: { value } });
  return parsed;
}

/** `Date.parse` takes 30 February for 2 March; whoever typed it meant neither. */
function isDayOfCalendar(text: string): boolean {
  const [year = 0, month = 1, day = 1] = text.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** When a memory stops holding: a bare date means the end of that day (UTC, or where `utcOffset` minutes say), an age such as `3d` counts forward from `now`. Throws TIME_INVALID. */
export function parseExpiry(value: string | number, now: number, utcOffset: (at: number) => number = () => 0): number {
  const text = String(value).trim();
  if (AGE.test(text)) return 2 * now - parseInstant(text, now);
  const at = parseInstant(value, now);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return at;
  const end = at + 86_400_000 - 1;
  return end - utcOffset(end) * 60_000;
}
