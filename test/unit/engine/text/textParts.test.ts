/** Normal form, cutting and counting. */
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../../src/engine/text/countTokens.ts';
import { boundaryAtOrBefore, cutText, excerptAround } from '../../../../src/engine/text/graphemes.ts';
import { normalizeText } from '../../../../src/engine/text/normalize.ts';

describe('normalizeText', () => {
  it('is equal for statements that differ only in form', () => {
    for (const other of ['use  PNPM, not npm', ' Use pnpm, not npm. ', '"Use pnpm, not npm!"', '- Use pnpm, not npm', 'Use pnpm,\nnot npm', 'Ｕｓｅ pnpm, not npm。']) expect(normalizeText(other)).toBe(normalizeText('Use pnpm, not npm'));
  });

  it('differs where the meaning may differ', () => {
    for (const [a, b] of [['Use pnpm', 'Do not use pnpm'], ['Port 3000', 'Port 4000'], ['limit -5', 'limit 5'], ['Use C++', 'Use C'], ['resume', 'résumé'], ['a != b', 'a = b']]) expect(normalizeText(a ?? '')).not.toBe(normalizeText(b ?? ''));
  });

  it('is never empty for a text that is not', () => {
    expect(normalizeText('...')).toBe('...');
  });
});

describe('cutText', () => {
  it('never splits an emoji sequence or a letter with marks, at any limit', () => {
    for (const text of ['abc 🧑‍💻 def 🧑‍💻', 'תִּקּוּן הבאג בשרת', 'पासवर्ड हर तिमाही', `${'x'.repeat(90)}🧑‍💻${'👨‍👩‍👧‍👦'.repeat(4)}`]) {
      for (let limit = 1; limit <= text.length; limit += 1) {
        const cut = cutText(text, limit);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut).not.toContain('\uFFFD');
        expect(cut).not.toMatch(/\u200D…?$/u);
      }
    }
  });

  it('leaves a text that fits as it is', () => {
    expect(cutText('short', 5)).toBe('short');
    expect(boundaryAtOrBefore('a🧑‍💻b', 3)).toBe(1);
  });
});

describe('excerptAround', () => {
  const filler = 'The build runs in two stages and prints its log to the console. '.repeat(40);

  it('shows the part that answers, within the limit, from wherever it stands', () => {
    for (const text of [`${filler}The staging bucket is named quartz-otter.`, `The staging bucket is named quartz-otter. ${filler}`, `${filler}The staging bucket is named quartz-otter. ${filler}`]) {
      const excerpt = excerptAround(text, 'name of the staging bucket', 300);
      expect(excerpt).toContain('quartz-otter');
      expect(excerpt.length).toBeLessThanOrEqual(300);
    }
  });

  it('follows the given part when no word matches', () => {
    expect(excerptAround(`${filler}Zebra crossing. ${filler}`, 'unrelated', 200, 'Zebra crossing.')).toContain('Zebra');
  });
});

describe('countTokens', () => {
  it('does not count less than a real tokenizer would: prose 4.5, code 2.4 characters a token, Chinese .87 a character', () => {
    const prose = 'We keep a modular monolith because the team is small and the deployment has to stay simple for everybody who is on call. '.repeat(10);
    expect(countTokens(prose)).toBeGreaterThan(prose.length / 4.5);
    const code = 'export const f = (a: number[], b?: { c: string }) => a.map((x) => x * 2).filter(Boolean)[0] ?? b?.c;\n'.repeat(10);
    expect(countTokens(code)).toBeGreaterThan(code.length / 2.4);
    const chinese = '所有金额以分为单位存成整数，绝不用浮点数。'.repeat(10);
    expect(countTokens(chinese)).toBeGreaterThan(chinese.length * 0.87);
    expect(countTokens('')).toBe(0);
    expect(countTokens('a')).toBe(1);
  });
});
