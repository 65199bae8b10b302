/**
 * The vector index against its oracle: HNSW against exact, the SIMD kernel against plain
 * arrays, and the keeper against the rows, through random adds, removals, reopening, another
 * process's writes and every kind of file damage.
 */
import { mkdtemp, readFile, rm, writeFile, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExactIndex } from '../../src/engine/vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from '../../src/engine/vectorIndex/hnsw/hnswIndex.ts';
import { openIndexKeeper, type IndexKeeper, type IndexMode } from '../../src/engine/vectorIndex/indexKeeper.ts';
import { CairnError } from '../../src/base/errors.ts';
import { nodeIndexFiles as diskFiles } from '../../src/engine/vectorIndex/hnsw/indexFiles.ts';
import { createSeededRandom, testSeed } from '../support/seededRandom.ts';
import { VectorRows } from '../support/vectorRows.ts';
import { vectorMaker } from '../support/vectors.ts';

const DIMENSIONS = 32;
const seed = testSeed(20_261_130);

async function oracle(rows: VectorRows, question: Float32Array, k: number): Promise<number[]> {
  const exact = await createExactIndex({ dimensions: DIMENSIONS, kernel: false });
  exact.upsert([...rows.live()].map(([chunkId, vector]) => ({ chunkId, vector })));
  return exact.search(question, k).map((hit) => hit.chunkId);
}

describe(`vector index properties, seed ${seed}`, () => {
  let folder: string;
  let rows: VectorRows;
  let keepers: IndexKeeper[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-keeper-'));
    rows = new VectorRows();
    keepers = [];
  });
  afterEach(async () => {
    for (const keeper of keepers) await keeper.close({ save: false });
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (mode: IndexMode, name = 'index', crossing = 300): Promise<IndexKeeper> => {
    const keeper = await openIndexKeeper({ store: rows, embeddingVersion: 'v', dimensions: DIMENSIONS, mode, crossing, folder: join(folder, name), files: diskFiles, createExact: createExactIndex, createHnsw: createHnswIndex });
    keepers.push(keeper);
    return keeper;
  };

  it('the kernel finds exactly what plain typed arrays find, whatever the dimension', async () => {
    for (const dimensions of [1, 7, 16, 33, 384, 512]) {
      const next = vectorMaker({ dimensions, seed: seed + dimensions, latent: Math.min(24, dimensions) });
      const kernel = await createExactIndex({ dimensions });
      const plain = await createExactIndex({ dimensions, kernel: false });
      expect(kernel.accelerated).toBe(true);
      const vectors = Array.from({ length: 700 }, (_, i) => ({ chunkId: i + 1, vector: next() }));
      for (const index of [kernel, plain]) {
        index.upsert(vectors);
        index.remove([5, 6, 700, 1]);
      }
      for (let q = 0; q < 10; q += 1) {
        const question = next();
        expect(kernel.search(question, 20)).toEqual(plain.search(question, 20));
        expect(kernel.search(question, 5, (id) => id % 3 === 0)).toEqual(plain.search(question, 5, (id) => id % 3 === 0));
      }
    }
  });

  it('HNSW agrees with exact on at least 97 of 100 of the ten nearest through adds, removals, reopening and foreign writes', async () => {
    const random = createSeededRandom(seed);
    const next = vectorMaker({ dimensions: DIMENSIONS, seed, latent: 16 });
    let nextId = 1;
    let keeper = await open('hnsw');
    const foreign = await open('exact', 'foreign');
    let found = 0;
    let asked = 0;
    for (let round = 0; round < 14; round += 1) {
      rows.put(Array.from({ length: 60 + Math.floor(random() * 200) }, () => ({ chunkId: nextId++, vector: next() })));
      const live = [...rows.live().keys()];
      rows.remove(live.filter(() => random() < 0.08));
      if (round % 4 === 1) await keeper.settled();
      if (round % 5 === 3) {
        await keeper.settled();
        await keeper.close();
        keeper = await open('hnsw');
      }
      for (let q = 0; q < 8; q += 1) {
        const question = next();
        const truth = await oracle(rows, question, 10);
        const answer = await keeper.search(question, 10);
        expect((await foreign.search(question, 10)).hits.map((hit) => hit.chunkId)).toEqual(truth);
        const live2 = rows.live();
        for (const hit of answer.hits) expect(live2.has(hit.chunkId)).toBe(true);
        asked += truth.length;
        found += answer.hits.filter((hit) => truth.includes(hit.chunkId)).length;
      }
    }
    await keeper.settled();
    expect(keeper.status()).toMatchObject({ index: 'hnsw', waiting: 0, vectors: rows.live().size });
    expect(found / asked).toBeGreaterThanOrEqual(0.97);
  });

  it('auto serves exactly below the crossing, by HNSW above it, and answers fully while the graph is built', async () => {
    const next = vectorMaker({ dimensions: DIMENSIONS, seed, latent: 16 });
    rows.put(Array.from({ length: 200 }, (_, i) => ({ chunkId: i + 1, vector: next() })));
    const keeper = await open('auto');
    await keeper.settled();
    expect(keeper.status().index).toBe('exact');
    rows.put(Array.from({ length: 400 }, (_, i) => ({ chunkId: i + 1_001, vector: next() })));
    const question = next();
    const building = await keeper.search(question, 10);
    expect(building.index).toBe('exact');
    expect(building.hits.map((hit) => hit.chunkId)).toEqual(await oracle(rows, question, 10));
    await keeper.settled();
    expect((await keeper.search(question, 10)).index).toBe('hnsw');
  });

  it.each(['exact', 'hnsw'] as const)('%s begins anew when the store got other rows under a new generation, though its epoch went on', async (mode) => {
    const next = vectorMaker({ dimensions: DIMENSIONS, seed, latent: 16 });
    const ids = Array.from({ length: 120 }, (_, i) => i + 1);
    rows.put(ids.map((chunkId) => ({ chunkId, vector: next() })));
    const keeper = await open(mode);
    await keeper.settled();
    await keeper.save();
    rows.become(ids.slice(0, 80).map((chunkId) => ({ chunkId, vector: next() })), 'second');
    const question = next();
    const truth = await oracle(rows, question, 10);
    expect((await keeper.search(question, 10)).hits.map((hit) => hit.chunkId)).toEqual(truth);
    const other = await open(mode);
    expect((await other.search(question, 10)).hits.map((hit) => hit.chunkId)).toEqual(truth);
    expect(other.status().vectors).toBe(80);
  });

  it('without the add-on exact search serves and the answer says so', async () => {
    const next = vectorMaker({ dimensions: DIMENSIONS, seed, latent: 16 });
    rows.put(Array.from({ length: 20 }, (_, i) => ({ chunkId: i + 1, vector: next() })));
    const keeper = await openIndexKeeper({ store: rows, embeddingVersion: 'v', dimensions: DIMENSIONS, mode: 'hnsw', createExact: createExactIndex, createHnsw: () => Promise.reject(new CairnError('INDEX_UNAVAILABLE', 'not here')) });
    keepers.push(keeper);
    await keeper.settled();
    const question = next();
    const answer = await keeper.search(question, 5);
    expect(answer.hits.map((hit) => hit.chunkId)).toEqual(await oracle(rows, question, 5));
    expect(answer).toMatchObject({ index: 'exact', degradations: [{ part: 'index_fallback_exact' }] });
  });

  it('no damage to the file loses a vector or returns a wrong id', async () => {
    const random = createSeededRandom(seed + 1);
    const next = vectorMaker({ dimensions: DIMENSIONS, seed: seed + 1, latent: 16 });
    for (const mode of ['exact', 'hnsw'] as const) {
      const path = join(folder, mode, 'vectors');
      rows = new VectorRows();
      rows.put(Array.from({ length: 150 }, (_, i) => ({ chunkId: i + 1, vector: next() })));
      let keeper = await open(mode, mode);
      await keeper.settled();
      await keeper.close();
      const files = async (): Promise<string[]> => (await Promise.all([path, `${path}.a`, `${path}.b`].map(async (file) => ((await diskFiles.read(file)) === undefined ? [] : [file])))).flat();
      expect(await files()).toHaveLength(2);
      let reopenedFromFile = 0;
      for (let round = 0; round < 24; round += 1) {
        const targets = await files();
        const target = targets[Math.floor(random() * targets.length)] ?? path;
        const snapshots = await Promise.all(targets.map(async (file) => [file, await readFile(file)] as const));
        const damage = round % 6;
        if (damage === 0) await rm(target);
        else if (damage === 1) await writeFile(target, (await readFile(target)).subarray(0, Math.floor(random() * (await readFile(target)).length)));
        else if (damage === 2) {
          const bytes = await readFile(target);
          const at = Math.floor(random() * bytes.length);
          bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
          await writeFile(target, bytes);
        } else if (damage === 3) {
          // A stale snapshot comes back after rows changed.
          const stale = await Promise.all(targets.map(async (file) => [file, await readFile(file)] as const));
          const fresh = [...rows.live().keys()];
          rows.remove(fresh.slice(0, 5));
          rows.put([{ chunkId: 10_000 + round, vector: next() }]);
          keeper = await open(mode, mode);
          await keeper.settled();
          await keeper.close();
          for (const [file, bytes] of stale) await writeFile(file, bytes);
        } else if (damage === 4) await copyFile(targets.at(-1) ?? path, path);
        else rows.goBackTo((await rows.epoch()) - 1 || 1, `restored ${round}`);
        keeper = await open(mode, mode);
        if (keeper.status().rebuiltBecause === undefined) reopenedFromFile += 1;
        const live = rows.live();
        expect(keeper.status().vectors, `damage ${damage} in round ${round}`).toBe(live.size);
        const question = next();
        const hits = (await keeper.search(question, live.size)).hits;
        expect(new Set(hits.map((hit) => hit.chunkId)), `damage ${damage} in round ${round}`).toEqual(new Set(live.keys()));
        for (const hit of hits) {
          const vector = live.get(hit.chunkId) ?? new Float32Array(DIMENSIONS);
          expect(hit.cosine).toBeCloseTo(vector.reduce((sum, value, i) => sum + value * (question[i] ?? 0), 0), 4);
        }
        await keeper.settled();
        await keeper.save();
        await keeper.close({ save: false });
        expect(snapshots.length).toBeGreaterThan(0);
      }
      expect(reopenedFromFile).toBeGreaterThan(0);
    }
  });

  it('a file of another embedding version is never read', async () => {
    const next = vectorMaker({ dimensions: DIMENSIONS, seed, latent: 16 });
    rows.put(Array.from({ length: 30 }, (_, i) => ({ chunkId: i + 1, vector: next() })));
    const first = await open('exact');
    await first.close();
    const other = await openIndexKeeper({ store: rows, embeddingVersion: 'w', dimensions: DIMENSIONS, mode: 'exact', folder: join(folder, 'index'), files: diskFiles, createExact: createExactIndex, createHnsw: createHnswIndex });
    keepers.push(other);
    expect(other.status().rebuiltBecause).toContain('another embedding version');
  });
});
