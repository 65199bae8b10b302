/**
 * Knowledge: what memories imply, kept in step with them: the person's profile [K7] and the graph of
 * entities [K8]. Derived after every write, whatever way it came; a write that failed here is caught up by the next.
 */
import type { EpochMs } from '../base/clock.ts';
import type { Id } from '../base/ids.ts';
import type { EngineOptions, EngineStore } from './engineOptions.ts';
import { planProfile, PROFILE_KINDS, relationsOf } from './forgetting/index.ts';
import type { Memory } from './model/memory.ts';
import type { MemoryStore, StoreReader } from './storage/memoryStore.ts';

const EVERYTHING = 100_000;
const KNOWLEDGE_EPOCH = 'knowledge.epoch';
/** JSON, key to time: what a person took out of the profile, so that older statements do not bring it back. */
const CLEARED = 'profile.cleared';

/** `purged`: ids whose memories are gone for good, so that nothing can say what they were. */
export async function followMemories(stores: readonly EngineStore[], options: EngineOptions, purged: readonly Id[] = []): Promise<void> {
  let concernsPerson = purged.length > 0;
  for (const { store } of stores) if (!store.readOnly && (await deriveRelations(store, options))) concernsPerson = true;
  if (concernsPerson) await deriveProfile(stores, options, purged);
}

/** Relations of memories that changed since the last time; those a person made by hand have no memory and stay. True when the profile may change too. */
async function deriveRelations(store: MemoryStore, options: EngineOptions): Promise<boolean> {
  const since = Number((await store.getMeta(KNOWLEDGE_EPOCH)) ?? 0);
  const changed = await store.changedSince(since, EVERYTHING);
  const last = changed.at(-1);
  if (last === undefined) return false;
  const ids = [...new Set(changed.map(({ memoryId }) => memoryId))];
  const memories = new Map((await store.getMemories(ids)).map((memory) => [memory.id, memory]));
  await store.write(async (writer) => {
    for (const id of ids) {
      const known = (await writer.relations({ memoryId: id }, 50)).map(asText);
      const memory = memories.get(id);
      const wanted = memory === undefined ? [] : relationsOf(memory);
      if (known.join('\n') === wanted.map(asText).join('\n')) continue;
      if (wanted.length === 0 && memory?.status === 'active') continue;
      await writer.removeRelationsOf(id);
      for (const triple of wanted) await writer.putRelation({ id: options.ids.next(), ...triple, memoryId: id, createdAt: options.clock.now() });
    }
    await writer.setMeta(KNOWLEDGE_EPOCH, String(last.epoch));
  });
  return ids.some((id) => PROFILE_KINDS.has(memories.get(id)?.kind ?? 'preference'));
}

const asText = ({ subject, predicate, object }: { subject: string; predicate: string; object: string }): string => `${subject}|${predicate}|${object}`;

/** The profile lives in the user's store and follows the memories of both. */
async function deriveProfile(stores: readonly EngineStore[], options: EngineOptions, purged: readonly Id[]): Promise<void> {
  const user = stores.find((entry) => entry.role === 'user')?.store;
  if (user === undefined || user.readOnly) return;
  const memories: Memory[] = [];
  for (const { store } of stores) memories.push(...await store.listMemories({ kinds: [...PROFILE_KINDS], statuses: ['active'] }, { limit: EVERYTHING, offset: 0, order: 'recent' }));
  const current = await user.profile();
  const named = [...new Set(current.flatMap((value) => value.memoryIds))];
  const here = new Set(purged);
  for (const { store } of stores) for (const { id } of await store.getMemories(named)) here.add(id);
  const { put, removeKeys } = planProfile(memories, current, options.clock.now(), { isHere: (id) => here.has(id), clearedAt: await readCleared(user) });
  if (put.length + removeKeys.length === 0) return;
  await user.write(async (writer) => {
    for (const value of put) await writer.putProfileValue(value);
    for (const key of removeKeys) await writer.removeProfileValue(key);
  });
}

async function readCleared(user: StoreReader): Promise<Readonly<Record<string, EpochMs>>> {
  const text = await user.getMeta(CLEARED);
  return text === undefined ? {} : (JSON.parse(text) as Record<string, EpochMs>);
}

/** Null removes and stays removed until somebody says something newer. What a person typed is marked, and policies leave it alone. */
export async function writeProfileValue(user: MemoryStore, key: string, value: string | null, now: EpochMs): Promise<void> {
  await user.write(async (writer) => {
    const { [key]: _before, ...cleared } = await readCleared(writer);
    await writer.setMeta(CLEARED, JSON.stringify(value === null ? { ...cleared, [key]: now } : cleared));
    if (value === null) await writer.removeProfileValue(key);
    else await writer.putProfileValue({ key, value, confidence: 1, memoryIds: [], updatedAt: now, edited: true });
  });
}
