/**
 * MemoryStore's contract, part: memories, history, tombstones, lists and filters.
 */
import { describe, expect, it } from 'vitest';
import type { Memory } from '../../src/engine/model/memory.ts';
import type { MemoryFilter } from '../../src/engine/storage/memoryStore.ts';
import { SAMPLE_TIME, sampleId, sampleMemory } from '../support/builders.ts';
import { insertAll, insertOne, reviseOne, sampleChange } from '../support/storeSamples.ts';
import type { MakeStore } from './memoryStore.contract.ts';

const FULL: Partial<Memory> = {
  text: 'Deploys go through staging first.\nThen production: 先到预发环境。',
  kind: 'rule', importance: 9, confidence: 0.75, tags: ['deploy', '发布'], pinned: true, scope: { level: 'path', glob: 'deploy/**' }, status: 'archived',
  validUntil: SAMPLE_TIME + 5, expiresAt: SAMPLE_TIME + 9, lastRecalledAt: SAMPLE_TIME + 1, recallCount: 3, notRelevantCount: 2, repeatCount: 1, version: 4, externalId: 'ticket-7',
  provenance: {
    via: 'transcript', sessionId: 's1', turnKey: 'm1:0', transcriptPath: '/t.jsonl', quote: 'staging first', speaker: 'user', context: 'before and after', saidAt: SAMPLE_TIME - 1, rule: 'always', model: 'm',
    promptTemplate: 'extract@3', clientId: 'laptop', author: 'Wei', branch: 'main', commit: 'abc', episodeId: sampleId(), observationId: sampleId(), importedFrom: 'MEMORY.md',
  },
  anchors: [{ path: 'deploy/run.sh', symbol: 'main', startLine: 3, endLine: 9, contentHash: 'ff', commit: 'abc', snippet: 'echo hi' }, { path: 'docs/deploy.md' }],
  supersedes: [sampleId()], supersededBy: sampleId(), untrusted: true, suspicious: true,
};

export function describeMemories(make: MakeStore): void {
  describe('memories', () => {
    it('come back with every field as they were stored', async () => {
      const { store } = await make();
      const [full, plain] = await insertAll(store, FULL, {});
      expect(await store.getMemory(full!.id)).toEqual(full);
      expect(await store.getMemory(plain!.id)).toEqual(plain);
    });

    it('keep branch scope, emoji and every script', async () => {
      const { store } = await make();
      const texts = ['🧑‍💻 ships on Fridays', 'תִּקּוּן הבאג', 'مُحَمَّد', '배포 전에', "quotes ' \" ` and \\ and %_"];
      const memories = await insertAll(store, ...texts.map((text) => ({ text, scope: { level: 'branch', branch: 'fix/a b' } as const })));
      expect(await store.getMemories(memories.map((memory) => memory.id))).toEqual(memories);
    });

    it('come in the order asked for, unknown ids left out', async () => {
      const { store } = await make();
      const [a, b] = await insertAll(store, {}, {});
      expect((await store.getMemories([b!.id, sampleId(), a!.id])).map((memory) => memory.id)).toEqual([b!.id, a!.id]);
      expect(await store.getMemory(sampleId())).toBeUndefined();
    });

    it('refuse an id that exists, was forgotten or was purged', async () => {
      const { store } = await make();
      const [there, gone] = await insertAll(store, {}, {});
      await store.write((writer) => writer.purgeMemory(gone!.id, 'purged', SAMPLE_TIME));
      for (const memory of [there!, gone!]) await expect(store.write((writer) => insertOne(writer, memory))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    });

    it('may come back under their id after they moved to another store', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      await store.write((writer) => writer.purgeMemory(memory!.id, 'moved', SAMPLE_TIME));
      expect((await store.tombstone(memory!.id))?.reason).toBe('moved');
      await store.write((writer) => insertOne(writer, memory!));
      expect(await store.getMemory(memory!.id)).toEqual(memory);
      expect(await store.tombstone(memory!.id)).toBeUndefined();
    });

    it('refuse a change based on an old version, and keep the stored one', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      const second = await reviseOne(store, memory!, { text: 'second' });
      await reviseOne(store, second, { text: 'third' });
      await expect(reviseOne(store, memory!, { text: 'late' })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
      await expect(reviseOne(store, sampleMemory(), {})).rejects.toMatchObject({ code: 'ID_UNKNOWN' });
      expect((await store.getMemory(memory!.id))?.text).toBe('third');
    });

    it('are found by their normalised text only while active or archived', async () => {
      const { store } = await make();
      const [active, archived] = await insertAll(store, { text: 'Use pnpm.' }, { text: 'use PNPM', status: 'archived' }, { text: 'Use pnpm', status: 'forgotten' }, { text: 'Use npm' });
      expect((await store.findByNormalizedText('use pnpm')).map((memory) => memory.id)).toEqual([active!.id, archived!.id]);
    });

    it('count recalls without a new version or history step', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      await store.write((writer) => writer.noteRecalled([memory!.id, sampleId()], SAMPLE_TIME + 10));
      await store.write((writer) => writer.noteRecalled([memory!.id], SAMPLE_TIME + 5));
      expect(await store.getMemory(memory!.id)).toEqual({ ...memory, recallCount: 2, lastRecalledAt: SAMPLE_TIME + 10 });
      expect(await store.history(memory!.id)).toHaveLength(1);
    });
  });

  describe('history', () => {
    it('keeps each step with who, why, before and after', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, { tags: ['a'] });
      const actor = { surface: 'mcp', clientId: 'c', sessionId: 's', author: 'Wei' } as const;
      const after = await reviseOne(store, memory!, { tags: ['b'], anchors: [{ path: 'x.ts' }] }, { reason: 'because', actor, at: SAMPLE_TIME + 3 });
      const [first, second] = await store.history(memory!.id);
      expect(first).toMatchObject({ verb: 'add', version: 1, after: memory });
      expect(first).not.toHaveProperty('before');
      expect(second).toMatchObject({ verb: 'edit', version: 2, before: memory, after, reason: 'because', actor, at: SAMPLE_TIME + 3, memoryId: memory!.id });
    });

    it('lists recent changes newest first, without those undone', async () => {
      const { store } = await make();
      const [a, b] = await insertAll(store, {}, {});
      const actId = sampleId();
      const changed = await reviseOne(store, a!, { importance: 7 }, { actId });
      await reviseOne(store, changed, { importance: 8 });
      expect((await store.recentChanges({ limit: 10 })).map((change) => [change.memoryId, change.version])).toEqual([[a!.id, 3], [a!.id, 2], [b!.id, 1], [a!.id, 1]]);
      await store.write((writer) => writer.markUndone(actId, sampleId()));
      expect((await store.recentChanges({ limit: 2, memoryId: a!.id })).map((change) => change.version)).toEqual([3, 1]);
      expect((await store.recentChanges({ limit: 1, offset: 1 })).map((change) => change.memoryId)).toEqual([b!.id]);
      expect((await store.history(a!.id)).map((change) => change.undoneBy === undefined)).toEqual([true, false, true]);
    });

    it('takes over a past made elsewhere, before the steps made here and once only', async () => {
      const from = (await make()).store;
      const to = (await make()).store;
      const [memory] = await insertAll(from, {});
      const moved = await reviseOne(from, memory!, { importance: 6 });
      const past = await from.history(memory!.id);
      for (const _ of [1, 2]) {
        await to.write(async (writer) => {
          if ((await writer.getMemory(moved.id)) === undefined) await writer.insertMemory(moved, [moved.text], sampleChange({ reason: 'moved' }));
          await writer.putPastChanges(past);
        });
      }
      expect((await to.history(moved.id)).map((change) => change.reason ?? change.version)).toEqual([1, 2, 'moved']);
    });
  });

  describe('tombstones', () => {
    it('mark a forgotten memory for as long as it is forgotten', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, {});
      const forgotten = await reviseOne(store, memory!, { status: 'forgotten' }, { verb: 'forget', at: SAMPLE_TIME + 1 });
      expect(await store.tombstone(memory!.id)).toEqual({ memoryId: memory!.id, reason: 'forgotten', at: SAMPLE_TIME + 1, epoch: await store.epoch() });
      await reviseOne(store, forgotten, { status: 'active' }, { verb: 'restore' });
      expect(await store.tombstone(memory!.id)).toBeUndefined();
    });

    it('stay after a purge, which takes row, history, words and chunks', async () => {
      const { store } = await make();
      const [memory, other] = await insertAll(store, { text: 'the secret quokka plan', anchors: [{ path: 'a.ts' }] }, { text: 'another plan' });
      await store.write((writer) => writer.purgeMemory(memory!.id, 'purged', SAMPLE_TIME + 2));
      expect(await store.getMemory(memory!.id)).toBeUndefined();
      expect(await store.history(memory!.id)).toEqual([]);
      expect(await store.getChunks(memory!.id)).toEqual([]);
      expect(await store.searchText('quokka', {}, 5)).toEqual([]);
      expect(await store.searchPath('a.ts', {}, 5)).toEqual([]);
      expect((await store.searchText('plan', {}, 5)).map((hit) => hit.memoryId)).toEqual([other!.id]);
      expect(await store.tombstone(memory!.id)).toMatchObject({ reason: 'purged', at: SAMPLE_TIME + 2 });
    });
  });

  describe('changedSince', () => {
    it('names each memory written or tombstoned later once, by epoch, and never ends inside an epoch', async () => {
      const { store } = await make();
      const start = await store.epoch();
      const first = await insertAll(store, {}, {}, {});
      const middle = await store.epoch();
      const [late] = await insertAll(store, {});
      await reviseOne(store, first[0]!, { status: 'forgotten' });
      await store.write((writer) => writer.purgeMemory(late!.id, 'purged', SAMPLE_TIME));
      const changed = await store.changedSince(start, 1);
      expect(changed.map((change) => change.memoryId).sort()).toEqual([first[1]!.id, first[2]!.id].sort());
      expect((await store.changedSince(middle, 100)).map((change) => change.memoryId)).toEqual([first[0]!.id, late!.id]);
      expect((await store.changedSince(middle, 1)).map((change) => change.memoryId)).toEqual([first[0]!.id]);
      expect(await store.changedSince(await store.epoch(), 10)).toEqual([]);
    });
  });

  describe('lists', () => {
    it('page through all memories in a total order', async () => {
      const { store } = await make();
      const memories = await insertAll(store, ...Array.from({ length: 7 }, () => ({})));
      const seen: string[] = [];
      for (let offset = 0; offset < 7; offset += 3) {
        const page = await store.listMemories({}, { limit: 3, offset, order: 'recent' });
        seen.push(...page.map((memory) => memory.id));
      }
      expect(await store.countMemories({})).toBe(7);
      expect(seen).toEqual(memories.map((memory) => memory.id).reverse());
    });

    it('know every order', async () => {
      const { store } = await make();
      const [a, b, c] = await insertAll(
        store,
        { kind: 'rule', importance: 3, createdAt: 30, updatedAt: 10, anchors: [{ path: 'b.ts' }] },
        { kind: 'fact', importance: 9, createdAt: 10, updatedAt: 20, lastRecalledAt: 5, anchors: [{ path: 'a.ts' }] },
        { kind: 'decision', importance: 5, createdAt: 20, updatedAt: 30, lastRecalledAt: 9 },
      );
      const ids = async (order: 'recent' | 'created' | 'importance' | 'kind' | 'file' | 'recalled'): Promise<(string | undefined)[]> =>
        (await store.listMemories({}, { limit: 9, offset: 0, order })).map((memory) => memory.id);
      expect(await ids('recent')).toEqual([c!.id, b!.id, a!.id]);
      expect(await ids('created')).toEqual([a!.id, c!.id, b!.id]);
      expect(await ids('importance')).toEqual([b!.id, c!.id, a!.id]);
      expect(await ids('kind')).toEqual([c!.id, b!.id, a!.id]);
      expect(await ids('file')).toEqual([b!.id, a!.id, c!.id]);
      expect(await ids('recalled')).toEqual([c!.id, b!.id, a!.id]);
    });

    it('count tags of active memories, most used first', async () => {
      const { store } = await make();
      await insertAll(store, { tags: ['x', 'y'] }, { tags: ['y'] }, { tags: ['z'], status: 'archived' });
      expect(await store.tags()).toEqual([{ tag: 'y', count: 2 }, { tag: 'x', count: 1 }]);
    });

    it('tell in info what the store holds', async () => {
      const { store } = await make();
      await insertAll(store, { kind: 'rule', importance: 4 }, { kind: 'rule', importance: 8 }, { status: 'archived' });
      const info = await store.info();
      expect(info).toMatchObject({ memories: 3, byStatus: { active: 2, archived: 1 }, byKind: [{ kind: 'rule', count: 2, meanImportance: 6 }], chunks: 3, chunksWithoutVector: 3, observationsWaiting: 0, readOnly: false });
      expect(info.epoch).toBe(await store.epoch());
      expect(info.sizeBytes).toBeGreaterThan(0);
    });
  });

  describe('filters', () => {
    const cases: readonly { readonly name: string; readonly filter: MemoryFilter; readonly passes: Partial<Memory>; readonly fails: Partial<Memory> }[] = [
      { name: 'kinds', filter: { kinds: ['rule', 'fact'] }, passes: { kind: 'fact' }, fails: { kind: 'identity' } },
      { name: 'tags, all of them', filter: { tags: ['a', 'b'] }, passes: { tags: ['b', 'c', 'a'] }, fails: { tags: ['a'] } },
      { name: 'statuses', filter: { statuses: ['active'] }, passes: {}, fails: { status: 'archived' } },
      { name: 'scope levels', filter: { scopeLevels: ['user', 'repository'] }, passes: {}, fails: { scope: { level: 'path', glob: '*' } } },
      { name: 'the branch that sees it', filter: { visibleOnBranch: 'fix' }, passes: { scope: { level: 'branch', branch: 'fix' } }, fails: { scope: { level: 'branch', branch: 'main' } } },
      { name: 'no branch at all', filter: { visibleOnBranch: null }, passes: {}, fails: { scope: { level: 'branch', branch: 'main' } } },
      { name: 'the branch it was made on', filter: { branch: 'fix' }, passes: { provenance: { via: 'cli', branch: 'fix' } }, fails: { provenance: { via: 'cli' } } },
      { name: 'a file', filter: { path: 'src/a.ts' }, passes: { anchors: [{ path: 'other' }, { path: 'src/a.ts' }] }, fails: { anchors: [{ path: 'src/a.tsx' }] } },
      { name: 'a folder', filter: { path: 'src/' }, passes: { anchors: [{ path: 'src/deep/a.ts' }] }, fails: { anchors: [{ path: 'src2/a.ts' }] } },
      { name: 'since', filter: { since: SAMPLE_TIME }, passes: {}, fails: { createdAt: SAMPLE_TIME - 1 } },
      { name: 'until', filter: { until: SAMPLE_TIME }, passes: {}, fails: { createdAt: SAMPLE_TIME + 1 } },
      { name: 'client', filter: { clientId: 'c' }, passes: { provenance: { via: 'cli', clientId: 'c' } }, fails: {} },
      { name: 'ways in', filter: { vias: ['import', 'mcp'] }, passes: { provenance: { via: 'mcp' } }, fails: {} },
      { name: 'session', filter: { sessionId: 's' }, passes: { provenance: { via: 'mcp', sessionId: 's' } }, fails: {} },
      { name: 'pinned', filter: { pinned: true }, passes: { pinned: true }, fails: {} },
      { name: 'not pinned', filter: { pinned: false }, passes: {}, fails: { pinned: true } },
      { name: 'trust', filter: { untrusted: false }, passes: {}, fails: { untrusted: true } },
      { name: 'expiry', filter: { notExpiredAt: SAMPLE_TIME }, passes: { expiresAt: SAMPLE_TIME + 1 }, fails: { expiresAt: SAMPLE_TIME } },
      { name: 'external id', filter: { externalId: 'x' }, passes: { externalId: 'x' }, fails: {} },
    ];
    it.each(cases)('by $name agree between list, search and passing', async ({ filter, passes, fails }) => {
      const { store } = await make();
      const [yes, no] = await insertAll(store, { text: 'quokka', ...passes }, { text: 'quokka', ...fails });
      expect((await store.listMemories(filter, { limit: 9, offset: 0, order: 'recent' })).map((memory) => memory.id)).toEqual([yes!.id]);
      expect((await store.searchText('quokka', filter, 9)).map((hit) => hit.memoryId)).toEqual([yes!.id]);
      expect(await store.passing([no!.id, yes!.id, sampleId()], filter)).toEqual(new Set([yes!.id]));
    });

    it('by ids, and all conditions together', async () => {
      const { store } = await make();
      const [a, b] = await insertAll(store, { pinned: true }, { pinned: true }, {});
      expect(await store.countMemories({ ids: [a!.id, b!.id], pinned: true, until: SAMPLE_TIME })).toBe(2);
      expect([await store.listMemories({ ids: [] }, { limit: 9, offset: 0, order: 'recent' }), await store.countMemories({ ids: [] })]).toEqual([[], 0]);
      expect([await store.listMemories({ kinds: [] }, { limit: 9, offset: 0, order: 'recent' }), await store.countMemories({ kinds: [] })]).toEqual([[], 0]);
    });

    it('pass a path search, nearest first', async () => {
      const { store } = await make();
      const [exact, below, beside, archived] = await insertAll(
        store,
        { anchors: [{ path: 'src/app/a.ts' }] }, { anchors: [{ path: 'src/app/a.ts/x' }] }, { anchors: [{ path: 'src/app/b.ts' }], importance: 9 }, { anchors: [{ path: 'src/app/a.ts' }], status: 'archived' },
        { anchors: [{ path: 'src/app/deep/c.ts' }] }, { anchors: [{ path: 'src/other.ts' }] },
      );
      expect(await store.searchPath('src/app/a.ts', { statuses: ['active'] }, 9)).toEqual([exact!.id, below!.id, beside!.id]);
      expect(await store.searchPath('src/app/a.ts', { statuses: ['archived'] }, 9)).toEqual([archived!.id]);
      expect(await store.searchPath('README.md', {}, 9)).toEqual([]);
      expect(await store.searchPath('src/app/a.ts', {}, 1)).toHaveLength(1);
    });
  });
}
