/**
 * Same subject: do two statements speak of the same thing, so that the newer one replaces the
 * older [F6]? Decided by what both say about the question, never by date alone.
 */
import type { Memory } from '../model/memory.ts';
import { indexTokens } from '../text/tokenize.ts';
import { ENGLISH_STOP_WORDS } from '../text/stopWords.ts';

/** Characters looked at: a statement's subject stands at its beginning. */
const HEAD = 600;

/** Words by which people announce that something changed; in the newer statement they lower the bar. */
const CHANGE = /\b(?:no longer|not any ?more|instead of|instead|correction|actually|now|moved? (?:to|over|from)|migrat\w+ (?:to|from|off)|switch\w* (?:to|from|over)|chang\w+ (?:to|from)|replac\w+ (?:by|with)|replac\w+|supersed\w+|scratch that|upgrad\w+ to|deprecat\w+|dropp?\w+|retired|since then|from now on|as of|renamed)\b|不再|改为|改成|改用|换成|换到|迁移到|替换|取消|现在|以后|更正|升级到|弃用/iu;

export const announcesChange = (memory: Memory): boolean => CHANGE.test(memory.text.slice(0, HEAD));

/** What a text is about: its distinct tokens without stop words. */
export function subjectTokens(text: string): ReadonlySet<string> {
  return new Set(indexTokens(text.slice(0, HEAD)).filter((token) => !ENGLISH_STOP_WORDS.has(token)));
}

/** Jaccard overlap of two token sets, 0..1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const token of a) if (b.has(token)) shared += 1;
  return shared / (a.size + b.size - shared);
}

/** Share of the smaller set that the larger holds, 0..1. */
export function containment(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = a.size <= b.size ? a : b;
  const larger = smaller === a ? b : a;
  if (smaller.size === 0) return 0;
  let shared = 0;
  for (const token of smaller) if (larger.has(token)) shared += 1;
  return shared / smaller.size;
}
