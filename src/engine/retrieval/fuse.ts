/**
 * Fuse: one order out of several ranked lists, by reciprocal rank (Cormack, Clarke & Buettcher,
 * SIGIR 2009). Second stage of recall. Ranks can be added across retrievers, scores cannot: a
 * bm25 of 7 and a cosine of .6 have no common unit.
 */
import type { Candidate } from './candidates.ts';

/** How slowly the worth of a rank falls. 60 is the paper's value for lists of thousands; see test/quality/RESULTS.md for what was tried here. */
export const RRF_K = 20;

/** What a list counts. Both retrievers weigh the same on the development sets; place and time only break near-ties. */
export const LIST_WEIGHTS = { lexical: 1, vector: 1, path: 0.3, recency: 0.05 } as const;

export interface FuseWeights {
  readonly lexical: number;
  readonly vector: number;
  readonly path: number;
  readonly recency: number;
}

export function rrfScore(candidate: Candidate, weights: FuseWeights = LIST_WEIGHTS, k: number = RRF_K): number {
  const share = (rank: number | undefined, weight: number): number => (rank === undefined ? 0 : weight / (k + rank));
  return share(candidate.lexicalRank, weights.lexical) + share(candidate.vectorRank, weights.vector) + share(candidate.pathRank, weights.path) + share(candidate.recencyRank, weights.recency);
}
