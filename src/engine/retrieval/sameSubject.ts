/**
 * Same subject: do two statements speak of the same thing, so that the newer one replaces the
 * older [F6]? Decided by what both say about the question, never by date alone.
 */
import type { Memory } from '../model/memory.ts';
import { ENGLISH_STOP_WORDS } from '../text/stopWords.ts';

/** Characters looked at: a statement's subject stands at its beginning. */
const HEAD = 600;

/** Words by which people announce that something changed; in the newer statement they lower the bar. */
const CHANGE = /\b(?:no longer|any ?more|stop(?:ped)? \w+ing|instead|corrections?|actually|now|moved|migrated|switched|changed|replaced|replaces|superseded|scratch that|upgraded|downgraded|deprecated|dropped|retired|removed|renamed|abandoned|gone|since|from now on|after all|as of|used to|formerly|previously|support ended|(?:was|were|been|got) (?:(?:lowered|raised|increased|reduced|extended|cut|bumped) to|deleted|closed|shut down|turned off|discontinued|decommissioned|rewritten))\b|不再|改为|改成|改用|改走|换成|换到|迁到|迁移到|迁至|替换|取消|现在|如今|以后|更正|升级|弃用|已停用|停用了|已经?下线|下线了|不用了|已经不|已不|调到|调为|调成|调整为|已删除|废弃|关掉/iu;

/** Words by which they say that something came beside what was. */
const ADDITION = /\b(?:also|additionally|in addition|as well|besides)\b|另外|同时|还会|还要|也会/iu;

/** Only of a statement: in a page of text some word of the kind always stands somewhere. */
export function announcesChange(memory: Memory): boolean {
  const before = announcing.get(memory);
  if (before !== undefined) return before;
  const found = memory.text.length <= HEAD && CHANGE.test(memory.text) && !ADDITION.test(memory.text);
  announcing.set(memory, found);
  return found;
}
const announcing = new WeakMap<Memory, boolean>();

/** A word with a capital that does not begin a sentence, or with a digit in it; in Chinese every Latin word is a name. */
const NAME = /(?<![.!?。！？]\s*|^)(?<![\w.])(?:\p{Lu}[\w+#-]*|[a-z][\w+#-]*\d[\w+#-]*)|(?<=\p{Script=Han}\s?)[A-Za-z][\w+#-]+/gu;
/** Before a name: it is left. Behind it, in the same clause: it is no more. */
const LEFT_BEFORE = /(?:\b(?:from|instead of|replac\w+|away from|no longer|not|dropped|removed|retired|without)(?: (?:the|our|its|any))?|\b(?:no longer|stop(?:ped)?)(?: [\w-]+){0,4}? (?:us(?:e|es|ed|ing)|needs?|supports?|to|in|on|at|by|with|from|into|through|via)(?: (?:the|our|its|any))?|从|不再\p{Script=Han}{0,2}|停用|弃用|取代|替换|代替|不用|不走)\s*$/iu;
const GONE_BEHIND = /^[^.;,，。；]{0,48}?(?:\b(?:gone|removed|retired|switched off|shut down|closed|cancell?ed|dropped|deprecated|failed|no longer|any ?more|replaced|abandoned|not maintained|support ended|(?:was|were|been|is|got) deleted|discontinued|decommissioned|turned off)\b|下线|停了|停用|停掉|不再|弃用|关掉|关了|已?删除|取消|废弃|不用了|注销|到期)/iu;

/** Characters of a clause that end at a name: "no longer send their mail through". */
const BEFORE = 48;

/** Whether the newer statement says that something which the older one names is no more: "moved from MySQL", "Opsgenie was cancelled". */
export function takesBack(newer: Memory, older: Memory): boolean {
  const text = newer.text.slice(0, HEAD);
  for (const name of new Set(older.text.slice(0, HEAD).match(NAME) ?? [])) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      if (LEFT_BEFORE.test(text.slice(Math.max(0, at - BEFORE), at)) || GONE_BEHIND.test(text.slice(at + name.length))) return true;
    }
  }
  return false;
}

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

function countShared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const token of a) if (b.has(token)) shared += 1;
  return shared;
}

/** Jaccard overlap of two token sets, 0..1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const shared = countShared(a, b);
  return shared / (a.size + b.size - shared);
}

/** Share of the smaller set that the larger holds, 0..1. */
export function containment(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [smaller, larger] = a.size <= b.size ? [a, b] : [b, a];
  return smaller.size === 0 ? 0 : countShared(smaller, larger) / smaller.size;
}

/** Fewer say nothing: "uses Redis" is held in much. */
const LEAST_HELD = 3;

/** Whether one statement names nearly all that the other does: "documents go through Azure for OCR, Tesseract failed" what "documents go through Tesseract for OCR" names. */
export function holds(whole: ReadonlySet<string>, part: ReadonlySet<string>, share: number): boolean {
  const shared = countShared(part, whole);
  return shared >= LEAST_HELD && shared >= share * part.size;
}

/** Four Chinese characters, seven tokens with their pairs, begin a statement as three words do. */
const HAN_TOKEN = 3 / 7;
const HAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Tells things of one kind apart: "rev B" and "rev C". */
const LETTER = /^[a-z]$/;

/** How many words of substance both begin with: who does what, as in "Lectern signs people in". */
export function sharedBeginning(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const theirs = b.values();
  let words = 0;
  for (const token of a) {
    const { value: other } = theirs.next();
    if (token !== other) return other !== undefined && LETTER.test(token) && LETTER.test(other) ? 0 : words;
    words += HAN.test(token) ? HAN_TOKEN : 1;
  }
  return words;
}
