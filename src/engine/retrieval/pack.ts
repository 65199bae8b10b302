/**
 * Pack: what of a ranked list fits a token budget. Last stage on the way to a prompt [J4].
 */
import { countTokens } from '../text/countTokens.ts';

export interface PackLimits {
  readonly budgetTokens: number;
  /** Characters in all; the client cuts longer blocks. */
  readonly maxCharacters?: number;
  /** What a block costs before its first entry. */
  readonly headTokens?: number;
  readonly headCharacters?: number;
}

export interface Packed<T> {
  readonly items: readonly { readonly item: T; readonly text: string; readonly tokens: number }[];
  /** With the head. */
  readonly tokens: number;
  readonly leftOut: readonly T[];
}

/**
 * Greedy by rank: each item whole or not at all; a long one that does not fit does not keep
 * shorter ones behind it out. Deterministic. An empty result costs nothing, not even the head.
 */
export function pack<T>(items: readonly T[], render: (item: T) => string, limits: PackLimits): Packed<T> {
  const packed: { item: T; text: string; tokens: number }[] = [];
  const leftOut: T[] = [];
  let tokens = limits.headTokens ?? 0;
  let characters = limits.headCharacters ?? 0;
  for (const item of items) {
    const text = render(item);
    const cost = countTokens(text);
    if (tokens + cost > limits.budgetTokens || characters + text.length + 1 > (limits.maxCharacters ?? Infinity)) {
      leftOut.push(item);
      continue;
    }
    packed.push({ item, text, tokens: cost });
    tokens += cost;
    characters += text.length + 1;
  }
  return { items: packed, tokens: packed.length === 0 ? 0 : tokens, leftOut };
}
