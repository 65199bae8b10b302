/**
 * Normal form of a statement, for "was this said before?": equal normal forms are duplicates.
 *
 * Only what cannot change the meaning is taken away: letter case, kinds of white space, kinds
 * of quotes, width of characters, list bullets, and punctuation at the two ends. Negations,
 * numbers, operators (`C++`, `-5`, `!=`) and diacritics stay.
 */

const END_PUNCTUATION = /[\s.,;:!?。，、；：！？…"'`)\]}»」』]+$/u;
const START_PUNCTUATION = /^(?:[\s"'`([{«「『¿¡]|[-*•·‣]\s)+/u;

/** Equal for statements that differ only in form. Non-empty input gives non-empty output. */
export function normalizeText(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\u200B-\u200D\u2060\uFEFF\u00AD]/g, '')
    .replaceAll(/[‘’‚‛′]/g, "'")
    .replaceAll(/[“”„‟″]/g, '"')
    .replaceAll(/[‐‑‒–—―−]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
    .trim();
  const trimmed = plain.replace(START_PUNCTUATION, '').replace(END_PUNCTUATION, '').trim();
  return trimmed === '' ? plain : trimmed;
}
