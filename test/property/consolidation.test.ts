/**
 * Consolidation does not depend on the order in which statements arrive, only on when they were said; and hearing
 * the same thing again changes nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consolidate } from '../../src/engine/extraction/consolidate.ts';
import type { Memory } from '../../src/engine/model/memory.ts';
import { normalizeText } from '../../src/engine/text/normalize.ts';
import { SAMPLE_TIME, sampleMemory } from '../support/builders.ts';
import { testSeed } from '../support/seededRandom.ts';

interface Said {
  readonly text: string;
  readonly at: number;
}

/** What the write path does with each outcome, without a store. */
function arrive(memories: readonly Memory[], { text, at }: Said): Memory[] {
  const now = SAMPLE_TIME + 1_000_000;
  const decision = consolidate({ text, scope: { level: 'repository' }, untrusted: false, provenance: { saidAt: at } }, memories.map((memory) => ({ memory })), now);
  const fresh = sampleMemory({ text: decision.outcome === 'supersede' ? (decision.mergedText ?? text) : text, validFrom: at });
  const change = (changes: (memory: Memory) => Partial<Memory>): Memory[] => memories.map((memory) => (memory.id === decision.targetId ? { ...memory, ...changes(memory) } : memory));
  switch (decision.outcome) {
    case 'duplicate': return change((memory) => ({ validFrom: Math.max(memory.validFrom, at) }));
    case 'merge':
    case 'revise': return change((memory) => ({ text: decision.mergedText ?? memory.text, validFrom: Math.max(memory.validFrom, at) }));
    case 'supersede': return [...change(() => ({ status: 'superseded', supersededBy: fresh.id })), fresh];
    case 'archive': return [...memories, { ...fresh, status: 'superseded', supersededBy: decision.targetId }];
    default: return [...memories, fresh];
  }
}

const activeTexts = (memories: readonly Memory[]): string[] => memories.filter((memory) => memory.status === 'active').map((memory) => normalizeText(memory.text)).sort();
const replay = (said: readonly Said[]): Memory[] => said.reduce<Memory[]>(arrive, []);

const SUBJECTS: readonly ((value: number) => string)[] = [
  (value) => `The billing service listens on port ${4000 + value}`,
  (value) => `The auth service listens on port ${4000 + value}`,
  (value) => `Deploys go out on ${['Monday', 'Tuesday', 'Wednesday'][value]}`,
  (value) => `Use ${['npm', 'pnpm', 'yarn'][value]} as package manager`,
  (value) => `${['Robin', 'Sam', 'Kim'][value]} owns the search module`,
  (value) => `测试环境的端口是 ${8420 + value}`,
  (value) => (value === 0 ? 'Use semicolons in TypeScript' : 'Do not use semicolons in TypeScript'),
  (value) => ['Never push to main', 'Timestamps are stored in UTC', 'Every handler has a timeout'][value] ?? '',
];

const statements = fc
  .uniqueArray(fc.record({ subject: fc.nat(SUBJECTS.length - 1), value: fc.nat(2), minute: fc.nat(2_000) }), { selector: ({ minute }) => minute, minLength: 1, maxLength: 9 })
  .map((list) => list.map(({ subject, value, minute }): Said => ({ text: SUBJECTS[subject]?.(value) ?? '', at: SAMPLE_TIME + minute * 600_000 })));

describe('consolidation', () => {
  const seed = testSeed(7_001);

  it(`ends with the same active memories in every order of arrival (seed ${seed})`, () => {
    fc.assert(
      fc.property(statements.chain((said) => fc.tuple(fc.constant(said), fc.shuffledSubarray([...said], { minLength: said.length, maxLength: said.length }))), ([said, shuffled]) => {
        expect(activeTexts(replay(shuffled))).toEqual(activeTexts(replay([...said].sort((a, b) => a.at - b.at))));
      }),
      { seed, numRuns: 500 },
    );
  });

  it(`is idempotent: what was heard once more leaves the active memories as they are (seed ${seed})`, () => {
    fc.assert(
      fc.property(statements, (said) => {
        const inOrder = [...said].sort((a, b) => a.at - b.at);
        const once = replay(inOrder);
        const last = inOrder.at(-1);
        if (last !== undefined) expect(activeTexts(arrive(once, last))).toEqual(activeTexts(once));
      }),
      { seed, numRuns: 300 },
    );
  });

  it('keeps A, then B, then A again as one history with A current', () => {
    const memories = replay([{ text: 'Use npm', at: SAMPLE_TIME }, { text: 'Use pnpm', at: SAMPLE_TIME + 1e6 }, { text: 'Use npm', at: SAMPLE_TIME + 2e6 }]);
    expect(memories.map((memory) => memory.status)).toEqual(['superseded', 'superseded', 'active']);
    expect(activeTexts(memories)).toEqual(['use npm']);
  });
});
