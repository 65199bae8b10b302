/**
 * Relevance gate: what is shown at all. A question that nothing answers gets nothing, rather
 * than the nearest noise.
 *
 * A hit by meaning alone needs the cosine threshold of the settings. A hit by words needs
 * enough of the question's words, or a meaning that does not contradict: one common word out of
 * six, in a text about something else, is chance.
 */
import type { Candidate } from './candidates.ts';

export interface GateContext {
  /** Least cosine of a hit by meaning alone. */
  readonly threshold: number;
  /** Number of terms in the question. */
  readonly terms: number;
  readonly semantic: boolean;
}

/** Share of the question's words that suffices without any help of meaning. */
const ENOUGH_WORDS = 0.5;
/** Of a long question fewer words suffice: two of three, three of eight. */
const ENOUGH_TERMS = 3;
/** Words and meaning together: some of either. */
const SOME_WORDS = 0.25;
const SOME_MEANING = 0.66;

export function isRelevant(candidate: Candidate, context: GateContext): boolean {
  const coverage = candidate.coverage ?? 0;
  const found = coverage * context.terms;
  if (candidate.cosine === undefined || !context.semantic) {
    // Nothing is known of its meaning: words decide, and all that hold one are listed behind those that hold most.
    return coverage > 0 || candidate.pathRank !== undefined;
  }
  if (candidate.cosine >= context.threshold) return true;
  if (coverage >= ENOUGH_WORDS || found >= ENOUGH_TERMS) return true;
  return coverage >= SOME_WORDS && candidate.cosine >= context.threshold * SOME_MEANING;
}
