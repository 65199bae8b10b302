/**
 * Short ways to put things into a store in tests.
 */
import type { Memory, MemoryChange } from '../../src/engine/model/memory.ts';
import type { MemoryStore, StoreWriter } from '../../src/engine/storage/memoryStore.ts';
import { SAMPLE_TIME, sampleId, sampleMemory } from './builders.ts';

export type ChangeInput = Omit<MemoryChange, 'before' | 'after' | 'memoryId' | 'version'>;

export function sampleChange(changes: Partial<ChangeInput> = {}): ChangeInput {
  return { changeId: sampleId(), verb: 'add', at: SAMPLE_TIME, actor: { surface: 'cli' }, actId: sampleId(), ...changes };
}

/** Inserts memories (given by what differs from the sample) in one write; one chunk each, its text. */
export async function insertAll(store: MemoryStore, ...all: readonly Partial<Memory>[]): Promise<Memory[]> {
  const memories = all.map((each) => sampleMemory(each));
  await store.write(async (writer) => {
    for (const memory of memories) await insertOne(writer, memory);
  });
  return memories;
}

export async function insertOne(writer: StoreWriter, memory: Memory): Promise<void> {
  await writer.insertMemory(memory, [memory.text], sampleChange());
}

/** The memory with changes and the next version, stored. */
export async function reviseOne(store: MemoryStore, memory: Memory, changes: Partial<Memory>, change: Partial<ChangeInput> = {}): Promise<Memory> {
  const after = { ...memory, ...changes, version: memory.version + 1 };
  await store.write((writer) => writer.replaceMemory(after, changes.text === undefined ? undefined : [after.text], sampleChange({ verb: 'edit', ...change })));
  return after;
}
