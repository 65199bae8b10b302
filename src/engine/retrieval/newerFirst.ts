/**
 * Newer first [F6]: of two statements on the same subject the newer outranks the older, and a
 * memory that says it corrects another stands above it whatever their words. Where an older one
 * is an answer the newer one is, too, though its own words may be others; and a replaced one
 * leaves its place to the next. Part of the rerank.
 *
 * "Same subject" needs evidence: much the same words or meaning, or the same beginning. And the
 * older one must not answer more of the question than the newer does (port of service A, port
 * of service B); the clearer the evidence, the less that counts. A newer statement that announces
 * a change ("moved to", "no longer") needs less of both.
 *
 * Measured on the stale pairs of our own sets: test/quality/TRIED.md.
 */
import type { Id } from '../../base/ids.ts';
import { statedAt, type Memory } from '../model/memory.ts';
import { applyBoost, LONG_TEXT, type Ranked } from './rerank.ts';
import { announcesChange, containment, holds, overlap, sharedBeginning, subjectTokens, takesBack } from './sameSubject.ts';

const SAME_WORDS = 0.6;
const SAME_WORDS_WITH_CHANGE = 0.3;
const SAME_MEANING = 0.86;
const SAME_MEANING_WITH_CHANGE = 0.5;
/** Without any nearness of words two statements are about two things. */
const LEAST_WORDS = 0.1;
const ANY_WORDS = 0.03;
/** Who does what, in three words of substance; a change that is announced needs two. */
const SAME_BEGINNING = { words: 3, meaning: 0.65 };
const SAME_BEGINNING_WITH_CHANGE = { words: 2, meaning: 0.4 };
const NEARLY_ALL = { share: 0.8, meaning: 0.75 };
/**
 * How much better the older may answer the question and still be the same subject: by its words, by its meaning, and by its
 * words where there are no vectors, when they are all that tells two facts about one thing apart;
 */
const SLACK = { coverage: 0.01, cosine: 0.03, coverageAlone: 0.01 };
/** with the same beginning or nearly all of its words, */
const CLEAR_SLACK = { coverage: 0.1, cosine: 0.2, coverageAlone: 0.1 };
/** where a change is announced, */
const CHANGE_SLACK = { coverage: 0.35, cosine: 0.25, coverageAlone: 0.1 };
/** and where the newer says that what the older names is no more. */
const TAKEN_BACK_SLACK = { coverage: 0.35, cosine: 0.5, coverageAlone: 0.35 };
/** What a replaced statement keeps of its score. */
const REPLACED_KEEPS = 0.4;
/** How far above the older the newer is put. */
const JUST_ABOVE = 1.0001;

export interface NewerFirstInput {
  /** Cosine of two memories' vectors; undefined where either has none. */
  readonly similarity: (a: Id, b: Id) => number | undefined;
  /** Brings the model's cosines to the scale of the thresholds (calibration.ts). */
  readonly cosineScale: number;
  /** [corrector, corrected] as people or models linked them. */
  readonly corrections: readonly (readonly [Id, Id])[];
}

/** Those of `others` that may be newer statements of what `relevant` holds, judged without their vectors: most are not, and cost next to nothing. */
export function mayBeNewer(others: readonly Ranked[], relevant: readonly Ranked[], cosineScale: number): Ranked[] {
  return others.filter((other) => {
    const change = announcesChange(other.candidate.memory);
    const slack = change ? TAKEN_BACK_SLACK : CLEAR_SLACK;
    return relevant.some((older) => isLater(other, older) && answersAsWell(other, older, slack, cosineScale) && (change ? shareWords(other, older) : sayTheSameOf(other, older)));
  });
}

/** Those of `others` that are newer statements of what `relevant` holds. */
export function newerOf(others: readonly Ranked[], relevant: readonly Ranked[], input: NewerFirstInput): Ranked[] {
  return others.filter((other) => relevant.some((older) => replaces(other, older, input)));
}

/**
 * Raises newer statements above older ones of the same subject, lowers those, and names on each older one the newest that takes it back. Order
 * of `ranked` is by finalScore before and must be sorted again after. Those of `unseen` are not shown: what they replace is
 * told all the same.
 */
export function putNewerFirst(ranked: readonly Ranked[], input: NewerFirstInput, unseen: readonly Ranked[] = []): void {
  const corrected = new Map<Id, Set<Id>>();
  for (const [by, of] of input.corrections) corrected.set(by, (corrected.get(by) ?? new Set()).add(of));
  const overtaken = new Set<Ranked>();
  // Oldest first, so that a chain of three ends in order.
  const byAge = [...ranked, ...unseen].sort((a, b) => statedAt(a.candidate.memory) - statedAt(b.candidate.memory) || (a.candidate.memory.id < b.candidate.memory.id ? -1 : 1));
  for (const newer of byAge) {
    let above = 0;
    // Only who announces a change can take back what stands below it.
    const changes = announcesChange(newer.candidate.memory) || corrected.has(newer.candidate.memory.id);
    for (const older of ranked) {
      if (older === newer || (older.finalScore < newer.finalScore && !changes)) continue;
      const linked = corrected.get(newer.candidate.memory.id)?.has(older.candidate.memory.id) === true;
      if (!linked && !replaces(newer, older, input)) continue;
      older.candidate.newerStatement = newer.candidate.memory.id;
      if (linked || takesBack(newer.candidate.memory, older.candidate.memory)) older.candidate.replacedBy = newer.candidate.memory.id;
      if (older.finalScore < newer.finalScore) continue;
      overtaken.add(older);
      above = Math.max(above, older.finalScore);
    }
    if (above >= newer.finalScore) applyBoost(newer, 'newerStatement', (above / newer.finalScore) * JUST_ABOVE);
  }
  for (const older of overtaken) applyBoost(older, 'replacedStatement', REPLACED_KEEPS);
}

/**
 * Ids of those that a newer one among them takes back: where nothing is asked, and all of them would be told side by side. Words
 * decide alone.
 */
export function takenBackAmong(memories: readonly Memory[]): ReadonlySet<Id> {
  const taken = new Set<Id>();
  for (const newer of memories.filter(announcesChange)) {
    const mine = subjectTokens(newer);
    for (const older of memories) {
      if (older === newer || !canReplace(newer, older) || !takesBack(newer, older)) continue;
      const theirs = subjectTokens(older);
      if (sharedBeginning(mine, theirs) >= SAME_BEGINNING_WITH_CHANGE.words || shareOf(mine, theirs) >= SAME_WORDS_WITH_CHANGE) taken.add(older.id);
    }
  }
  return taken;
}

const shareOf = (mine: ReadonlySet<string>, theirs: ReadonlySet<string>): number => Math.max(overlap(mine, theirs), 0.7 * containment(mine, theirs));

/** What was said on another branch may never come here: it stands beside what holds here. */
const isLater = (newer: Ranked, older: Ranked): boolean => !(newer.visibility.fit === 'other-branch' && older.visibility.fit !== 'other-branch') && canReplace(newer.candidate.memory, older.candidate.memory);

function canReplace(a: Memory, b: Memory): boolean {
  // What came from other people's text replaces nothing that a person confirmed.
  if (a.suspicious || (a.untrusted && !b.untrusted)) return false;
  // A page speaks of many things, and pages of one kind begin alike: it replaces another only where somebody says so.
  if (a.text.length >= LONG_TEXT || b.text.length >= LONG_TEXT) return false;
  return statedAt(a) > statedAt(b) && a.kind !== 'session_summary' && !b.pinned;
}

function answersAsWell({ candidate: a }: Ranked, { candidate: b }: Ranked, slack: typeof SLACK, cosineScale: number): boolean {
  if ((b.coverage ?? 0) > (a.coverage ?? 0) + (b.cosine === undefined ? slack.coverageAlone : slack.coverage)) return false;
  return b.cosine === undefined || (b.cosine - (a.cosine ?? 0)) * cosineScale <= slack.cosine;
}

function sayTheSameOf(newer: Ranked, older: Ranked): boolean {
  const mine = subjectTokens(newer.candidate.memory);
  const theirs = subjectTokens(older.candidate.memory);
  return sharedBeginning(mine, theirs) >= SAME_BEGINNING.words || holds(mine, theirs, NEARLY_ALL.share);
}

const shareWords = (a: Ranked, b: Ranked): boolean => overlap(subjectTokens(a.candidate.memory), subjectTokens(b.candidate.memory)) >= ANY_WORDS;

function replaces(newer: Ranked, older: Ranked, { similarity, cosineScale }: NewerFirstInput): boolean {
  // The cheapest tests first: most pairs end here.
  const change = announcesChange(newer.candidate.memory);
  if (!isLater(newer, older) || !answersAsWell(newer, older, change ? TAKEN_BACK_SLACK : CLEAR_SLACK, cosineScale)) return false;
  if (change && !answersAsWell(newer, older, CHANGE_SLACK, cosineScale) && !takesBack(newer.candidate.memory, older.candidate.memory)) return false;
  const mine = subjectTokens(newer.candidate.memory);
  const theirs = subjectTokens(older.candidate.memory);
  const meaning = (similarity(newer.candidate.memory.id, older.candidate.memory.id) ?? 0) * cosineScale;
  // Without a model the words have to do.
  const wordsAlone = newer.candidate.cosine === undefined && older.candidate.cosine === undefined;
  const isNear = (least: number): boolean => wordsAlone || meaning >= least;
  const beginning = change ? SAME_BEGINNING_WITH_CHANGE : SAME_BEGINNING;
  if (isNear(beginning.meaning) && sharedBeginning(mine, theirs) >= beginning.words) return true;
  if (isNear(NEARLY_ALL.meaning) && holds(mine, theirs, NEARLY_ALL.share)) return true;
  if (change) {
    const words = shareOf(mine, theirs);
    return words >= SAME_WORDS_WITH_CHANGE || (meaning >= SAME_MEANING_WITH_CHANGE && words >= LEAST_WORDS);
  }
  if (!answersAsWell(newer, older, SLACK, cosineScale)) return false;
  const words = overlap(mine, theirs);
  return words >= SAME_WORDS || (meaning >= SAME_MEANING && words >= 0.25);
}
