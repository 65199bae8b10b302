/**
 * [J2] Which recalled memories are near enough to a prompt to be given unasked. A recall that a person reads may be
 * generous; a text that is put before every answer may not: an unrelated prompt has to get nothing.
 */
import type { RecalledMemory } from '../engineTypes.ts';
import { indexTokens, queryTerms } from '../text/tokenize.ts';

/** A longer text is more than a question: a recall hears some fifty of its words. */
const QUESTION_CHARACTERS = 600;
/** Of a paste no more is looked at. */
const HEAD_CHARACTERS = 1_200;
const TAIL_CHARACTERS = 400;
/** Sentences at either end that make a question by themselves: so many words at least, and about so many characters. */
const PART_TERMS = 3;
const PART_CHARACTERS = 120;

/**
 * What is asked for a prompt. What is wanted stands at the beginning or the end of a long one, and drowns in what stands
 * between: each is asked by itself, and then the whole.
 */
export function promptQueries(prompt: string): string[] {
  const text = prompt.trim();
  if (text.length <= QUESTION_CHARACTERS) return [prompt];
  const beginning = partOf(sentencesOf(text.slice(0, HEAD_CHARACTERS)), (part, next) => part + next).slice(0, TAIL_CHARACTERS);
  const end = partOf(sentencesOf(text.slice(-HEAD_CHARACTERS)).reverse(), (part, next) => next + part).slice(-TAIL_CHARACTERS);
  return [...new Set([beginning, end, endsOf(text)].map((query) => query.toWellFormed().trim()))];
}

/** Reading every word of a pasted megabyte takes twenty seconds while Claude waits. */
const endsOf = (text: string): string => (text.length <= HEAD_CHARACTERS + TAIL_CHARACTERS ? text : `${text.slice(0, HEAD_CHARACTERS)}\n${text.slice(-TAIL_CHARACTERS)}`);

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?]\s|[。！？\n])\s*/).filter((sentence) => sentence.trim() !== '');

function partOf(sentences: readonly string[], join: (part: string, next: string) => string): string {
  let part = '';
  for (const sentence of sentences) {
    if (part !== '' && queryTerms(part).length >= PART_TERMS && part.length + sentence.length > PART_CHARACTERS) break;
    part = join(part, sentence);
    if (part.length > TAIL_CHARACTERS) break;
  }
  return part;
}

/** Words of thanks and of praise, and what stands between them. */
const THANKS = /^(?:(?:y|yes|yep|yeah|ok|okay|sure|thanks?|thx|thank you|great|perfect|nice|cool|awesome|excellent|wonderful|lgtm|good|fine|done|exactly|right|correct|looks|sounds|works|worked|that|that's|it|it's|this|is|was|all|now|very|much|so|a lot|you|again|for your help|job|work|well)(?:[\s,.!;:)-]+|$))+$/iu;
const THANKS_IN_CHINESE = /^(?:好的?|好了|很好|太好了|不错|可以了?|行|对|是的|谢谢你?|多谢|感谢|辛苦了?|没问题|搞定了?|完美|赞|了|啦|吧|[\s，。！!,.~～])+$/u;

/** Prompts that say nothing: harness messages, commands, and bare words such as "yes" or "go on". */
export function isSilentPrompt(prompt: string): boolean {
  const text = endsOf(prompt.trim());
  if (text === '' || /^<(?:task-notification|command-|local-command-|bash-|system-reminder)/i.test(text)) return true;
  if (/^\/[\w:-]+(?:\s|$)/.test(text)) return true;
  return queryTerms(text).length === 0 || (text.length < 60 && (THANKS.test(text) || THANKS_IN_CHINESE.test(text))) || (text.length < 24 && /^(?:y|yes|no|ok|okay|sure|go|go on|go ahead|continue|proceed|please do|do it|next|thanks?|thank you|stop|again|retry|commit|push|好|好的|是|是的|行|可以|继续|不|不用|谢谢)[\s.!。！]*$/i.test(text));
}

/** Calibrated cosine from which meaning alone is enough; from there down to the second a shared word is asked for. */
const SURE_COSINE = 0.5;
const LIKELY_COSINE = 0.36;
/** Words alone: more than this share of what the prompt asks for, or this many distinct things. */
const ENOUGH_COVERAGE = 0.5;
const ENOUGH_TERMS = 3;
/** Two are enough while meaning does not say otherwise. */
const FEW_TERMS = 2;
/** Of so many words some are in every statement: one more is asked for. */
const MANY_TERMS = 12;
const UNRELATED_COSINE = 0.18;

export interface Relevance {
  readonly isRelevant: boolean;
  readonly why: string;
}

export class PromptGate {
  readonly #terms: readonly (readonly string[])[];

  /** `query`: one of promptQueries. */
  constructor(query: string) {
    this.#terms = queryTerms(withoutWay(query)).map(({ term, alternatives }) => [term, ...alternatives.filter(({ weight }) => weight >= 0.7).map((alternative) => alternative.term)]);
  }

  judge({ memory, explain }: Pick<RecalledMemory, 'memory' | 'explain'>): Relevance {
    const { calibratedCosine: cosine } = explain;
    const shared = this.#sharedTerms(withoutWay([memory.text, ...memory.tags, ...memory.anchors.map((anchor) => `${anchor.path} ${anchor.symbol ?? ''}`)].join('\n')));
    const coverage = this.#terms.length === 0 ? 0 : shared / this.#terms.length;
    const words = shared === 0 ? undefined : `${shared} of ${this.#terms.length} words`;
    const meaning = cosine === undefined ? undefined : `meaning ${cosine.toFixed(2)}`;
    const why = `matches the prompt (${[words, meaning].filter((part) => part !== undefined).join(', ')})`;
    const byMeaning = cosine !== undefined && (cosine >= SURE_COSINE || (explain.vectorRank !== undefined && shared > 0 && cosine >= LIKELY_COSINE));
    const isDenied = cosine !== undefined && cosine < UNRELATED_COSINE;
    const more = this.#terms.length > MANY_TERMS ? 1 : 0;
    const byWords = shared >= ENOUGH_TERMS + more || (shared >= FEW_TERMS + more && !isDenied) || (shared >= 1 && coverage > ENOUGH_COVERAGE && !isDenied);
    return { isRelevant: byMeaning || byWords, why };
  }

  #sharedTerms(text: string): number {
    const tokens = new Set(indexTokens(text));
    return this.#terms.filter((alternatives) => alternatives.some((term) => term.split(' ').every((word) => tokens.has(word)))).length;
  }
}

/** A path or an address: folders or a host, then a name. */
const WAY = /(?:\b[a-z][a-z\d+.-]*:\/\/)?(?:[\w@.~-]*[/\\])+[\w@.-]+(?:[/\\])?/gi;
/** In every path of a language; they tell no two files apart. */
const ROOTS = /^(?:src|lib|test|tests)$/i;

/** Of paths the last folder and the file's name, without what all files of a language share: two memories are not of one thing because both are in `src` and end in `.ts`. */
const withoutWay = (text: string): string => text.replaceAll(WAY, (way) => {
  const parts = way.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').split(/[/\\]/).filter((part) => part !== '' && !/^\.+$/.test(part));
  return ` ${parts.slice(-2).filter((part) => !ROOTS.test(part)).map((part, i, kept) => (i === kept.length - 1 ? part.replace(/(?<=.)\.\w{1,5}$/, '') : part)).join(' ')} `;
});
