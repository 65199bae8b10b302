/**
 * The rules extractor [E1]: finds what a person plainly said, without any model. It errs on the
 * side of silence: a wrong proposal costs more trust than a missed memory.
 *
 * Each sentence of the person passes the language's rejections first (questions, hypotheticals,
 * reported words, this-task-only), then its cues; the first cue that fits decides.
 */
import type { EpochMs } from '../../../base/clock.ts';
import { turnKey, type Turn } from '../../model/episode.ts';
import type { MemoryKind } from '../../model/kinds.ts';
import type { ExtractedStatement } from '../../model/observation.ts';
import type { Scope } from '../../model/scope.ts';
import type { ExtractionRequest, ExtractionUsage, Extractor } from '../extractor.ts';
import { readAnswer } from './answers.ts';
import { parseExpiry } from './expiry.ts';
import type { CueRule, LanguageRules } from './language.ts';
import { languageOf } from './languages.ts';
import { type Sentence, sentencesOf } from './speech.ts';

/** Raise it when rules or language data change what is found: it is the "model" of provenance. */
export const RULES_VERSION = 'rules-1';

/** A sentence under this many characters says nothing that stands alone. */
const SHORTEST = 8;
const SHORTEST_HAN = 5;
const LONGEST_MERGED = 400;

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

function scopeOf(cue: { readonly personal?: boolean }, text: string): Scope {
  return cue.personal === true && ABOUT_PERSON.test(text) && !ABOUT_REPOSITORY.test(text) ? { level: 'user' } : { level: 'repository' };
}

/** The cue that makes this sentence a statement to keep; undefined when a rejection or nothing fits. */
function cueOf(sentence: Sentence, language: LanguageRules): CueRule | undefined {
  const asked = sentence.bare;
  const plain = asked.replace(language.polite, '').trim();
  const isOrder = language.politeQuestion.test(asked) && language.lastingOrder.test(plain);
  if (language.question.test(asked) && !isOrder) return undefined;
  if (language.hypothetical.test(plain) || language.hypothetical.test(asked) || language.sarcasm.test(asked) || language.attribution.test(asked)) return undefined;
  if (language.oneOff.test(asked) || language.taskEnd.test(asked) || language.status.test(plain)) return undefined;
  const candidates = [plain, asked, plain.replace(language.temporary, '').trim()];
  const cue = language.cues.find((one) => candidates.some((candidate) => one.pattern.test(candidate)));
  if (cue === undefined) return undefined;
  if (cue.strong !== true && (language.hedged.test(asked) || language.hedged.test(plain) || language.feature.test(asked))) return undefined;
  return cue.strong !== true && language.taskStart.test(plain) && !/^we should (?:always|never|be)\b/i.test(plain) ? undefined : cue;
}

const isLongEnough = (text: string): boolean => text.length >= (/\p{Script=Han}/u.test(text) ? SHORTEST_HAN : SHORTEST);

function describe(sentence: Sentence, index: number, cue: CueRule, language: LanguageRules, saidAt: EpochMs, assistant: string | undefined): Found {
  const temporary = language.temporary.exec(sentence.bare);
  const until = temporary?.groups?.until ?? temporary?.groups?.until2;
  const expiresAt = temporary === null ? undefined : parseExpiry(sentence.text, saidAt);
  const pointsBack = language.pointsBack.test(sentence.bare);
  const before = pointsBack && assistant !== undefined ? sentencesOf(assistant).at(-1)?.text : undefined;
  return {
    index,
    text: before === undefined ? sentence.text : `${sentence.text} ${language.inAnswerTo(before.slice(0, 200))}`,
    quote: sentence.text,
    rule: cue.id,
    kind: cue.kind,
    importance: cue.importance,
    confidence: pointsBack && before === undefined ? Math.min(cue.confidence, 0.5) : cue.confidence,
    scope: scopeOf(cue, sentence.text),
    temporary: temporary !== null,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(until === undefined ? {} : { until: until.trim() }),
    ...(language.replacement.test(sentence.bare) ? { replaces: sentence.text } : {}),
  };
}

/** Statements of one turn of the person; `assistant` is what the assistant said just before. */
function findInTurn(turn: Turn, assistant: string | undefined): Found[] {
  const sentences = sentencesOf(turn.text);
  const first = sentences[0];
  const whole = sentences.map((sentence) => sentence.text).join(' ');
  const firstLanguage = first === undefined ? undefined : languageOf(whole) ?? (assistant === undefined ? undefined : languageOf(assistant));
  if (first === undefined || firstLanguage === undefined) return [];
  const answer = readAnswer(whole, assistant, firstLanguage);
  if (answer !== undefined) return [{ ...answer, index: 0, quote: whole.slice(0, LONGEST_MERGED), scope: { level: 'repository' }, temporary: false }];
  const found: Found[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const language = languageOf(sentence.bare);
    if (language === undefined) continue;
    const last = found.at(-1);
    const before = sentences[index - 1];
    if (before !== undefined && language.promotion.test(sentence.bare) && !language.question.test(before.bare) && !language.question.test(sentence.bare)) {
      if (last?.index === index - 1) found[found.length - 1] = { ...last, text: `${last.text} ${sentence.text}`, quote: `${last.quote} ${sentence.text}`, index, confidence: Math.max(last.confidence, 0.85) };
      else if (isLongEnough(before.text) && !language.attribution.test(before.bare) && !language.hypothetical.test(before.bare) && !language.oneOff.test(before.bare)) {
        const cue: CueRule = { id: `${language.language}.promoted`, kind: 'rule', pattern: language.promotion, importance: 7, confidence: 0.82 };
        const joined = { text: `${before.text} ${sentence.text}`, bare: `${before.bare} ${sentence.bare}` };
        found.push(describe(joined, index, cue, language, turn.at, assistant));
      }
      continue;
    }
    const cue = isLongEnough(sentence.text) ? cueOf(sentence, language) : undefined;
    if (cue === undefined) {
      if (last?.index === index - 1 && REASON.test(sentence.text) && last.text.length + sentence.text.length <= LONGEST_MERGED) found[found.length - 1] = { ...last, text: `${last.text} ${sentence.text}`, quote: `${last.quote} ${sentence.text}`, index };
      continue;
    }
    const next = describe(sentence, index, cue, language, turn.at, assistant);
    // One thought in two sentences is one statement.
    if (last?.index === index - 1 && (REASON.test(sentence.text) || language.pointsBack.test(sentence.bare) || last.rule === next.rule) && last.text.length + next.text.length <= LONGEST_MERGED) {
      found[found.length - 1] = { ...last, text: `${last.text} ${sentence.text}`, quote: `${last.quote} ${sentence.text}`, index };
    } else found.push(next);
  }
  return found;
}

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
