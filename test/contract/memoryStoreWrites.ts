/**
 * MemoryStore's contract, part: transactions, epochs, several openings of one store, backup, purge, close.
 */
import { describe, expect, it } from 'vitest';
import type { StoreWriter } from '../../src/engine/storage/memoryStore.ts';
import { SAMPLE_TIME, sampleMemory } from '../support/builders.ts';
import { insertAll, insertOne, reviseOne, sampleChange } from '../support/storeSamples.ts';
import type { MakeStore, StoreSupports } from './memoryStore.contract.ts';

export function describeWrites(make: MakeStore, supports: StoreSupports): void {
  describe('writes', () => {
    it('commit when the callback returns and hand its value on', async () => {
      const { store, openAnother } = await make();
      const memory = sampleMemory();
      expect(await store.write(async (writer) => {
        await insertOne(writer, memory);
        return 'done';
      })).toBe('done');
      expect(await (await openAnother()).getMemory(memory.id)).toEqual(memory);
    });

    it('roll everything back when the callback throws, and raise no epoch', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, { text: 'stays' });
      const epoch = await store.epoch();
      const failing = store.write(async (writer) => {
        await insertOne(writer, sampleMemory());
        await writer.purgeMemory(memory!.id, 'purged', SAMPLE_TIME);
        await writer.setMeta('x', 'y');
        throw new RangeError('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await store.epoch()).toBe(epoch);
      expect(await store.listMemories({}, { limit: 9, offset: 0, order: 'recent' })).toEqual([memory]);
      expect(await store.getMeta('x')).toBeUndefined();
      expect((await store.searchText('stays', {}, 1)).map((hit) => hit.memoryId)).toEqual([memory!.id]);
    });

    it('show their own changes inside and none outside before the commit', async () => {
      const { store } = await make();
      const memory = sampleMemory({ text: 'quokka' });
      await store.write(async (writer) => {
        await insertOne(writer, memory);
        expect(await writer.getMemory(memory.id)).toEqual(memory);
        expect(await writer.searchText('quokka', {}, 1)).toHaveLength(1);
        expect(await store.getMemory(memory.id)).toBeUndefined();
        expect(await store.searchText('quokka', {}, 1)).toEqual([]);
      });
      expect(await store.getMemory(memory.id)).toEqual(memory);
    });

    it('of one process queue up and all happen', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      await Promise.all(Array.from({ length: 20 }, () => store.write(async (writer) => {
        const now = await writer.getMemory(memory!.id);
        await writer.replaceMemory({ ...now!, version: now!.version + 1, repeatCount: now!.repeatCount + 1 }, undefined, sampleChange({ verb: 'merge' }));
      })));
      expect(await store.getMemory(memory!.id)).toMatchObject({ version: 21, repeatCount: 20 });
      expect(await store.history(memory!.id)).toHaveLength(21);
    });

    it('inside a write are a programming mistake, and the outer one goes on', async () => {
      const { store } = await make();
      const memory = sampleMemory();
      await store.write(async (writer) => {
        await expect(store.write((inner) => insertOne(inner, sampleMemory()))).rejects.toThrow(/inside a write/);
        await insertOne(writer, memory);
      });
      expect(await store.getMemory(memory.id)).toEqual(memory);
    });

    it('leave behind a writer that no longer works', async () => {
      const { store } = await make();
      let kept: StoreWriter | undefined;
      await store.write(async (writer) => {
        kept = writer;
      });
      await expect(insertOne(kept!, sampleMemory())).rejects.toThrow(/over/);
    });

    it('raise the epoch with every commit, and rows carry the epoch that wrote them', async () => {
      const { store } = await make();
      const epochs = [await store.epoch()];
      const [memory] = await insertAll(store, {});
      epochs.push(await store.epoch());
      expect(await store.changedSince(epochs[0]!, 9)).toEqual([{ memoryId: memory!.id, epoch: epochs[1] }]);
      await store.write((writer) => writer.setMeta('a', 'b'));
      epochs.push(await store.epoch());
      expect(epochs[1]!).toBeGreaterThan(epochs[0]!);
      expect(epochs[2]!).toBeGreaterThan(epochs[1]!);
    });
  });

  describe('several openings', () => {
    it('see each other: committed writes, and that something changed elsewhere', async () => {
      const { store, openAnother } = await make();
      const other = await openAnother();
      expect(await store.changedElsewhere()).toBe(false);
      expect(await other.changedElsewhere()).toBe(false);
      const [memory] = await insertAll(other, {});
      expect(await store.changedElsewhere()).toBe(true);
      expect(await store.changedElsewhere()).toBe(false);
      expect(await other.changedElsewhere()).toBe(false);
      expect(await store.getMemory(memory!.id)).toEqual(memory);
    });

    it('wait for each other and lose nothing', async () => {
      const { store, openAnother } = await make();
      const other = await openAnother();
      const [memory] = await insertAll(store, {});
      const raise = (from: typeof store): Promise<void> => from.write(async (writer) => {
        const now = await writer.getMemory(memory!.id);
        await writer.replaceMemory({ ...now!, version: now!.version + 1 }, undefined, sampleChange({ verb: 'merge' }));
      });
      await Promise.all(Array.from({ length: 10 }, () => [raise(store), raise(other)]).flat());
      expect((await store.getMemory(memory!.id))?.version).toBe(21);
    });

    it('agree on who was first', async () => {
      const { store, openAnother } = await make();
      const other = await openAnother();
      const [memory] = await insertAll(store, {});
      await reviseOne(other, memory!, { text: 'theirs' });
      await expect(store.write((writer) => writer.replaceMemory({ ...memory!, text: 'mine' }, ['mine'], sampleChange({ verb: 'edit' })))).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
      expect((await store.getMemory(memory!.id))?.text).toBe('theirs');
    });
  });

  describe('care', () => {
    it('finds a store in use whole', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, { tags: ['a'], anchors: [{ path: 'x' }] }, {});
      await reviseOne(store, memory!, { text: 'new' });
      expect(await store.checkIntegrity()).toEqual({ ok: true, problems: [] });
    });

    it('purges everything: no memory, history, turn, observation or word is left, ids stay dead, the epoch goes on', async () => {
      const { store } = await make();
      const [memory, other] = await insertAll(store, { text: 'the quokka plan', tags: ['q'] }, {});
      await store.write(async (writer) => {
        await writer.putTurns([{ sessionId: 's', messageId: 'm', blockIndex: 0, speaker: 'user', text: 'quokka', at: 1, sidechain: false }]);
        await writer.putVectors('v1', [{ chunkId: (await writer.getChunks(memory!.id))[0]!.chunkId, vector: Float32Array.of(1, 0) }]);
      });
      const epoch = await store.epoch();
      await store.purgeAll();
      expect(await store.info()).toMatchObject({ memories: 0, chunks: 0, observationsWaiting: 0 });
      expect(await store.searchText('quokka', {}, 9)).toEqual([]);
      expect(await store.history(memory!.id)).toEqual([]);
      expect(await store.tags()).toEqual([]);
      expect((await store.getTurns('s')).map((turn) => turn.text)).toEqual(['']);
      expect(await store.epoch()).toBeGreaterThan(epoch);
      expect((await store.changedSince(epoch, 9)).map((change) => change.memoryId).sort()).toEqual([memory!.id, other!.id].sort());
      expect((await store.vectorsSince('v1', epoch, 9)).every((row) => row.vector === undefined)).toBe(true);
      await expect(store.write((writer) => insertOne(writer, memory!))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
      const [next] = await insertAll(store, { text: 'life goes on' });
      expect((await store.searchText('life', {}, 9)).map((hit) => hit.memoryId)).toEqual([next!.id]);
      expect(await store.checkIntegrity()).toEqual({ ok: true, problems: [] });
    });

    it('answers STORE_CLOSED after close, which may be called twice and waits for writes', async () => {
      const { store } = await make();
      const memory = sampleMemory();
      const writing = store.write((writer) => insertOne(writer, memory));
      await Promise.all([store.close(), store.close()]);
      await expect(writing).resolves.toBeUndefined();
      await expect(store.getMemory(memory.id)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
      await expect(store.write((writer) => insertOne(writer, sampleMemory()))).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    });

    const { openBackup, temporaryFile } = supports;
    if (openBackup !== undefined && temporaryFile !== undefined) {
      it('copies itself consistently while in use', async () => {
        const { store } = await make();
        const [memory] = await insertAll(store, { text: 'quokka' });
        const path = temporaryFile();
        await store.write(async (writer) => {
          await insertOne(writer, sampleMemory());
          await store.backup(path);
        });
        const copy = await openBackup(path);
        expect(await copy.listMemories({}, { limit: 9, offset: 0, order: 'recent' })).toEqual([memory]);
        expect(await copy.searchText('quokka', {}, 1)).toHaveLength(1);
        expect(await copy.checkIntegrity()).toEqual({ ok: true, problems: [] });
        await copy.close();
      });
    }
  });
}
