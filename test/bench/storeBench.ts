/**
 * What the store costs at 1,000, 10,000 and 100,000 memories: bulk insert, one acknowledged write, text search, lists,
 * epoch reads, opening, checks, purge. Prints a table for RESULTS.md.
 *
 *   node test/bench/storeBench.ts [sizes, comma-separated]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { createIdSource } from '../../src/base/ids.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Memory } from '../../src/engine/model/memory.ts';
import { openSqliteStore } from '../../src/engine/storage/sqlite/openStore.ts';
import type { SqliteMemoryStore } from '../../src/engine/storage/sqlite/sqliteMemoryStore.ts';
import { sampleMemory } from '../support/builders.ts';
import { createSeededRandom } from '../support/seededRandom.ts';
import { sampleChange } from '../support/storeSamples.ts';

const DIMENSIONS = 384;
const random = createSeededRandom(7);
const ids = createIdSource(systemClock, random);

/** Everyday words, each in a large part of all memories, and 20,000 rarer ones in a Zipf-like tail. */
const COMMON = ['use', 'the', 'build', 'test', 'project', 'file', 'always', 'run', 'config', 'service', 'api', 'error', 'user', 'data', 'code'];
const HAN = [...'数据库连接池最大值设为二十前端使用新的组件我们决定部署发布服务测试配置用户缓存接口错误日志'];

/** Pronounceable and spread over the alphabet, as words are. */
const rareWord = (i: number): string => ['ba', 'ko', 'mi', 'tu', 'ra', 'se', 'lo', 'pi', 'du', 'ne', 'ga', 'vo', 'fi', 'ju'].map((_, at, all) => (at < 3 ? (all[Math.floor(i / 14 ** at) % 14] ?? '') : '')).join('') + (['', 'x', 'nt', 'st', 'rk', 'lm', 'ff', 'sh'][Math.floor(i / 2744)] ?? '');

function words(count: number): string {
  return Array.from({ length: count }, () => {
    if (random() < 0.35) return COMMON[Math.floor(random() * COMMON.length)] ?? '';
    return rareWord(Math.floor(20_000 * random() ** 3));
  }).join(' ');
}

/** A word of its own for each memory. */
const nameOf = (i: number): string => `zq${[...String(i)].map((digit) => 'bdfgklmnpr'[Number(digit)] ?? '').join('')}`;

function makeMemory(i: number): Memory {
  const chinese = i % 10 === 0 ? ` ${Array.from({ length: 12 }, () => HAN[Math.floor(random() * HAN.length)] ?? '').join('')}` : '';
  return sampleMemory({ id: ids.next(), text: `${words(12 + Math.floor(random() * 30))}${chinese} ${nameOf(i)}`, tags: [`tag${i % 50}`], anchors: i % 3 === 0 ? [{ path: `src/m${i % 200}/file${i % 1000}.ts` }] : [], importance: 1 + (i % 10), updatedAt: 1e12 + i, createdAt: 1e12 + i });
}

async function insertMany(store: SqliteMemoryStore, from: number, to: number, vectors: boolean): Promise<void> {
  await store.write(async (writer) => {
    for (let i = from; i < to; i += 1) {
      const memory = makeMemory(i);
      await writer.insertMemory(memory, [memory.text], sampleChange({ changeId: ids.next(), actId: ids.next() }));
      if (!vectors) continue;
      const [chunk] = await writer.getChunks(memory.id);
      if (chunk !== undefined) await writer.putVectors('bench@1', [{ chunkId: chunk.chunkId, vector: Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5) }]);
    }
  });
}

/** Time of the processor spent by this process: what is left of a figure when the machine is busy with others. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

interface Timing {
  readonly cpu: number;
  readonly p50: number;
  readonly p95: number;
}

async function time(repeats: number, work: (i: number) => Promise<unknown>): Promise<Timing> {
  const times: number[] = [];
  const cpuAt = cpuMs();
  for (let i = 0; i < repeats; i += 1) {
    const start = performance.now();
    await work(i);
    times.push(performance.now() - start);
  }
  const cpu = (cpuMs() - cpuAt) / repeats;
  times.sort((a, b) => a - b);
  return { cpu, p50: times[Math.floor(repeats / 2)] ?? 0, p95: times[Math.min(repeats - 1, Math.floor(repeats * 0.95))] ?? 0 };
}

const ms = ({ cpu, p50, p95 }: Timing): string => `${cpu.toFixed(2)} (${p50.toFixed(1)} / ${p95.toFixed(1)})`;

async function once(work: () => Promise<unknown>): Promise<string> {
  const start = performance.now();
  const cpuAt = cpuMs();
  await work();
  return `${(cpuMs() - cpuAt).toFixed(0)} (${(performance.now() - start).toFixed(0)})`;
}

async function measure(size: number): Promise<Map<string, string>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-bench-'));
  const file = path.join(folder, 'memory.db');
  const open = (): Promise<SqliteMemoryStore> => openSqliteStore({ path: file, role: 'repository', clock: systemClock });
  const rows = new Map<string, string>();
  let store = await open();
  const bulkAt = performance.now();
  const bulkCpu = cpuMs();
  for (let from = 0; from < size; from += 1000) await insertMany(store, from, Math.min(size, from + 1000), true);
  rows.set('bulk insert with vectors, rows/s (writes of 1,000)', `${((size / (cpuMs() - bulkCpu)) * 1000).toFixed(0)} (${((size / (performance.now() - bulkAt)) * 1000).toFixed(0)})`);
  const active = { statuses: ['active'] as const };
  rows.set('one acknowledged insert, ms', ms(await time(60, (i) => insertMany(store, size + i, size + i + 1, false))));
  const queries: Record<string, readonly string[]> = {
    'search: one rare word': Array.from({ length: 60 }, (_, i) => nameOf((i * 97) % size)),
    'search: one common word': COMMON,
    'search: six common words': Array.from({ length: 20 }, (_, i) => Array.from({ length: 6 }, (_, j) => COMMON[(i + j * 2) % COMMON.length]).join(' ')),
    'search: question of 12 mixed words': Array.from({ length: 40 }, () => words(12)),
    'search: prompt of 60 words': Array.from({ length: 20 }, () => words(60)),
    'search: Chinese, 6 characters': Array.from({ length: 40 }, (_, i) => HAN.slice(i % 30, (i % 30) + 6).join('')),
    'search: Chinese, 1 character': HAN,
  };
  for (const [name, list] of Object.entries(queries)) {
    await store.searchText(list[0] ?? '', active, 20);
    rows.set(`${name}, ms`, ms(await time(list.length, (i) => store.searchText(list[i] ?? '', active, 20))));
  }
  rows.set('search with a filter that 2 % pass, ms', ms(await time(20, (i) => store.searchText(words(8), { ...active, tags: [`tag${i}`] }, 20))));
  rows.set('first page of 50 by recency, ms', ms(await time(30, () => store.listMemories(active, { limit: 50, offset: 0, order: 'recent' }))));
  rows.set('counting all that pass, ms', ms(await time(30, () => store.countMemories(active))));
  rows.set('page of 50 in the middle by importance, ms', ms(await time(10, () => store.listMemories(active, { limit: 50, offset: Math.floor(size / 2), order: 'importance' }))));
  rows.set('epoch + changedElsewhere, ms', ms(await time(300, async () => [await store.epoch(), await store.changedElsewhere()])));
  rows.set('getMemories of 20, ms', ms(await time(50, async () => store.getMemories((await store.searchText(words(3), active, 20)).map((hit) => hit.memoryId)))));
  rows.set('catch up on all vectors by vectorsSince (pages of 2,000), ms', await once(async () => {
    let cursor = { epoch: 0, chunkId: 0 };
    for (;;) {
      const page = await store.vectorsSince('bench@1', cursor.epoch, 2000, cursor.chunkId);
      const last = page.at(-1);
      if (last === undefined) return;
      cursor = last;
    }
  }));
  rows.set('info, ms', await once(() => store.info()));
  rows.set('backup, ms', await once(() => store.backup(path.join(folder, 'copy.db'))));
  rows.set('close, ms', await once(() => store.close()));
  rows.set('open after a clean close, ms', ms(await time(10, async () => (await open()).close())));
  rows.set('open + search 12 words + close, ms', ms(await time(10, async () => {
    const short = await open();
    await short.searchText(words(12), active, 20);
    await short.close();
  })));
  fs.utimesSync(file, new Date(), new Date());
  rows.set('open with the check of every page (file touched), ms', await once(async () => (await open()).close()));
  rows.set('file, MB', (fs.statSync(file).size / 1e6).toFixed(1));
  store = await open();
  const [victim] = await store.searchText(nameOf(5), {}, 1);
  rows.set('purge of one memory, ms', await once(() => store.write((writer) => writer.purgeMemory(victim?.memoryId ?? '', 'purged', 1))));
  rows.set('vacuum after it, ms', await once(() => store.vacuum()));
  rows.set('purge of everything with vacuum, ms', await once(() => store.purgeAll()));
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
  return rows;
}

const sizes = (process.argv[2] ?? '1000,10000,100000').split(',').map(Number);
const columns: Map<string, string>[] = [];
for (const size of sizes) {
  columns.push(await measure(size));
  console.error(`${size} done`, Object.fromEntries(columns.at(-1) ?? []));
}
const [cpu] = os.cpus();
console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${os.cpus().length} x ${cpu?.model ?? ''}, load ${os.loadavg()[0]?.toFixed(1) ?? ''}\n`);
console.log('Processor time per operation; in brackets by the clock, p50 / p95 where there are two.\n');
console.log(`| | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |`);
console.log(`|---|${sizes.map(() => '---|').join('')}`);
for (const name of columns[0]?.keys() ?? []) console.log(`| ${name} | ${columns.map((column) => column.get(name) ?? '').join(' | ')} |`);
