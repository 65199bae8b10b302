/** What fits a budget. */
import { describe, expect, it } from 'vitest';
import { pack } from '../../../../src/engine/retrieval/pack.ts';
import { countTokens } from '../../../../src/engine/text/countTokens.ts';

describe('pack', () => {
  const items = ['a short statement', 'a very long statement '.repeat(40), 'another short one', 'last'];

  it('takes whole items by rank and lets shorter ones past one that does not fit', () => {
    const packed = pack(items, (item) => item, { budgetTokens: 20 });
    expect(packed.items.map(({ item }) => item)).toEqual([items[0], items[2], items[3]]);
    expect(packed.leftOut).toEqual([items[1]]);
    expect(packed.tokens).toBeLessThanOrEqual(20);
  });

  it('keeps to the characters as well, and counts the head', () => {
    expect(pack(items, (item) => item, { budgetTokens: 1_000, maxCharacters: 30 }).items).toHaveLength(2);
    expect(pack(['x'], (item) => item, { budgetTokens: 10, headTokens: 9 }).tokens).toBe(9 + countTokens('x'));
    expect(pack(['x'], (item) => item, { budgetTokens: 10, headTokens: 10 })).toMatchObject({ items: [], tokens: 0 });
  });
});
