/**
 * Salience: how much a memory matters at a time, from importance, recency and use.
 * Computed, never stored. Shared by ranking and forgetting, hence in the model.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Memory } from './memory.ts';

const DAY_MS = 86_400_000;
/** Half of the recency part is gone after this many days without use. */
const HALF_LIFE_DAYS = 60;

/**
 * 0..1. Falls with time since last use (or since creation, if never used), so an old
 * memory in daily use does not fade. Importance carries 60 %, recency 25 %, use 15 %
 * (logarithmic: the tenth recall says less than the second). Pinned is always 1.
 * A clock that went back counts as "used now".
 */
export function salienceAt(memory: Pick<Memory, 'importance' | 'createdAt' | 'lastRecalledAt' | 'recallCount' | 'pinned' | 'notRelevantCount'>, now: EpochMs): number {
  if (memory.pinned) return 1;
  const idleDays = Math.max(0, now - Math.max(memory.createdAt, memory.lastRecalledAt ?? 0)) / DAY_MS;
  const recency = 2 ** (-idleDays / HALF_LIFE_DAYS);
  const use = Math.min(1, Math.log2(1 + Math.max(0, memory.recallCount - memory.notRelevantCount)) / 5);
  return 0.6 * (memory.importance / 10) + 0.25 * recency + 0.15 * use;
}
