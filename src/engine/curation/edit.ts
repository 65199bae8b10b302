/**
 * Edit: every change of a stored memory by a person or a policy: content, status, pin,
 * feedback, and the move between a repository's store and the user's. Each is one act
 * in the history and can be undone.
 */
import { CairnError } from '../../base/errors.ts';
import type { Id } from '../../base/ids.ts';
import type { ActingFor, StoreRole } from '../engineTypes.ts';
import { checkConfidence, checkImportance, checkText, cleanTags } from '../model/memoryInput.ts';
import type { ChangeVerb, Memory, MemoryPatch, MemoryStatus } from '../model/memory.ts';
import type { MemoryStore } from '../storage/memoryStore.ts';
import { beginAct, changeOf, findMemory, redactScope, roleOfScope, storeOfRole } from './curationDeps.ts';
import type { Act, CurationDeps } from './curationDeps.ts';
import { redactAnchor } from './remember.ts';

export interface EditResult {
  readonly memory: Memory;
  readonly role: StoreRole;
  readonly actId: Id;
  readonly redactions: readonly { readonly kind: string; readonly count: number }[];
}

/** Throws ID_UNKNOWN, VERSION_CONFLICT (when `expectedVersion` is not the stored one), MEMORY_NOT_ACTIVE for edits of forgotten memories. */
export async function editMemory(deps: CurationDeps, id: Id, patch: MemoryPatch, { actor, reason }: ActingFor, options: { expectedVersion?: number; verb?: ChangeVerb } = {}): Promise<EditResult> {
  const { role, store } = await findMemory(deps, id);
  const { patch: clean, redactions } = cleanPatch(deps, patch);
  const act = beginAct(deps, actor, reason);
  const targetRole = clean.scope === undefined ? role : roleOfScope(clean.scope);
  if (targetRole !== role) storeOfRole(deps, targetRole); // Refuse before anything is written.
  const memory = await store.write(async (writer) => {
    const before = await writer.getMemory(id);
    if (before === undefined) throw new CairnError('ID_UNKNOWN', `Memory ${id} is gone.`, { data: { id } });
    if (options.expectedVersion !== undefined && before.version !== options.expectedVersion) {
      throw new CairnError('VERSION_CONFLICT', `Memory ${id} was changed meanwhile (version ${before.version}, you edited ${options.expectedVersion}). Look at it again and repeat the edit.`, { data: { id, version: before.version } });
    }
    if (before.status === 'forgotten' && clean.status === undefined) throw new CairnError('MEMORY_NOT_ACTIVE', `Memory ${id} was forgotten. Restore it first (\`cairn undo\`).`, { data: { id } });
    const after = applyPatch(before, clean, act.at);
    await writer.replaceMemory(after, clean.text === undefined || clean.text === before.text ? undefined : deps.chunk(after.text), changeOf(deps, act, options.verb ?? verbOf(clean)));
    return after;
  });
  if (targetRole !== role) await moveMemory(deps, id, store, storeOfRole(deps, targetRole), act);
  if (clean.text !== undefined) deps.onChunksWritten();
  return { memory, role: targetRole, actId: act.actId, redactions };
}

export interface StatusResult {
  readonly actId: Id;
  readonly changed: readonly Id[];
  /** Ids that had this status already. */
  readonly unchanged: readonly Id[];
}

/** Forget, archive, restore: one act for all ids, all or nothing within a store. Throws ID_UNKNOWN before any change. */
export async function setStatus(deps: CurationDeps, ids: readonly Id[], status: MemoryStatus, verb: ChangeVerb, { actor, reason }: ActingFor): Promise<StatusResult> {
  const unique = [...new Set(ids)];
  const found = await Promise.all(unique.map(async (id) => findMemory(deps, id)));
  const act = beginAct(deps, actor, reason);
  const changed: Id[] = [];
  for (const role of ['repository', 'user'] as const) {
    const mine = found.filter((entry) => entry.role === role);
    if (mine.length === 0) continue;
    await storeOfRole(deps, role).write(async (writer) => {
      for (const { memory } of mine) {
        const before = await writer.getMemory(memory.id);
        if (before === undefined || before.status === status) continue;
        const after: Memory = { ...before, status, updatedAt: act.at, version: before.version + 1 };
        await writer.replaceMemory(status === 'active' ? { ...after, supersededBy: undefined, validUntil: undefined } : after, undefined, changeOf(deps, act, verb));
        changed.push(before.id);
      }
    });
  }
  return { actId: act.actId, changed, unchanged: unique.filter((id) => !changed.includes(id)) };
}

function cleanPatch(deps: CurationDeps, patch: MemoryPatch): { patch: MemoryPatch; redactions: EditResult['redactions'] } {
  const redacted = patch.text === undefined ? undefined : deps.redact(checkText(patch.text));
  return {
    patch: {
      ...patch,
      ...(redacted === undefined ? {} : { text: checkText(redacted.text) }),
      ...(patch.importance === undefined ? {} : { importance: checkImportance(patch.importance) }),
      ...(patch.confidence === undefined ? {} : { confidence: checkConfidence(patch.confidence) }),
      ...(patch.scope === undefined ? {} : { scope: redactScope(deps, patch.scope) }),
      ...(patch.tags === undefined ? {} : { tags: cleanTags(patch.tags.map((tag) => deps.redact(tag).text)) }),
      ...(patch.anchors === undefined ? {} : { anchors: patch.anchors.map((anchor) => redactAnchor(deps, anchor)) }),
    },
    redactions: redacted?.redactions ?? [],
  };
}

function applyPatch(before: Memory, patch: MemoryPatch, at: number): Memory {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as MemoryPatch;
  return {
    ...before,
    ...given,
    validUntil: given.validUntil === null ? undefined : (given.validUntil ?? before.validUntil),
    expiresAt: given.expiresAt === null ? undefined : (given.expiresAt ?? before.expiresAt),
    supersededBy: given.supersededBy === null ? undefined : (given.supersededBy ?? before.supersededBy),
    updatedAt: at,
    version: before.version + 1,
  };
}

function verbOf(patch: MemoryPatch): ChangeVerb {
  const keys = Object.entries(patch).filter(([, value]) => value !== undefined).map(([key]) => key);
  if (keys.every((key) => key === 'pinned')) return 'pin';
  if (keys.every((key) => key === 'anchors')) return 'reanchor';
  if (keys.every((key) => key === 'notRelevantCount')) return 'feedback';
  if (keys.length === 1 && patch.status === 'archived') return 'archive';
  return 'edit';
}

const MOVING = 'moving';

/**
 * Between the two stores, keeping the id: note the intent at the source, write the target,
 * purge the source. A crash in between leaves the intent, and repairMoves finishes it.
 */
async function moveMemory(deps: CurationDeps, id: Id, source: MemoryStore, target: MemoryStore, act: Act): Promise<void> {
  await source.write(async (writer) => writer.setMeta(MOVING, JSON.stringify([...(await pendingMoves(source)), id])));
  await finishMove(deps, id, source, target, act);
}

async function finishMove(deps: CurationDeps, id: Id, source: MemoryStore, target: MemoryStore, act: Act): Promise<void> {
  const memory = await source.getMemory(id);
  if (memory !== undefined) {
    const past = await source.history(id);
    await target.write(async (writer) => {
      if ((await writer.getMemory(id)) !== undefined) return;
      await writer.insertMemory(memory, deps.chunk(memory.text), changeOf(deps, { ...act, reason: 'Moved between stores.' }, 'edit'));
      await writer.putPastChanges(past);
    });
  }
  await source.write(async (writer) => {
    if (memory !== undefined) await writer.purgeMemory(id, 'moved', act.at);
    const left = (await pendingMoves(writer)).filter((pending) => pending !== id);
    await writer.setMeta(MOVING, left.length === 0 ? undefined : JSON.stringify(left));
  });
}

async function pendingMoves(reader: Pick<MemoryStore, 'getMeta'>): Promise<Id[]> {
  const text = await reader.getMeta(MOVING);
  return text === undefined ? [] : (JSON.parse(text) as Id[]);
}

/** Finishes moves that a crash interrupted; called when both stores are open. */
export async function repairMoves(deps: CurationDeps): Promise<number> {
  let repaired = 0;
  for (const { role, store } of deps.stores) {
    if (store.readOnly) continue;
    for (const id of await pendingMoves(store)) {
      const other = deps.stores.find((candidate) => candidate.role !== role);
      if (other === undefined) continue;
      await finishMove(deps, id, store, other.store, beginAct(deps, { surface: 'policy' }));
      repaired += 1;
    }
  }
  return repaired;
}
