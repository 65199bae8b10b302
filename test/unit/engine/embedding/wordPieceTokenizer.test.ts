/** Our WordPiece against the reference implementation's ids. */
import { describe, expect, it } from 'vitest';
import { createWordPieceTokenizer } from '../../../../src/engine/embedding/bundled/wordPieceTokenizer.ts';
import { itFollowsTheReference, readVocabulary } from './tokenizerReference.ts';

describe('the WordPiece tokenizer', () => {
  const tokenizer = createWordPieceTokenizer(readVocabulary('all-minilm-l6-v2/vocab.txt'));
  itFollowsTheReference(tokenizer, 'wordPieceReference.json', [101, 102]);

  it('says how much of a text is Chinese', () => {
    expect(tokenizer.chineseShare(tokenizer.encode('only english here'))).toBe(0);
    expect(tokenizer.chineseShare(tokenizer.encode('中文'))).toBeGreaterThan(0.4);
    expect(tokenizer.chineseShare([])).toBe(0);
  });
});
