/**
 * UnigramTokenizer: SentencePiece's unigram model as the bundled multilingual encoder uses it. Every word, with a
 * mark for the blank before it, is covered by the pieces whose log probabilities add up to
 * the most (Viterbi). The vocabulary may be a part of the original one: a word whose pieces
 * were left out falls apart into smaller pieces that are still there.
 */
import { PieceTable } from './pieceTable.ts';
import { chineseShareOf, type Tokenizer } from './tokenizer.ts';

const BLANK = '\u2581';
/** Below the least probable piece, as in SentencePiece, so that unknown is the last resort. */
const UNKNOWN_PENALTY = 10;
/** The first are no text. */
const SPECIAL_PIECES = 4;

/** `vocabulary`: per line a piece, a tab, its log probability; the line's number is its id; the first four are <s>, <pad>, </s>, <unk>. */
export function createUnigramTokenizer(vocabulary: string): Tokenizer {
  const pieces = new PieceTable(vocabulary);
  const scores = Float64Array.from({ length: pieces.size }, (_, id) => Number(pieces.fieldOf(id)));
  const longest = Array.from({ length: pieces.size }, (_, id) => pieces.piece(id).length).reduce((most, length) => Math.max(most, length), 1);
  const least = scores.reduce((lowest, score) => Math.min(lowest, score), 0);
  if (pieces.piece(0) !== '<s>' || pieces.piece(2) !== '</s>' || pieces.piece(3) !== '<unk>') throw new Error('The vocabulary does not begin with <s>, <pad>, </s>, <unk>.');
  const unknownScore = least - UNKNOWN_PENALTY;

  const encodeWord = (word: string, ids: number[]): void => {
    const length = word.length;
    const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const from = new Int32Array(length + 1);
    const via = new Int32Array(length + 1);
    best[0] = 0;
    for (let start = 0; start < length; start += 1) {
      const base = best[start] ?? 0;
      if (base === Number.NEGATIVE_INFINITY) continue; // inside a surrogate pair
      const single = (word.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
      let isSingleKnown = false;
      for (let size = single; size <= longest && start + size <= length; size += 1) {
        const id = pieces.idOf(word.slice(start, start + size));
        if (id === undefined || id < SPECIAL_PIECES) continue;
        if (size === single) isSingleKnown = true;
        reach(start, start + size, base + (scores[id] ?? 0), id);
      }
      if (!isSingleKnown) reach(start, start + single, base + unknownScore, 3);
    }
    function reach(start: number, end: number, score: number, id: number): void {
      if (score <= (best[end] ?? 0)) return;
      best[end] = score;
      from[end] = start;
      via[end] = id;
    }
    const own: number[] = [];
    for (let end = length; end > 0; end = from[end] ?? 0) own.push(via[end] ?? 3);
    // Unknown characters beside each other are one token, as the model saw them in training.
    for (const [i, id] of own.reverse().entries()) if (id !== 3 || own[i - 1] !== 3) ids.push(id);
  };

  return {
    encode(text) {
      const ids: number[] = [];
      for (const word of normalizeForUnigram(text).split(' ')) if (word !== '') encodeWord(BLANK + word, ids);
      return ids;
    },
    frame: (ids, maxTokens) => [0, ...ids.slice(0, maxTokens - 2), 2],
    chineseShare: chineseShareOf(pieces),
  };
}

/**
 * SentencePiece's nmt_nfkc as this model was trained with (compared with its own character map over all of
 * Unicode): most invisible characters and every kind of white space are one blank, and NFKC. The
 * fullwidth tilde, frequent in Chinese, stays as it is.
 */
function normalizeForUnigram(text: string): string {
  return text
    .replaceAll(/[\u200B\u200E\u200F\u2028\u2029\u2581\uFEFF\uFFFD\t\n\f\r]/gu, ' ')
    .split('\uFF5E')
    .map((part) => part.normalize('NFKC'))
    .join('\uFF5E')
    .replaceAll(/(?:(?![\u000B\u0085])\p{White_Space})+/gu, ' ');
}
