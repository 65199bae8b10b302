/**
 * Results of several repositories as one list [S2]. Scores of different stores come from
 * different candidate sets, so the lists are interleaved by rank (round robin by score at
 * equal rank), never compared across by score alone.
 */
import type { RecalledMemory, RecallResult } from './engineTypes.ts';
import type { Degradation } from './model/degradation.ts';
import { checkLimit } from './model/memoryInput.ts';

export interface ResultPart {
  readonly result: RecallResult;
  readonly repository?: { readonly id: string; readonly name: string };
}

/** User memories appear once; results of a repository name it. */
export function mergeRecallResults(parts: readonly ResultPart[], limit: number | undefined, more: readonly Degradation[]): RecallResult {
  const { limit: wanted } = checkLimit(limit);
  const rows: { found: RecalledMemory; rank: number; part: number }[] = [];
  const seen = new Set<string>();
  for (const [part, { result, repository }] of parts.entries()) {
    for (const [rank, found] of result.results.entries()) {
      if (seen.has(found.memory.id)) continue;
      seen.add(found.memory.id);
      rows.push({ part, rank, found: found.store === 'user' || repository === undefined ? found : { ...found, repository } });
    }
  }
  rows.sort((a, b) => a.rank - b.rank || b.found.explain.finalScore - a.found.explain.finalScore || a.part - b.part);
  const degradations = [...parts.flatMap(({ result }) => result.degradations), ...more];
  return {
    results: rows.slice(0, wanted).map(({ found }) => found),
    degradations: degradations.filter((one, i) => degradations.findIndex(({ part, message }) => part === one.part && message === one.message) === i),
    mode: parts[0]?.result.mode ?? 'hybrid',
    limit: wanted,
  };
}
