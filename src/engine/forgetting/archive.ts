/**
 * Archive proposals [F3] and expiry [F2]: which memories have had their time. Pure: the engine
 * carries the plans out, and a person can take them back.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Id } from '../../base/ids.ts';
import type { Memory } from '../model/memory.ts';
import { salienceAt } from '../model/salience.ts';

const DAY_MS = 86_400_000;

export interface ArchiveRule {
  /** Days without recall (or since it was made, if never recalled). */
  readonly afterDays: number;
  /** Only memories of lower importance. */
  readonly belowImportance: number;
}

export interface ArchivePlan {
  readonly memoryId: Id;
  /** One sentence for a person. */
  readonly why: string;
}

/** Kinds that say who the person is: never archived by themselves. */
const KEPT: ReadonlySet<string> = new Set(['rule', 'identity']);

/**
 * Least salient first. A pinned memory, a rule and whatever was recalled lately stay. A clock that went back
 * proposes nothing, since nothing is old then.
 */
export function planArchive(memories: readonly Memory[], now: EpochMs, rule: ArchiveRule): ArchivePlan[] {
  return memories
    .filter((memory) => memory.status === 'active' && !memory.pinned && !KEPT.has(memory.kind) && memory.importance < rule.belowImportance && idleDays(memory, now) >= rule.afterDays)
    .sort((a, b) => salienceAt(a, now) - salienceAt(b, now) || (a.id < b.id ? -1 : 1))
    .map((memory) => ({
      memoryId: memory.id,
      why: `Not recalled for ${Math.floor(idleDays(memory, now))} days and of importance ${memory.importance}.`,
    }));
}

const idleDays = (memory: Memory, now: EpochMs): number => (now - Math.max(memory.createdAt, memory.lastRecalledAt ?? 0)) / DAY_MS;

/** Memories whose end has come. They are archived, not forgotten: an end may have been set wrongly. */
export function planExpiry(memories: readonly Memory[], now: EpochMs): ArchivePlan[] {
  return memories
    .filter((memory) => memory.status === 'active' && memory.expiresAt !== undefined && memory.expiresAt <= now)
    .map((memory) => ({ memoryId: memory.id, why: `Was to hold until ${new Date(memory.expiresAt ?? 0).toISOString().slice(0, 10)}.` }));
}

/** Summaries of earlier sessions: the newest few stay, older ones make room. */
export function planSummaries(memories: readonly Memory[], keep: number): ArchivePlan[] {
  return memories
    .filter((memory) => memory.kind === 'session_summary' && memory.status === 'active' && !memory.pinned)
    .sort((a, b) => b.validFrom - a.validFrom || (a.id < b.id ? 1 : -1))
    .slice(keep)
    .map((memory) => ({ memoryId: memory.id, why: `Newer session summaries follow it; ${keep} are kept.` }));
}
