/**
 * MemoryStore's contract, part: episodes, turns, inbox, profile, relations, and what Cairn notes about its own work.
 */
import { describe, expect, it } from 'vitest';
import type { Episode, Turn } from '../../src/engine/model/episode.ts';
import type { Observation } from '../../src/engine/model/observation.ts';
import type { InjectionReceipt, Job, SpendEntry } from '../../src/engine/storage/memoryStore.ts';
import { SAMPLE_TIME, sampleId } from '../support/builders.ts';
import { insertAll } from '../support/storeSamples.ts';
import type { MakeStore } from './memoryStore.contract.ts';

const turn = (changes: Partial<Turn> = {}): Turn => ({ sessionId: 's1', messageId: 'm1', blockIndex: 0, speaker: 'user', text: 'from now on use pnpm', at: SAMPLE_TIME, sidechain: false, ...changes });

const observation = (changes: Partial<Observation> = {}): Observation => ({
  id: sampleId(), text: 'Use pnpm.', kind: 'rule', importance: 7, confidence: 0.8, tags: [], scope: { level: 'repository' }, anchors: [], provenance: { via: 'transcript', sessionId: 's1', rule: 'from-now-on' },
  untrusted: false, suspicious: false, outcome: { verb: 'add' }, why: 'Nothing like it is stored.', state: 'waiting', createdAt: SAMPLE_TIME, ...changes,
});

export function describeRecords(make: MakeStore): void {
  describe('episodes and turns', () => {
    it('keep one episode per session, the latest knowledge of it', async () => {
      const { store } = await make();
      const first: Episode = { id: sampleId(), sessionId: 's1', startedAt: SAMPLE_TIME };
      const full: Episode = { ...first, transcriptPath: '/t.jsonl', cwd: '/r', branch: 'main', endedAt: SAMPLE_TIME + 9, title: 'Fix it', clientVersion: '2.1' };
      const other: Episode = { id: sampleId(), sessionId: 's2', startedAt: SAMPLE_TIME + 1 };
      for (const episode of [first, other, full]) await store.write((writer) => writer.putEpisode(episode));
      expect(await store.getEpisode('s1')).toEqual(full);
      expect(await store.getEpisode('s3')).toBeUndefined();
      expect((await store.listEpisodes({ limit: 5, offset: 0 })).map((episode) => episode.sessionId)).toEqual(['s2', 's1']);
      expect(await store.listEpisodes({ limit: 5, offset: 1 })).toEqual([full]);
    });

    it('take each turn once, whoever delivers it', async () => {
      const { store } = await make();
      const tool = turn({ messageId: 'm2', speaker: 'tool', toolName: 'Read', paths: ['a.ts'], sidechain: true });
      expect(await store.write((writer) => writer.putTurns([turn(), turn({ blockIndex: 1 }), tool]))).toBe(3);
      expect(await store.write((writer) => writer.putTurns([turn({ text: 'changed' }), turn({ sessionId: 's2' })]))).toBe(1);
      const turns = await store.getTurns('s1');
      expect(turns.map(({ sequence: _, ...rest }) => rest)).toEqual([turn(), turn({ blockIndex: 1 }), tool].map((each) => ({ ...each, extracted: false })));
      const [first, second] = turns;
      await store.write((writer) => writer.markTurnsExtracted('s1', second!.sequence));
      expect((await store.getTurns('s1')).map((each) => each.extracted)).toEqual([true, true, false]);
      expect((await store.getTurns('s2')).map((each) => each.extracted)).toEqual([false]);
      expect((await store.getTurns('s1', { afterSequence: first!.sequence, limit: 1 })).map((each) => each.sequence)).toEqual([second!.sequence]);
    });

    it('do not raise the epoch when nothing was new', async () => {
      const { store } = await make();
      await store.write((writer) => writer.putTurns([turn()]));
      const epoch = await store.epoch();
      await store.write((writer) => writer.putTurns([turn()]));
      expect(await store.epoch()).toBe(epoch);
    });
  });

  describe('observations', () => {
    it('come back whole and can be replaced', async () => {
      const { store } = await make();
      const full = observation({
        tags: ['a'], scope: { level: 'branch', branch: 'x' }, expiresAt: SAMPLE_TIME, anchors: [{ path: 'a.ts', startLine: 1 }], outcome: { verb: 'supersede', targetId: sampleId() }, state: 'accepted', decidedAt: SAMPLE_TIME, memoryId: sampleId(), untrusted: true, suspicious: true,
      });
      await store.write((writer) => writer.putObservation(full));
      expect(await store.getObservation(full.id)).toEqual(full);
      const waiting = { ...full, state: 'waiting', outcome: { verb: 'add' } } as const;
      await store.write((writer) => writer.putObservation(waiting));
      expect(await store.getObservation(full.id)).toEqual(waiting);
      expect(await store.getObservation(sampleId())).toBeUndefined();
    });

    it('are listed newest first by state, session, rule and id', async () => {
      const { store } = await make();
      const [a, b, c] = [observation(), observation({ provenance: { via: 'transcript', sessionId: 's2' }, createdAt: SAMPLE_TIME + 1 }), observation({ state: 'rejected' })];
      for (const each of [a, b, c]) await store.write((writer) => writer.putObservation(each));
      const ids = async (filter: Parameters<typeof store.listObservations>[0]): Promise<string[]> => (await store.listObservations(filter, { limit: 9, offset: 0 })).observations.map((each) => each.id);
      expect(await ids({})).toEqual([b.id, c.id, a.id]);
      expect(await ids({ states: ['waiting'] })).toEqual([b.id, a.id]);
      expect(await ids({ sessionId: 's1', rule: 'from-now-on' })).toEqual([c.id, a.id]);
      expect(await ids({ ids: [a.id, sampleId()] })).toEqual([a.id]);
      expect(await store.listObservations({ states: ['waiting'] }, { limit: 1, offset: 1 })).toEqual({ observations: [a], total: 2 });
      expect((await store.info()).observationsWaiting).toBe(2);
    });

    it('remember a rejected text until the rejection is taken back', async () => {
      const { store } = await make();
      const rejected = observation({ text: '- Use  PNPM.', state: 'rejected', rejectReason: 'not_lasting', decidedAt: SAMPLE_TIME });
      expect(await store.wasRejected('use pnpm')).toBe(false);
      await store.write((writer) => writer.putObservation(rejected));
      expect(await store.wasRejected('use pnpm')).toBe(true);
      await store.write((writer) => writer.putObservation({ ...rejected, state: 'waiting' }));
      expect(await store.wasRejected('use pnpm')).toBe(false);
    });

    it('go with the memory that was purged, and the turn it came from loses its words', async () => {
      const { store } = await make();
      await store.write((writer) => writer.putTurns([turn(), turn({ messageId: 'm2' })]));
      const [memory] = await insertAll(store, { provenance: { via: 'transcript', sessionId: 's1', turnKey: 'm1:0' } });
      const accepted = observation({ state: 'accepted', memoryId: memory!.id });
      await store.write((writer) => writer.putObservation(accepted));
      await store.write((writer) => writer.purgeMemory(memory!.id, 'purged', SAMPLE_TIME));
      expect(await store.getObservation(accepted.id)).toBeUndefined();
      expect((await store.getTurns('s1')).map((each) => each.text)).toEqual(['', 'from now on use pnpm']);
      expect(await store.write((writer) => writer.putTurns([turn()]))).toBe(0);
    });
  });

  describe('profile and relations', () => {
    it('keep one value per key', async () => {
      const { store } = await make();
      const value = { key: 'python.formatter', value: 'ruff', confidence: 0.9, memoryIds: [sampleId()], updatedAt: SAMPLE_TIME, edited: false };
      await store.write((writer) => writer.putProfileValue({ ...value, value: 'black' }));
      await store.write(async (writer) => {
        await writer.putProfileValue(value);
        await writer.putProfileValue({ ...value, key: 'editor', edited: true });
      });
      expect(await store.profile()).toEqual([{ ...value, key: 'editor', edited: true }, value]);
      await store.write((writer) => writer.removeProfileValue('editor'));
      expect(await store.profile()).toEqual([value]);
    });

    it('find relations from both ends, whatever the case, and by memory', async () => {
      const { store } = await make();
      const memoryId = sampleId();
      const [uses, owns] = [
        { id: sampleId(), subject: 'Checkout', predicate: 'uses', object: 'PostgreSQL', memoryId, createdAt: SAMPLE_TIME },
        { id: sampleId(), subject: 'Wei', predicate: 'owns', object: 'checkout', createdAt: SAMPLE_TIME },
      ];
      for (const relation of [uses, owns]) await store.write((writer) => writer.putRelation(relation));
      expect(await store.relations({ entity: 'CHECKOUT' }, 9)).toEqual([owns, uses]);
      expect(await store.relations({ entity: 'postgresql' }, 9)).toEqual([uses]);
      expect(await store.relations({ memoryId }, 9)).toEqual([uses]);
      expect(await store.relations({}, 1)).toEqual([owns]);
      expect((await store.entities('che', 9)).map((entity) => entity.relations)).toEqual([2]);
      expect((await store.entities('', 9)).map((entity) => entity.name.toLowerCase())).toEqual(['checkout', 'postgresql', 'wei']);
      await store.write((writer) => writer.removeRelationsOf(memoryId));
      expect(await store.relations({}, 9)).toEqual([owns]);
    });
  });

  describe('records of own work', () => {
    it('keep receipts by session and by memory, newest first', async () => {
      const { store } = await make();
      const memoryId = sampleId();
      const receipt = (changes: Partial<InjectionReceipt> = {}): InjectionReceipt => ({ id: sampleId(), sessionId: 's1', at: SAMPLE_TIME, moment: 'prompt', about: 'fix the build', tokens: 40, items: [], compaction: 0, ...changes });
      const [a, b, c] = [receipt({ items: [{ memoryId, store: 'repository', tokens: 12, why: 'rank 1' }, { memoryId: sampleId(), store: 'user', tokens: 3, why: 'pinned' }] }), receipt({ compaction: 1 }), receipt({ sessionId: 's2', items: [{ memoryId, store: 'user', tokens: 1, why: '' }] })];
      for (const each of [a, b, c, a]) await store.write((writer) => writer.putReceipt(each));
      expect(await store.receipts({ sessionId: 's1' }, { limit: 9, offset: 0 })).toEqual([b, a]);
      expect(await store.receipts({ memoryId }, { limit: 9, offset: 0 })).toEqual([c, a]);
      expect(await store.receipts({ memoryId, sessionId: 's1' }, { limit: 9, offset: 0 })).toEqual([a]);
      expect(await store.receipts({}, { limit: 1, offset: 1 })).toEqual([b]);
    });

    it('add up spend by day, an entry counted once', async () => {
      const { store } = await make();
      const entry = (changes: Partial<SpendEntry> = {}): SpendEntry => ({ id: sampleId(), at: SAMPLE_TIME, day: '2026-03-01', provider: 'anthropic', model: 'm', purpose: 'extract', inputTokens: 10, outputTokens: 2, ...changes });
      const [a, b] = [entry({ microUsd: 500 }), entry({ day: '2026-03-02', at: SAMPLE_TIME + 1 })];
      for (const each of [{ ...a, microUsd: 900 }, a, b]) await store.write((writer) => writer.putSpend(each));
      expect(await store.spend({})).toEqual([a, b]);
      expect(await store.spend({ day: '2026-03-01' })).toEqual([a]);
      expect(await store.spend({ since: SAMPLE_TIME + 1 })).toEqual([b]);
    });

    it('follow a job from waiting to its end', async () => {
      const { store } = await make();
      const job: Job = { id: sampleId(), purpose: 'extract', state: 'waiting', createdAt: SAMPLE_TIME, attempts: 0 };
      const done: Job = { ...job, state: 'done', sessionId: 's1', startedAt: 1, endedAt: 2, attempts: 1, notBefore: 3, tokens: 4, microUsd: 5, detail: { turns: 6 }, error: 'none' };
      const other: Job = { ...job, id: sampleId(), purpose: 'embed', createdAt: SAMPLE_TIME + 1 };
      for (const each of [job, other, done]) await store.write((writer) => writer.putJob(each));
      expect(await store.jobs({}, 9)).toEqual([other, done]);
      expect(await store.jobs({ states: ['waiting'] }, 9)).toEqual([other]);
      expect(await store.jobs({ purpose: 'extract', sessionId: 's1' }, 9)).toEqual([done]);
      expect(await store.jobs({ states: [] }, 9)).toEqual([]);
    });

    it('bound the audit log to its newest 10,000', async () => {
      const { store } = await make();
      await store.write(async (writer) => {
        for (let i = 0; i < 10_005; i += 1) await writer.putAudit({ at: i, surface: 'mcp', verb: 'recall', memoryIds: i % 2 === 0 ? [] : ['x'], ...(i === 10_004 ? { clientId: 'c', sessionId: 's' } : {}) });
      });
      const entries = await store.audit(20_000);
      expect(entries).toHaveLength(10_000);
      expect(entries[0]).toEqual({ at: 10_004, surface: 'mcp', verb: 'recall', memoryIds: [], clientId: 'c', sessionId: 's' });
      expect(entries.at(-1)?.at).toBe(5);
    });

    it('write a version of a prompt template once', async () => {
      const { store } = await make();
      const template = { id: 'extract', version: 1, sha256: 'ab', body: 'Say what lasts.', createdAt: SAMPLE_TIME };
      await store.write(async (writer) => {
        await writer.putPromptTemplate(template);
        await writer.putPromptTemplate({ ...template, body: 'other' });
        await writer.putPromptTemplate({ ...template, version: 2 });
      });
      expect(await store.promptTemplates()).toEqual([template, { ...template, version: 2 }]);
    });

    it('keep small named values, and forget them', async () => {
      const { store } = await make();
      await store.write((writer) => writer.setMeta('cursor', '12'));
      expect(await store.getMeta('cursor')).toBe('12');
      await store.write((writer) => writer.setMeta('cursor', undefined));
      expect(await store.getMeta('cursor')).toBeUndefined();
    });
  });
}
