/**
 * Undo: takes back one act (everything that one command changed), newest first, unless a
 * memory was changed again since. Undoing is itself an act, so it can be undone too.
 */
import { CairnError } from '../../base/errors.ts';
import type { Id } from '../../base/ids.ts';
import type { ActingFor } from '../engineTypes.ts';
import type { Memory, MemoryChange } from '../model/memory.ts';
import type { StoreWriter } from '../storage/memoryStore.ts';
import { beginAct, changeOf } from './curationDeps.ts';
import type { CurationDeps } from './curationDeps.ts';

export interface UndoResult {
  readonly actId: Id;
  readonly undoneActId: Id;
  readonly memories: readonly Memory[];
}

/** How far back an act is looked for. */
const LOOK_BACK = 500;

/** Without `actId` the newest act that is not undone. Throws NOTHING_TO_UNDO, VERSION_CONFLICT. */
export async function undoAct(deps: CurationDeps, actId: Id | undefined, { actor, reason }: ActingFor): Promise<UndoResult> {
  const recent: { change: MemoryChange; storeIdx: number }[] = [];
  /** Of each store the newest act, in the order in which it was written: a clock may have gone back since. */
  const newest: MemoryChange[] = [];
  for (const [storeIdx, { store }] of deps.stores.entries()) {
    if (store.readOnly) continue;
    const changes = await store.recentChanges({ limit: LOOK_BACK });
    for (const change of changes) recent.push({ change, storeIdx });
    const last = changes.find(({ undoneBy, verb }) => undoneBy === undefined && verb !== 'undo');
    if (last !== undefined) newest.push(last);
  }
  newest.sort((a, b) => b.at - a.at);
  const wanted = actId ?? newest[0]?.actId;
  const steps = recent.filter(({ change }) => change.actId === wanted && change.undoneBy === undefined);
  if (wanted === undefined || steps.length === 0) {
    throw new CairnError('NOTHING_TO_UNDO', actId === undefined ? 'There is nothing to undo here.' : 'That change was undone already, or is too long ago. See `cairn history ID`.', { data: { actId } });
  }
  const act = beginAct(deps, actor, reason ?? 'Undo.');
  const memories: Memory[] = [];
  for (const [storeIdx, { store }] of deps.stores.entries()) {
    const mine = steps.filter((step) => step.storeIdx === storeIdx).map(({ change }) => change);
    if (mine.length === 0) continue;
    await store.write(async (writer) => {
      for (const change of mine) memories.push(await takeBack(deps, writer, change, act));
      await writer.markUndone(wanted, act.actId);
    });
  }
  deps.onChunksWritten();
  return { actId: act.actId, undoneActId: wanted, memories };
}

/**
 * Equal but for version and counters: an edit that was undone leaves the memory as the step
 * before made it, so that step can be undone next.
 */
function holdsTheSame(current: Memory, after: Memory): boolean {
  const content = ({ version: _version, updatedAt: _updatedAt, recallCount: _recallCount, lastRecalledAt: _lastRecalledAt, ...rest }: Memory): string => JSON.stringify(rest, Object.keys(rest).sort());
  return content(current) === content(after);
}

async function takeBack(deps: CurationDeps, writer: StoreWriter, change: MemoryChange, act: ReturnType<typeof beginAct>): Promise<Memory> {
  const current = await writer.getMemory(change.memoryId);
  if (current === undefined) throw new CairnError('ID_UNKNOWN', `Memory ${change.memoryId} was purged meanwhile; this cannot be undone.`, { data: { id: change.memoryId } });
  if (!holdsTheSame(current, change.after)) {
    throw new CairnError('VERSION_CONFLICT', `Memory ${current.id} was changed again since; undo the newer change first (\`cairn history ${current.id}\`).`, { data: { id: current.id } });
  }
  const restored: Memory = change.before === undefined
    ? { ...current, status: 'forgotten', updatedAt: act.at, version: current.version + 1 }
    : { ...change.before, recallCount: current.recallCount, lastRecalledAt: current.lastRecalledAt, updatedAt: act.at, version: current.version + 1 };
  await writer.replaceMemory(restored, restored.text === current.text ? undefined : deps.chunk(restored.text), changeOf(deps, act, 'undo'));
  return restored;
}
