/**
 * Measures of ranked answers, and how sure they are: percentile bootstrap intervals over the
 * questions, with a fixed seed.
 */
import { createSeededRandom } from '../../support/seededRandom.ts';

export interface Measured {
  /** Share of the relevant memories among the first k. */
  readonly recallAt1: number;
  readonly recallAt5: number;
  readonly recallAt10: number;
  /** Is any relevant memory among the first k? */
  readonly anyAt1: number;
  readonly anyAt5: number;
  readonly anyAt10: number;
  readonly mrr: number;
  readonly ndcgAt10: number;
  /** Share of the first five given that are relevant. */
  readonly precisionAt5: number;
}

export function measure(ranked: readonly string[], relevant: readonly string[]): Measured {
  const gold = new Set(relevant);
  const hitsIn = (k: number): number => new Set(ranked.slice(0, k).filter((id) => gold.has(id))).size;
  const first = ranked.findIndex((id) => gold.has(id));
  let gain = 0;
  for (const [i, id] of ranked.slice(0, 10).entries()) if (gold.has(id)) gain += 1 / Math.log2(i + 2);
  let ideal = 0;
  for (let i = 0; i < Math.min(10, gold.size); i += 1) ideal += 1 / Math.log2(i + 2);
  const shown = Math.min(5, ranked.length);
  return {
    recallAt1: hitsIn(1) / gold.size, recallAt5: hitsIn(5) / gold.size, recallAt10: hitsIn(10) / gold.size,
    anyAt1: Number(hitsIn(1) > 0), anyAt5: Number(hitsIn(5) > 0), anyAt10: Number(hitsIn(10) > 0),
    mrr: first < 0 ? 0 : 1 / (first + 1), ndcgAt10: gain / ideal, precisionAt5: shown === 0 ? 0 : hitsIn(5) / shown,
  };
}

export const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length);

/** 95 % interval of the mean. */
export function interval(values: readonly number[], rounds = 1_000): readonly [number, number] {
  const random = createSeededRandom(7);
  const means = Array.from({ length: rounds }, () => mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0))).sort((a, b) => a - b);
  return [means[Math.floor(rounds * 0.025)] ?? 0, means[Math.floor(rounds * 0.975)] ?? 0];
}
