/** Our Unigram against the reference implementation's ids (scripts/models/writeTokenizerReferences.py). */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createUnigramTokenizer } from '../../../../src/engine/embedding/bundled/unigramTokenizer.ts';
import { repositoryDirectory } from '../../../support/program.ts';

const vocabulary = fs.readFileSync(path.join(repositoryDirectory, 'media/models/use-multilingual/pieces.txt'), 'utf8');
const cases = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'unigramReference.json'), 'utf8')) as [string, number[]][];

describe('the Unigram tokenizer', () => {
  const tokenizer = createUnigramTokenizer(vocabulary);

  it(`gives the ids of the reference implementation for ${cases.length} texts in many scripts`, () => {
    const wrong = cases.filter(([text, ids]) => JSON.stringify(tokenizer.frame(tokenizer.encode(text), 100_000)) !== JSON.stringify(ids));
    expect(wrong.map(([text]) => text)).toEqual([]);
  });

  it('keeps both special tokens when it cuts a text to the length of the model', () => {
    const framed = tokenizer.frame(tokenizer.encode('word '.repeat(400)), 256);
    expect(framed).toHaveLength(256);
    expect([framed[0], framed[255]]).toEqual([0, 2]);
  });

  it('covers words whose own pieces were left out with smaller ones, never with unknown', () => {
    for (const text of ['Donaudampfschifffahrtsgesellschaft', 'Вычислительный', '自然言語処理のライブラリ', 'größtmöglich déraisonnable']) expect(tokenizer.encode(text)).not.toContain(3);
  });

  it('says how much of a text is Chinese', () => {
    expect(tokenizer.chineseShare(tokenizer.encode('only english here'))).toBe(0);
    expect(tokenizer.chineseShare(tokenizer.encode('我们决定使用数据库'))).toBe(1);
    const mixed = tokenizer.chineseShare(tokenizer.encode('部署脚本使用 docker compose 启动 postgres'));
    expect(mixed).toBeGreaterThan(0.2);
    expect(mixed).toBeLessThan(0.8);
  });
});
