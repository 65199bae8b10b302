/**
 * MemoryStore's contract, part: full-text search. What counts as a word is the tokenizer's matter and tested there;
 * here: any text is a query, and better matches come first.
 */
import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME } from '../support/builders.ts';
import { insertAll, reviseOne } from '../support/storeSamples.ts';
import type { MakeStore } from './memoryStore.contract.ts';

export function describeSearch(make: MakeStore): void {
  describe('text search', () => {
    /** Texts found, best first. */
    async function finder(...texts: readonly string[]): Promise<(query: string, limit?: number) => Promise<string[]>> {
      const { store } = await make();
      const memories = await insertAll(store, ...texts.map((text) => ({ text })));
      const textOf = new Map(memories.map((memory) => [memory.id, memory.text]));
      return async (query, limit = 10) => (await store.searchText(query, {}, limit)).map((hit) => textOf.get(hit.memoryId) ?? '');
    }

    it('reads operators and punctuation as words and never as syntax', async () => {
      const find = await finder('DO NOT USE FIND / on this machine, it hangs the NAS', 'transcripts are kept in ~/Downloads/transcripts', 'do not use sub-agents for migrations', 'grammar::fa simplify before minimise');
      expect((await find('DO NOT USE FIND /'))[0]).toMatch(/^DO NOT USE FIND/);
      expect((await find('Downloads/transcripts'))[0]).toMatch(/^transcripts/);
      expect((await find("don't use agents")).slice(0, 3)).toContain('do not use sub-agents for migrations');
      expect((await find('grammar::fa'))[0]).toMatch(/^grammar/);
      for (const query of ['"', "'", '*', '(', 'a" OR "b', 'NEAR(build, 2)', 'text:build', '{text tags} : x', '^build', 'a AND', 'NOT', '-x', '\u0000', '\uD800', 'x'.repeat(20_000), '?1', ';--', '%_', '']) {
        await expect(find(query)).resolves.toBeInstanceOf(Array);
      }
    });

    it('finds signs that are no words, and nothing for a mark that is everywhere', async () => {
      const find = await finder('prefer a ?? b to a || b', 'arrow functions: x => y', 'pipes go → right', 'What port? 8080. Really!');
      expect(await find('??')).toEqual(['prefer a ?? b to a || b']);
      expect(await find('=>')).toEqual(['arrow functions: x => y']);
      expect(await find('?? ||')).toEqual(['prefer a ?? b to a || b']);
      expect(await find('→')).toEqual(['pipes go → right']);
      expect(await find('⇒')).toEqual([]);
      for (const everyday of ['?', '.', '!', '？', '。']) expect(await find(everyday), everyday).toEqual([]);
    });

    it('tells C++, C#, .NET and node.js apart', async () => {
      const find = await finder('C++ build uses CMake presets', 'C# analyzers are errors', 'target .NET 8', 'node.js 20 only', 'C is not used');
      expect((await find('C++'))[0]).toMatch(/^C\+\+/);
      expect((await find('C#'))[0]).toMatch(/^C#/);
      expect((await find('.NET'))[0]).toMatch(/^target/);
      expect((await find('node.js'))[0]).toMatch(/^node/);
    });

    it('puts the exact word above texts full of words that begin alike', async () => {
      const find = await finder('redis alpha holds the session cache', 'redistool redisproxy redisgate redisplay');
      expect(await find('redis')).toEqual(['redis alpha holds the session cache', 'redistool redisproxy redisgate redisplay']);
    });

    it('finds Chinese by one, two and more characters, and other scripts by their words', async () => {
      const find = await finder('数据库连接池最大值设为二十', '步骤2 重跑gen-report后50条悬空记录清零', '前端使用的是新的组件库', 'תִּקּוּן הבאג בשרת', 'مُحَمَّد مسؤول عن النشر', '배포 전에 스테이징 확인', 'Ротация паролей раз в квартал', 'สำรองข้อมูลทุกคืน');
      for (const query of ['连接', '连接池', '数据库的连接池最大多少']) expect((await find(query))[0]).toMatch(/^数据库/);
      for (const query of ['report', 'gen-report', '悬空', '清零']) expect((await find(query))[0]).toMatch(/^步骤/);
      expect((await find('池'))[0]).toMatch(/^数据库/);
      expect((await find('תקון'))[0]).toMatch(/הבאג/);
      expect((await find('محمد'))[0]).toMatch(/مسؤول/);
      expect((await find('배포'))[0]).toMatch(/^배포/);
      expect((await find('паролей'))[0]).toMatch(/^Ротация/);
      expect((await find('ข้อมูล'))[0]).toMatch(/^สำรอง/);
    });

    it('ranks more of the words above fewer, and says how many were found', async () => {
      const { store } = await make();
      const [both, one] = await insertAll(store, { text: 'kafka consumer lag is alerted' }, { text: 'kafka kafka kafka' }, { text: 'nothing of it' });
      const hits = await store.searchText('kafka lag', {}, 10);
      expect(hits.map((hit) => hit.memoryId)).toEqual([both!.id, one!.id]);
      expect(hits.map((hit) => hit.rank)).toEqual([1, 2]);
      // A word weighs as much as it is rare: the one that both hold weighs less than half.
      expect(hits[0]!.coverage).toBe(1);
      expect(hits[1]!.coverage).toBeGreaterThan(0);
      expect(hits[1]!.coverage).toBeLessThan(0.5);
      expect(hits[0]!.bm25).toBeLessThan(hits[1]!.bm25);
    });

    it('judges a long text by the passage that holds the words together, not by how many it holds somewhere', async () => {
      const { store } = await make();
      const filler = (words: number): string => Array.from({ length: words }, (_, i) => `page${i % 97}`).join(' ');
      const scattered = `kafka kafka ${filler(300)} consumer consumer ${filler(300)} lag lag lag ${filler(300)}`;
      const [long, together, short] = await insertAll(store, { text: scattered }, { text: `${filler(700)} an alert for lag of one kafka consumer ${filler(200)}` }, { text: 'kafka consumer' });
      const hits = await store.searchText('kafka consumer lag', {}, 10);
      const at = (id: string): (typeof hits)[number] => hits.find((hit) => hit.memoryId === id)!;
      expect(at(together!.id).rank).toBeLessThan(at(long!.id).rank);
      expect(at(together!.id).coverage).toBe(1);
      expect(at(together!.id).passage).toBeGreaterThan(at(long!.id).passage!);
      expect(at(short!.id).passage).toBeUndefined();
    });

    it('reads tags, anchored paths, symbols and the quote as well', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, { text: 'keep it', tags: ['wombat'], anchors: [{ path: 'src/numbatService.ts', symbol: 'openBilby' }], provenance: { via: 'cli', quote: 'never touch the potoroo' } }, {});
      for (const query of ['wombat', 'numbatService', 'bilby', 'potoroo']) expect((await store.searchText(query, {}, 5)).map((hit) => hit.memoryId)).toEqual([memory!.id]);
    });

    it('follows edits at once', async () => {
      const { store } = await make();
      const [memory] = await insertAll(store, { text: 'the wombat rule' });
      await reviseOne(store, memory!, { text: 'the numbat rule' });
      expect(await store.searchText('wombat', {}, 5)).toEqual([]);
      expect((await store.searchText('numbat', {}, 5)).map((hit) => hit.memoryId)).toEqual([memory!.id]);
    });

    it('fills the limit with memories that pass, however many better ones do not', async () => {
      const { store } = await make();
      await insertAll(store, ...Array.from({ length: 30 }, () => ({ text: 'quokka quokka', status: 'archived' as const })), ...Array.from({ length: 5 }, (_, i) => ({ text: `a quokka among many other words ${i}` })));
      const hits = await store.searchText('quokka', { statuses: ['active'] }, 3);
      expect(hits.map((hit) => hit.rank)).toEqual([1, 2, 3]);
      expect(await store.searchText('quokka', { since: SAMPLE_TIME + 1 }, 3)).toEqual([]);
    });

    it('gives equal answers when asked again', async () => {
      const { store } = await make();
      await insertAll(store, ...Array.from({ length: 40 }, (_, i) => ({ text: `deploy step ${i % 7} of service ${i % 5}` })));
      expect(await store.searchText('deploy service 3', {}, 20)).toEqual(await store.searchText('deploy service 3', {}, 20));
    });
  });
}
