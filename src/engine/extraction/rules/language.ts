/**
 * What the rules extractor needs to know about a language, as data: another language is another
 * file of this shape and one line in `languages.ts`. No code path asks which language it is.
 *
 * Patterns see one sentence, without quoted words. They are tested, not executed for groups, except
 * where a field says otherwise. None may have flag `g`.
 */
import type { MemoryKind } from '../../model/kinds.ts';
import type { SignalRules } from './signals.ts';

export interface CueRule {
  /** Goes into provenance and the precision table: stable, never reused. */
  readonly id: string;
  readonly kind: MemoryKind;
  readonly pattern: RegExp;
  /** 1..10 */
  readonly importance: number;
  /** 0..1, from the share of right hits on the development half of the labelled set. */
  readonly confidence: number;
  /** True: says by itself that it is meant to last, so it counts also in a sentence that begins like a task. */
  readonly strong?: boolean;
}

export interface AnswerRules {
  /** The person takes what was offered and names it; group `choice` is what they named. */
  readonly choice: readonly RegExp[];
  /** "the second one"; group `ordinal`. */
  readonly ordinal: RegExp;
  readonly ordinals: Readonly<Record<string, number>>;
  /** The whole turn says yes and nothing else. */
  readonly acceptance: RegExp;
  /** The turn begins by contradicting the assistant; group `rest` is what is right instead. */
  readonly correction: RegExp;
  /** `rest` of a correction that is about this moment only ("the other file"). */
  readonly correctionOfMoment: RegExp;
  /** "put this in CLAUDE.md": accepts what the assistant just said. Group `clause`, if the sentence itself holds it. */
  readonly keepThis: RegExp;
  /** The assistant's sentence proposes something that lasts. */
  readonly proposal: RegExp;
  /** The assistant asks what to do next, not how things shall be. */
  readonly momentary: RegExp;
  /** The assistant asks to choose. */
  readonly question: RegExp;
}

/** Speaks for a kind; what it counts is fitted. The first that fits counts once more. */
export interface KindSign {
  readonly kind: MemoryKind;
  readonly pattern: RegExp;
}

export interface LanguageRules {
  readonly language: string;
  /** Is this sentence (also) in the language? */
  readonly appliesTo: (text: string) => boolean;
  readonly question: RegExp;
  /** Polite form of an order, taken off before anything else is asked. */
  readonly polite: RegExp;
  /** An order in the form of a question ("can you ...?"). */
  readonly politeQuestion: RegExp;
  /** Words that make even a polite question an order that lasts. */
  readonly lastingOrder: RegExp;
  /** A thought, a reason or half of a sentence: only strong cues count in it. */
  readonly hedged: RegExp;
  readonly hypothetical: RegExp;
  readonly sarcasm: RegExp;
  /** Somebody else's words are reported. */
  readonly attribution: RegExp;
  /** For this task, file, run only. */
  readonly oneOff: RegExp;
  /** Begins like work to do. */
  readonly taskStart: RegExp;
  /** Ends like work to do. */
  readonly taskEnd: RegExp;
  /** What the program shall look like or do for its users: a wish for now, unless a strong cue says otherwise. */
  readonly feature: RegExp;
  /** What is the case at the moment, or happened; moods; private matters. */
  readonly status: RegExp;
  /** Holds for a while only; group `until`, if an end is named. */
  readonly temporary: RegExp;
  readonly cues: readonly CueRule[];
  /** Says of every sentence how likely it is meant to last; see signals.ts. */
  readonly grammar: SignalRules;
  readonly kinds: readonly KindSign[];
  /** Words before a statement that are no part of it ("ok, ", "please remember that "), and after it ("please"). */
  readonly opening: RegExp;
  readonly closing: RegExp;
  /** Says of the sentence before that it is meant to last. */
  readonly promotion: RegExp;
  /** Begins with a word that points at something said before; without that it is not self-contained. */
  readonly pointsBack: RegExp;
  /** The sentence takes back something said earlier; group `old`, if the old value is named. */
  readonly replacement: RegExp;
  /** A short order that means nothing by itself, but much when it comes again in another session. */
  readonly weakOrder: RegExp;
  readonly answers: AnswerRules;
  /** How the old turn is named in a self-contained text, for example `(in answer to: "...")`. */
  readonly inAnswerTo: (quote: string) => string;
  readonly insteadOf: (right: string, wrong: string) => string;
}
