/**
 * ChineseLexicon: puts English words in the place of Chinese ones, so that an encoder that was
 * trained on English alone reads both languages. No translation: the words stay in their order,
 * each with its first meaning. That is enough for a sentence vector, which is little more than
 * the meaning of its words: read so, MiniLM finds more Chinese paraphrases than a multilingual
 * encoder of its size does, and the two together find more than either (test/quality/MODELS.md).
 *
 * The words of a sentence are those with the least rarity in sum (unigram model, best path).
 */
import { foldMarks } from '../../text/fold.ts';

export interface ChineseLexicon {
  /** The text with its Chinese in English; other scripts stay as they are, and so does Japanese. */
  inEnglish(text: string): string;
}

/** Of a character that the lexicon does not know: more than of any word it knows, so that those win. */
const UNKNOWN_COST = 40;
const MAX_WORD_LENGTH = 6;
const MARKS: Readonly<Record<string, string>> = { '，': ', ', '。': '. ', '、': ', ', '；': '; ', '：': ': ', '？': '? ', '！': '! ', '（': ' (', '）': ') ' };

/** A number with its unit; times of day (十一点) and the twelfth of December (双十二) are words of the lexicon. */
const NUMERAL = /(?<![双周期拜])(?!十[一二]点)(?:[一二两三四五六七八九][百千万]|[二三四五六七八九]十|十(?=[一二三四五六七八九百万]))[零一二两三四五六七八九十百千万]*/g;
const DIGITS = '零一二三四五六七八九';
const UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };

/** `三十` -> 30, `两万五千` -> 25000: a question writes a number in one way, a memory in the other. */
function numberOf(numeral: string): number {
  let tenThousands = 0;
  let rest = 0;
  let digit = 0;
  for (const character of numeral) {
    const unit = UNITS[character];
    if (character === '万') [tenThousands, rest] = [rest + digit, 0];
    else if (unit !== undefined) rest += (digit || 1) * unit;
    digit = character === '两' ? 2 : Math.max(DIGITS.indexOf(character), 0);
  }
  return tenThousands * 10_000 + rest + digit;
}

/**
 * `read` gives lines of `word TAB cost TAB english`, sorted by word, as scripts/models/buildLexicon.mjs writes them. It is
 * called at the first Chinese text: who writes English does not pay the twelve megabytes.
 */
export function createChineseLexicon(read: () => string): ChineseLexicon {
  let words: SortedWords | undefined;
  const inWords = (run: string): string => {
    words ??= new SortedWords(read());
    const known = words;
    const english = foldMarks(run)
      .replaceAll(NUMERAL, (numeral) => ` ${numberOf(numeral)} `)
      .replaceAll(/\p{Script=Han}+/gu, (part) => known.meanings(part).join(' '));
    return ` ${english} `;
  };
  return {
    inEnglish(text) {
      if (!isChinese(text)) return text;
      return text
        .replaceAll(/\p{Script=Han}+/gu, inWords)
        .replaceAll(/[，。、；：？！（）]/gu, (mark) => MARKS[mark] ?? mark)
        .replaceAll(/ +(?=[ ,.;:?!)])/g, '')
        .trim();
    },
  };
}

/** Whether a text's Han characters are Chinese words: kana among them make it Japanese. */
export const isChinese = (text: string): boolean => /\p{Script=Han}/u.test(text) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);

/** The best way to read the characters up to here: from where its last word goes, and what that means. */
interface Step {
  readonly cost: number;
  readonly from: number;
  readonly english: string;
}

/** Finds words by halving the file itself: a map of its 80,000 words would take three times the memory. */
class SortedWords {
  readonly #lines: string;
  readonly #starts: Uint32Array;

  constructor(lines: string) {
    this.#lines = lines.trimEnd();
    const starts = [0];
    for (let at = this.#lines.indexOf('\n'); at >= 0; at = this.#lines.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = Uint32Array.from(starts);
  }

  /** What the words of a run of Han characters mean, without those that mean nothing here; a doubled one (试试) once. */
  meanings(run: string): string[] {
    const steps: Step[] = [{ cost: 0, from: 0, english: '' }];
    const offer = (to: number, step: Step): void => {
      if (step.cost < (steps[to]?.cost ?? Infinity)) steps[to] = step;
    };
    for (let from = 0; from < run.length; from += 1) {
      const soFar = steps[from]?.cost ?? 0;
      offer(from + 1, { cost: soFar + UNKNOWN_COST, from, english: '' });
      for (let to = from + 1; to <= Math.min(run.length, from + MAX_WORD_LENGTH); to += 1) {
        const part = run.slice(from, to);
        const [word = '', cost = '', english = ''] = this.#firstFrom(part);
        if (!word.startsWith(part)) break;
        if (word === part) offer(to, { cost: soFar + Number(cost), from, english });
      }
    }
    const meanings: string[] = [];
    for (let to = run.length; to > 0; to = steps[to]?.from ?? 0) meanings.push(steps[to]?.english ?? '');
    return meanings.filter((meaning, i) => meaning !== '' && meaning !== meanings[i - 1]).reverse();
  }

  /** The fields of the first line whose word is not before this one; none after the last line. */
  #firstFrom(word: string): string[] {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#until('\t', middle) < word) low = middle + 1;
      else high = middle;
    }
    return this.#until('\n', low).split('\t');
  }

  #until(end: '\t' | '\n', line: number): string {
    const start = this.#starts[line];
    if (start === undefined) return '';
    const at = this.#lines.indexOf(end, start);
    return this.#lines.slice(start, at < 0 ? undefined : at);
  }
}
