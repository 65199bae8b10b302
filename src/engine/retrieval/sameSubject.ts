/**
 * Same subject: do two statements speak of the same thing, so that the newer one replaces the
 * older [F6]? Decided by what both say about the question, never by date alone.
 */
import type { Memory } from '../model/memory.ts';
import { ENGLISH_STOP_WORDS } from '../text/stopWords.ts';

/** Characters looked at: a statement's subject stands at its beginning. */
const HEAD = 600;

/** Words by which people announce that something changed; in the newer statement they lower the bar. */
const CHANGE = /\b(?:no longer|not any ?more|instead|corrections?|actually|now|moved|migrated|switched|changed|replaced|replaces|superseded|scratch that|upgraded|downgraded|deprecated|dropped|retired|removed|renamed|abandoned|gone|since|from now on|as of|used to|formerly|previously)\b|不再|改为|改成|改用|改走|换成|换到|迁到|迁移到|迁至|替换|取消|现在|如今|以后|更正|升级|弃用|已删除|废弃|关掉/iu;

/** Only of a statement: in a page of text some word of the kind always stands somewhere. */
export const announcesChange = (memory: Memory): boolean => memory.text.length <= HEAD && CHANGE.test(memory.text);

const known = new WeakMap<Memory, ReadonlySet<string>>();

/**
 * What a statement is about: its distinct words without stop words and without a plural's s, Chinese and
 * Japanese by character and pair. Lighter than the index's tokens: thirty texts are compared
 * in every recall, and the full tokenizer took a third of its time.
 */
export function subjectTokens(memory: Memory): ReadonlySet<string> {
  const before = known.get(memory);
  if (before !== undefined) return before;
  const tokens = new Set<string>();
  for (const [word] of memory.text.slice(0, HEAD).toLowerCase().matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|\p{N}+/gu)) {
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) {
      let previous = '';
      for (const character of word) {
        tokens.add(character);
        if (previous !== '') tokens.add(previous + character);
        previous = character;
      }
    } else if (!ENGLISH_STOP_WORDS.has(word)) tokens.add(word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word);
  }
  known.set(memory, tokens);
  return tokens;
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
