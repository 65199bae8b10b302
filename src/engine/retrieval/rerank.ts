/**
 * Rerank: orders the fused head by what is known of each memory beside the match. Third stage
 * of recall. Every influence is a named factor, so that explain can show all of them. Relevance
 * (`words`, `meaning`) spans orders of magnitude; everything else stays near 1 and only decides
 * between memories that answer about equally well: ten percent are two hundredths of a cosine.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Boost } from '../engineTypes.ts';
import type { MemoryKind } from '../model/kinds.ts';
import type { ViewContext } from '../model/repoFacts.ts';
import { salienceAt } from '../model/salience.ts';
import { visibilityOf, type Visibility } from '../scope/visibility.ts';
import type { Candidate } from './candidates.ts';
import { rrfScore } from './fuse.ts';

export interface Ranked {
  readonly candidate: Candidate;
  readonly visibility: Visibility;
  readonly rrfScore: number;
  boosts: Boost[];
  finalScore: number;
}

/** [R4]: when two memories answer equally well, a rule comes before a remark. */
const KIND_WEIGHTS: Readonly<Record<MemoryKind, number>> = {
  rule: 1.06, decision: 1.04, preference: 1.04, code_pattern: 1.02, identity: 1.02, technical_context: 1.01, project_context: 1.01, fact: 1,
  communication_pattern: 0.99, subtle_signal: 0.98, entity: 0.98, relation: 0.97, observation: 0.96, session_summary: 0.95,
};
/** Importance 1..10 around 5: at most 10 % up, 8 % down. */
const IMPORTANCE_STEP = 0.02;
/** Salience (recency and use) 0..1 around .5. */
const SALIENCE_SPAN = 0.08;
const PINNED = 1.06;
const CLOSER_SCOPE = 1.08;
const OTHER_BRANCH = 0.88;
const SAME_FILE = 1.6;
const SAME_FOLDER = 1.15;
const NOT_RELEVANT = 0.88;
/**
 * How strongly the score follows the evidence itself, beside the ranks it gave: e to the power of
 * this times the value. Ten points of cosine are worth a factor of 2.7. Words count by their share of the
 * best bm25, times the root of how much of the question they cover: few words of many are mostly
 * chance in a paraphrase. Of 2,500 random settings on seven sets the best were of this form: against
 * coverage and bm25 added up, R@1 on sessions 85.7 (84.6), on short facts 90.7 (86.0), R@5 on English
 * paraphrases equal.
 */
const MEANING = 10;
const WORDS = 1.8;
/** In a long text words count by what its best passage holds of the question: all of them once is 1. R@10 on long sessions with 2 / 2.5 / 3: 79.8, 80.5, 80.0 (test/quality/TRIED.md). */
const PASSAGE_WORDS = 2.5;
/**
 * One or two words are looked up rather than asked: who holds them comes first. Short texts also lie near each other
 * whatever they say ("中" is at .47 to "部署"), so their cosine decides less.
 */
const WORDS_LOOKED_UP = 6;
export const LOOK_UP_TERMS = 2;
/** By words alone bm25 has to say it all: R@1 on whole sessions 80 with these, 78 with coverage alone. */
const COVERAGE_ALONE = 0.3;
const BM25_SHARE_ALONE = 2.5;

/**
 * Among long texts the right one is often among the first by words or by meaning and lost where both are multiplied, so
 * the ranks of both decide beside the score of the evidence itself. The ranks that the score begins with elsewhere lean on meaning and
 * are left out: R@1 / R@5 / R@10 on long sessions 55.7 / 74.3 / 80.5 (with them 54.3 / 71.8 / 79.3). 3 to 10 here and .3 to 1.5
 * below do about the same (test/quality/TRIED.md).
 */
const RANKS_FROM = 3;
const ONE_RETRIEVER = 0.6;
/** Characters from which a text is a page rather than a statement. */
export const LONG_TEXT = 1_500;
const LOOKED_AT = 10;

export interface RerankContext {
  readonly now: EpochMs;
  readonly view: ViewContext | undefined;
  /** The cosine that counts as neutral. */
  readonly threshold: number;
  /** Number of terms in the question. */
  readonly terms: number;
  /** Makes this model's cosines comparable with those the weights were chosen on (calibration.ts). */
  readonly cosineScale: number;
}

function pathFactor(candidate: Candidate, activePath: string | undefined): number {
  if (activePath === undefined) return 1;
  const folder = activePath.slice(0, activePath.lastIndexOf('/') + 1);
  let factor = 1;
  for (const anchor of candidate.memory.anchors) {
    if (anchor.path === activePath) return SAME_FILE;
    if (folder !== '' && anchor.path.startsWith(folder)) factor = SAME_FOLDER;
  }
  return factor;
}

/** Hidden memories are left out; the rest come best first. Equal scores fall to the id, never to insertion order. */
export function rerank(candidates: readonly Candidate[], context: RerankContext): Ranked[] {
  const ranked: Ranked[] = [];
  const wordsAlone = candidates.every(({ cosine }) => cosine === undefined);
  const wordsWeight = context.terms <= LOOK_UP_TERMS ? WORDS_LOOKED_UP : WORDS;
  const bestBm25 = Math.max(0, ...candidates.map(({ bm25 }) => bm25 ?? 0));
  for (const candidate of candidates) {
    const { memory } = candidate;
    const visibility = visibilityOf(memory, context.view);
    if (!visibility.visible) continue;
    const boosts: Boost[] = [];
    const boost = (name: string, factor: number): void => {
      if (Math.abs(factor - 1) > 1e-9) boosts.push({ name, factor });
    };
    if (candidate.coverage !== undefined) {
      const share = bestBm25 === 0 ? 0 : (candidate.bm25 ?? 0) / bestBm25;
      const together = candidate.passage === undefined ? wordsWeight * share * Math.sqrt(candidate.coverage) : PASSAGE_WORDS * candidate.passage;
      boost('words', Math.exp(wordsAlone ? COVERAGE_ALONE * candidate.coverage + BM25_SHARE_ALONE * share : together));
    }
    if (candidate.cosine !== undefined) boost('meaning', Math.exp(MEANING * (candidate.cosine * context.cosineScale - context.threshold)));
    boost('importance', 1 + IMPORTANCE_STEP * (memory.importance - 5));
    boost('kind', KIND_WEIGHTS[memory.kind]);
    boost('salience', 1 + SALIENCE_SPAN * (salienceAt(memory, context.now) - 0.5));
    if (memory.pinned) boost('pinned', PINNED);
    if (visibility.fit === 'closer') boost('scope', CLOSER_SCOPE);
    if (visibility.fit === 'other-branch') boost('otherBranch', OTHER_BRANCH);
    boost('path', pathFactor(candidate, context.view?.activePath));
    if (memory.notRelevantCount > 0) boost('notRelevant', NOT_RELEVANT ** Math.min(5, memory.notRelevantCount));
    const base = rrfScore(candidate);
    ranked.push({ candidate, visibility, rrfScore: base, boosts, finalScore: boosts.reduce((score, { factor }) => score * factor, base) });
  }
  sortRanked(ranked);
  const isHybrid = !wordsAlone && candidates.some(({ lexicalRank }) => lexicalRank !== undefined);
  if (isHybrid && isAmongLongTexts(ranked)) followRanks(ranked);
  return sortRanked(ranked);
}

function isAmongLongTexts(ranked: readonly Ranked[]): boolean {
  const head = ranked.slice(0, LOOKED_AT);
  return head.filter(({ candidate: { passage, memory } }) => passage !== undefined || memory.text.length >= LONG_TEXT).length * 2 > head.length;
}

/** Reciprocal ranks (Cormack, Clarke, Buettcher, SIGIR 2009) of the evidence, of words and of meaning. */
function followRanks(ranked: readonly Ranked[]): void {
  const share = (rank: number | undefined): number => (rank === undefined ? 0 : ONE_RETRIEVER / (RANKS_FROM + rank));
  const evidence = ({ boosts }: Ranked): number => boosts.reduce((product, { factor }) => product * factor, 1);
  let rank = 0;
  let before = Infinity;
  for (const [i, entry] of [...ranked].sort((a, b) => evidence(b) - evidence(a)).entries()) {
    // Equal evidence shares a rank.
    if (evidence(entry) < before) rank = i + 1;
    before = evidence(entry);
    applyBoost(entry, 'ranks', (1 / (RANKS_FROM + rank) + share(entry.candidate.lexicalRank) + share(entry.candidate.vectorRank)) / entry.finalScore);
  }
}

export function sortRanked(ranked: Ranked[]): Ranked[] {
  return ranked.sort((a, b) => b.finalScore - a.finalScore || (a.candidate.memory.id < b.candidate.memory.id ? -1 : 1));
}

/** Adds a factor that a later stage found; explain then still accounts for the position. */
export function applyBoost(ranked: Ranked, name: string, factor: number): void {
  ranked.boosts = [...ranked.boosts, { name, factor }];
  ranked.finalScore *= factor;
}
