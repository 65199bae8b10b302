/**
 * What a recall costs, warm: node test/bench/recallBench.ts 1000,10000
 *
 * The product's recall on a real store beside the parts it is made of (full-text search alone,
 * vector index alone, the model alone) and beside its limits: plain FTS5 over the same words, the
 * raw scan. Statements of 12 to 42 words, random vectors of the length that the bundled pair gives;
 * with CAIRN_BENCH_MODEL=bundled that pair also embeds every question. Processor milliseconds a call; p50 / p95 by the clock in brackets.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { createIdSource } from '../../src/base/ids.ts';
import { openPairedEmbedder } from '../../src/engine/embedding/bundled/pairedEmbedder.ts';
import type { Embedder } from '../../src/engine/embedding/embedder.ts';
import { createRecall } from '../../src/engine/retrieval/recall.ts';
import { openSqliteStore } from '../../src/engine/storage/sqlite/openStore.ts';
import { createExactIndex } from '../../src/engine/vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from '../../src/engine/vectorIndex/hnsw/hnswIndex.ts';
import { openIndexKeeper } from '../../src/engine/vectorIndex/indexKeeper.ts';
import { sampleMemory } from '../support/builders.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { createSeededRandom } from '../support/seededRandom.ts';
import { sampleChange } from '../support/storeSamples.ts';
import { vectorMaker } from '../support/vectors.ts';

const sizes = (process.argv[2] ?? '1000,10000').split(',').map(Number);
const print = (line: string): void => { process.stdout.write(`${line}\n`); };
const random = createSeededRandom(11);
const clock = new FakeClock();
const ids = createIdSource(clock, random);
const COMMON = ['use', 'the', 'build', 'test', 'project', 'file', 'always', 'run', 'config', 'service', 'api', 'error', 'user', 'data', 'code'];
const SYLLABLES = ['ba', 'ko', 'mi', 'tu', 'ra', 'se', 'lo', 'pi', 'du', 'ne', 'ga', 'vo', 'fi', 'ju'];
const rare = (i: number): string => [0, 1, 2].map((at) => SYLLABLES[Math.floor(i / 14 ** at) % 14] ?? '').join('');
const words = (count: number): string => Array.from({ length: count }, () => (random() < 0.35 ? (COMMON[Math.floor(random() * COMMON.length)] ?? '') : rare(Math.floor(2_700 * random() ** 2)))).join(' ');

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

async function timed(count: number, work: (i: number) => unknown): Promise<string> {
  for (let i = 0; i < 5; i += 1) await work(i);
  const times: number[] = [];
  const before = cpuMs();
  for (let i = 0; i < count; i += 1) {
    const start = performance.now();
    await work(i);
    times.push(performance.now() - start);
  }
  const each = (cpuMs() - before) / count;
  times.sort((a, b) => a - b);
  return `${each.toFixed(2)} (${(times[Math.floor(count / 2)] ?? 0).toFixed(1)} / ${(times[Math.floor(count * 0.95)] ?? 0).toFixed(1)})`;
}

const modelFolder = (name: string): string => fileURLToPath(new URL(`../../media/models/${name}`, import.meta.url));
const model: Embedder | undefined = process.env.CAIRN_BENCH_MODEL === 'bundled' ? await openPairedEmbedder({ englishFolder: modelFolder('all-minilm-l6-v2'), multilingualFolder: modelFolder('use-multilingual') }) : undefined;
const DIMENSIONS = 896;

for (const size of sizes) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-bench-'));
  const store = await openSqliteStore({ path: path.join(folder, 'memory.db'), role: 'repository', clock });
  const next = vectorMaker({ dimensions: DIMENSIONS, seed: size });
  const texts: string[] = [];
  for (let from = 0; from < size; from += 1_000) {
    await store.write(async (writer) => {
      for (let i = from; i < Math.min(size, from + 1_000); i += 1) {
        const text = words(12 + Math.floor(random() * 30));
        texts.push(text);
        const memory = sampleMemory({ id: ids.next(), text, updatedAt: 1e12 + i, createdAt: 1e12 + i, validFrom: 1e12 + i });
        await writer.insertMemory(memory, [text], sampleChange({ changeId: ids.next(), actId: ids.next() }));
        const [chunk] = await writer.getChunks(memory.id);
        if (chunk !== undefined) await writer.putVectors('bench@1', [{ chunkId: chunk.chunkId, vector: next() }]);
      }
    });
  }
  const keeper = await openIndexKeeper({ store, embeddingVersion: 'bench@1', dimensions: DIMENSIONS, mode: 'exact', createExact: createExactIndex, createHnsw: createHnswIndex });
  const embedQuery = async (text: string): Promise<Float32Array> => (model === undefined ? next() : ((await model.embed([text], { role: 'query' }))[0] ?? next()));
  const recall = createRecall({ stores: [{ role: 'repository', store, keeper: () => keeper }], embedder: { state: () => 'ready', embedQuery }, clock, settings: () => ({ threshold: 0.3, limit: 20, isolateBranches: false }) });
  const questions = Array.from({ length: 60 }, () => words(4 + Math.floor(random() * 10)));
  const question = (i: number): string => questions[i % questions.length] ?? '';
  const vectors = questions.map(() => next());
  const plain = new DatabaseSync(':memory:');
  plain.exec('CREATE VIRTUAL TABLE t USING fts5(x)');
  const insert = plain.prepare('INSERT INTO t(x) VALUES (?)');
  plain.exec('BEGIN');
  for (const text of texts) insert.run(text);
  plain.exec('COMMIT');
  const find = plain.prepare('SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10');
  print(`\n### ${size} memories\n\n| what | processor ms (clock: p50 / p95) |\n| --- | --- |`);
  print(`| recall, hybrid, 10 results | ${await timed(100, (i) => recall({ query: question(i), limit: 10, countUse: false }))} |`);
  print(`| recall, hybrid, counting use (one write) | ${await timed(60, (i) => recall({ query: question(i), limit: 10 }))} |`);
  print(`| recall, keyword | ${await timed(100, (i) => recall({ query: question(i), mode: 'keyword', limit: 10, countUse: false }))} |`);
  print(`| recall, semantic | ${await timed(100, (i) => recall({ query: question(i), mode: 'semantic', limit: 10, countUse: false }))} |`);
  print(`| recall, nothing asked: the newest 20 | ${await timed(100, () => recall({ countUse: false }))} |`);
  print(`| part: full-text search of 60 | ${await timed(100, (i) => store.searchText(question(i), { statuses: ['active'] }, 60))} |`);
  print(`| part: vector index of 180 | ${await timed(100, (i) => keeper.search(vectors[i % vectors.length] ?? next(), 180))} |`);
  if (model !== undefined) print(`| part: the model, one question | ${await timed(100, (i) => embedQuery(question(i)))} |`);
  print(`| peer: plain FTS5, OR of the words, bm25 | ${await timed(100, (i) => find.all(question(i).split(' ').map((word) => `"${word}"`).join(' OR ')))} |`);
  plain.close();
  await keeper.close({ save: false });
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
}
await model?.close();
