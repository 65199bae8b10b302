/**
 * What the vector indexes cost: node test/bench/vectorIndexBench.ts 1000,10000,20000
 *
 * Exact scan (WebAssembly kernel, and plain typed arrays) beside HNSW as the product uses it and
 * beside hnswlib-node raw, in the same run; build, save, load, and recall@10 of HNSW against
 * exact; then the keeper, and its catching up after another process wrote. Clustered vectors of
 * 384 dimensions. Graphs are built up to CAIRN_BENCH_HNSW_MAX vectors (default 20,000: minutes beyond).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import hnswlib from 'hnswlib-node';
import { createExactIndex } from '../../src/engine/vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from '../../src/engine/vectorIndex/hnsw/hnswIndex.ts';
import { openIndexKeeper } from '../../src/engine/vectorIndex/indexKeeper.ts';
import { VectorRows } from '../support/vectorRows.ts';
import { vectorMaker } from '../support/vectors.ts';

const DIMENSIONS = 384;
const QUESTIONS = 100;
const hnswMax = Number(process.env.CAIRN_BENCH_HNSW_MAX ?? 20_000);
const sizes = (process.argv[2] ?? '1000,10000,20000').split(',').map(Number);
const print = (line: string): void => { process.stdout.write(`${line}\n`); };

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Processor time per call, with p50 and p95 by the clock. */
async function timed(count: number, work: (i: number) => unknown): Promise<string> {
  const clock: number[] = [];
  const before = cpuMs();
  for (let i = 0; i < count; i += 1) {
    const start = performance.now();
    await work(i);
    clock.push(performance.now() - start);
  }
  const each = (cpuMs() - before) / count;
  clock.sort((a, b) => a - b);
  const at = (share: number): string => (clock[Math.floor(share * clock.length)] ?? 0).toFixed(2);
  return `${each.toFixed(3)} (${at(0.5)} / ${at(0.95)})`;
}

async function once(work: () => unknown): Promise<string> {
  const start = performance.now();
  const before = cpuMs();
  await work();
  return `${(cpuMs() - before).toFixed(0)} (${(performance.now() - start).toFixed(0)})`;
}

for (const size of sizes) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-bench-'));
  const next = vectorMaker({ dimensions: DIMENSIONS, seed: size });
  const rows = Array.from({ length: size }, (_, i) => ({ chunkId: i + 1, vector: next() }));
  const questions = Array.from({ length: QUESTIONS }, next);
  const question = (i: number): Float32Array => questions[i % QUESTIONS] ?? next();
  print(`\n### ${size} vectors\n`);
  print('| what | processor ms (clock: p50 / p95, or whole) |\n| --- | --- |');

  const exact = await createExactIndex({ dimensions: DIMENSIONS });
  const plain = await createExactIndex({ dimensions: DIMENSIONS, kernel: false });
  print(`| exact: build | ${await once(() => exact.upsert(rows))} |`);
  plain.upsert(rows);
  print(`| exact, SIMD kernel with float rescore: search of 10 | ${await timed(300, (i) => exact.search(question(i), 10))} |`);
  print(`| exact, SIMD kernel: search of 180 | ${await timed(100, (i) => exact.search(question(i), 180))} |`);
  print(`| exact, plain typed arrays: search of 10 | ${await timed(60, (i) => plain.search(question(i), 10))} |`);
  print(`| exact: save | ${await once(() => exact.save(path.join(folder, 'exact')))} |`);
  print(`| exact: load | ${await once(() => createExactIndex({ dimensions: DIMENSIONS, path: path.join(folder, 'exact') }))} |`);

  if (size <= hnswMax) {
    const hnsw = await createHnswIndex({ dimensions: DIMENSIONS, capacity: size });
    print(`| HNSW: build | ${await once(() => hnsw.upsert(rows))} |`);
    print(`| HNSW: search of 10 | ${await timed(300, (i) => hnsw.search(question(i), 10))} |`);
    print(`| HNSW: search of 180 | ${await timed(100, (i) => hnsw.search(question(i), 180))} |`);
    print(`| HNSW: save | ${await once(() => hnsw.save(path.join(folder, 'hnsw')))} |`);
    print(`| HNSW: load | ${await once(() => createHnswIndex({ dimensions: DIMENSIONS, path: path.join(folder, 'hnsw') }))} |`);
    let found = 0;
    for (const each of questions) {
      const truth = new Set(exact.search(each, 10).map((hit) => hit.chunkId));
      found += hnsw.search(each, 10).filter((hit) => truth.has(hit.chunkId)).length;
    }
    print(`| HNSW: recallAtK, k = 10, against exact | ${(found / QUESTIONS / 10).toFixed(4)} |`);
    const raw = new hnswlib.HierarchicalNSW('ip', DIMENSIONS);
    raw.initIndex(size, 16, 100, 100);
    for (const row of rows) raw.addPoint(Array.from(row.vector), row.chunkId);
    raw.setEf(100);
    const plainQuestions = questions.map((each) => Array.from(each));
    print(`| peer: hnswlib-node raw, ef 100, search of 10 | ${await timed(300, (i) => raw.searchKnn(plainQuestions[i % QUESTIONS] ?? [], 10))} |`);
    hnsw.close();
  }

  const store = new VectorRows();
  store.put(rows);
  const keeper = await openIndexKeeper({ store, embeddingVersion: 'bench', dimensions: DIMENSIONS, mode: 'exact', createExact: createExactIndex, createHnsw: createHnswIndex });
  print(`| keeper, exact: search of 10, level with the rows | ${await timed(100, (i) => keeper.search(question(i), 10))} |`);
  for (const written of [1, 100, 10_000]) {
    const added = Array.from({ length: written }, (_, i) => ({ chunkId: 10_000_000 + written * 10 + i, vector: next() }));
    store.put(added);
    print(`| keeper: catch up after another process wrote ${written} | ${await once(() => keeper.catchUp())} |`);
  }
  await keeper.close({ save: false });
  const { rss } = process.memoryUsage();
  print(`| resident memory at the end, MB | ${(rss / 1e6).toFixed(0)} |`);
  fs.rmSync(folder, { recursive: true, force: true });
}
