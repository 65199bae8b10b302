/**
 * Newer first [F6]: of two statements on the same subject the newer outranks the older, and a
 * memory that says it corrects another stands above it whatever their words. Part of the rerank.
 *
 * "Same subject" needs evidence: much the same words or meaning, and the older one must not
 * answer more of the question than the newer does (port of service A, port of service B). A
 * newer statement that announces a change ("moved to", "no longer") needs less of it.
 */
import type { Id } from '../../base/ids.ts';
import { statedAt } from './candidates.ts';
import { applyBoost, type Ranked } from './rerank.ts';
import { announcesChange, containment, overlap, subjectTokens } from './sameSubject.ts';

/** Only the head is looked at: pairs grow with the square. */
const HEAD = 32;
const SAME_WORDS = 0.6;
const SAME_WORDS_WITH_CHANGE = 0.3;
const SAME_MEANING = 0.86;
const SAME_MEANING_WITH_CHANGE = 0.5;
/** The older may find this much more of the question's words and still be the same subject. */
const COVERAGE_SLACK = 0.01;
const COVERAGE_SLACK_WITH_CHANGE = 0.35;
const COSINE_SLACK = 0.03;
const COSINE_SLACK_WITH_CHANGE = 0.25;
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

/** Raises newer statements above older ones of the same subject. Order of `ranked` is by finalScore before and must be sorted again after. */
export function putNewerFirst(ranked: readonly Ranked[], input: NewerFirstInput): void {
  const head = ranked.slice(0, HEAD);
  const corrected = new Map<Id, Set<Id>>();
  for (const [by, of] of input.corrections) corrected.set(by, (corrected.get(by) ?? new Set()).add(of));
  // Oldest first, so that a chain of three ends in order.
  const byAge = [...head].sort((a, b) => statedAt(a.candidate.memory) - statedAt(b.candidate.memory) || (a.candidate.memory.id < b.candidate.memory.id ? -1 : 1));
  for (const newer of byAge) {
    let above = 0;
    for (const older of head) {
      if (older === newer || older.finalScore < newer.finalScore || older.finalScore <= above) continue;
      const linked = corrected.get(newer.candidate.memory.id)?.has(older.candidate.memory.id) === true;
      if (linked || replaces(newer, older, input)) above = older.finalScore;
    }
    if (above >= newer.finalScore) applyBoost(newer, 'newerStatement', (above / newer.finalScore) * JUST_ABOVE);
  }
}

function replaces(newer: Ranked, older: Ranked, input: NewerFirstInput): boolean {
  const a = newer.candidate;
  const b = older.candidate;
  if (statedAt(a.memory) <= statedAt(b.memory) || a.memory.kind === 'session_summary' || b.memory.pinned) return false;
  // The cheapest tests first: most pairs end here.
  if ((b.coverage ?? 0) > (a.coverage ?? 0) + COVERAGE_SLACK_WITH_CHANGE) return false;
  if (b.cosine !== undefined && (b.cosine - (a.cosine ?? 0)) * input.cosineScale > COSINE_SLACK_WITH_CHANGE) return false;
  const change = announcesChange(a.memory);
  const coverageSlack = change ? COVERAGE_SLACK_WITH_CHANGE : COVERAGE_SLACK;
  const cosineSlack = change ? COSINE_SLACK_WITH_CHANGE : COSINE_SLACK;
  if ((b.coverage ?? 0) > (a.coverage ?? 0) + coverageSlack) return false;
  if (b.cosine !== undefined && (b.cosine - (a.cosine ?? 0)) * input.cosineScale > cosineSlack) return false;
  const mine = subjectTokens(a.memory);
  const theirs = subjectTokens(b.memory);
  const words = change ? Math.max(overlap(mine, theirs), 0.7 * containment(mine, theirs)) : overlap(mine, theirs);
  const meaning = (input.similarity(a.memory.id, b.memory.id) ?? 0) * input.cosineScale;
  if (change) return words >= SAME_WORDS_WITH_CHANGE || (meaning >= SAME_MEANING_WITH_CHANGE && words >= 0.1);
  return words >= SAME_WORDS || (meaning >= SAME_MEANING && words >= 0.25);
}
