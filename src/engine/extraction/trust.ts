/**
 * Trust [P2]: whose words are they? Only the person's words, and what the assistant said and the
 * person took, may become a memory without being marked.
 */
import type { Turn } from '../model/episode.ts';
import type { ExtractedStatement } from '../model/observation.ts';
import { normalizeText } from '../text/normalize.ts';
import { overlapOf, shapeOf } from './consolidation/statementShape.ts';
import { languageOf } from './rules/languages.ts';
import { extractByRules } from './rules/rulesExtractor.ts';
import { sentencesOf } from './rules/speech.ts';

/** Words by which a person asks that something be kept. */
const ASKS =
  /\b(?:remember|memori[sz]e|note (?:that|this|down)|make a note|keep (?:in mind|this|that|a note)|save (?:this|that|it)|store (?:this|that|it)|write (?:this|that|it) down|add (?:this|that|it) to (?:your |the |my )?(?:memory|memories|notes)|for (?:the|future) (?:record|reference|sessions?)|don'?t forget)\b|记住|記住|记下|记一下|记得以后|保存(?:下来|到记忆)|存到记忆|备忘/i;
const ASKS_WHETHER = /\b(?:do|did|can|could|will|would) you (?:still )?remember\b|\bwhat do you remember\b|\bremember (?:when|how|what)\b|还记得|记得吗/i;

const words = (text: string): Set<string> => {
  const shape = shapeOf(text);
  return new Set([...shape.subject, ...shape.values.map((value) => value.value)]);
};

const shareOf = (part: ReadonlySet<string>, whole: ReadonlySet<string>): number => (part.size === 0 ? 0 : [...part].filter((word) => whole.has(word)).length / part.size);

/**
 * Did the person's own words ask that `text` be remembered? `turnsBefore` ends with the newest turn; the last
 * two things the person said count, and what the assistant said just before them where they point at it.
 */
export function personAsked(turnsBefore: readonly Turn[], text: string): boolean {
  const speech = turnsBefore.filter((turn) => !turn.sidechain && (turn.speaker === 'user' || turn.speaker === 'assistant'));
  const said = speech.filter((turn) => turn.speaker === 'user').slice(-2);
  const wanted = words(text);
  for (const turn of said) {
    const own = words(turn.text);
    if (ASKS.test(turn.text) && !ASKS_WHETHER.test(turn.text)) {
      const before = speech[speech.indexOf(turn) - 1];
      const pointsAt = before?.speaker === 'assistant' && own.size <= 3 ? words(before.text) : new Set<string>();
      if (shareOf(wanted, new Set([...own, ...pointsAt])) >= 0.34) return true;
    }
    const context = speech.slice(Math.max(0, speech.indexOf(turn) - 1), speech.indexOf(turn) + 1);
    for (const statement of extractByRules(context)) if (overlapOf(words(statement.text), wanted) >= 0.3 || shareOf(wanted, words(statement.text)) >= 0.5) return true;
  }
  return false;
}

/** Did the person themselves say this lately? Enough to correct what is remembered, not to remember it. */
export function personSaid(turnsBefore: readonly Turn[], text: string): boolean {
  const wanted = words(text);
  const said = turnsBefore.filter((turn) => !turn.sidechain && turn.speaker === 'user').slice(-2);
  return wanted.size > 0 && said.some((turn) => shareOf(wanted, words(turn.text)) >= 0.7);
}

/** Words by which a person decides about proposals, or asks to go through them. */
const DECIDES =
  /\b(?:accept|approve|keep|take|reject|decline|drop|confirm|inbox|proposals?|yes|yep|yeah|ok(?:ay)?|sure|fine|agreed?|go ahead|do it|all of (?:them|it)|both|none|(?:the )?(?:first|second|third|last)|number \d+)\b|^\s*(?:[1-9](?:[,\s]+(?:and )?[1-9])*|y|n)\s*[.!]?\s*$|接受|同意|拒绝|采纳|收下|保留|可以|好的?|行|确认|全部|都要|不要|第[一二三四五]|收件箱|提议/i;

/** Did the person's latest words decide about what waits in the inbox? A model must not accept its own proposals. */
export function personDecides(turnsBefore: readonly Turn[]): boolean {
  const last = turnsBefore.findLast((turn) => turn.speaker === 'user' && !turn.sidechain);
  return last !== undefined && DECIDES.test(last.text);
}

/** True when the person said these words in one of the turns; white space, case and quotes do not count. */
export function isQuoteOf(quote: string, turns: readonly Turn[], speaker: 'user' | 'assistant'): boolean {
  const wanted = normalizeText(quote);
  return wanted !== '' && turns.some((turn) => turn.speaker === speaker && !turn.sidechain && normalizeText(turn.text).includes(wanted));
}

/**
 * A model's statement, checked against what was said: without the person's quote it is untrusted; said by the
 * assistant it needs the person's yes in the next turn.
 */
export function withTrust(statement: ExtractedStatement, turns: readonly Turn[]): ExtractedStatement {
  const quote = statement.provenance.quote ?? '';
  if (isQuoteOf(quote, turns, 'user')) return { ...statement, provenance: { ...statement.provenance, speaker: 'user' } };
  if (isQuoteOf(quote, turns, 'assistant')) {
    const at = turns.findIndex((turn) => turn.speaker === 'assistant' && normalizeText(turn.text).includes(normalizeText(quote)));
    const reply = turns.slice(at + 1).find((turn) => turn.speaker === 'user' && !turn.sidechain);
    const language = reply === undefined ? undefined : languageOf(reply.text);
    const first = reply === undefined ? undefined : sentencesOf(reply.text)[0]?.text;
    const isTaken = first !== undefined && language !== undefined && (language.answers.acceptance.test(first) || language.answers.choice.some((pattern) => pattern.test(first)) || language.answers.keepThis.test(first));
    return { ...statement, untrusted: !isTaken, confidence: Math.min(statement.confidence, isTaken ? 0.75 : 0.5), provenance: { ...statement.provenance, speaker: 'assistant' } };
  }
  return { ...statement, untrusted: true, confidence: Math.min(statement.confidence, 0.4) };
}
