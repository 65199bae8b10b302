/** Text search against chance: no text is bad syntax, and the answer keeps its promises whatever was stored and asked. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testSeed } from '../support/seededRandom.ts';
import { openTestStore } from '../support/sqliteStores.ts';
import { insertAll } from '../support/storeSamples.ts';

const seed = testSeed(41);
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.array(fc.constantFrom('AND', 'OR', 'NOT', 'NEAR(', ')', '"', "'", '*', '^', ':', 'text:', '+', '-', '{', '}', '\0', 'quokka', '连接', 'c++', '%', '_', ';', '--', '?', '\uD83D'), { maxLength: 12 }).map((parts) => parts.join(' ')),
);

describe('text search', () => {
  it(`answers any text without an error, ranks from 1 on, within the limit, each memory once (seed ${seed})`, async () => {
    const store = await openTestStore();
    await insertAll(store, { text: 'quokka 连接池 c++ NOT AND' }, { text: 'OR NEAR quokka' }, { text: 'plain words about builds' }, { text: '数据库连接', tags: ['db'], anchors: [{ path: 'src/db/pool.ts' }] });
    await fc.assert(
      fc.asyncProperty(nasty, fc.integer({ min: 1, max: 5 }), async (query, limit) => {
        const hits = await store.searchText(query, {}, limit);
        expect(hits.length).toBeLessThanOrEqual(limit);
        expect(hits.map((hit) => hit.rank)).toEqual(hits.map((_, i) => i + 1));
        expect(new Set(hits.map((hit) => hit.memoryId)).size).toBe(hits.length);
        expect(hits.map((hit) => hit.bm25)).toEqual(hits.map((hit) => hit.bm25).sort((a, b) => a - b));
        for (const hit of hits) expect(hit.coverage > 0 && hit.coverage <= 1 + 1e-9).toBe(true);
      }),
      { seed, numRuns: 300 },
    );
  });

  it(`finds a memory by its own words, whatever they are, also among thousands of everyday words (seed ${seed})`, async () => {
    const store = await openTestStore();
    const everyday = ['build', 'test', 'run', 'deploy', 'config', 'service'];
    await insertAll(store, ...Array.from({ length: 5000 }, (_, i) => ({ text: `${everyday[i % 6]} the ${everyday[(i * 5 + 1) % 6]} before ${everyday[(i * 7 + 2) % 6]}` })));
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[b-df-hj-np-tv-z]{3}[aiou][b-df-hj-np-tv-z]{4}$/), async (rare) => {
        const [memory] = await insertAll(store, { text: `run the ${rare} service test` });
        const hits = await store.searchText(`how do I run the ${rare} build`, {}, 3);
        expect(hits.map((hit) => hit.memoryId)).toContain(memory!.id);
      }),
      { seed, numRuns: 25 },
    );
    expect(await store.searchText('build the service before test', {}, 10)).toHaveLength(10);
  });
});
