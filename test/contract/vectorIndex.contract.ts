/**
 * Contract of VectorIndex: every implementation answers alike. What an approximate index may
 * miss is stated in `supports`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MakeIndex } from '../../src/engine/vectorIndex/indexFile.ts';
import type { PersistentVectorIndex } from '../../src/engine/vectorIndex/vectorIndex.ts';
import { unit, vectorMaker } from '../support/vectors.ts';

const axis = (dimensions: number, i: number): Float32Array => Float32Array.from({ length: dimensions }, (_, j) => (i === j ? 1 : 0));

export function vectorIndexContract(name: string, make: MakeIndex): void {
  describe(`VectorIndex contract: ${name}`, () => {
    let folder: string;
    let index: PersistentVectorIndex;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'cairn-index-'));
      index = await make({ dimensions: 8 });
    });
    afterEach(async () => {
      index.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('answers nothing when empty', () => {
      expect(index.size()).toBe(0);
      expect(index.search(axis(8, 0), 5)).toEqual([]);
    });

    it('returns the nearest first with its cosine', () => {
      index.upsert([0, 1, 2].map((i) => ({ chunkId: i + 10, vector: axis(8, i) })));
      const near = unit(Float32Array.from([1, 0.5, 0, 0, 0, 0, 0, 0]));
      const hits = index.search(near, 2);
      expect(hits.map((hit) => hit.chunkId)).toEqual([10, 11]);
      expect(hits[0]?.cosine).toBeCloseTo(near[0] ?? 0, 5);
    });

    it('breaks ties by chunk id whatever the order of adding', () => {
      index.upsert([7, 3, 5].map((chunkId) => ({ chunkId, vector: axis(8, 1) })));
      expect(index.search(axis(8, 1), 3).map((hit) => hit.chunkId)).toEqual([3, 5, 7]);
    });

    it('asks for more than it holds without an error', () => {
      index.upsert([{ chunkId: 1, vector: axis(8, 1) }]);
      expect(index.search(axis(8, 1), 1_000)).toHaveLength(1);
      expect(index.search(axis(8, 1), 0)).toEqual([]);
    });

    it('replaces a vector under the same id', () => {
      index.upsert([{ chunkId: 1, vector: axis(8, 1) }]);
      index.upsert([{ chunkId: 1, vector: axis(8, 2) }]);
      expect(index.size()).toBe(1);
      expect(index.search(axis(8, 2), 1)[0]?.cosine).toBeCloseTo(1, 5);
    });

    it('never returns a removed chunk, ignores unknown ones and takes a removed one back', () => {
      index.upsert([1, 2].map((chunkId) => ({ chunkId, vector: axis(8, chunkId) })));
      index.remove([1, 99]);
      expect(index.has(1)).toBe(false);
      expect(index.size()).toBe(1);
      expect(index.chunkIds()).toEqual([2]);
      expect(index.search(axis(8, 1), 5).map((hit) => hit.chunkId)).toEqual([2]);
      index.upsert([{ chunkId: 1, vector: axis(8, 1) }]);
      expect(index.search(axis(8, 1), 1).map((hit) => hit.chunkId)).toEqual([1]);
    });

    it('returns only what accept passes', () => {
      index.upsert([1, 2, 3, 4].map((chunkId) => ({ chunkId, vector: axis(8, 1) })));
      expect(index.search(axis(8, 1), 4, (id) => id % 2 === 0).map((hit) => hit.chunkId)).toEqual([2, 4]);
    });

    it('refuses vectors of a wrong length, zero vectors and vectors with NaN, and keeps none of the batch', () => {
      const good = { chunkId: 1, vector: axis(8, 1) };
      expect(() => index.upsert([good, { chunkId: 2, vector: axis(9, 1) }])).toThrow(expect.objectContaining({ code: 'EMBEDDING_MISMATCH' }));
      expect(() => index.upsert([good, { chunkId: 2, vector: new Float32Array(8) }])).toThrow(expect.objectContaining({ code: 'EMBEDDING_FAILED' }));
      expect(() => index.upsert([good, { chunkId: 2, vector: new Float32Array(8).fill(Number.NaN) }])).toThrow(expect.objectContaining({ code: 'EMBEDDING_FAILED' }));
      expect(() => index.search(axis(7, 1), 1)).toThrow(expect.objectContaining({ code: 'EMBEDDING_MISMATCH' }));
      expect(index.size()).toBe(0);
    });

    it('grows far beyond its first capacity', async () => {
      const grown = await make({ dimensions: 16, capacity: 8 });
      const next = vectorMaker({ dimensions: 16, seed: 4, latent: 6 });
      const rows = Array.from({ length: 3_000 }, (_, i) => ({ chunkId: i + 1, vector: next() }));
      for (let i = 0; i < rows.length; i += 500) grown.upsert(rows.slice(i, i + 500));
      expect(grown.size()).toBe(3_000);
      const row = rows[2_500];
      expect(grown.search(row?.vector ?? new Float32Array(16), 3).map((hit) => hit.chunkId)).toContain(row?.chunkId);
      grown.close();
    });

    it('comes back from its file with the same vectors, removals and answers', async () => {
      const next = vectorMaker({ dimensions: 8, seed: 9, latent: 4 });
      index.upsert(Array.from({ length: 200 }, (_, i) => ({ chunkId: i + 1, vector: next() })));
      index.remove([3, 50, 199]);
      await index.save(join(folder, 'index'));
      const loaded = await make({ dimensions: 8, path: join(folder, 'index') });
      expect(loaded.size()).toBe(197);
      expect(loaded.chunkIds().sort((a, b) => a - b)).toEqual(index.chunkIds().sort((a, b) => a - b));
      const question = next();
      expect(loaded.search(question, 10).map((hit) => hit.chunkId)).toEqual(index.search(question, 10).map((hit) => hit.chunkId));
      loaded.remove([1]);
      loaded.upsert([{ chunkId: 3, vector: axis(8, 3) }]);
      expect(loaded.search(axis(8, 3), 1)[0]?.chunkId).toBe(3);
      loaded.close();
    });

    it('refuses a file of another dimension or a cut one', async () => {
      index.upsert([1, 2, 3].map((chunkId) => ({ chunkId, vector: axis(8, chunkId) })));
      const path = join(folder, 'index');
      await index.save(path);
      await expect(make({ dimensions: 16, path })).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
      const { readFile, writeFile } = await import('node:fs/promises');
      await writeFile(path, (await readFile(path)).subarray(0, 60));
      await expect(make({ dimensions: 8, path })).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
    });
  });
}
