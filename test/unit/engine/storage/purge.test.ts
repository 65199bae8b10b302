/** Purge is complete: the bytes of all files of the store are searched for what was purged. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SqliteMemoryStore } from '../../../../src/engine/storage/sqlite/sqliteMemoryStore.ts';
import { SAMPLE_TIME, sampleId } from '../../../support/builders.ts';
import { openTestStore } from '../../../support/sqliteStores.ts';
import { insertAll, reviseOne } from '../../../support/storeSamples.ts';

const SENTINELS = ['zanzibarquokka', 'QuokkaTagxyz', 'pathquokkafile', 'quotequokkawords', 'anchorquokkacode', '哈密瓜冰淇淋'];

/** Sentinels found in the raw bytes of the store's files, with the file's name. */
function traces(store: SqliteMemoryStore): string[] {
  const folder = path.dirname(store.location);
  return fs.readdirSync(folder).flatMap((name) => {
    const bytes = fs.readFileSync(path.join(folder, name));
    const vectorBytes = Buffer.from(Float32Array.of(0.123456, -0.654321).buffer);
    const words = SENTINELS.filter((word) => bytes.includes(Buffer.from(word)) || bytes.includes(Buffer.from(word.toLowerCase())));
    return [...words, ...(bytes.includes(vectorBytes) ? ['vector'] : [])].map((word) => `${name}: ${word}`);
  });
}

async function fill(store: SqliteMemoryStore): Promise<string> {
  await insertAll(store, ...Array.from({ length: 300 }, (_, i) => ({ text: `an ordinary statement ${i} about builds and deploys ${i * 7}`, tags: [`tag${i % 7}`] })));
  const [memory] = await insertAll(store, {
    text: `first ${SENTINELS[0]} 哈密瓜冰淇淋 ${'long '.repeat(1200)}`, tags: ['QuokkaTagxyz'], anchors: [{ path: 'src/pathquokkafile.ts', snippet: 'anchorquokkacode()' }], provenance: { via: 'transcript', sessionId: 's', turnKey: 'm:0', quote: 'quotequokkawords' },
  });
  const revised = await reviseOne(store, memory!, { text: `second zanzibarquokka 哈密瓜冰淇淋` });
  await store.write(async (writer) => {
    const [chunk] = await writer.getChunks(memory!.id);
    await writer.putVectors('v1', [{ chunkId: chunk!.chunkId, vector: Float32Array.of(0.123456, -0.654321) }]);
    await writer.putTurns([{ sessionId: 's', messageId: 'm', blockIndex: 0, speaker: 'user', text: 'say quotequokkawords', at: SAMPLE_TIME, sidechain: false, paths: ['pathquokkafile'] }]);
    await writer.putObservation({ ...revised, tags: [], id: sampleId(), outcome: { verb: 'add' }, why: '', state: 'accepted', createdAt: SAMPLE_TIME, memoryId: memory!.id });
    await writer.putRelation({ id: sampleId(), subject: 'zanzibarquokka', predicate: 'is', object: 'x', memoryId: memory!.id, createdAt: SAMPLE_TIME });
    await writer.putProfileValue({ key: 'animal', value: 'zanzibarquokka', confidence: 1, memoryIds: [memory!.id], updatedAt: SAMPLE_TIME, edited: false });
  });
  await insertAll(store, ...Array.from({ length: 100 }, (_, i) => ({ text: `later statement ${i} about tests` })));
  return memory!.id;
}

describe('purging', () => {
  it('one memory leaves no trace in any file after the vacuum, and everything else as it was', async () => {
    const store = await openTestStore();
    const id = await fill(store);
    expect(traces(store)).not.toEqual([]);
    const others = (await store.listMemories({}, { limit: 500, offset: 0, order: 'recent' })).filter((memory) => memory.id !== id);
    await store.write((writer) => writer.purgeMemory(id, 'purged', SAMPLE_TIME));
    await store.vacuum();
    expect(traces(store)).toEqual([]);
    expect(await store.listMemories({}, { limit: 500, offset: 0, order: 'recent' })).toEqual(others);
    expect(await store.searchText('ordinary statement', {}, 400)).toHaveLength(400);
    expect(await store.checkIntegrity()).toEqual({ ok: true, problems: [] });
    await store.close();
    expect(traces(store)).toEqual([]);
  });

  it('everything leaves no trace, with another process at work on the store', async () => {
    const store = await openTestStore();
    await fill(store);
    const other = await openTestStore(store.location);
    await other.searchText('quokka', {}, 5);
    await store.purgeAll();
    expect(traces(store)).toEqual([]);
    expect((await other.info()).memories).toBe(0);
    await insertAll(other, { text: 'a new start' });
    expect(await store.searchText('start', {}, 5)).toHaveLength(1);
  });
});
