/**
 * Fuse: one order out of several ranked lists, by reciprocal rank (Cormack, Clarke & Buettcher,
 * SIGIR 2009). Second stage of recall. Ranks can be added across retrievers, scores cannot: a
 * bm25 of 7 and a cosine of .6 have no common unit.
 */
import type { Candidate } from './candidates.ts';

/**
 * How slowly the worth of a rank falls. The paper's 60 is for lists of thousands; of 1,800 random
 * settings on the development sets the best hundred all had 1 to 10.
 */
export const RRF_K = 5;

/**
 * What a list counts. Words rank less surely than meaning once both are there (best
 * settings: .1 to .3 against 1); what they found counts again, by how much of the question it
 * was, in rerank. Place and time only break near-ties.
 */
export const LIST_WEIGHTS = { lexical: 0.2, vector: 1, path: 0.1, recency: 0.01 } as const;

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
