/**
 * [J2] Which recalled memories are near enough to a prompt to be given unasked. A recall that a person reads may be
 * generous; a text that is put before every answer may not: an unrelated prompt has to get nothing.
 */
import type { RecalledMemory } from '../engineTypes.ts';
import { indexTokens, queryTerms } from '../text/tokenize.ts';

/** A long paste is not a question; its beginning and its end say what is wanted. */
const HEAD_CHARACTERS = 1_200;
const TAIL_CHARACTERS = 400;

export const promptQuery = (prompt: string): string => (prompt.length <= HEAD_CHARACTERS + TAIL_CHARACTERS ? prompt : `${prompt.slice(0, HEAD_CHARACTERS).toWellFormed()}\n${prompt.slice(-TAIL_CHARACTERS).toWellFormed()}`);

/** Prompts that say nothing: harness messages, commands, and bare words such as "yes" or "go on". */
export function isSilentPrompt(prompt: string): boolean {
  const text = prompt.trim();
  if (text === '' || /^<(?:task-notification|command-|local-command-|bash-|system-reminder)/i.test(text)) return true;
  if (/^\/[\w:-]+(?:\s|$)/.test(text)) return true;
  return queryTerms(text).length === 0 || (text.length < 24 && /^(?:y|yes|no|ok|okay|sure|go|go on|go ahead|continue|proceed|please do|do it|next|thanks?|thank you|stop|again|retry|commit|push|好|好的|是|是的|行|可以|继续|不|不用|谢谢)[\s.!。！]*$/i.test(text));
}

/** Calibrated cosine from which meaning alone is enough; from there down to the second a shared word is asked for. */
const SURE_COSINE = 0.5;
const LIKELY_COSINE = 0.36;
/** Words alone: more than this share of what the prompt asks for, or this many distinct things. */
const ENOUGH_COVERAGE = 0.5;
const ENOUGH_TERMS = 3;
/** Two are enough while meaning does not say otherwise. */
const FEW_TERMS = 2;
const UNRELATED_COSINE = 0.18;

export interface Relevance {
  readonly isRelevant: boolean;
  readonly why: string;
}

export class PromptGate {
  readonly #terms: readonly (readonly string[])[];

  constructor(prompt: string) {
    this.#terms = queryTerms(promptQuery(prompt)).map(({ term, alternatives }) => [term, ...alternatives.filter(({ weight }) => weight >= 0.7).map((alternative) => alternative.term)]);
  }

  judge({ memory, explain }: Pick<RecalledMemory, 'memory' | 'explain'>): Relevance {
    const { calibratedCosine: cosine } = explain;
    const shared = this.#sharedTerms([memory.text, ...memory.tags, ...memory.anchors.map((anchor) => `${anchor.path} ${anchor.symbol ?? ''}`)].join('\n'));
    const coverage = this.#terms.length === 0 ? 0 : shared / this.#terms.length;
    const words = shared === 0 ? undefined : `${shared} of ${this.#terms.length} words`;
    const meaning = cosine === undefined ? undefined : `meaning ${cosine.toFixed(2)}`;
    const why = `matches the prompt (${[words, meaning].filter((part) => part !== undefined).join(', ')})`;
    const byMeaning = cosine !== undefined && (cosine >= SURE_COSINE || (explain.vectorRank !== undefined && shared > 0 && cosine >= LIKELY_COSINE));
    const isDenied = cosine !== undefined && cosine < UNRELATED_COSINE;
    const byWords = shared >= ENOUGH_TERMS || (shared >= FEW_TERMS && !isDenied) || (shared >= 1 && coverage > ENOUGH_COVERAGE && !isDenied);
    return { isRelevant: byMeaning || byWords, why };
  }

  #sharedTerms(text: string): number {
    const tokens = new Set(indexTokens(text));
    return this.#terms.filter((alternatives) => alternatives.some((term) => term.split(' ').every((word) => tokens.has(word)))).length;
  }
}
