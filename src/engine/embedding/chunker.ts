/**
 * Chunker: slices a memory's text into the pieces that get one vector each.
 */
import { countTokens as estimateTokens } from '../text/countTokens.ts';
import { splitText } from '../text/split.ts';

export interface TextChunk {
  readonly text: string;
}

export interface ChunkOptions {
  readonly maxTokens?: number;
  readonly countTokens?: (text: string) => number;
}

const MAX_TOKENS = 256;

/** Pieces of at most `maxTokens` model tokens, in order; together they hold the whole text. */
export function chunkText(text: string, options: ChunkOptions = {}): TextChunk[] {
  const count = options.countTokens ?? estimateTokens;
  const maxTokens = options.maxTokens ?? MAX_TOKENS;
  if (count(text) <= maxTokens) return [{ text }];
  let length = text.length;
  for (;;) {
    length = Math.max(1, Math.floor(length * 0.7));
    const pieces = splitText(text, length);
    if (length === 1 || pieces.every((piece) => count(piece) <= maxTokens)) return pieces.map((piece) => ({ text: piece }));
  }
}
