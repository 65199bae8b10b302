/**
 * Pages over two stores against the obvious way: read everything, sort, cut.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareMemories } from '../../src/engine/listing.ts';
import { acting, openTestEngine } from '../support/openTestEngine.ts';

const ORDERS = ['recent', 'created', 'importance', 'kind', 'file', 'recalled'] as const;
const SEED = 20_261_130;

describe(`listing two stores as one (seed ${SEED})`, () => {
  it('gives every page of every order exactly as the merged whole has it', async () => {
    const { engine, time } = await openTestEngine();
    const kinds = ['rule', 'fact', 'decision'] as const;
    for (let i = 0; i < 60; i += 1) {
      time.now += (i * 37) % 5 === 0 ? 0 : 1_000;
      await engine.remember({
        text: `memory number ${i}`, kind: kinds[i % 3], importance: 1 + ((i * 7) % 10), scope: { level: i % 4 === 0 ? 'user' : 'repository' }, consolidate: false,
        anchors: i % 3 === 0 ? [{ path: `src/${(i * 13) % 7}.ts` }] : [], provenance: { via: 'cli' },
      }, acting);
    }
    const everything = (await engine.list({ limit: 1_000 })).memories;
    expect(everything).toHaveLength(60);
    await fc.assert(fc.asyncProperty(fc.constantFrom(...ORDERS), fc.integer({ min: 0, max: 62 }), fc.integer({ min: 1, max: 25 }), async (order, offset, limit) => {
      const compare = compareMemories(order);
      const expected = [...everything].sort((a, b) => compare(a.memory, b.memory)).slice(offset, offset + limit).map(({ memory }) => memory.id);
      const page = await engine.list({ order, offset, limit });
      expect(page.total).toBe(60);
      expect(page.memories.map(({ memory }) => memory.id)).toEqual(expected);
    }), { seed: SEED, numRuns: 60 });
    await engine.close();
  });
});
