/**
 * Cutting text where a reader sees a boundary: between grapheme clusters, never inside a
 * surrogate pair, an emoji sequence or a letter with its marks. Excerpts around a match are
 * made here too, since they are cuts.
 */
import { indexTokens, queryTerms } from './tokenize.ts';

/** Made when the first text is cut: it costs 8 ms, which a hook that cuts nothing saves. */
let segmenter: Intl.Segmenter | undefined;
/** Longest cluster looked for at a cut; longer ones (stacked marks) are cut at a code point. */
const MAX_CLUSTER = 64;

/** The largest grapheme boundary at or before `index` (UTF-16 units). */
export function boundaryAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const from = safeStart(text, Math.max(0, index - MAX_CLUSTER));
  const window = text.slice(from, Math.min(text.length, index + MAX_CLUSTER));
  let last = 0;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index: at } of segmenter.segment(window)) {
    if (from + at > index) break;
    last = at;
  }
  if (last > 0 || from === 0) return from + last;
  return isLowSurrogate(text, index) ? index - 1 : index;
}

const isLowSurrogate = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/** A place where no cluster can span in ordinary text: after white space if there is any, else a code point boundary. */
function safeStart(text: string, at: number): number {
  for (let i = at; i > Math.max(0, at - MAX_CLUSTER); i -= 1) if (/\s/.test(text[i - 1] ?? '')) return i;
  return isLowSurrogate(text, at) ? at - 1 : at;
}

/** At most `maxLength` UTF-16 units including `ellipsis`, which is added only when something was cut. Always well-formed for well-formed input. */
export function cutText(text: string, maxLength: number, ellipsis = '…'): string {
  if (text.length <= maxLength) return text;
  const room = maxLength - ellipsis.length;
  if (room <= 0) return text.slice(0, boundaryAtOrBefore(text, Math.max(0, maxLength)));
  return text.slice(0, boundaryAtOrBefore(text, room)).trimEnd() + ellipsis;
}

let wordSegmenter: Intl.Segmenter | undefined;

/** The beginning of a text, at most `maxLength` units long, ending between words; one word that is longer than that is cut between graphemes. */
export function beginningOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  wordSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  for (const { index, segment } of wordSegmenter.segment(text.slice(0, maxLength + 100))) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  return text.slice(0, end === 0 ? boundaryAtOrBefore(text, maxLength) : end).trimEnd();
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Sentences, lines and, inside overlong ones, pieces of at most 200 characters. */
function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(/[^\n.!?。！？]+(?:[.!?。！？]+(?=\s|$|["'”’)])|[.!?。！？]+|\n|$)/gu)) {
    let start = match.index;
    const end = start + match[0].length;
    while (end - start > 200) {
      const blank = text.lastIndexOf(' ', start + 200);
      const cut = blank > start + 100 ? blank + 1 : boundaryAtOrBefore(text, start + 200);
      spans.push({ start, end: cut });
      start = cut;
    }
    if (end > start) spans.push({ start, end });
  }
  return spans;
}

/**
 * The part of `text` that answers `query` best, at most `maxLength` units, with `…` where it was
 * cut. `near`, a piece of the text that another retriever found, decides when no word matches.
 * A text that fits comes back whole.
 */
export function excerptAround(text: string, query: string, maxLength: number, near?: string): string {
  if (text.length <= maxLength) return text;
  const weights = new Map<string, number>();
  for (const term of queryTerms(query)) {
    weights.set(term.term, 1);
    for (const alternative of term.alternatives) if (!weights.has(alternative.term)) weights.set(alternative.term, alternative.weight);
  }
  const spans = spansOf(text);
  const nearAt = near === undefined ? -1 : text.indexOf(near.slice(0, 80));
  const nearEnd = nearAt < 0 ? -1 : nearAt + (near?.length ?? 0);
  const frequency = new Map<string, number>();
  const tokensOf = spans.map((span) => {
    const tokens = new Set(indexTokens(text.slice(span.start, span.end)));
    for (const token of tokens) if (weights.has(token)) frequency.set(token, (frequency.get(token) ?? 0) + 1);
    return tokens;
  });
  let best = 0;
  let bestScore = -1;
  for (const [i, span] of spans.entries()) {
    let score = nearAt >= 0 && span.start < nearEnd && span.end > nearAt ? 0.5 : 0;
    // A word that stands in every sentence says nothing about which one to show.
    for (const token of tokensOf[i] ?? []) score += (weights.get(token) ?? 0) * Math.log2(1 + spans.length / (frequency.get(token) ?? spans.length));
    if (score > bestScore) {
      bestScore = score;
      best = i;
    }
  }
  const target = spans[best] ?? { start: 0, end: Math.min(text.length, maxLength) };
  const room = maxLength - 2;
  let start = target.start;
  let end = Math.min(target.end, start + room);
  // Whole neighbours while they fit: first what follows, then what leads up to it.
  for (let i = best + 1; i < spans.length && (spans[i]?.end ?? 0) - start <= room; i += 1) end = spans[i]?.end ?? end;
  for (let i = best - 1; i >= 0 && end - (spans[i]?.start ?? 0) <= room; i -= 1) start = spans[i]?.start ?? start;
  end = boundaryAtOrBefore(text, end);
  return (start > 0 ? '…' : '') + text.slice(start, end).trim() + (end < text.length ? '…' : '');
}
