/**
 * Tidying [E7]: memories that say parts of one thing, as proposals to merge. Found by comparing each
 * memory with its neighbours the way a new statement is compared; nothing is merged without a person.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Memory } from '../model/memory.ts';
import { formatScope } from '../model/scope.ts';
import { consolidate, type Neighbour } from './consolidate.ts';
import { overlapOf, shapeOf } from './consolidation/statementShape.ts';
import { mergeTexts } from './inbox.ts';

/** Short statements about the same few words are fragments; long ones are texts of their own. */
const LONGEST_FRAGMENT = 220;
const SAME_SUBJECT = 0.5;

export interface MergeProposal {
  /** Keeps its id and gets the text. */
  readonly target: Memory;
  /** Is archived when the proposal is accepted. */
  readonly fragment: Memory;
  readonly text: string;
  readonly why: string;
}

/** At most one proposal a memory, the older of two as target. `neighboursOf` may leave out the memory itself. */
export async function proposeMerges(memories: readonly Memory[], neighboursOf: (memory: Memory) => Promise<readonly Neighbour[]>, now: EpochMs): Promise<MergeProposal[]> {
  const taken = new Set<string>();
  const proposals: MergeProposal[] = [];
  for (const memory of [...memories].sort((a, b) => b.validFrom - a.validFrom || (a.id < b.id ? -1 : 1))) {
    if (memory.status !== 'active' || memory.pinned || memory.untrusted || taken.has(memory.id) || memory.kind === 'session_summary') continue;
    const around = (await neighboursOf(memory)).filter(({ memory: other }) => other.id !== memory.id && other.status === 'active' && !taken.has(other.id) && formatScope(other.scope) === formatScope(memory.scope));
    const decision = consolidate({ text: memory.text, scope: memory.scope, untrusted: false, provenance: { saidAt: memory.validFrom } }, around, now);
    let target = decision.outcome === 'merge' || decision.outcome === 'revise' || decision.outcome === 'duplicate' ? around.find(({ memory: other }) => other.id === decision.targetId)?.memory : undefined;
    let why = decision.why;
    if (target === undefined && decision.outcome === 'add') {
      target = around.find((neighbour) => areFragments(memory, neighbour.memory))?.memory;
      why = 'Both say something short about the same thing.';
    }
    if (target === undefined || target.pinned) continue;
    taken.add(memory.id);
    taken.add(target.id);
    proposals.push({ target, fragment: memory, text: decision.mergedText ?? mergeTexts(target.text, memory.text), why });
  }
  return proposals;
}

/** Same kind, much the same subject, and no value in which they differ. */
function areFragments(a: Memory, b: Memory): boolean {
  if (a.kind !== b.kind || a.text.length > LONGEST_FRAGMENT || b.text.length > LONGEST_FRAGMENT) return false;
  const [left, right] = [shapeOf(a.text), shapeOf(b.text)];
  if (left.subject.size < 2 || right.subject.size < 2 || left.negated !== right.negated) return false;
  const classes = new Set(left.values.map((value) => value.class));
  if (right.values.some((value) => classes.has(value.class) && !left.values.some((one) => one.value === value.value))) return false;
  return overlapOf(left.subject, right.subject) >= SAME_SUBJECT;
}
