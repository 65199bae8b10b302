/**
 * Chunker: slices a memory's text into the pieces that get one vector each [K1].
 *
 * A sentence encoder reads a limited number of tokens and gives one vector for all of them,
 * so what stands late in a long text would be cut off or drowned. Chunks end where a sentence
 * ends, the next one repeats the last sentences of the one before, and the last sentence of
 * the text is always in the last chunk.
 */
import { boundaryAtOrBefore } from '../text/graphemes.ts';

export interface TextChunk {
  readonly text: string;
  /** UTF-16 offsets into the whole text; `text` is that slice without surrounding white space. */
  readonly start: number;
  readonly end: number;
}

export interface ChunkOptions {
  /** Most model tokens in one chunk, special tokens included; 256 if absent. */
  readonly maxTokens?: number;
  /** Most tokens of the previous chunk that are repeated; an eighth of `maxTokens` if absent. */
  readonly overlapTokens?: number;
  /** The embedder's own count; an upper estimate if absent, so that no chunk is cut by any model. */
  readonly countTokens?: (text: string) => number;
}

const MAX_TOKENS = 256;
/** Made for the first long text. */
let sentences: Intl.Segmenter | undefined;

/** Chunks in order; a text that fits is one chunk, unchanged. Never cuts inside a grapheme; blank text gives one chunk. */
export function chunkText(text: string, options: ChunkOptions = {}): TextChunk[] {
  const count = options.countTokens ?? estimateModelTokens;
  const maxTokens = options.maxTokens ?? MAX_TOKENS;
  const overlapTokens = Math.min(options.overlapTokens ?? Math.floor(maxTokens / 8), Math.floor(maxTokens / 2));
  if (count(text) <= maxTokens) return [{ text, start: 0, end: text.length }];
  const units = unitsOf(text, (piece) => count(piece) <= maxTokens);
  const chunks: TextChunk[] = [];
  let first = 0;
  while (first < units.length) {
    const start = units[first]?.start ?? 0;
    let last = first;
    while (last + 1 < units.length && count(text.slice(start, units[last + 1]?.end).trim()) <= maxTokens) last += 1;
    const end = units[last]?.end ?? text.length;
    const slice = text.slice(start, end).trim();
    if (slice !== '') chunks.push({ text: slice, start, end });
    if (last + 1 >= units.length) break;
    first = overlapStart(text, units, first, last, overlapTokens, maxTokens, count);
  }
  return chunks;
}

interface Unit {
  readonly start: number;
  readonly end: number;
}

/** Sentences and lines; one that does not fit alone is cut after a word, else between graphemes. */
function unitsOf(text: string, fits: (piece: string) => boolean): Unit[] {
  const units: Unit[] = [];
  sentences ??= new Intl.Segmenter(undefined, { granularity: 'sentence' });
  for (const { index, segment } of sentences.segment(text)) {
    let start = index;
    const end = index + segment.length;
    while (!fits(text.slice(start, end).trim())) {
      const cut = longestFitting(text, start, end, fits);
      units.push({ start, end: cut });
      start = cut;
    }
    if (start < end) units.push({ start, end });
  }
  return units;
}

function longestFitting(text: string, start: number, end: number, fits: (piece: string) => boolean): number {
  let low = start;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(text.slice(start, middle).trim())) low = middle;
    else high = middle;
  }
  const blank = text.slice(start, low).search(/\s\S*$/u);
  // A word boundary in the last quarter costs little room and keeps the word whole.
  if (blank > (low - start) * 0.75) return start + blank + 1;
  const boundary = boundaryAtOrBefore(text, low);
  if (boundary > start) return boundary;
  // One grapheme of more tokens than a chunk holds: whole all the same, the model cuts it.
  const [grapheme] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text.slice(start, end));
  return start + (grapheme?.segment.length ?? 1);
}

/** First unit of the next chunk: as many of the last ones as fit the overlap, as long as something new fits behind them. */
function overlapStart(text: string, units: readonly Unit[], first: number, last: number, overlapTokens: number, maxTokens: number, count: (text: string) => number): number {
  const end = units[last]?.end ?? 0;
  const nextEnd = units[last + 1]?.end ?? text.length;
  let start = last + 1;
  while (start - 1 > first) {
    const from = units[start - 1]?.start ?? 0;
    if (count(text.slice(from, end).trim()) > overlapTokens || count(text.slice(from, nextEnd).trim()) > maxTokens) break;
    start -= 1;
  }
  return start;
}

/**
 * Upper estimate of a sentence encoder's tokens without its vocabulary: one per CJK character
 * and punctuation mark, one per three other characters of a word, two for the ends.
 */
export function estimateModelTokens(text: string): number {
  let tokens = 2;
  for (const [word] of text.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu)) tokens += Math.ceil(word.length / 3);
  return tokens;
}
