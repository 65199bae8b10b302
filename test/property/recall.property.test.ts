/** What must hold of every recall, on random stores. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/engine/embedding/embedder.ts';
import type { RecalledMemory, RecallMode } from '../../src/engine/engineTypes.ts';
import { sampleId, sampleMemory } from '../support/builders.ts';
import { openRecallBench } from '../support/recallBench.ts';
import { testSeed } from '../support/seededRandom.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';

const seed = testSeed(20_261_130);
const WORDS = ['cache', 'redis', 'deploy', 'friday', 'token', 'retry', 'limit', 'worker', 'payment', 'schema', '数据库', '连接池', 'port', 'staging', 'bucket', 'login'];
const statement = fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 7 }).map((words) => words.join(' '));
const cosmos = fc.record({ text: statement, importance: fc.integer({ min: 1, max: 10 }), createdAt: fc.integer({ min: 1e12, max: 1.7e12 }), pinned: fc.boolean() }).map((each) => sampleMemory({ ...each, kind: 'fact', validFrom: each.createdAt, updatedAt: each.createdAt }));

/** Directions that have nothing to do with the words, so that what is near by words is far by meaning: a deeper look then knows more of it. */
const contrary: Embedder = {
  version: 'contrary@1',
  dimensions: 2,
  countTokens: (text) => text.length / 4,
  embed: (texts) => Promise.resolve(texts.map((text) => {
    let angle = 0;
    for (const character of text) angle = (angle * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
    return Float32Array.of(Math.cos(angle), Math.sin(angle));
  })),
  close: () => Promise.resolve(),
};

async function recallOf(memories: readonly ReturnType<typeof sampleMemory>[], query: string): Promise<readonly RecalledMemory[]> {
  const bench = await openRecallBench(createTemporaryFolder('recall'));
  try {
    await bench.put(...memories);
    return (await bench.recall({ query, countUse: false, limit: 50 })).results;
  } finally {
    await bench.close();
  }
}

describe(`recall, seed ${seed}`, () => {
  it('does not depend on the order in which memories were stored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cosmos, { minLength: 2, maxLength: 12 }), statement, async (memories, query) => {
        const forwards = await recallOf(memories, query);
        const backwards = await recallOf([...memories].reverse(), query);
        expect(backwards.map(({ memory }) => memory.id)).toEqual(forwards.map(({ memory }) => memory.id));
      }),
      { seed, numRuns: 12 },
    );
  });

  it('keeps the order of equal scores when an unrelated memory is added', async () => {
    // Rarity depends on how many memories there are, so unequal scores may come nearer or change sides; equal ones may not.
    await fc.assert(
      fc.asyncProperty(fc.array(cosmos, { minLength: 1, maxLength: 4 }), fc.integer({ min: 2, max: 4 }), statement, async (memories, copies, query) => {
        const twins = memories.flatMap((memory) => Array.from({ length: copies }, (_, i) => (i === 0 ? memory : sampleMemory({ ...memory, id: sampleId() }))));
        const before = await recallOf(twins, query);
        const after = (await recallOf([...twins, sampleMemory({ text: 'zebra giraffe hippopotamus' })], query)).map(({ memory }) => memory.id);
        for (const [i, one] of before.entries()) {
          for (const other of before.slice(i + 1)) {
            if (Math.abs(one.explain.finalScore - other.explain.finalScore) > 1e-12 || !after.includes(one.memory.id) || !after.includes(other.memory.id)) continue;
            expect(after.indexOf(one.memory.id)).toBeLessThan(after.indexOf(other.memory.id));
          }
        }
      }),
      { seed, numRuns: 12 },
    );
  });

  it('explains every position: factors multiply to the score that the order follows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cosmos, { minLength: 2, maxLength: 12 }), statement, async (memories, query) => {
        const results = await recallOf(memories, query);
        let last = Infinity;
        for (const { explain, memory } of results) {
          expect(explain.boosts.reduce((score, { factor }) => score * factor, explain.rrfScore)).toBeCloseTo(explain.finalScore, 10);
          expect(explain.finalScore).toBeLessThanOrEqual(last);
          expect(explain.lexicalRank ?? explain.vectorRank).toBeGreaterThan(0);
          expect(explain.visibleBecause).not.toBe('');
          expect(memory.status).toBe('active');
          last = explain.finalScore;
        }
      }),
      { seed, numRuns: 12 },
    );
  });

  it('answers a smaller limit with the beginning of what a larger one gets, in every mode', async () => {
    const many = fc.array(cosmos, { minLength: 110, maxLength: 180 });
    await fc.assert(
      fc.asyncProperty(many, fc.oneof(statement, fc.constant('')), fc.constantFrom<RecallMode>('keyword', 'semantic', 'hybrid'), async (memories, query, mode) => {
        const bench = await openRecallBench(createTemporaryFolder('recall'), { embedder: contrary });
        try {
          await bench.put(...memories);
          const answers: string[][] = [];
          for (const limit of [1, 5, 10, 20, 21, 50, 100, 200]) answers.push((await bench.recall({ query, mode, limit, threshold: 0, countUse: false })).results.map(({ memory }) => memory.id));
          const longest = answers.at(-1) ?? [];
          expect(longest.length).toBeGreaterThan(0);
          for (const answer of answers) expect(answer).toEqual(longest.slice(0, answer.length));
          expect(new Set(longest).size).toBe(longest.length);
        } finally {
          await bench.close();
        }
      }),
      { seed, numRuns: 15 },
    );
  });
});
