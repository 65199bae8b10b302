/**
 * Diversity: ten hits must not be one story. A memory that repeats one already chosen gives
 * way to the next that says something else (maximal marginal relevance, Carbonell & Goldstein,
 * SIGIR 1998), with the repetition as a named factor. Of a text that was cut into pieces the best
 * piece stands for it; the others come behind other texts.
 */
import type { Id } from '../../base/ids.ts';
import { applyBoost, sortRanked, type Ranked } from './rerank.ts';
import { overlap, subjectTokens } from './sameSubject.ts';

/** Below this likeness nothing is a repetition: statements of one field share many words. */
const ALIKE_FROM = 0.75;
/** What a perfect copy keeps of its score. */
const COPY_KEEPS = 0.6;
/** What a further piece of a text keeps, for each piece before it: of ten results 1 to 2 in a hundred more are the wanted text. */
const PIECE_KEEPS = 0.1;
/** Memories that only share where they came from are no pieces: one of those is long. */
const PIECE_FROM = 2_000;
/** Only as many places as a person looks at. */
const PLACES = 24;

/** Reorders the head; the result is sorted by finalScore again. `similarity` is the cosine of two memories' vectors. */
export function diversify(ranked: Ranked[], similarity: (a: Id, b: Id) => number | undefined): Ranked[] {
  const head = ranked.slice(0, PLACES);
  const tokens = new Map(head.map((entry) => [entry, subjectTokens(entry.candidate.memory)]));
  for (const [i, entry] of head.entries()) {
    let likeness = 0;
    for (const earlier of head.slice(0, i)) {
      const words = overlap(tokens.get(entry) ?? new Set(), tokens.get(earlier) ?? new Set());
      const meaning = similarity(entry.candidate.memory.id, earlier.candidate.memory.id) ?? 0;
      // Both must say so: equal words with another number are another fact, near vectors with other words as well.
      likeness = Math.max(likeness, meaning === 0 ? words : Math.min(Math.max(words, meaning), (words + meaning) / 1.6));
    }
    if (likeness > ALIKE_FROM) applyBoost(entry, 'repetition', 1 - (1 - COPY_KEEPS) * ((likeness - ALIKE_FROM) / (1 - ALIKE_FROM)));
  }
  putPiecesApart(sortRanked(ranked));
  return sortRanked(ranked);
}

function putPiecesApart(ranked: readonly Ranked[]): void {
  const best = new Map<string, { readonly isLong: boolean; pieces: number }>();
  for (const entry of ranked) {
    const { externalId, text } = entry.candidate.memory;
    if (externalId === undefined) continue;
    const first = best.get(externalId);
    if (first === undefined) best.set(externalId, { isLong: text.length >= PIECE_FROM, pieces: 1 });
    else if (first.isLong || text.length >= PIECE_FROM) applyBoost(entry, 'sameText', PIECE_KEEPS ** first.pieces++);
  }
}
