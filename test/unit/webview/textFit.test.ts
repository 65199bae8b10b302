import { describe, expect, it } from 'vitest';
import { fitLine, fitTwoLines, markMatches, queryTerms } from '../../../webview-ui/src/textFit.ts';

/** One unit per grapheme. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const measure = (text: string): number => [...segmenter.segment(text)].length;

describe('fitting a statement into a row', () => {
  it('breaks between words and keeps punctuation with its word', () => {
    expect('We decided on PostgreSQL, not MySQL'.slice(0, fitLine('We decided on PostgreSQL, not MySQL', 26, measure)).trimEnd()).toBe('We decided on PostgreSQL,');
  });

  it('never cuts a grapheme, even when one word is wider than the line', () => {
    const family = '👩‍👩‍👧‍👦'.repeat(5);
    expect(family.slice(0, fitLine(family, 3, measure))).toBe('👩‍👩‍👧‍👦'.repeat(3));
  });

  it('ends the second line with an ellipsis when there is more', () => {
    expect(fitTwoLines('one two three four five six', [8, 8], [], measure)).toMatchObject({ first: 'one two', second: 'three…' });
  });

  it('leaves the second line empty rather than cut a word there', () => {
    expect(fitTwoLines('about the deployment of the service', [12, 6], [], measure)).toMatchObject({ first: 'about the…', second: '' });
    expect(fitTwoLines('about the deployment', [12, 12], [], measure)).toMatchObject({ first: 'about the', second: 'deployment' });
    expect(fitTwoLines(`see ${'x'.repeat(40)}`, [12, 6], [], measure)).toMatchObject({ first: 'see', second: 'xxxxx…' });
  });

  it('shows the words that matched although they stand far behind', () => {
    const fitted = fitTwoLines(`${'filler word '.repeat(30)}the needle is here`, [20, 20], ['needle'], measure);
    expect(`${fitted.first} ${fitted.second}`).toContain('needle');
    expect(fitted.first.startsWith('…')).toBe(true);
  });

  it('breaks Chinese without blanks', () => {
    const fitted = fitTwoLines('会话令牌每十二小时轮换一次过期后必须重新登录', [8, 8], [], measure);
    expect(measure(fitted.first)).toBeLessThanOrEqual(8);
    expect(measure(fitted.second)).toBeLessThanOrEqual(8);
    expect(fitted.second.endsWith('…')).toBe(true);
  });

  it('reads line ends as blanks', () => expect(fitTwoLines('a\n\nb', [9, 9], [], measure).first).toBe('a b'));
});

describe('marking what matched', () => {
  it('gives the text back whole, whatever is marked', () => {
    for (const text of ['PostgreSQL 16 for orders', 'İstanbul', '', '会话令牌每 12 小时']) expect(markMatches(text, queryTerms('postgresql 会话令牌 i')).map((stretch) => stretch.text).join('')).toBe(text);
  });

  it('marks words in any case and pairs of Chinese characters', () => {
    expect(markMatches('PostgreSQL it is', queryTerms('postgresql')).filter(({ matched }) => matched).map(({ text }) => text)).toEqual(['PostgreSQL']);
    expect(markMatches('每个会话令牌', queryTerms('令牌轮换')).filter(({ matched }) => matched).map(({ text }) => text)).toEqual(['令牌']);
  });

  it('does not mark short words inside others', () => expect(markMatches('this is', ['is']).filter(({ matched }) => matched)).toHaveLength(1));
});

it('shows no character that turns the direction of its neighbours', () => {
  expect(fitTwoLines('\u202Eabc\u2066def', [9, 9], [], measure).first).toBe('abcdef');
});
