/**
 * Splits a text that is too long for one memory into pieces that each hold whole
 * paragraphs, else whole sentences, else whole words, else whole graphemes.
 */
import { boundaryAtOrBefore } from './graphemes.ts';

/** From best to worst place to cut: after a blank line, a line, a sentence, a word. */
const BOUNDARIES = [/\n\s*\n/g, /\n/g, /(?<=[.!?。！？；;])\s*/gu, /\s+/g];

/** Pieces of at most `maxLength` UTF-16 units, trimmed, none empty; joined they hold every non-blank character. */
export function splitText(text: string, maxLength: number): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > maxLength) {
    const cut = bestCut(rest, maxLength);
    pieces.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  if (rest !== '') pieces.push(rest);
  return pieces.filter((piece) => piece !== '');
}

function bestCut(text: string, maxLength: number): number {
  const head = text.slice(0, maxLength);
  for (const boundary of BOUNDARIES) {
    let last = 0;
    for (const match of head.matchAll(boundary)) {
      const end = match.index + match[0].length;
      if (end > 0 && end < head.length) last = end;
    }
    // A piece of less than half the room would make many small memories of one text.
    if (last > maxLength / 2) return last;
  }
  return Math.max(1, boundaryAtOrBefore(text, maxLength));
}
