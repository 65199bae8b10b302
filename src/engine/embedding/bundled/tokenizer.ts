/**
 * Tokenizer: text to the numbers that a sentence encoder was trained on. Two kinds stand
 * behind it, as small as these models need: WordPiece (BERT) and Unigram (SentencePiece).
 * Both are checked against the reference implementation's output (testVectors.json, tests).
 */
import type { PieceTable } from './pieceTable.ts';

export interface Tokenizer {
  /** Ids of the text's own tokens, without the special tokens around them. */
  encode(text: string): number[];
  /** The whole input of the model: special tokens around at most `maxTokens - 2` of `ids`. */
  frame(ids: readonly number[], maxTokens: number): number[];
  /** Share of Chinese among the tokens that are words at all, 0..1; 0 for a text without words. */
  chineseShare(ids: readonly number[]): number;
}

const HAN = /\p{Script=Han}/u;
const WORD = /[\p{L}\p{N}]/u;

const kindOf = (piece: string): number => (HAN.test(piece) ? 3 : WORD.test(piece) ? 1 : 0);

/** One bit set per piece: 1 a word or part of one, 2 Chinese. Built when first asked for; small models never ask. */
export function chineseShareOf(pieces: PieceTable): (ids: readonly number[]) => number {
  let kinds: Uint8Array | undefined;
  return (ids) => {
    kinds ??= Uint8Array.from({ length: pieces.size }, (_, id) => kindOf(pieces.piece(id)));
    let words = 0;
    let chinese = 0;
    for (const id of ids) {
      const kind = kinds[id] ?? 0;
      words += kind & 1;
      chinese += kind >> 1;
    }
    return words === 0 ? 0 : chinese / words;
  };
}
