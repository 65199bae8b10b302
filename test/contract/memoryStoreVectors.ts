/**
 * MemoryStore's contract, part: chunks, vectors, and how an index catches up from rows.
 */
import { describe, expect, it } from 'vitest';
import type { MemoryStore, VectorRow } from '../../src/engine/storage/memoryStore.ts';
import { SAMPLE_TIME, sampleId, sampleMemory } from '../support/builders.ts';
import { insertAll, reviseOne, sampleChange } from '../support/storeSamples.ts';
import type { MakeStore } from './memoryStore.contract.ts';

const vector = (...values: number[]): Float32Array => Float32Array.from(values);

async function chunkIds(store: MemoryStore, memoryId: string): Promise<number[]> {
  return (await store.getChunks(memoryId)).map((chunk) => chunk.chunkId);
}

/** Everything since `epoch`, in pages of `limit`. */
async function pagesSince(store: MemoryStore, version: string, epoch: number, limit: number): Promise<VectorRow[]> {
  const rows: VectorRow[] = [];
  let cursor: { epoch: number; chunkId?: number } = { epoch };
  for (;;) {
    const page = await store.vectorsSince(version, cursor.epoch, limit, cursor.chunkId);
    rows.push(...page);
    const last = page.at(-1);
    if (last === undefined) return rows;
    cursor = { epoch: last.epoch, chunkId: last.chunkId };
  }
}

export function describeVectors(make: MakeStore): void {
  describe('chunks and vectors', () => {
    it('keep the chunks of a memory in order and give each an id of its own', async () => {
      const { store } = await make();
      const memory = sampleMemory();
      await store.write((writer) => writer.insertMemory(memory, ['first', 'second'], sampleChange()));
      const chunks = await store.getChunks(memory.id);
      expect(chunks.map((chunk) => [chunk.ordinal, chunk.text, chunk.memoryId])).toEqual([[0, 'first', memory.id], [1, 'second', memory.id]]);
      expect(await store.memoryIdsOfChunks([...chunks.map((chunk) => chunk.chunkId), 9_999_999])).toEqual(new Map(chunks.map((chunk) => [chunk.chunkId, memory.id])));
      const [other] = await insertAll(store, {});
      expect(await store.chunkIdsOf([memory.id, other!.id, sampleId()])).toEqual(new Map([[memory.id, await chunkIds(store, memory.id)], [other!.id, await chunkIds(store, other!.id)]]));
    });

    it('never use a chunk id again', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      const [first] = await chunkIds(store, memory!.id);
      await reviseOne(store, memory!, { text: 'new text' });
      const [second] = await chunkIds(store, memory!.id);
      await store.write((writer) => writer.purgeMemory(memory!.id, 'purged', SAMPLE_TIME));
      const [next] = await insertAll(store, {});
      const [third] = await chunkIds(store, next!.id);
      expect(new Set([first, second, third]).size).toBe(3);
      expect(third!).toBeGreaterThan(second!);
      expect(second!).toBeGreaterThan(first!);
    });

    it('list chunks without a vector of a version, oldest first', async () => {
      const { store } = await make();
      const memories = await insertAll(store, {}, {}, {});
      const ids = (await Promise.all(memories.map((memory) => chunkIds(store, memory.id)))).flat();
      await store.write((writer) => writer.putVectors('v1', [{ chunkId: ids[1]!, vector: vector(1, 0) }]));
      expect((await store.chunksWithoutVector('v1', 10)).map((chunk) => chunk.chunkId)).toEqual([ids[0], ids[2]]);
      expect((await store.chunksWithoutVector('v2', 2)).map((chunk) => chunk.chunkId)).toEqual([ids[0], ids[1]]);
      expect(await store.countVectors('v1')).toBe(1);
      expect((await store.info()).chunksWithoutVector).toBe(2);
    });

    it('give vectors back bit for bit, also those cut from a larger buffer', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      const [id] = await chunkIds(store, memory!.id);
      const cut = vector(9, 9, 0.1, -0.2, 1e-30).subarray(2);
      await store.write((writer) => writer.putVectors('v1', [{ chunkId: id!, vector: cut }]));
      expect(await store.getVectors('v1', [id!, 12_345])).toEqual(new Map([[id!, cut.slice()]]));
    });

    it('keep versions apart and remove one without the other', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      const [id] = await chunkIds(store, memory!.id);
      await store.write(async (writer) => {
        await writer.putVectors('v1', [{ chunkId: id!, vector: vector(1, 0) }]);
        await writer.putVectors('v2', [{ chunkId: id!, vector: vector(0, 1, 0) }]);
      });
      expect(await store.embeddingVersions()).toEqual([{ version: 'v1', vectors: 1 }, { version: 'v2', vectors: 1 }]);
      expect(await store.write((writer) => writer.removeVectorsOfVersion('v1'))).toBe(1);
      expect(await store.write((writer) => writer.removeVectorsOfVersion('v3'))).toBe(0);
      expect(await store.embeddingVersions()).toEqual([{ version: 'v2', vectors: 1 }]);
      expect(await store.getVectors('v2', [id!])).toEqual(new Map([[id!, vector(0, 1, 0)]]));
    });

    it('refuse zero, non-finite and wrongly long vectors', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      const [id] = await chunkIds(store, memory!.id);
      const put = (values: Float32Array): Promise<void> => store.write((writer) => writer.putVectors('v1', [{ chunkId: id!, vector: values }]));
      await expect(put(vector(0, 0))).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
      await expect(put(vector(1, Number.NaN))).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
      await put(vector(1, 0));
      await expect(put(vector(1, 0, 0))).rejects.toMatchObject({ code: 'EMBEDDING_MISMATCH' });
      expect(await store.countVectors('v1')).toBe(1);
    });

    it('leave out vectors of chunks that are gone by the time they arrive', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      const [old] = await chunkIds(store, memory!.id);
      await reviseOne(store, memory!, { text: 'changed meanwhile' });
      await store.write((writer) => writer.putVectors('v1', [{ chunkId: old!, vector: vector(1, 0) }]));
      expect(await store.countVectors('v1')).toBe(0);
    });

    it('tell an index everything since its epoch, in pages that end anywhere', async () => {
      const { store } = await make();
      const memories = await insertAll(store, ...Array.from({ length: 7 }, () => ({})));
      const ids = (await Promise.all(memories.map((memory) => chunkIds(store, memory.id)))).flat();
      await store.write((writer) => writer.putVectors('v1', ids.slice(0, 5).map((chunkId, i) => ({ chunkId, vector: vector(1, i) }))));
      const middle = await store.epoch();
      await store.write((writer) => writer.putVectors('v1', ids.slice(5).map((chunkId) => ({ chunkId, vector: vector(0, 1) }))));
      await store.write((writer) => writer.purgeMemory(memories[0]!.id, 'purged', SAMPLE_TIME));
      await reviseOne(store, memories[1]!, { text: 'other words' });

      for (const limit of [1, 2, 3, 100]) {
        const all = await pagesSince(store, 'v1', 0, limit);
        const state = new Map(all.map((row) => [row.chunkId, row.vector]));
        expect(all.map((row) => row.epoch)).toEqual(all.map((row) => row.epoch).sort((a, b) => a - b));
        expect([...state].filter(([, each]) => each !== undefined).map(([chunkId]) => chunkId)).toEqual(ids.slice(2));
        expect(state.get(ids[0]!)).toBeUndefined();
      }
      const later = await pagesSince(store, 'v1', middle, 2);
      expect(later.map((row) => [row.chunkId, row.vector === undefined])).toEqual([[ids[5], false], [ids[6], false], [ids[0], true], [ids[1], true]]);
      expect(later.at(-1)!.epoch).toBe(await store.epoch());
    });
  });
}
