/**
 * Near spelling: a word that nothing holds may be one that is held, mistyped. Only asked when a
 * word of the question is found nowhere, so that no right word is ever "corrected".
 */

/** Words shorter than this have too many neighbours (k8s, k9s). */
const LEAST_LENGTH = 4;
const TWO_EDITS_FROM = 8;

/** Edits that a word of this length may be away from the one meant. */
export const allowedEdits = (word: string): number => (word.length < LEAST_LENGTH ? 0 : word.length >= TWO_EDITS_FROM ? 2 : 1);

/**
 * Insertions, deletions, substitutions and swaps of neighbours between two words (optimal
 * string alignment), or undefined when there are more than `most`. The first letter must agree:
 * people rarely mistype it, and the vocabulary is searched by it.
 */
export function editDistance(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most || a[0] !== b[0]) return undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      row.push(distance);
      least = Math.min(least, distance);
    }
    if (least > most) return undefined;
    beforeLast = last;
    last = row;
  }
  const distance = last[b.length] ?? Infinity;
  return distance <= most ? distance : undefined;
}

/** The words of a vocabulary that `word` may have meant, nearest first, then most frequent; at most three. */
export function nearSpellings(word: string, vocabulary: Iterable<{ readonly term: string; readonly rows: number }>): string[] {
  const most = allowedEdits(word);
  if (most === 0 || !/^\p{L}+$/u.test(word)) return [];
  const found: { term: string; rows: number; distance: number }[] = [];
  for (const { term, rows } of vocabulary) {
    // A held word may be shorter than the mistyped one, but not by so much that little is left of it.
    const distance = editDistance(word, term, Math.min(most, allowedEdits(term)));
    if (distance !== undefined && distance > 0) found.push({ term, rows, distance });
  }
  const nearest = Math.min(...found.map(({ distance }) => distance));
  return found.filter(({ distance }) => distance === nearest).sort((a, b) => b.rows - a.rows || (a.term < b.term ? -1 : 1)).slice(0, 3).map(({ term }) => term);
}
