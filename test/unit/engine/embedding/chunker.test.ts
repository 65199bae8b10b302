/** Chunks: what they cover, where they end, what they never cut. */
import { describe, expect, it } from 'vitest';
import { chunkText, estimateModelTokens } from '../../../../src/engine/embedding/chunker.ts';
import { createSeededRandom, testSeed } from '../../../support/seededRandom.ts';

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length + 2;
const long = Array.from({ length: 120 }, (_value, i) => `Sentence ${i} says that rule ${i * 3} holds for module ${i % 7}.`).join(' ');

describe('chunkText', () => {
  it('leaves a text that fits as it is', () => {
    expect(chunkText('  We use pnpm.  ')).toEqual([{ text: '  We use pnpm.  ', start: 0, end: 16 }]);
    expect(chunkText('')).toHaveLength(1);
  });

  it('keeps every chunk within the limit and ends each one with a whole sentence', () => {
    const chunks = chunkText(long, { countTokens: words, maxTokens: 60 });
    expect(chunks.length).toBeGreaterThan(10);
    for (const { text } of chunks) {
      expect(words(text)).toBeLessThanOrEqual(60);
      expect(text).toMatch(/^Sentence .*\.$/);
    }
  });

  it('has the last sentence in the last chunk and repeats the end of a chunk in the next', () => {
    const chunks = chunkText(long, { countTokens: words, maxTokens: 60, overlapTokens: 20 });
    expect(chunks.at(-1)?.text).toContain('Sentence 119');
    for (const [i, { start }] of chunks.entries()) if (i > 0) expect(start).toBeLessThan(chunks[i - 1]?.end ?? 0);
  });

  it('cuts Chinese at its own full stops', () => {
    const text = '我们决定使用数据库保存所有的记录。'.repeat(40);
    const chunks = chunkText(text, { maxTokens: 64 });
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) expect(chunk.text).toMatch(/。$/);
  });

  it('cuts a text without any boundary, and never inside an emoji or a surrogate pair', () => {
    for (const piece of ['x', '未', '👩‍👩‍👧‍👦', '𠀀', 'é']) {
      const text = piece.repeat(900);
      const chunks = chunkText(text, { maxTokens: 50, overlapTokens: 0 });
      expect(chunks.length).toBeGreaterThan(1);
      for (const chunk of chunks) {
        expect(chunk.text.isWellFormed()).toBe(true);
        expect(chunk.text.length % piece.length).toBe(0);
      }
      expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
    }
  });

  const seed = testSeed(11);
  it(`covers every character that is not blank, whatever the text (seed ${seed})`, () => {
    const random = createSeededRandom(seed);
    const parts = ['word ', 'Sentence ends. ', '\n', '\n\n', '中文句子。', '代码 foo_bar(); ', '👍🏽', 'averyveryverylongidentifierwithoutend', '  ', '```\ncode\n```\n'];
    for (let round = 0; round < 60; round += 1) {
      const text = Array.from({ length: 1 + Math.floor(random() * 200) }, () => parts[Math.floor(random() * parts.length)] ?? '').join('');
      const maxTokens = 12 + Math.floor(random() * 60);
      const chunks = chunkText(text, { maxTokens });
      const covered = new Set<number>();
      for (const { start, end, text: slice } of chunks) {
        for (let i = start; i < end; i += 1) covered.add(i);
        if (chunks.length > 1) expect(estimateModelTokens(slice)).toBeLessThanOrEqual(Math.max(maxTokens, 26));
      }
      for (let i = 0; i < text.length; i += 1) if ((text[i] ?? ' ').trim() !== '') expect(covered.has(i)).toBe(true);
    }
  });
});
