/**
 * What waits in the inbox, for the question whether a statement waits there already: in the same words, or in others
 * that say no less. Thousands may wait after a backfill, so only those that share half of the words are compared.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Memory } from '../model/memory.ts';
import type { ExtractedStatement, Observation } from '../model/observation.ts';
import { normalizeText } from '../text/normalize.ts';
import { consolidate } from './consolidate.ts';

export interface WaitingProposals {
  add(observation: Observation): void;
  says(statement: ExtractedStatement, now: EpochMs): boolean;
}

const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu));

export function createWaitingProposals(observations: readonly Observation[]): WaitingProposals {
  const normalized = new Set<string>();
  const entries: { observation: Observation; words: number }[] = [];
  const byWord = new Map<string, number[]>();
  const add = (observation: Observation): void => {
    const words = wordsIn(observation.text);
    normalized.add(normalizeText(observation.text));
    for (const word of words) {
      const holders = byWord.get(word);
      if (holders === undefined) byWord.set(word, [entries.length]);
      else holders.push(entries.length);
    }
    entries.push({ observation, words: words.size });
  };
  observations.forEach(add);
  return {
    add,
    says(statement, now) {
      if (normalized.has(normalizeText(statement.text))) return true;
      const words = wordsIn(statement.text);
      const shared = new Map<number, number>();
      for (const word of words) for (const entry of byWord.get(word) ?? []) shared.set(entry, (shared.get(entry) ?? 0) + 1);
      return [...shared].some(([at, count]) => {
        const entry = entries[at];
        return entry !== undefined && count * 2 >= Math.min(words.size, entry.words) && saysNoLess(entry.observation, statement, now);
      });
    },
  };
}

/** Compared as if it were accepted. What somebody else wrote and what the person said are never one. */
function saysNoLess(observation: Observation, statement: ExtractedStatement, now: EpochMs): boolean {
  if (observation.untrusted !== statement.untrusted) return false;
  const { provenance } = observation;
  const memory: Memory = { ...observation, status: 'active', pinned: false, updatedAt: observation.createdAt, validFrom: provenance.saidAt ?? observation.createdAt, recallCount: 0, notRelevantCount: 0, repeatCount: 0, version: 1, supersedes: [] };
  const { outcome } = consolidate({ ...statement, untrusted: false }, [{ memory }], now);
  return outcome === 'merge' || outcome === 'duplicate';
}
