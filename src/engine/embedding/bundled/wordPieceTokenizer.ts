/**
 * WordPieceTokenizer: BERT's uncased tokenizer. Text is lower-cased, freed of accents and
 * control characters, cut at white space, punctuation and CJK characters; each word is then
 * covered by the longest pieces of the vocabulary, from the left.
 */
import { PieceTable } from './pieceTable.ts';
import { chineseShareOf, type Tokenizer } from './tokenizer.ts';

/** BERT gives up on longer words. */
const MAX_WORD = 100;

/** `vocabulary`: one piece per line, the line's number is its id; `##` marks a piece inside a word. */
export function createWordPieceTokenizer(vocabulary: string): Tokenizer {
  const pieces = new PieceTable(vocabulary);
  const special = (name: string): number => {
    const id = pieces.idOf(name);
    if (id === undefined) throw new Error(`The vocabulary has no ${name}.`);
    return id;
  };
  const first = special('[CLS]');
  const last = special('[SEP]');
  const unknown = special('[UNK]');

  const encodeWord = (word: string, ids: number[]): void => {
    const characters = [...word];
    if (characters.length > MAX_WORD) {
      ids.push(unknown);
      return;
    }
    const own: number[] = [];
    for (let start = 0; start < characters.length; ) {
      let id: number | undefined;
      let end = characters.length;
      for (; end > start; end -= 1) {
        id = pieces.idOf((start > 0 ? '##' : '') + characters.slice(start, end).join(''));
        if (id !== undefined) break;
      }
      if (id === undefined) {
        ids.push(unknown);
        return;
      }
      own.push(id);
      start = end;
    }
    ids.push(...own);
  };

  return {
    encode(text) {
      const ids: number[] = [];
      for (const word of wordsOf(text)) encodeWord(word, ids);
      return ids;
    },
    frame: (ids, maxTokens) => [first, ...ids.slice(0, maxTokens - 2), last],
    chineseShare: chineseShareOf(pieces),
  };
}

function wordsOf(text: string): string[] {
  const clean = text
    .replaceAll(/[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu, '')
    // The blocks that BERT calls Chinese: unified ideographs with extensions A to E, and compatibility ideographs.
    .replaceAll(/[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu, ' $& ')
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '');
  // Letter by letter, since lower-casing a whole text would bend a final sigma.
  const lower = Array.from(clean, (character) => character.toLowerCase()).join('');
  return lower.match(/[!-/:-@[-`{-~]|\p{P}|[^\s\p{P}!-/:-@[-`{-~]+/gu) ?? [];
}
