/**
 * Fits a statement into a row: never cuts inside a word or a grapheme, keeps the words
 * that matched the search visible, and says which stretches matched. Pure; the width of
 * a string is asked of the caller.
 */

export interface Stretch {
  readonly text: string;
  readonly matched: boolean;
}

export interface FittedText {
  readonly first: string;
  readonly second: string;
}

export type Measure = (text: string) => number;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ELLIPSIS = '…';
/** Characters that turn the direction of what follows, also beyond their own text; a row shows none. */
const DIRECTION_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;
/** Characters before a match that are tried to be shown. */
const REACHES = [96, 64, 40, 24, 8] as const;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** One line of text: Markdown's line ends and runs of white space read as one blank. */
export const singleLine = (text: string): string => text.replaceAll(DIRECTION_CONTROLS, '').replaceAll(/\s+/g, ' ').trim();

/** Words of a query in lower case; CJK runs also as pairs, as the keyword index sees them. */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  for (const run of query.toLowerCase().split(/[^\p{L}\p{N}_+#.\-/]+/u)) {
    const term = run.replaceAll(/^[.\-/]+|[.\-/]+$/g, '');
    if (term === '') continue;
    if (!CJK.test(term) || term.length <= 2) {
      terms.add(term);
      continue;
    }
    const characters = [...term];
    for (let index = 0; index < characters.length - 1; index += 1) terms.add(`${characters[index]}${characters[index + 1]}`);
  }
  return [...terms].sort((a, b) => b.length - a.length);
}

/** Stretches of `text`, in order, that together give it back; matched ones hold a term. */
export function markMatches(text: string, terms: readonly string[]): Stretch[] {
  const lower = text.toLowerCase();
  // Lower-casing may change the length ("İ"); then offsets would lie, and nothing is marked.
  if (terms.length === 0 || lower.length !== text.length) return [{ text, matched: false }];
  const hit = new Uint8Array(text.length);
  for (const term of terms) {
    for (let from = lower.indexOf(term); from !== -1; from = lower.indexOf(term, from + 1)) {
      // A short Latin term inside another word is noise: "is" in "this".
      if (term.length < 3 && !CJK.test(term) && (isWordCharacter(lower[from - 1]) || isWordCharacter(lower[from + term.length]))) continue;
      hit.fill(1, from, from + term.length);
    }
  }
  const stretches: Stretch[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + 1;
    while (end < text.length && hit[end] === hit[start]) end += 1;
    stretches.push({ text: text.slice(start, end), matched: hit[start] === 1 });
    start = end;
  }
  return stretches;
}

const isWordCharacter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/**
 * The longest beginning of `text` that is at most `width` wide and ends between words;
 * a single word wider than the line is cut between graphemes. Returns its length.
 */
export function fitLine(text: string, width: number, measure: Measure): number {
  if (measure(text) <= width) return text.length;
  const ends: number[] = [];
  for (const segment of words.segment(text)) {
    const end = segment.index + segment.segment.length;
    // Closing punctuation stays with its word.
    if (ends.length > 0 && !segment.isWordLike && !/\s/u.test(segment.segment)) ends[ends.length - 1] = end;
    else ends.push(end);
  }
  const fitted = lastFitting(ends, (end) => measure(text.slice(0, end).trimEnd()) <= width);
  if (fitted > 0) return fitted;
  const cuts = [...graphemes.segment(text.slice(0, ends[0]))].map((segment) => segment.index + segment.segment.length);
  return Math.max(lastFitting(cuts, (end) => measure(text.slice(0, end)) <= width), cuts[0] ?? 0);
}

/** Binary search: `fits` is true up to some end and false after it. 0 when nothing fits. */
function lastFitting(ends: readonly number[], fits: (end: number) => boolean): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(ends[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (ends[low - 1] ?? 0);
}

/** Two lines of the given widths. When the first match lies beyond them, the text starts shortly before it. */
export function fitTwoLines(text: string, widths: readonly [number, number], terms: readonly string[], measure: Measure): FittedText {
  const flat = singleLine(text);
  const whole = layOut(flat, widths, measure);
  if (terms.length === 0 || whole.rest === '') return whole;
  const shown = flat.length - whole.rest.length;
  const stretches = markMatches(flat, terms);
  let offset = 0;
  for (const stretch of stretches) {
    if (stretch.matched) {
      if (offset + stretch.text.length <= shown) return whole;
      break;
    }
    offset += stretch.text.length;
  }
  if (offset >= flat.length) return whole;
  // As much as possible of what stands before the match, as long as the match itself is seen.
  for (const reach of REACHES) {
    const start = wordStartBefore(flat, offset, reach);
    const fitted = layOut(`${ELLIPSIS}${flat.slice(start)}`, widths, measure);
    if (flat.length - fitted.rest.length >= offset + 1 || reach === REACHES.at(-1)) return fitted;
  }
  return whole;
}

function layOut(text: string, widths: readonly [number, number], measure: Measure): FittedText & { rest: string } {
  const firstEnd = fitLine(text, widths[0], measure);
  const first = text.slice(0, firstEnd).trimEnd();
  const remaining = text.slice(firstEnd).trimStart();
  if (remaining === '') return { first, second: '', rest: '' };
  if (widths[1] <= 0 || !holdsFirstWord(remaining, widths, measure)) return { first: closeWithEllipsis(first, widths[0], measure), second: '', rest: remaining };
  const secondEnd = fitLine(remaining, widths[1], measure);
  if (secondEnd === remaining.length) return { first, second: remaining, rest: '' };
  return { first, second: closeWithEllipsis(remaining.slice(0, secondEnd), widths[1], measure), rest: remaining.slice(secondEnd) };
}

/** A second line with room for half a word says less than none; a word that no line holds is cut anyway. */
function holdsFirstWord(text: string, [whole, left]: readonly [number, number], measure: Measure): boolean {
  const [first] = words.segment(text);
  const word = measure(`${first?.segment ?? ''}${ELLIPSIS}`);
  return word <= left || word > whole || measure(text) <= left;
}

function closeWithEllipsis(line: string, width: number, measure: Measure): string {
  const end = fitLine(line, width - measure(ELLIPSIS), measure);
  return `${line.slice(0, end).trimEnd()}${ELLIPSIS}`;
}

/** Start of a word at most `reach` characters before `offset`. */
function wordStartBefore(text: string, offset: number, reach: number): number {
  let start = offset;
  for (const segment of words.segment(text)) {
    if (segment.index > offset) break;
    if (segment.isWordLike === true && segment.index >= offset - reach) return segment.index;
    start = segment.index;
  }
  return Math.min(start, offset);
}
