/** What the rules make of single turns beyond finding them: texts that stand alone. The finding itself is measured on labelled turns. */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../../src/engine/index.ts';
import { extractByRules } from '../../../../src/engine/extraction/rules/rulesExtractor.ts';
import { holds, readSet, SETS, toTurns } from '../../../quality/extraction/labelled.ts';

const said = (...lines: readonly string[]): Turn[] => lines.map((line, i) => ({ sessionId: 's', messageId: `m${i}`, blockIndex: 0, speaker: line.startsWith('A: ') ? 'assistant' : 'user', text: line.replace(/^A: /, ''), at: Date.UTC(2026, 1, 3) + i, sidechain: false }));
const textsOf = (...lines: readonly string[]): string[] => extractByRules(said(...lines)).map((statement) => statement.text);

describe('a statement stands alone', () => {
  it('without the words that only open or close it', () => {
    expect(textsOf('ok, btw please remember that the staging server listens on port 8420')).toEqual(['the staging server listens on port 8420']);
    expect(textsOf('hey, one more thing: always run the linter before you commit, thanks')).toEqual(['always run the linter before you commit']);
    expect(textsOf('对了，记住，测试环境的端口是 8420')).toEqual(['测试环境的端口是 8420']);
  });

  it('while its quote keeps every word', () => {
    expect(extractByRules(said('ok, from now on use pnpm for everything'))[0]).toMatchObject({ text: 'from now on use pnpm for everything', provenance: { quote: 'ok, from now on use pnpm for everything' } });
  });

  it('with what it points at, where that was said just before', () => {
    expect(textsOf('A: I edited api.gen.ts to add the field.', 'that file is generated, never edit it by hand')).toEqual(['that file is generated, never edit it by hand (in answer to: "I edited api.gen.ts to add the field.")']);
  });

  it('or is not proposed, where nobody said what it points at', () => {
    expect(textsOf('never do that again')).toEqual([]);
    expect(textsOf('that is always forbidden here')).toEqual([]);
  });
});

describe('on all labelled turns', () => {
  it.each(['en', 'zh'])('nine of ten statements found are right, and six of ten are found (%s)', (lang) => {
    const count = { found: 0, right: 0, wanted: 0 };
    for (const one of SETS.flatMap(readSet)) {
      if (one.lang !== lang) continue;
      const left = [...one.gold];
      count.wanted += left.length;
      for (const statement of extractByRules(toTurns(one))) {
        count.found += 1;
        const at = left.findIndex((label) => holds(statement.text, label));
        if (at >= 0) count.right += left.splice(at, 1).length;
      }
    }
    expect(count.right / count.found).toBeGreaterThan(0.9);
    expect(count.right / count.wanted).toBeGreaterThan(0.6);
  });
});
