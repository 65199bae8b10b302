/**
 * Words on screen: the translation the host sent, ages, names of kinds. English texts
 * are the keys, as in the editor's own l10n.
 */
import type { KindName } from '../../src/protocol/index.ts';

/** Made once for a language: making one costs more than a row. */
const makeFormats = (locale: string) => ({
  absolute: new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }),
  clock: new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }),
  count: new Intl.NumberFormat(locale),
});

let words: Readonly<Record<string, string>> = {};
let formats = makeFormats('en');

export function useWords(translated: Readonly<Record<string, string>>, language: string): void {
  words = translated;
  formats = makeFormats(language);
}

/** The text in the person's language with {0}, {1} ... filled in. */
export function t(text: string, ...values: readonly (string | number)[]): string {
  return (words[text] ?? text).replaceAll(/\{(\d)\}/g, (whole, index: string) => String(values[Number(index)] ?? whole));
}

export function kindLabel(kind: KindName): string {
  switch (kind) {
    case 'rule': return t('rule');
    case 'decision': return t('decision');
    case 'preference': return t('preference');
    case 'code_pattern': return t('code pattern');
    case 'technical_context': return t('technical context');
    case 'project_context': return t('project context');
    case 'communication_pattern': return t('communication');
    case 'subtle_signal': return t('subtle signal');
    case 'identity': return t('identity');
    case 'fact': return t('fact');
    case 'observation': return t('observation');
    case 'entity': return t('entity');
    case 'relation': return t('relation');
    case 'session_summary': return t('session summary');
  }
}

export const SCOPE_LEVELS = ['repository', 'user', 'branch', 'path'] as const;
export type ScopeLevelName = (typeof SCOPE_LEVELS)[number];

export function scopeLevelLabel(level: ScopeLevelName): string {
  switch (level) {
    case 'user': return t('user');
    case 'repository': return t('repository');
    case 'branch': return t('branch');
    case 'path': return t('path');
  }
}

/** `branch:main` as level and place; the place of `user` and `repository` is empty. */
export function splitScope(scope: string): [level: ScopeLevelName, place: string] {
  const [level = '', ...place] = scope.split(':');
  return [SCOPE_LEVELS.find((name) => name === level) ?? 'repository', place.join(':')];
}

/** In a row: where it is visible, in one word. */
export function scopeLabel(scope: string): string {
  const [level, place] = splitScope(scope);
  return place === '' ? scopeLevelLabel(level) : place;
}

/** A session by its name, else by the beginning of its id; none for what nobody said in a session. */
export function sessionLabel(sessionId: string, title: string | undefined): string {
  if (sessionId === '') return t('Outside of a session');
  return title === undefined ? t('Session {0}', sessionId.slice(0, 8)) : t('Session "{0}"', title);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "now", "5 min", "3 h", "yesterday", "4 d", "3 w", "5 mo", "2 y"; a time in the future reads as "now". */
export function age(at: number, now: number): string {
  const past = now - at;
  if (past < MINUTE) return t('now');
  if (past < HOUR) return t('{0} min', Math.floor(past / MINUTE));
  if (past < DAY) return t('{0} h', Math.floor(past / HOUR));
  if (past < 2 * DAY) return t('yesterday');
  if (past < 14 * DAY) return t('{0} d', Math.floor(past / DAY));
  if (past < 60 * DAY) return t('{0} w', Math.floor(past / (7 * DAY)));
  if (past < 730 * DAY) return t('{0} mo', Math.floor(past / (30 * DAY)));
  return t('{0} y', Math.floor(past / (365 * DAY)));
}

export const memories = (total: number): string => (total === 1 ? t('1 memory') : t('{0} memories', count(total)));

/** The heading under which an instant is listed when sorted by time. */
export function ageGroup(at: number, now: number): string {
  const past = now - at;
  if (past < DAY) return t('Last 24 hours');
  if (past < 7 * DAY) return t('Last 7 days');
  if (past < 30 * DAY) return t('Last 30 days');
  if (past < 365 * DAY) return t('Last year');
  return t('Older');
}

export const absoluteTime = (at: number): string => formats.absolute.format(at);
export const clockTime = (at: number): string => formats.clock.format(at);
export const day = (at: number): string => formats.day.format(at);
export const count = (value: number): string => formats.count.format(value);

/** "today 14:02", "yesterday 09:15", else the day. */
export function dayAndTime(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return t('today {0}', clockTime(at));
  return at >= new Date(midnight - 1).setHours(0, 0, 0, 0) ? t('yesterday {0}', clockTime(at)) : day(at);
}
