/**
 * Tokenizer: text to the tokens that the full-text index holds, and a question to the terms it
 * asks for. Both sides go through the same scanner, so what is stored can be found.
 *
 * Tokens are letters, digits and `_` only: any full-text engine keeps them whole. What a
 * developer writes is made to fit: `C++` is `cplusplus`, `C#` `csharp`, `.NET` `dotnet`, `1.2.3`
 * `1_2_3`. A compound (`gen-report`, `getUserId`, `src/a/b.ts`) gives the whole and its parts.
 * An emoji or currency sign is a word of its own, spelled by its code point.
 * Chinese and Japanese have no blanks between words: every character and every pair becomes a
 * token (pairs beat trigrams by far: R@1 .83 against .17 on Chinese statements, and two-character words are found).
 */
import { foldCase, foldMarks, spellMarks } from './fold.ts';
import { derivations, stemWord } from './stem.ts';
import { CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS } from './stopWords.ts';
import { GLOSSARY_WORDS, SYNONYM_GROUPS } from './synonyms.ts';

/** Raise with any change of what indexTokens gives: stored tokens are then made anew. */
export const TOKENIZER_VERSION = 2;

const MAX_TOKEN_LENGTH = 64;
/** A pasted page is not a question; beyond this many distinct terms nothing is gained and every term costs a look-up. */
const MAX_QUERY_TERMS = 48;
const MAX_ALTERNATIVES = 14;
/** Weights of what is not the word itself; found by trying .3 to 1 on the development sets. */
const SYNONYM_WEIGHT = 0.7;
const DERIVATION_WEIGHT = 0.5;
const COMPOUND_WEIGHT = 0.9;
/** What is left of a compound when its stop words are gone: `mod` of `go.mod`, `cache` of `--no-cache`. */
const LONE_PART_WEIGHT = 0.6;

const CJK_CLASS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー々〆';
const UNSPACED_CLASS = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const WORD = `(?![${CJK_CLASS}${UNSPACED_CLASS}\\p{Script=Hangul}])[\\p{L}\\p{N}\\p{M}_]`;
const SIGN = '\\p{Regional_Indicator}{2}|\\p{Extended_Pictographic}|\\p{Sc}';
const SCANNER = new RegExp(`(?<cjk>[${CJK_CLASS}]+)|(?<hangul>\\p{Script=Hangul}+)|(?<unspaced>[${UNSPACED_CLASS}]+)|(?<word>(?:${WORD})+(?:(?:::|->|[.\\-/\\\\@:+&])(?:${WORD})+)*)|(?<sign>${SIGN})`, 'gu');
const SEPARATORS = /::|->|[.\-/\\@:+&]/u;
const INNER_CAPITAL = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

let wordSegmenter: Intl.Segmenter | undefined;

/** Names whose signs carry the meaning, and contractions, spelled out before scanning. */
function spellSigns(text: string): string {
  let spelled = text;
  if (spelled.includes('++')) spelled = spelled.replaceAll(/(?<![\p{L}\p{N}_])(\p{L}{1,10})\+\+(?!\+)/gu, '$1plusplus ');
  if (spelled.includes('#')) spelled = spelled.replaceAll(/(?<![\p{L}\p{N}_])([CFJcfj])#/gu, '$1sharp ');
  if (spelled.includes('.')) spelled = spelled.replaceAll(/(?<![\p{L}\p{N}_)\]/])\.net(?![\p{L}\p{N}_])/giu, ' dotnet ');
  if (/['’]/.test(spelled)) {
    spelled = spelled
      .replaceAll(/\b(ca|wo|sha)n?['’]t\b/giu, ' not')
      .replaceAll(/n['’]t\b/giu, ' not')
      .replaceAll(/['’](?:s|re|ll|ve|d|m)\b/giu, ' ')
      .replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, '');
  }
  return spelled;
}

/** One thing the scanner saw: its whole, and its parts when it is a compound. */
interface Lexeme {
  readonly script: 'word' | 'cjk' | 'hangul' | 'unspaced' | 'sign';
  /** Folded, unstemmed. */
  readonly surface: string;
  readonly whole: string;
  /** Smaller tokens inside the whole; empty for a plain word. */
  readonly parts: readonly string[];
  /** Other spellings of the whole: `1_2` of `1_2_3`, a path's segments. */
  readonly middles: readonly string[];
}

const finish = (word: string): string => [...stemWord(spellMarks(foldCase(word)))].slice(0, MAX_TOKEN_LENGTH).join('');

/** `gen`,`report` -> `genreport`; digits keep a `_` between them: `1`,`2` -> `1_2`. */
function joinParts(parts: readonly string[]): string {
  let joined = '';
  for (const part of parts) joined += /\d$/.test(joined) && /^\d/.test(part) ? `_${part}` : part;
  return joined;
}

function scanWord(chunk: string): Lexeme {
  const segments = chunk.split(SEPARATORS).map((segment) => segment.split(INNER_CAPITAL).filter((part) => part !== '')).filter((parts) => parts.length > 0);
  const all = segments.flat();
  const surface = foldCase(joinParts(all));
  const whole = finish(joinParts(all));
  const parts = new Set<string>();
  const middles = new Set<string>();
  const numeric = all.every((part) => /^v?\d+$/i.test(part));
  if (all.length > 1 && numeric) {
    // A version or a date: its leading parts answer "3.12" for 3.12.4, single numbers would only be noise.
    const bare = all.map((part) => part.replace(/^v/i, ''));
    for (let n = 2; n <= bare.length; n += 1) middles.add(joinParts(bare.slice(0, n)));
    for (const part of bare) if (part.length >= 3) parts.add(part);
  } else if (all.length > 1) {
    for (const part of all) if (!/^[A-Za-z]$/.test(part)) parts.add(finish(part));
    if (segments.length > 1) for (const segment of segments) if (segment.length > 1) middles.add(finish(joinParts(segment)));
  }
  for (const part of all) {
    const head = /^(\p{L}{3,})\d+\p{L}?$/u.exec(part)?.[1];
    if (head !== undefined) parts.add(finish(head));
  }
  middles.delete(whole);
  parts.delete(whole);
  return { script: 'word', surface, whole: whole === '' ? surface.slice(0, MAX_TOKEN_LENGTH) : whole, parts: [...parts], middles: [...middles] };
}

function* scan(text: string): Generator<Lexeme> {
  const spelled = spellSigns(foldMarks(text));
  for (const match of spelled.matchAll(SCANNER)) {
    const { cjk, hangul, unspaced, word, sign } = match.groups ?? {};
    if (word !== undefined) {
      if (/[\p{L}\p{N}]/u.test(word)) yield scanWord(word);
    } else if (cjk !== undefined) yield { script: 'cjk', surface: cjk, whole: cjk, parts: [], middles: [] };
    else if (sign !== undefined) yield { script: 'sign', surface: sign, whole: [...sign].map((each) => `u${(each.codePointAt(0) ?? 0).toString(16)}`).join(''), parts: [], middles: [] };
    else if (hangul !== undefined) yield { script: 'hangul', surface: hangul, whole: finish(hangul), parts: [], middles: [] };
    else if (unspaced !== undefined) {
      wordSegmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
      for (const { segment, isWordLike } of wordSegmenter.segment(unspaced)) {
        if (isWordLike === true) yield { script: 'unspaced', surface: segment, whole: finish(segment), parts: [], middles: [] };
      }
    }
  }
}

const pairsOf = (characters: readonly string[]): string[] => characters.slice(1).map((character, i) => `${characters[i] ?? ''}${character}`);
const isHan = (character: string): boolean => /\p{Script=Han}/u.test(character);

const LONG_GLOSSARY_WORDS = GLOSSARY_WORDS.filter((word) => word.length > 2);

/** The tokens of a text, in order; repeats are kept, they are its term frequencies. Deterministic for one ICU version. */
export function indexTokens(text: string): string[] {
  const tokens: string[] = [];
  for (const lexeme of scan(text)) {
    if (lexeme.script === 'cjk') {
      const characters = [...lexeme.surface];
      for (const pair of pairsOf(characters)) tokens.push(spellMarks(pair));
      for (const character of characters) if (isHan(character) || characters.length === 1) tokens.push(character);
      for (const word of LONG_GLOSSARY_WORDS) if (lexeme.surface.includes(word)) tokens.push(word);
      continue;
    }
    tokens.push(lexeme.whole, ...lexeme.middles, ...lexeme.parts);
    if (lexeme.script === 'hangul' && lexeme.surface.length > 2) tokens.push(...pairsOf([...lexeme.surface]).filter((pair) => pair !== lexeme.whole));
  }
  return tokens;
}

export interface TermAlternative {
  /** One token, or several with a blank between them: a phrase. */
  readonly term: string;
  /** 0..1 of what the term itself counts. */
  readonly weight: number;
}

/** One thing a query asks for; found when the term or any alternative is found. */
export interface QueryTerm {
  readonly term: string;
  readonly alternatives: readonly TermAlternative[];
  /** The person may still be typing this word: tokens that begin with it count, below every exact word. */
  readonly prefix: boolean;
}

/** Written member of a synonym group as the token or phrase it is in the index. */
const memberToken = (member: string): string => (/^\p{Script=Han}+$/u.test(member) ? member : member.split('_').map((word) => finish(word)).join(' '));

/** Token, phrase or Chinese word -> the other members of its groups. Built once, at the first query. */
let synonymTable: Map<string, Set<string>> | undefined;
function synonymsOf(key: string): ReadonlySet<string> | undefined {
  if (synonymTable === undefined) {
    synonymTable = new Map();
    for (const group of SYNONYM_GROUPS) {
      const tokens = group.map(memberToken);
      for (const token of tokens) {
        const others = synonymTable.get(token) ?? new Set();
        for (const other of tokens) if (other !== token) others.add(other);
        synonymTable.set(token, others);
      }
    }
  }
  return synonymTable.get(key);
}

class TermList {
  readonly #terms = new Map<string, Map<string, number>>();

  add(term: string): Map<string, number> {
    const existing = this.#terms.get(term);
    if (existing !== undefined) return existing;
    const alternatives = new Map<string, number>();
    this.#terms.set(term, alternatives);
    return alternatives;
  }

  get size(): number {
    return this.#terms.size;
  }

  finish(prefixOf: string | undefined, partial: readonly string[]): QueryTerm[] {
    return [...this.#terms].slice(0, MAX_QUERY_TERMS).map(([term, alternatives]) => {
      if (term === prefixOf) for (const stem of partial) offer(alternatives, stem, DERIVATION_WEIGHT);
      alternatives.delete(term);
      const sorted = [...alternatives].map(([alternative, weight]) => ({ term: alternative, weight })).sort((a, b) => b.weight - a.weight);
      return { term, alternatives: sorted.slice(0, MAX_ALTERNATIVES), prefix: term === prefixOf };
    });
  }
}

function offer(alternatives: Map<string, number>, term: string, weight: number): void {
  alternatives.set(term, Math.max(weight, alternatives.get(term) ?? 0));
}

function offerSynonyms(alternatives: Map<string, number>, key: string): void {
  for (const synonym of synonymsOf(key) ?? []) offer(alternatives, synonym, SYNONYM_WEIGHT);
}

/** Chinese without the words that only ask; all of it when nothing else is left. */
function contentOf(run: string): string[] {
  let rest = run;
  for (const stop of CHINESE_STOP_WORDS) {
    if (!rest.includes(stop)) continue;
    // A stop character inside a word of the glossary (上线, 用户) is part of that word.
    if (stop.length === 1) rest = rest.replaceAll(new RegExp(stop, 'gu'), (character: string, at: number, whole: string) => (insideGlossaryWord(whole, at) ? character : ' '));
    else rest = rest.replaceAll(stop, ' ');
  }
  return rest.split(' ').filter((piece) => piece !== '');
}

function insideGlossaryWord(text: string, at: number): boolean {
  const character = text[at] ?? '';
  return GLOSSARY_WORDS.some((word) => {
    for (let i = word.indexOf(character); i >= 0; i = word.indexOf(character, i + 1)) if (i <= at && text.startsWith(word, at - i)) return true;
    return false;
  });
}

function addCjk(terms: TermList, pieces: readonly string[]): void {
  for (const piece of pieces) {
    const characters = [...piece];
    const kept = characters.length === 1 ? characters : pairsOf(characters);
    let at = 0;
    for (const [i, pair] of kept.entries()) {
      if (terms.size >= MAX_QUERY_TERMS) return;
      const alternatives = terms.add(spellMarks(pair));
      // Synonyms hang on the pair a glossary word begins with.
      const from = at;
      const word = GLOSSARY_WORDS.find((candidate) => piece.startsWith(candidate, from));
      offerSynonyms(alternatives, word ?? pair);
      at += characters[i]?.length ?? 0;
    }
  }
}

/**
 * What a query asks for, without repeats, in the order written. Operators, quotes and brackets
 * are white space: a query is words, never syntax. Never empty when the query holds a letter or digit.
 */
export function queryTerms(query: string): QueryTerm[] {
  const lexemes = [...scan(query)];
  const isStop = (lexeme: Lexeme): boolean => lexeme.script === 'word' && lexeme.parts.length === 0 && ENGLISH_STOP_WORDS.has(lexeme.surface);
  const meaning = lexemes.filter((lexeme) => !isStop(lexeme) && (lexeme.script !== 'cjk' || contentOf(lexeme.surface).length > 0));
  const used = meaning.length > 0 ? meaning : lexemes;
  const terms = new TermList();
  for (const [i, lexeme] of used.entries()) {
    if (terms.size >= MAX_QUERY_TERMS) break;
    if (lexeme.script === 'cjk') {
      const content = contentOf(lexeme.surface);
      addCjk(terms, content.length > 0 ? content : [lexeme.surface]);
      continue;
    }
    addWord(terms, lexeme, used.slice(i + 1, i + 3));
  }
  const last = lexemes.at(-1);
  const typing = last !== undefined && last.script !== 'cjk' && used.includes(last) && last.parts.length === 0 && last.surface.length >= 3 && /[\p{L}\p{N}\p{M}]$/u.test(query);
  const typed = typing ? last.whole : undefined;
  const partial = typing && /^[a-z]+$/.test(last.surface) ? [last.surface.replace(/(?:ing?|i|ed?|e|s)$/, '')].filter((stem) => stem.length >= 3) : [];
  return terms.finish(typed, partial);
}

function addWord(terms: TermList, lexeme: Lexeme, following: readonly Lexeme[]): void {
  const compound = lexeme.parts.length > 0 && lexeme.parts.some((part) => !ENGLISH_STOP_WORDS.has(part));
  const kept = compound ? lexeme.parts.filter((part) => !/^[a-z\d]$/.test(part) && !ENGLISH_STOP_WORDS.has(part)) : [];
  // One part alone says less than the compound does: `go.mod` is not any word like "mod".
  const lone = kept.length === 1 && lexeme.parts.length > 1 ? kept[0] : undefined;
  const heads = lone === undefined ? kept : [];
  for (const head of heads.length > 0 ? heads : [lexeme.whole]) {
    const alternatives = terms.add(head);
    offerSynonyms(alternatives, head);
    for (const derived of derivations(head)) offer(alternatives, derived, DERIVATION_WEIGHT);
  }
  const first = terms.add(heads[0] ?? lexeme.whole);
  if (heads.length > 0) {
    offer(first, lexeme.whole, 1);
    offerSynonyms(first, lexeme.whole);
  }
  if (lone !== undefined) offer(first, lone, LONE_PART_WEIGHT);
  for (const middle of lexeme.middles) offer(first, middle, COMPOUND_WEIGHT);
  // "data base" also asks for "database", "pull request" for "pr".
  let phrase = lexeme.whole;
  let glued = lexeme.surface;
  for (const next of following) {
    if (next.script !== 'word') break;
    phrase += ` ${next.whole}`;
    glued += next.surface;
    offerSynonyms(first, phrase);
    if (/^\p{L}+$/u.test(glued)) offer(first, finish(glued), COMPOUND_WEIGHT);
  }
}
