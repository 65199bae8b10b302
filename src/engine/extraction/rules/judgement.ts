/**
 * Judgement of one sentence: rejections first (questions, hypotheticals, sarcasm, other people's
 * words), then how likely its grammar makes it that it is meant to last. A cue says so in words and
 * gives the statement its kind; where no cue fits, the language's kind signs do.
 */
import { MEMORY_KINDS, type MemoryKind } from '../../model/kinds.ts';
import type { CueRule, LanguageRules } from './language.ts';
import { likelihoodOf, signalsOf, type Weights } from './signals.ts';
import type { Sentence } from './speech.ts';
import weights from './weights.json' with { type: 'json' };

/** Fitted by test/quality/extraction/fit.ts. */
interface LanguageWeights {
  /** The likelihood from which nine of ten are right on sets that the weights have not seen. */
  readonly likely: number;
  readonly lasting: Weights;
  readonly kinds: Readonly<Record<string, Weights>>;
}
const WEIGHTS: Readonly<Record<string, LanguageWeights>> = weights;

/** Kinds that speak of the person wherever they work. */
const PERSONAL: ReadonlySet<MemoryKind> = new Set(['identity', 'preference', 'communication_pattern']);

export interface Judgement {
  readonly rule: string;
  readonly kind: MemoryKind;
  readonly importance: number;
  readonly confidence: number;
  readonly personal: boolean;
}

/** Where the sentence stands in what the person said. */
export interface Place {
  readonly index: number;
  readonly count: number;
  readonly afterAssistant: boolean;
}

/** The cue that says in words that the sentence is meant to last; a weak one counts only where nothing speaks of this task. */
export function cueOf(sentence: Sentence, language: LanguageRules): CueRule | undefined {
  const asked = sentence.bare;
  const plain = asked.replace(language.polite, '').trim();
  const candidates = [plain, asked, plain.replace(language.temporary, '').trim()];
  const cue = language.cues.find((one) => candidates.some((candidate) => one.pattern.test(candidate)));
  if (cue === undefined || language.oneOff.test(asked) || language.taskEnd.test(asked) || language.status.test(plain)) return undefined;
  return cue.strong !== true && (language.hedged.test(asked) || language.hedged.test(plain) || language.feature.test(asked) || language.taskStart.test(plain)) ? undefined : cue;
}

/** Said in so many words ("from now on", "remember that", "we decided"): less has to speak for it. */
function cueHelp(cue: CueRule | undefined): number {
  if (cue === undefined) return 0;
  if (cue.strong !== true) return 0.25;
  return cue.confidence >= 0.9 ? 0.55 : 0.35;
}

/** What is taken: likelihood and cue against the likelihood asked of a sentence without a cue. */
export const isTaken = (likelihood: number, cue: CueRule | undefined, likely: number): boolean => likelihood >= likely - cueHelp(cue);

/** Fewer words say nothing by themselves unless a cue does ("pnpm, always"). */
const FEWEST_WORDS = 4;

/** True for what is no statement of the person, whatever words it uses. */
export function isNoStatement(sentence: Sentence, language: LanguageRules): boolean {
  const asked = sentence.bare;
  const plain = asked.replace(language.polite, '').trim();
  const isOrder = language.politeQuestion.test(asked) && language.lastingOrder.test(plain);
  if (language.question.test(asked) && !isOrder) return true;
  if (language.grammar.wordsOf(plain).length < FEWEST_WORDS && cueOf(sentence, language) === undefined) return true;
  return language.hypothetical.test(plain) || language.hypothetical.test(asked) || language.sarcasm.test(asked) || language.attribution.test(asked);
}

/** Signals of the sentence, the language's own tests among them. */
export function evidenceOf(sentence: Sentence, language: LanguageRules, place: Place, cue: CueRule | undefined): string[] {
  const plain = sentence.bare.replace(language.polite, '').trim();
  const ids = signalsOf(sentence, plain, { ...place, strongCue: cue?.strong === true, weakCue: cue !== undefined && cue.strong !== true }, language.grammar);
  const tests = { 'one-off': language.oneOff, 'task-end': language.taskEnd, status: language.status, hedged: language.hedged, 'task-start': language.taskStart, feature: language.feature, temporary: language.temporary, promotion: language.promotion, 'points-back': language.pointsBack, replacement: language.replacement };
  for (const [id, pattern] of Object.entries(tests)) if (pattern.test(plain) || pattern.test(sentence.bare)) ids.push(`is.${id}`);
  return ids;
}

/** Signals that tell the kinds apart: those of the sentence, the kind of its cue, and the language's kind signs. */
export function kindEvidenceOf(sentence: Sentence, language: LanguageRules, evidence: readonly string[], cue: CueRule | undefined): string[] {
  const signs = language.kinds.filter((sign) => sign.pattern.test(sentence.bare)).map((sign) => sign.kind);
  return [...evidence, ...signs.map((kind) => `sign.${kind}`), `first-sign.${signs[0] ?? 'rule'}`, ...(cue === undefined ? [] : [`cue.${cue.kind}`])];
}

function kindOf(ids: readonly string[], kinds: LanguageWeights['kinds']): MemoryKind {
  let best: { kind: MemoryKind; likelihood: number } = { kind: 'rule', likelihood: -1 };
  for (const kind of MEMORY_KINDS) {
    const of = kinds[kind];
    const likelihood = of === undefined ? 0 : likelihoodOf(ids, of);
    if (likelihood > best.likelihood) best = { kind, likelihood };
  }
  return best.kind;
}

/** How likely the sentence is meant to last, 0..1; 0 for what is no statement. */
export function likelihoodToLast(sentence: Sentence, language: LanguageRules, place: Place): number {
  const of = WEIGHTS[language.language];
  return of === undefined || isNoStatement(sentence, language) ? 0 : likelihoodOf(evidenceOf(sentence, language, place, cueOf(sentence, language)), of.lasting);
}

/** Undefined when the sentence is not to be kept. */
export function judge(sentence: Sentence, language: LanguageRules, place: Place): Judgement | undefined {
  const of = WEIGHTS[language.language];
  if (of === undefined || isNoStatement(sentence, language)) return undefined;
  const cue = cueOf(sentence, language);
  const evidence = evidenceOf(sentence, language, place, cue);
  const likelihood = likelihoodOf(evidence, of.lasting);
  if (!isTaken(likelihood, cue, of.likely)) return undefined;
  const likeliest = kindOf(kindEvidenceOf(sentence, language, evidence, cue), of.kinds);
  // "From now on deploy on Tuesday" names a day and is an order all the same.
  const kind = cue?.kind === 'rule' && (likeliest === 'fact' || likeliest === 'technical_context') ? 'rule' : likeliest;
  // "Always", "from now on" and the like are surer than grammar alone.
  const confidence = Math.round(100 * Math.min(cue?.strong === true ? 0.92 : 0.85, 0.5 + likelihood / 2.2)) / 100;
  return { rule: cue?.id ?? `${language.language}.grammar-${kind}`, kind, importance: cue?.importance ?? (kind === 'rule' || kind === 'decision' ? 7 : 6), confidence, personal: PERSONAL.has(kind) };
}
