/**
 * Relevance gate: what is shown at all. A question that nothing answers gets nothing, rather
 * than the nearest noise; one that one memory answers clearly gets that one, without nine that
 * only share a word with it.
 *
 * Two steps. First the question: is there any evidence that something here speaks of it? Then
 * each candidate: how likely is it to be an answer, judged by its words and meaning and by how
 * far it stays behind the best of both. Where all are about equally near, all stay: a flat
 * list is a hard question, not an answered one. Where it is hardly spoken of, only the nearest stay.
 */
import type { Calibration } from './calibration.ts';
import type { Candidate } from './candidates.ts';
import { LOOK_UP_TERMS } from './rerank.ts';

export interface GateContext {
  /** The setting: least cosine of a hit by meaning alone. */
  readonly threshold: number;
  /** Number of terms in the question. */
  readonly terms: number;
  /** Makes this model's cosines comparable with those the coefficients were fitted on. */
  readonly calibration: Calibration;
}

/** The threshold that the coefficients below were fitted at; another setting shifts every cosine by the difference. */
const FITTED_THRESHOLD = 0.3;
/**
 * Best cosine from which a question counts as spoken of: of questions about nothing here none
 * passes, of paraphrases that share no word with their answer one in fifty is lost (at .25: one in twenty).
 */
const SPOKEN_OF = 0.2;
/**
 * A little below it some paraphrases lie and few strangers: the nearest three are shown. On two sets written blind 2 and 1
 * points more at five; of six questions about nothing here one gets three memories.
 */
const HARDLY_SPOKEN_OF = 0.18;
const SHOWN_OF_HARDLY = 3;
/** Words that do by themselves, and fewer where meaning does not contradict. */
const ENOUGH_WORDS = 0.6;
const SOME_WORDS = 0.25;
const SOME_MEANING = 0.12;

/**
 * Below it the nearest answers rarely; where the question's words stand nowhere as well, the list is mostly noise. Of 227 such questions of our sets 13
 * have their answer behind the tenth place, and of those of one or two words none behind the third (test/quality/TRIED.md).
 */
const WEAK_MEANING = 0.35;
const SHOWN_OF_WEAK = { question: 10, lookedUp: 3 };

/** Logistic regression on the development sets: intercept, cosine, coverage, both, cosine and coverage behind the best, nearness to the top by words, length of the question. */
const CHANCE = { intercept: -4.02, cosine: 4.75, coverage: -3.01, both: 4.5, cosineBehind: 7.5, coverageBehind: 0.58, topByWords: 4.51, terms: 1.38 };
/** P@5 .65 at recall .955 on short statements; twice as strict gives .66, three times .68 and two points less R@10 on English paraphrases. */
const LEAST_CHANCE = 0.01;
const LEAST_SHARE_OF_BEST = 0.03;
/**
 * Where cosines overlap the gate only trims: R@5 of a Chinese question to an English memory 97 with these, 89 with
 * those above, R@10 on Chinese paraphrases 77 and 68.
 */
const OVERLAPPING = { spokenOf: 0.1, leastChance: 0.003, leastShareOfBest: 0.01 };
/** By words alone: share of the best coverage. .3 loses nothing at 10 and doubles the precision of single answers. */
const LEAST_SHARE_OF_WORDS = 0.3;

/** A text of one sign or letter means nothing, and its vector is near to everything: it needs a word that was asked for. */
const saysSomething = (text: string): boolean => (text.match(/\p{Script=Han}/gu)?.length ?? 0) >= 2 || (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 3;

/** Found first by words and holding all of them: whatever stands nearer by meaning, this is spoken of. */
const holdsTheQuestion = ({ lexicalRank, coverage }: Candidate): boolean => lexicalRank === 1 && (coverage ?? 0) >= 0.99;

/** How many of a question's results are worth showing: the first few where neither words nor meaning say clearly that it is spoken of. */
export function mostShown(candidates: readonly Candidate[], { calibration, terms, threshold }: GateContext): number {
  const found = candidates.filter(({ cosine }) => cosine !== undefined);
  if (found.length === 0) return Infinity;
  const bestCosine = Math.max(...found.map(({ cosine }) => (cosine ?? 0) * calibration.scale)) + FITTED_THRESHOLD - threshold;
  const bestCoverage = Math.max(0, ...candidates.map(({ coverage }) => coverage ?? 0));
  if (bestCosine >= WEAK_MEANING || bestCoverage >= ENOUGH_WORDS) return Infinity;
  return terms <= LOOK_UP_TERMS && bestCoverage < SOME_WORDS ? SHOWN_OF_WEAK.lookedUp : SHOWN_OF_WEAK.question;
}

/** The candidates worth showing. */
export function relevantOf(all: readonly Candidate[], context: GateContext): ReadonlySet<Candidate> {
  const candidates = all.filter(({ coverage, memory }) => (coverage ?? 0) > 0 || saysSomething(memory.text));
  const { scale, overlaps, spokenOf = overlaps ? OVERLAPPING.spokenOf : SPOKEN_OF } = context.calibration;
  const shift = FITTED_THRESHOLD - context.threshold;
  const cosineOf = ({ cosine }: Candidate): number => (cosine === undefined ? 0 : cosine * scale + shift);
  const bestCoverage = Math.max(0, ...candidates.map(({ coverage }) => coverage ?? 0));
  if (candidates.every(({ cosine }) => cosine === undefined)) return new Set(candidates.filter(({ coverage }) => coverage !== undefined && coverage >= LEAST_SHARE_OF_WORDS * bestCoverage));

  const bestCosine = Math.max(0, ...candidates.map(cosineOf));
  const isSpokenOf = bestCosine >= spokenOf || bestCoverage >= ENOUGH_WORDS || candidates.some((candidate) => (candidate.coverage ?? 0) >= SOME_WORDS && cosineOf(candidate) >= SOME_MEANING);
  const isHardly = !isSpokenOf && !overlaps && bestCosine >= HARDLY_SPOKEN_OF;
  if (!isSpokenOf && !isHardly) return new Set();
  const chances = candidates.map((candidate): readonly [Candidate, number] => {
    const cosine = cosineOf(candidate);
    const coverage = candidate.coverage ?? 0;
    const odds = CHANCE.intercept + CHANCE.cosine * cosine + CHANCE.coverage * coverage + CHANCE.both * cosine * coverage
      + CHANCE.cosineBehind * (cosine - bestCosine) + CHANCE.coverageBehind * (coverage - bestCoverage)
      + CHANCE.topByWords / (1 + (candidate.lexicalRank ?? 30)) + (CHANCE.terms * Math.min(8, context.terms)) / 8;
    return [candidate, 1 / (1 + Math.exp(-odds))];
  });
  if (isHardly) return new Set(chances.sort(([, a], [, b]) => b - a).slice(0, SHOWN_OF_HARDLY).map(([candidate]) => candidate));
  const best = Math.max(...chances.map(([, chance]) => chance));
  const leastChance = overlaps ? OVERLAPPING.leastChance : LEAST_CHANCE;
  const leastShare = overlaps ? OVERLAPPING.leastShareOfBest : LEAST_SHARE_OF_BEST;
  return new Set(chances.filter(([candidate, chance]) => holdsTheQuestion(candidate) || (chance >= leastChance && chance >= leastShare * best)).map(([candidate]) => candidate));
}
