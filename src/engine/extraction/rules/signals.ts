/**
 * Signals: what the grammar of a sentence says about whether it is meant to last. Each language
 * names its signals (modality, subject, tense, deixis, quantity ...) as patterns and its function
 * words as a list; `weights.json` says how much each counts. The weights are fitted on the labelled
 * turns by `test/quality/extraction/fit.ts`; no signal knows a topic.
 */
import type { Sentence } from './speech.ts';

export interface Signal {
  readonly id: string;
  /** Sees the sentence without quoted words and without the polite form of an order. */
  readonly pattern: RegExp;
}

export interface SignalRules {
  readonly signals: readonly Signal[];
  /** Words of grammar, each a signal of its own, separated by spaces. */
  readonly functionWords: string;
  /** Splits a plain sentence into the words among which function words are looked up. */
  readonly wordsOf: (plain: string) => readonly string[];
}

export interface Weights {
  readonly bias: number;
  readonly of: Readonly<Record<string, number>>;
}

/** What stands around the sentence. */
export interface Setting {
  readonly index: number;
  readonly count: number;
  readonly afterAssistant: boolean;
  /** The assistant's words, for sentences that talk about the same thing. */
  readonly strongCue: boolean;
  readonly weakCue: boolean;
}

const known = new WeakMap<SignalRules, ReadonlySet<string>>();

function functionWordsOf(rules: SignalRules): ReadonlySet<string> {
  let words = known.get(rules);
  if (words === undefined) known.set(rules, (words = new Set(rules.functionWords.split(/\s+/))));
  return words;
}

/** Ids of the signals that a sentence gives. Pure. */
export function signalsOf(sentence: Sentence, plain: string, setting: Setting, rules: SignalRules): string[] {
  const ids: string[] = [];
  for (const signal of rules.signals) if (signal.pattern.test(plain)) ids.push(signal.id);
  const words = rules.wordsOf(plain);
  const listed = functionWordsOf(rules);
  for (const word of new Set(words)) if (listed.has(word)) ids.push(`w.${word}`);
  const first = words[0];
  if (first !== undefined && listed.has(first)) ids.push(`first.${first}`);
  ids.push(words.length < 6 ? 'short' : words.length < 13 ? 'middling' : words.length < 26 ? 'long' : 'very-long');
  if (plain !== sentence.bare) ids.push('polite');
  if (setting.index === 0) ids.push('opens-turn');
  if (setting.count > 1 && setting.index === setting.count - 1) ids.push('ends-turn');
  if (setting.count > 2) ids.push('long-turn');
  if (setting.afterAssistant) ids.push('after-assistant');
  if (setting.strongCue) ids.push('strong-cue');
  if (setting.weakCue) ids.push('weak-cue');
  return ids;
}

/** Between 0 and 1: how sure the weights are that the sentence is meant to last. */
export function likelihoodOf(ids: readonly string[], weights: Weights): number {
  let sum = weights.bias;
  for (const id of ids) sum += weights.of[id] ?? 0;
  return 1 / (1 + Math.exp(-sum));
}
