/**
 * Consolidation [E6]: what a new statement means for what is stored. Deterministic rules, no
 * model: equal, nearly equal, newer value of the same attribute, opposite, or simply new.
 *
 * When in doubt it is new: a lost memory cannot be found again, a double one can be merged.
 * Time said decides what replaces what, never time stored, so the order in which statements
 * arrive does not change which of them are active in the end.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Id } from '../../base/ids.ts';
import type { Memory } from '../model/memory.ts';
import type { ExtractedStatement } from '../model/observation.ts';
import { formatScope } from '../model/scope.ts';
import { normalizeText } from '../text/normalize.ts';
import { isReplacedBy } from './consolidation/history.ts';
import { otherFiller } from './consolidation/slots.ts';
import { withoutFrame } from './rules/frame.ts';
import { isForAWhile } from './rules/languages.ts';
import { missingFrom, overlapOf, shapeOf, stem, type StatementShape, type Value } from './consolidation/statementShape.ts';
import { classOf } from './consolidation/valueClasses.ts';
import { isTurnedAround } from './consolidation/wordOrder.ts';

export interface Neighbour {
  readonly memory: Memory;
  /** Of the two texts' vectors, where both have one of the same version. */
  readonly cosine?: number;
  /** Share of the statement's words that the lexical search found in it, 0..1. */
  readonly lexical?: number;
}

export interface ConsolidationConfig {
  /** Overlap of content words from which two statements are one; from test/quality/extraction: 30 services' ports stay 30 and rewordings meet. */
  readonly sameWords: number;
  /** Cosine from which a lower overlap is enough. */
  readonly sameMeaning: number;
  readonly sameWordsWithMeaning: number;
  /** Two opposite statements said within this time are for the person to decide. */
  readonly sameMomentMs: number;
}

export const DEFAULT_CONSOLIDATION: ConsolidationConfig = { sameWords: 0.8, sameMeaning: 0.93, sameWordsWithMeaning: 0.5, sameMomentMs: 120_000 };

export interface Decision {
  /**
   * `archive`: the statement is older than `targetId`, which replaced it; it is kept as history, superseded by the target.
   * `conflict`: contradicts `targetId`, a person decides. `revise`: the target gets `mergedText`, which says more.
   */
  readonly outcome: 'add' | 'merge' | 'revise' | 'supersede' | 'conflict' | 'duplicate' | 'archive';
  readonly targetId?: Id;
  /** One sentence for a person. */
  readonly why: string;
  /** For merge and revise: the target's new text. For supersede: the new memory's text, where the words alone would not stand ("actually Tuesday"). */
  readonly mergedText?: string;
}

type Statement = Pick<ExtractedStatement, 'text' | 'scope' | 'untrusted' | 'temporary' | 'expiresAt'> & { readonly provenance: { readonly saidAt?: EpochMs; readonly turnKey?: string } };

interface Verdict extends Decision {
  /** Higher wins among several neighbours. */
  readonly strength: number;
}

const quoted = (text: string): string => `"${text.length <= 80 ? text : `${text.slice(0, 79)}…`}"`;

/**
 * Compares with every neighbour and takes the strongest verdict. `neighbours` may hold memories of
 * any status; only active and archived ones can be targets. Never throws; equal input, equal answer.
 */
export function consolidate(given: Statement, neighbours: readonly Neighbour[], now: EpochMs, config: ConsolidationConfig = DEFAULT_CONSOLIDATION): Decision {
  // "Please remember that we use pnpm" says what "We use pnpm" says.
  const statement = { ...given, text: withoutFrame(given.text) };
  // What is said now is said after all that is known, though the clock may have gone back since.
  const saidAt = statement.provenance.saidAt ?? Math.max(now, ...neighbours.map(({ memory }) => memory.validFrom + 1));
  const shape = shapeOf(statement.text);
  let best: Verdict = { outcome: 'add', why: 'Nothing like it is remembered.', strength: 0 };
  const candidates = neighbours
    .filter(({ memory }) => (memory.status === 'active' || memory.status === 'archived') && memory.kind !== 'session_summary' && isPast(memory, now) === isPast(given, now))
    .map((neighbour) => ({ ...neighbour, memory: { ...neighbour.memory, text: withoutFrame(neighbour.memory.text) } }))
    .sort((a, b) => b.memory.validFrom - a.memory.validFrom || (a.memory.id < b.memory.id ? -1 : 1));
  const bareTarget = bareCorrectionTarget(shape, statement.text, candidates);
  for (const neighbour of candidates) {
    const verdict = compare(statement, saidAt, shape, neighbour, config, bareTarget);
    if (verdict !== undefined && verdict.strength > best.strength) best = verdict;
  }
  if (statement.untrusted && best.outcome !== 'add' && best.outcome !== 'duplicate') {
    return { outcome: 'conflict', targetId: best.targetId, why: `Somebody else's text would change what you said: ${best.why}` };
  }
  const { strength: _strength, ...decision } = best;
  return decision;
}

/** What has ended changes nothing of what holds, and the reverse. */
export const isPast = ({ expiresAt }: { readonly expiresAt?: EpochMs }, now: EpochMs): boolean => expiresAt !== undefined && expiresAt <= now;

function compare(statement: Statement, saidAt: EpochMs, shape: StatementShape, { memory, cosine }: Neighbour, config: ConsolidationConfig, bareTarget: Id | undefined): Verdict | undefined {
  if (formatScope(statement.scope) !== formatScope(memory.scope)) return undefined;
  const targetId = memory.id;
  if (normalizeText(statement.text) === normalizeText(memory.text)) return { outcome: 'duplicate', targetId, why: 'The same words are remembered already.', strength: 100 };
  const other = shapeOf(memory.text);
  const values = compareValues(shape, other);
  const words = overlapOf(union(shape), union(other));
  if (isSameStatement(shape, other, values, words, cosine, config)) return merged(statement.text, shape, memory, other, saidAt);
  if (isReplacedBy(memory.text, statement.text)) return { outcome: 'supersede', targetId, why: `${quoted(memory.text)} says itself that this came after it.`, strength: 72 };
  if (isReplacedBy(statement.text, memory.text)) return { outcome: 'archive', targetId, why: `Says itself that ${quoted(memory.text)} came after it.`, strength: 72 };
  // A temporary exception stands beside the rule it excepts from.
  if (statement.temporary === true || memory.tags.includes('temporary') || isForAWhile(statement.text) || isForAWhile(memory.text)) return undefined;
  const replaced = replacement(statement.text, shape, memory, other, values, bareTarget);
  if (replaced !== undefined) return inOrder(statement, saidAt, memory, replaced, config);
  return undefined;
}

const union = (shape: StatementShape): Set<string> => new Set([...shape.subject, ...shape.values.map((value) => value.value)]);

interface ValueComparison {
  /** Classes in which both give values, and none of them agree. */
  readonly differing: readonly { readonly mine: Value; readonly theirs: Value }[];
  /** Values that only one side gives, in classes the other does not mention. */
  readonly onlyMine: readonly Value[];
  readonly onlyTheirs: readonly Value[];
}

/** Values that a statement takes back are not values it gives. */
const givenValues = (shape: StatementShape): Value[] => shape.values.filter((value) => !shape.takenBack.includes(value.written) && !shape.takenBack.includes(value.value));

function compareValues(a: StatementShape, b: StatementShape): ValueComparison {
  const mine = givenValues(a);
  const theirs = givenValues(b);
  const differing: { mine: Value; theirs: Value }[] = [];
  for (const name of new Set(mine.map((value) => value.class))) {
    const left = mine.filter((value) => value.class === name);
    const right = theirs.filter((value) => value.class === name);
    if (right.length === 0) continue;
    const mineOnly = left.filter((value) => !right.some((one) => one.value === value.value));
    const theirsOnly = right.filter((value) => !left.some((one) => one.value === value.value));
    for (let i = 0; i < Math.max(mineOnly.length, theirsOnly.length); i += 1) {
      const pair = { mine: mineOnly[i] ?? left[0], theirs: theirsOnly[i] ?? right[0] };
      if (pair.mine !== undefined && pair.theirs !== undefined) differing.push({ mine: pair.mine, theirs: pair.theirs });
    }
  }
  return {
    differing,
    onlyMine: mine.filter((value) => !theirs.some((one) => one.class === value.class)),
    onlyTheirs: theirs.filter((value) => !mine.some((one) => one.class === value.class)),
  };
}

/** Never true when numbers, versions, values, code, yes and no or who does what differ, whatever the words and vectors say. */
function isSameStatement(a: StatementShape, b: StatementShape, values: ValueComparison, words: number, cosine: number | undefined, config: ConsolidationConfig): boolean {
  if (a.negated !== b.negated || a.optional !== b.optional || a.passive !== b.passive || values.differing.length > 0) return false;
  if (!takesBackTheSame(a, b) || bindsOtherwise(a, b) || isTurnedAround(a.words, b.words)) return false;
  if (missingFrom(a.literals, b.literals).length > 0 && missingFrom(b.literals, a.literals).length > 0) return false;
  if (values.onlyMine.length > 0 && values.onlyTheirs.length > 0) return false;
  const contained = missingFrom(union(a), union(b)).length === 0 || missingFrom(union(b), union(a)).length === 0;
  // One says all that the other says: only then may an exception or a detail make the difference.
  if (contained && words >= 0.3 && Math.min(union(a).size, union(b).size) >= 2 && (a.hasException || b.hasException)) return true;
  // The same words, and then more of them.
  if (contained && saysMoreOf(a, b)) return true;
  // A single differing word is the service, person or file that tells two facts apart.
  if (!contained && (missingFrom(a.subject, b.subject).some(isTelling) || missingFrom(b.subject, a.subject).some(isTelling))) return (cosine ?? 0) >= 0.985 && words >= config.sameWords;
  return words >= config.sameWords || ((cosine ?? 0) >= config.sameMeaning && words >= config.sameWordsWithMeaning && contained);
}

function takesBackTheSame(a: StatementShape, b: StatementShape): boolean {
  const [mine, theirs] = [a, b].map(({ takenBack }) => new Set(takenBack.map((gone) => classOf(gone)?.value ?? stem(gone)))) as [Set<string>, Set<string>];
  return missingFrom(mine, theirs).length === 0 && missingFrom(theirs, mine).length === 0;
}

/** "At least 2 GB" and "at most 8 GB" are two limits. */
const bindsOtherwise = (a: StatementShape, b: StatementShape): boolean => missingFrom(a.bounds, b.bounds).length > 0 && missingFrom(b.bounds, a.bounds).length > 0;

/** One begins with all words of the other: a detail was added, not another thing said. */
function saysMoreOf(a: StatementShape, b: StatementShape): boolean {
  const [short, long] = a.words.length <= b.words.length ? [a.words, b.words] : [b.words, a.words];
  return short.length >= 3 && short.every((word, i) => word === long[i]) && !TURNS.test(long.slice(short.length).join(' '));
}
/** What follows says something else of it: "use Redis for caching", "use Redis for caching in tests only". */
const TURNS = /^(?:for|in|on|at|when|if|while|during|until|within|between|of|to|from|after|before|only)\b/;

/** Words that tell two facts apart; adverbs and the like do not. */
const isTelling = (word: string): boolean => !/(?:ly|ing)$|^\p{Script=Han}$/u.test(word);

function merged(text: string, shape: StatementShape, memory: Memory, other: StatementShape, saidAt: EpochMs): Verdict {
  const mineSaysMore = missingFrom(union(shape), union(other)).length > 0 || missingFrom(shape.literals, other.literals).length > 0 || (shape.hasException && !other.hasException);
  const theirsSaysMore = missingFrom(union(other), union(shape)).length > 0 || missingFrom(other.literals, shape.literals).length > 0 || (other.hasException && !shape.hasException);
  if (theirsSaysMore && !mineSaysMore) return { outcome: 'merge', targetId: memory.id, why: `${quoted(memory.text)} says this already, and more.`, strength: 60 };
  if (mineSaysMore && !theirsSaysMore) return { outcome: 'revise', targetId: memory.id, mergedText: text, why: `Says what ${quoted(memory.text)} says, and more.`, strength: 62 };
  // Neither says more: the wording said last stays, so that the order of arrival does not matter.
  const keepsMine = saidAt !== memory.validFrom ? saidAt > memory.validFrom : text > memory.text;
  return { outcome: 'merge', targetId: memory.id, ...(keepsMine ? { mergedText: text } : {}), why: `Says the same as ${quoted(memory.text)}.`, strength: 61 };
}

interface Replacement {
  readonly why: string;
  readonly text?: string;
  readonly strength: number;
  /** The statement itself says that it replaces something. */
  readonly announced: boolean;
}

/** Same subject, another value, or the old value named as gone. */
function replacement(text: string, shape: StatementShape, memory: Memory, other: StatementShape, values: ValueComparison, bareTarget: Id | undefined): Replacement | undefined {
  const theirValues = givenValues(other);
  const named = shape.takenBack.find((gone) => theirValues.some((value) => value.written === gone || value.value === gone || value.value === (shapeOf(gone).values[0]?.value ?? '')) || (other.subject.has(stem(gone)) && other.subject.size <= 6));
  const mineOnly = missingFrom(shape.subject, other.subject);
  const theirsOnly = missingFrom(other.subject, shape.subject);
  const shared = shape.subject.size - mineOnly.length;
  const first = values.differing[0];
  if (named !== undefined && !shape.additive) {
    const rest = theirsOnly.filter((word) => word !== stem(named));
    // "Postgres is gone" replaces "Postgres is our DB", not "Postgres listens on 5433".
    // "Don't use Redux for form state" leaves "use Redux for global state" alone.
    if (!shape.corrects && memory.id !== bareTarget && mineOnly.length > 0 && rest.length > 0) return undefined;
    const isOnlyChoice = rest.length <= 1 && values.onlyTheirs.every((value) => value.written === named || value.value === named);
    if (shared > 0 || isOnlyChoice || memory.id === bareTarget) {
      return { why: `Says that ${quoted(named)} no longer holds; ${quoted(memory.text)} said it did.`, text: memory.id === bareTarget ? standAlone(text, shape, memory, first) : undefined, strength: 80 + shared, announced: shape.corrects || values.differing.length > 0 };
    }
  }
  if (memory.id === bareTarget && normalizeText(text).length > 0) return { why: `Corrects ${quoted(memory.text)}.`, text: memory.id === bareTarget ? standAlone(text, shape, memory, first) : undefined, strength: 78, announced: true };
  const slot = shape.additive ? undefined : otherFiller(text, memory.text);
  if (slot !== undefined && shape.negated === other.negated) return { why: `Same subject as ${quoted(memory.text)}, with ${quoted(slot.mine)} in place of ${quoted(slot.theirs)}.`, strength: 65, announced: shape.corrects };
  if (shape.additive || values.differing.length === 0) return oppositeOf(shape, other, memory, mineOnly, theirsOnly);
  // More than one kind of value differs, or the subject is another one: two facts.
  if (new Set(values.differing.map((pair) => pair.mine.class)).size > 1 || first === undefined || bindsOtherwise(shape, other)) return undefined;
  const isNumber = first.mine.class === 'number' || first.mine.class === 'version';
  if (isNumber && values.differing.length > 1) return undefined;
  const sameSubject = mineOnly.length === 0 && theirsOnly.length === 0;
  // "use pnpm, npm keeps breaking" names what it replaces.
  const namesBoth = shape.corrects && theirsOnly.length === 0 && givenValues(shape).filter((value) => value.class === first.mine.class).length > 1 && theirValues.every((value) => shape.values.some((one) => one.value === value.value));
  const close = sameSubject || namesBoth || (shape.corrects && theirsOnly.length === 0 && shared > 0) || (mineOnly.length === 0 && theirsOnly.length === 0 && shape.subject.size === 0);
  const sharesValue = givenValues(shape).some((value) => theirValues.some((one) => one.class === value.class && one.value === value.value));
  if (!close || (isNumber && shape.subject.size === 0 && !shape.corrects && !sharesValue)) return undefined;
  if (shape.negated !== other.negated && !shape.corrects) return undefined;
  // Two prohibitions hold together: never on Friday, never on Saturday.
  if (shape.negated && !shape.corrects && !isNumber) return undefined;
  return { why: `Same subject as ${quoted(memory.text)}, with ${quoted(first.mine.written)} in place of ${quoted(first.theirs.written)}.`, strength: 70 + shared, announced: shape.corrects };
}

/** "Use semicolons" against "do not use semicolons". */
function oppositeOf(shape: StatementShape, other: StatementShape, memory: Memory, mineOnly: readonly string[], theirsOnly: readonly string[]): Replacement | undefined {
  if ((shape.negated === other.negated && shape.optional === other.optional) || shape.hasException !== other.hasException || mineOnly.length > 0 || theirsOnly.length > 0 || union(shape).size === 0) return undefined;
  return { why: `Says the opposite of ${quoted(memory.text)}.`, strength: 75, announced: shape.corrects };
}

function inOrder(statement: Statement, saidAt: EpochMs, memory: Memory, found: Replacement, config: ConsolidationConfig): Verdict {
  const targetId = memory.id;
  const sameTurn = statement.provenance.turnKey !== undefined && statement.provenance.turnKey === memory.provenance.turnKey;
  const apart = saidAt - memory.validFrom;
  if (!found.announced && (sameTurn || (Math.abs(apart) <= config.sameMomentMs && memory.provenance.via === 'transcript' && statement.provenance.turnKey !== undefined))) {
    return { outcome: 'conflict', targetId, why: `${found.why} Both were said at the same time.`, strength: found.strength };
  }
  if (apart < 0) return { outcome: 'archive', targetId, why: `Was said before ${quoted(memory.text)}, which replaced it.`, strength: found.strength };
  return { outcome: 'supersede', targetId, why: found.why, strength: found.strength, ...(found.text === undefined ? {} : { mergedText: found.text }) };
}

/** A correction that names hardly more than the new value: which memory does it mean? The newest with a value of that class. */
function bareCorrectionTarget(shape: StatementShape, text: string, candidates: readonly Neighbour[]): Id | undefined {
  if (!shape.corrects || shape.additive || shape.subject.size > 1) return undefined;
  const classes = new Set(shape.values.map((value) => value.class));
  if (classes.size === 0 || text.length > 120) return undefined;
  const matching = candidates.filter(({ memory }) => {
    const other = shapeOf(memory.text);
    if (missingFrom(shape.subject, other.subject).length > 0) return false;
    const theirs = givenValues(other);
    // What also gives a port or a version says more than the choice that is corrected.
    if (theirs.some((value) => !classes.has(value.class))) return false;
    if (shape.takenBack.length > 0 && theirs.some((value) => shape.takenBack.includes(value.written) || shape.takenBack.includes(value.value))) return true;
    return shape.takenBack.length === 0 && theirs.some((value) => classes.has(value.class));
  });
  return matching[0]?.memory.id;
}

/** The old statement with the new value in it, where the new words alone would say nothing to a later reader. */
function standAlone(text: string, shape: StatementShape, memory: Memory, pair: { readonly mine: Value; readonly theirs: Value } | undefined): string | undefined {
  if (shape.subject.size > 1 || text.length > 120 || /\b(?:us(?:e|ing)|moved|switch\w*|migrat\w*|go(?:ing)? with|took)\b|用/i.test(text)) return undefined;
  // "Both on Tuesday": with the value in place of the old one it would stand there twice.
  if (pair !== undefined && !givenValues(shapeOf(memory.text)).some((value) => value.class === pair.mine.class && value.value === pair.mine.value)) {
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${pair.theirs.written.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu');
    if ([...memory.text.matchAll(pattern)].length === 1) return memory.text.replace(pattern, asWritten(text, pair.mine.written));
  }
  const note = `${text} (before: "${memory.text}")`;
  return note.length <= 1_000 ? note : undefined;
}

const asWritten = (text: string, lower: string): string => {
  const at = text.toLowerCase().indexOf(lower);
  return at < 0 ? lower : text.slice(at, at + lower.length);
};
