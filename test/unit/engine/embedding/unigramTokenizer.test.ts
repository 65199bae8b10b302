/** Our Unigram against the reference implementation's ids. */
import { describe, expect, it } from 'vitest';
import { createUnigramTokenizer } from '../../../../src/engine/embedding/bundled/unigramTokenizer.ts';
import { itFollowsTheReference, readVocabulary } from './tokenizerReference.ts';

describe('the Unigram tokenizer', () => {
  const tokenizer = createUnigramTokenizer(readVocabulary('use-multilingual/pieces.txt'));
  itFollowsTheReference(tokenizer, 'unigramReference.json', [0, 2]);

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
