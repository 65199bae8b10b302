/**
 * HNSW against exact at the size from which the product takes it: 20,000 vectors in clusters, through random adds and
 * removals, reopening from the file, and rows that another process wrote in between. Built as the product builds it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExactIndex } from '../../src/engine/vectorIndex/exact/exactIndex.ts';
import { createHnswIndex } from '../../src/engine/vectorIndex/hnsw/hnswIndex.ts';
import { nodeIndexFiles } from '../../src/engine/vectorIndex/hnsw/indexFiles.ts';
import { openIndexKeeper, type IndexKeeper } from '../../src/engine/vectorIndex/indexKeeper.ts';
import { createSeededRandom, testSeed } from '../support/seededRandom.ts';
import { VectorRows } from '../support/vectorRows.ts';
import { vectorMaker } from '../support/vectors.ts';

const DIMENSIONS = 64;
const VECTORS = 20_000;
const ROUNDS = 6;
const QUESTIONS = 40;
const seed = testSeed(20_261_201);

describe(`the vector index at ${VECTORS} vectors, seed ${seed}`, () => {
  let folder: string;
  const keepers: IndexKeeper[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-large-'));
  });
  afterEach(async () => {
    for (const keeper of keepers.splice(0)) await keeper.close({ save: false });
    await rm(folder, { recursive: true, force: true });
  });

  it('finds at least 97 of 100 of the ten nearest, whatever was added, removed, reopened or written elsewhere', async () => {
    const random = createSeededRandom(seed);
    const next = vectorMaker({ dimensions: DIMENSIONS, seed, latent: 24, clusters: 128 });
    const rows = new VectorRows();
    const exact = await createExactIndex({ dimensions: DIMENSIONS });
    const open = async (name: string): Promise<IndexKeeper> => {
      const keeper = await openIndexKeeper({ store: rows, embeddingVersion: 'v', dimensions: DIMENSIONS, mode: 'auto', folder: join(folder, name), files: nodeIndexFiles, createExact: createExactIndex, createHnsw: createHnswIndex });
      keepers.push(keeper);
      return keeper;
    };
    let nextId = 1;
    const add = (count: number): void => {
      const added = Array.from({ length: count }, () => ({ chunkId: nextId++, vector: next() }));
      rows.put(added);
      exact.upsert(added);
    };
    const remove = (share: number): void => {
      const gone = [...rows.live().keys()].filter(() => random() < share);
      rows.remove(gone);
      exact.remove(gone);
    };
    /** Recall at ten of this keeper against the truth of the rows. */
    const recallAt10 = async (keeper: IndexKeeper): Promise<number> => {
      let found = 0;
      for (let q = 0; q < QUESTIONS; q += 1) {
        const question = next();
        const truth = new Set(exact.search(question, 10).map((hit) => hit.chunkId));
        const { hits } = await keeper.search(question, 10);
        found += hits.filter((hit) => truth.has(hit.chunkId)).length;
      }
      return found / (10 * QUESTIONS);
    };

    add(VECTORS);
    let keeper = await open('own');
    await keeper.settled();
    expect(keeper.status()).toMatchObject({ index: 'hnsw', waiting: 0, vectors: VECTORS });
    expect(await recallAt10(keeper)).toBeGreaterThanOrEqual(0.97);

    for (let round = 0; round < ROUNDS; round += 1) {
      // The keeper learns of these by the rows alone, as of another process's writes.
      add(200 + Math.floor(random() * 400));
      remove(0.02);
      if (round % 3 === 1) {
        await keeper.settled();
        await keeper.save();
        await keeper.close();
        // Written while nobody had the file open.
        add(150);
        remove(0.01);
        keeper = await open('own');
        expect(keeper.status().rebuiltBecause).toBeUndefined();
      }
      expect(await recallAt10(keeper)).toBeGreaterThanOrEqual(0.97);
    }
    await keeper.settled();
    expect(keeper.status()).toMatchObject({ index: 'hnsw', waiting: 0, vectors: rows.live().size });
    expect(await recallAt10(keeper)).toBeGreaterThanOrEqual(0.97);
    exact.close();
  });
});
