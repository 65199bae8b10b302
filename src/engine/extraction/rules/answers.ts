/**
 * The person answering the assistant: "the second one", "ok, ULID then", "no, pnpm", "put this in
 * CLAUDE.md". The words alone say nothing; the turn before says what they mean. The text made here
 * names both, so that it stands alone.
 */
import type { MemoryKind } from '../../model/kinds.ts';
import type { LanguageRules } from './language.ts';
import { sentencesOf } from './speech.ts';

export interface Answer {
  readonly rule: string;
  readonly kind: MemoryKind;
  readonly text: string;
  readonly importance: number;
  readonly confidence: number;
  /** True: the whole turn is used up; its sentences are not looked at again. */
  readonly wholeTurn: boolean;
  readonly replaces?: string;
}

const LONGEST_QUOTE = 240;

const cut = (text: string): string => {
  const one = text.replaceAll(/\s+/g, ' ').trim();
  return one.length <= LONGEST_QUOTE ? one : `${one.slice(0, LONGEST_QUOTE - 1)}…`;
};

/** The question with what led up to it, where the question alone does not say what it is about. */
function subjectOf(question: string, sentences: readonly string[]): string {
  const at = sentences.indexOf(question);
  const before = sentences[at - 1];
  return before === undefined || question.length > 60 || before.length + question.length > LONGEST_QUOTE ? cut(question) : cut(`${before} ${question}`);
}

const plainSentences = (text: string): string[] => sentencesOf(text).map((sentence) => sentence.text);

/** Numbered or bulleted options, also inside one line; else the two sides of "X or Y?". */
export function optionsOf(text: string): string[] {
  const numbered = [...text.matchAll(/(?:^|\s|[:：])(?:\(?(?:[1-9]|[A-Da-d])[.)、:]|[①-④])\s*(.{2,160}?)(?=(?:\s\(?(?:[2-9]|[B-Db-d])[.)、:])|[.。；;?？]\s|[。？]|\n|$)/g)].map((match) => (match[1] ?? '').trim());
  if (numbered.length >= 2) return numbered;
  const bullets = [...text.matchAll(/^\s*[-*•]\s+(.{2,160})$/gm)].map((match) => (match[1] ?? '').trim());
  if (bullets.length >= 2) return bullets;
  const either = /(?:^|[,:：，]| )((?:\S+ ){0,3}\S+?) or (?:a |an |the )?((?:[^\s.?!,]+ ?){1,4})/.exec(text) ?? /([\w.+#/\p{Script=Han}-]{1,20}) ?(?:或者?|还是) ?([\w.+#/\p{Script=Han}-]{1,20})/u.exec(text);
  return either === null ? [] : [either[1] ?? '', either[2] ?? ''].map((side) => side.trim()).filter((side) => side !== '');
}

/** The option of an either-or question that the answer opens with: "cursor, offset breaks when rows move". */
function namedOption(text: string, question: string, language: LanguageRules): string | undefined {
  const opening = text.replace(language.opening, '').split(/[,，。;；!！:：—–]|\. |\.$/)[0]?.replace(language.closing, '').replace(/[吧呀啊]$/, '').trim().toLowerCase() ?? '';
  if (opening === '' || opening.length > 40 || language.answers.acceptance.test(opening) || language.question.test(opening)) return undefined;
  return optionsOf(question).find((option) => option.toLowerCase().includes(opening) || opening.includes(option.toLowerCase()));
}

function mainStatement(assistant: string): string | undefined {
  const sentences = plainSentences(assistant).filter((sentence) => !/[?？]\s*$/.test(sentence));
  const telling = sentences.find((sentence) => /\b(?:must|never|always|should|only|generated|convention|required|instead|because|needs?)\b|必须|不能|自动|只能|应该|始终|统一|约定/i.test(sentence));
  return telling ?? sentences.find((sentence) => !/^(?:i |i've |i'm |let me|done|ok|great|sure|now )/i.test(sentence)) ?? sentences[0];
}

/** Undefined when the turn is no answer, or one about this moment only. */
export function readAnswer(said: string, assistant: string | undefined, language: LanguageRules): Answer | undefined {
  const rules = language.answers;
  const text = said.trim();
  const id = (name: string): string => `${language.language}.${name}`;
  const keep = rules.keepThis.exec(text);
  if (keep !== null && text.length < 300) {
    const clause = keep.groups?.clause ?? keep.groups?.clause2;
    if (clause !== undefined) return { rule: id('keep-in-file'), kind: 'rule', text: clause.replace(/[?？]\s*$/, '').trim(), importance: 8, confidence: 0.9, wholeTurn: true };
    const statement = assistant === undefined ? undefined : mainStatement(assistant);
    if (statement !== undefined) return { rule: id('keep-this'), kind: 'rule', text: cut(statement), importance: 8, confidence: 0.85, wholeTurn: true };
    return undefined;
  }
  if (assistant === undefined) return undefined;
  const sentences = plainSentences(assistant);
  const question = sentences.findLast((sentence) => rules.question.test(sentence));
  const isMomentary = question !== undefined && rules.momentary.test(question);

  const ordinal = rules.ordinal.exec(text)?.groups?.ordinal;
  if (ordinal !== undefined && question !== undefined) {
    if (isMomentary) return undefined;
    const options = optionsOf(assistant);
    const position = rules.ordinals[ordinal.toLowerCase()] ?? 0;
    const chosen = options[position < 0 ? options.length - 1 : position - 1];
    if (chosen === undefined) return undefined;
    const rest = text.slice(rules.ordinal.exec(text)?.[0].length ?? 0).trim();
    return { rule: id('choice-by-number'), kind: 'decision', text: `${cut(chosen)}${rest === '' ? '' : ` ${cut(rest)}`} ${language.inAnswerTo(cut(question))}`, importance: 7, confidence: 0.8, wholeTurn: true };
  }
  if (text.length > 400) return undefined;
  if (question !== undefined || rules.proposal.test(assistant)) {
    for (const pattern of rules.choice) {
      const choice = pattern.exec(text)?.groups?.choice?.trim();
      if (choice === undefined || isMomentary || rules.acceptance.test(choice) || language.oneOff.test(text) || /[?？]\s*$/.test(text)) continue;
      if (!assistant.toLowerCase().includes(choice.toLowerCase().replace(/[.!]$/, ''))) continue;
      const about = (question === undefined ? undefined : subjectOf(question, sentences)) ?? sentences.find((sentence) => rules.proposal.test(sentence)) ?? assistant;
      return { rule: id('choice-by-name'), kind: 'decision', text: `${cut(text)} ${language.inAnswerTo(cut(about))}`, importance: 7, confidence: 0.82, wholeTurn: true };
    }
  }
  const named = question === undefined || isMomentary || rules.momentary.test(text) || /[?？]\s*$/.test(text) || language.oneOff.test(text) ? undefined : namedOption(text, question, language);
  if (named !== undefined && question !== undefined) return { rule: id('choice-by-name'), kind: 'decision', text: `${cut(text)} ${language.inAnswerTo(subjectOf(question, sentences))}`, importance: 7, confidence: 0.8, wholeTurn: true };
  const correction = rules.correction.exec(text)?.groups?.rest;
  if (correction !== undefined && !rules.correctionOfMoment.test(correction) && !/[?？]\s*$/.test(text) && !language.oneOff.test(text)) {
    const body = correction.trim();
    if (question !== undefined) return isMomentary ? undefined : { rule: id('no-but'), kind: 'decision', text: `${cut(body)} ${language.inAnswerTo(subjectOf(question, sentences))}`, importance: 7, confidence: 0.75, wholeTurn: true };
    const wrong = sentences.at(-1);
    const isGeneral = language.cues.some((cue) => cue.pattern.test(body)) || body.split(/[.。!！]/)[0]?.split(/\s+/).length === 1 || /\b(?:here|in this|we (?:don'?t|never|use|only))\b|我们/i.test(body);
    if (wrong === undefined) return undefined;
    return { rule: id('corrects-assistant'), kind: 'rule', text: language.insteadOf(cut(body), cut(wrong)), importance: 7, confidence: isGeneral ? 0.82 : 0.6, wholeTurn: true, replaces: cut(wrong) };
  }
  if (rules.acceptance.test(text) && !isMomentary) {
    const proposal = sentences.findLast((sentence) => rules.proposal.test(sentence));
    if (proposal !== undefined && !rules.momentary.test(proposal)) return { rule: id('accepts-proposal'), kind: 'decision', text: `${cut(proposal)}`, importance: 6, confidence: 0.65, wholeTurn: true };
  }
  return undefined;
}
