/** Our WordPiece against the reference implementation's ids (scripts/models/writeTokenizerReferences.py). */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWordPieceTokenizer } from '../../../../src/engine/embedding/bundled/wordPieceTokenizer.ts';
import { repositoryDirectory } from '../../../support/program.ts';

const vocabulary = fs.readFileSync(path.join(repositoryDirectory, 'media/models/all-minilm-l6-v2/vocab.txt'), 'utf8');
const cases = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'wordPieceReference.json'), 'utf8')) as [string, number[]][];

describe('the WordPiece tokenizer', () => {
  const tokenizer = createWordPieceTokenizer(vocabulary);

  it(`gives the ids of the reference implementation for ${cases.length} texts in many scripts`, () => {
    const wrong = cases.filter(([text, ids]) => JSON.stringify(tokenizer.frame(tokenizer.encode(text), 100_000)) !== JSON.stringify(ids));
    expect(wrong.map(([text]) => text)).toEqual([]);
  });

  it('keeps both special tokens when it cuts a text to the length of the model', () => {
    const framed = tokenizer.frame(tokenizer.encode('word '.repeat(400)), 256);
    expect(framed).toHaveLength(256);
    expect([framed[0], framed[255]]).toEqual([101, 102]);
  });

  it('says how much of a text is Chinese', () => {
    expect(tokenizer.chineseShare(tokenizer.encode('only english here'))).toBe(0);
    expect(tokenizer.chineseShare(tokenizer.encode('中文'))).toBeGreaterThan(0.4);
    expect(tokenizer.chineseShare([])).toBe(0);
  });
});
