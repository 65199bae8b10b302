/**
 * The rules extractor [E1]: finds what a person plainly said, without any model. It errs on the
 * side of silence: a wrong proposal costs more trust than a missed memory.
 *
 * Each sentence of the person is judged by itself (judgement.ts); what is kept is joined with its
 * reason or with what it points at, freed of the words before it, and so stands alone.
 */
import type { EpochMs } from '../../../base/clock.ts';
import { turnKey, type Turn } from '../../model/episode.ts';
import type { MemoryKind } from '../../model/kinds.ts';
import type { ExtractedStatement } from '../../model/observation.ts';
import type { Scope } from '../../model/scope.ts';
import type { ExtractionRequest, ExtractionUsage, Extractor } from '../extractor.ts';
import { readAnswer } from './answers.ts';
import { parseExpiry } from './expiry.ts';
import { withoutFrame } from './frame.ts';
import { judge, type Judgement } from './judgement.ts';
import type { LanguageRules } from './language.ts';
import { languageOf } from './languages.ts';
import { type Sentence, sentencesOf } from './speech.ts';

/** Raise it when rules or language data change what is found: it is the "model" of provenance. */
export const RULES_VERSION = 'rules-3';

/** A sentence under this many characters says nothing that stands alone. */
const SHORTEST = 8;
const SHORTEST_HAN = 5;
const LONGEST_MERGED = 400;
const LONGEST_BEFORE = 200;
const SHORT_ANSWER = 30;

interface Found {
  readonly index: number;
  readonly text: string;
  readonly quote: string;
  readonly rule: string;
  readonly kind: MemoryKind;
  readonly importance: number;
  readonly confidence: number;
  readonly scope: Scope;
  readonly temporary: boolean;
  readonly expiresAt?: EpochMs;
  readonly until?: string;
  readonly replaces?: string;
}

const REASON = /^(?:because|since|otherwise|so that|i like to|we got|it (?:keeps|breaks|makes)|keeps|the reason|因为|否则|不然|原因)/i;
const ABOUT_PERSON = /\b(?:i|me|my|i'm|i'd)\b|我(?!们)/i;
const ABOUT_REPOSITORY = /\b(?:in this|this (?:repo|project)|we|our|here)\b|我们|本项目|这个项目|这里/i;

function scopeOf(judgement: Judgement, text: string): Scope {
  return judgement.personal && ABOUT_PERSON.test(text) && !ABOUT_REPOSITORY.test(text) ? { level: 'user' } : { level: 'repository' };
}

const isLongEnough = (text: string): boolean => text.length >= (/\p{Script=Han}/u.test(text) ? SHORTEST_HAN : SHORTEST);

/** `text` without the words that only open or close it, as long as enough is left. */
function standAlone(text: string, language: LanguageRules): string {
  const opened = withoutFrame(withoutFrame(text).replace(language.opening, ''));
  const closed = opened.replace(language.closing, '').trim();
  return isLongEnough(closed) ? closed : isLongEnough(opened) ? opened : text;
}

/** Undefined when the sentence points at something that nobody said just before. */
function describe(sentence: Sentence, index: number, judgement: Judgement, language: LanguageRules, saidAt: EpochMs, before: string | undefined): Found | undefined {
  const temporary = language.temporary.exec(sentence.bare);
  const until = temporary?.groups?.until ?? temporary?.groups?.until2;
  const expiresAt = temporary === null ? undefined : parseExpiry(sentence.text, saidAt);
  const text = standAlone(sentence.text, language);
  const pointsBack = language.pointsBack.test(text);
  if (pointsBack && before === undefined) return undefined;
  return {
    index,
    text: pointsBack && before !== undefined ? `${text} ${language.inAnswerTo(before.slice(0, LONGEST_BEFORE))}` : text,
    quote: sentence.text,
    rule: judgement.rule,
    kind: judgement.kind,
    importance: judgement.importance,
    confidence: judgement.confidence,
    scope: scopeOf(judgement, sentence.text),
    temporary: temporary !== null,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(until === undefined ? {} : { until: until.trim() }),
    ...(language.replacement.test(sentence.bare) ? { replaces: sentence.text } : {}),
  };
}

const joined = (last: Found, text: string, quote: string, index: number): Found => ({ ...last, text: `${last.text} ${text}`, quote: `${last.quote} ${quote}`, index });

/** Statements of one turn of the person; `assistant` is what the assistant said just before. */
function findInTurn(turn: Turn, assistant: string | undefined): Found[] {
  const sentences = sentencesOf(turn.text);
  const first = sentences[0];
  const whole = sentences.map((sentence) => sentence.text).join(' ');
  // "nginx" answers in the language of the question.
  const ofAssistant = assistant === undefined ? undefined : languageOf(assistant);
  const firstLanguage = first === undefined ? undefined : whole.length <= SHORT_ANSWER && ofAssistant !== undefined ? ofAssistant : languageOf(whole) ?? ofAssistant;
  if (first === undefined || firstLanguage === undefined) return [];
  const answer = readAnswer(whole, assistant, firstLanguage);
  if (answer !== undefined) return [{ ...answer, text: standAlone(answer.text, firstLanguage), index: 0, quote: whole.slice(0, LONGEST_MERGED), scope: { level: 'repository' }, temporary: false }];
  const found: Found[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const language = languageOf(sentence.bare);
    if (language === undefined) continue;
    const last = found.at(-1);
    const previous = sentences[index - 1];
    const follows = last?.index === index - 1;
    if (previous !== undefined && language.promotion.test(sentence.bare) && !language.question.test(previous.bare) && !language.question.test(sentence.bare)) {
      if (last !== undefined && follows) found[found.length - 1] = { ...joined(last, sentence.text, sentence.text, index), confidence: Math.max(last.confidence, 0.85) };
      else if (isLongEnough(previous.text) && !language.attribution.test(previous.bare) && !language.hypothetical.test(previous.bare) && !language.oneOff.test(previous.bare)) {
        const promoted: Judgement = { rule: `${language.language}.promoted`, kind: 'rule', importance: 7, confidence: 0.82, personal: false };
        const both = { text: `${previous.text} ${sentence.text}`, bare: `${previous.bare} ${sentence.bare}` };
        found.push(...[describe(both, index, promoted, language, turn.at, assistantsLast(assistant))].filter((one) => one !== undefined));
      }
      continue;
    }
    const judgement = isLongEnough(sentence.text) ? judge(sentence, language, { index, count: sentences.length, afterAssistant: assistant !== undefined }) : undefined;
    const goesOn = last !== undefined && follows && last.text.length + sentence.text.length <= LONGEST_MERGED;
    if (judgement === undefined) {
      if (goesOn && REASON.test(sentence.text)) found[found.length - 1] = joined(last, sentence.text, sentence.text, index);
      continue;
    }
    // One thought in two sentences is one statement.
    if (goesOn && (REASON.test(sentence.text) || language.pointsBack.test(sentence.bare) || last.rule === judgement.rule)) {
      found[found.length - 1] = joined(last, standAlone(sentence.text, language), sentence.text, index);
      continue;
    }
    const next = describe(sentence, index, judgement, language, turn.at, index === 0 ? assistantsLast(assistant) : previous?.text);
    if (next !== undefined) found.push(next);
  }
  return found;
}

const assistantsLast = (assistant: string | undefined): string | undefined => (assistant === undefined ? undefined : sentencesOf(assistant).at(-1)?.text);

/** Everything the person plainly said in these turns, oldest first. Pure: equal turns give equal statements. */
export function extractByRules(turns: readonly Turn[]): ExtractedStatement[] {
  const statements: ExtractedStatement[] = [];
  let assistant: string | undefined;
  for (const turn of turns) {
    if (turn.sidechain) continue;
    if (turn.speaker === 'assistant') assistant = turn.text;
    if (turn.speaker !== 'user') continue;
    for (const found of findInTurn(turn, assistant)) {
      statements.push({
        text: found.text,
        kind: found.kind,
        importance: found.importance,
        confidence: found.confidence,
        tags: found.temporary ? ['temporary'] : [],
        scope: found.scope,
        ...(found.expiresAt === undefined ? {} : { expiresAt: found.expiresAt }),
        ...(found.replaces === undefined ? {} : { replaces: found.replaces }),
        temporary: found.temporary,
        untrusted: false,
        provenance: { via: 'transcript', sessionId: turn.sessionId, turnKey: turnKey(turn), quote: found.quote, speaker: 'user', saidAt: turn.at, rule: found.rule },
      });
    }
    assistant = undefined;
  }
  return statements;
}

/** Short orders that are a task once and a habit when they come again: the pipeline counts them across sessions. */
export function weakOrdersOf(turn: Turn): string[] {
  if (turn.sidechain || turn.speaker !== 'user') return [];
  return sentencesOf(turn.text)
    .filter((sentence) => {
      const language = languageOf(sentence.bare);
      const plain = language === undefined ? '' : sentence.bare.replace(language.polite, '').trim();
      return language !== undefined && language.weakOrder.test(plain) && !language.question.test(sentence.bare) && !language.oneOff.test(sentence.bare) && !language.hypothetical.test(plain) && !language.attribution.test(sentence.bare);
    })
    .map((sentence) => sentence.text);
}

/** The rules behind the extractor port: no tokens, no waiting. */
export function createRulesExtractor(): Extractor {
  return {
    provider: 'rules',
    model: RULES_VERSION,
    estimateTokens: () => 0,
    async *extract(request: ExtractionRequest): AsyncGenerator<ExtractedStatement, ExtractionUsage> {
      yield* extractByRules(request.turns);
      return { model: RULES_VERSION, inputTokens: 0, outputTokens: 0 };
    },
  };
}
