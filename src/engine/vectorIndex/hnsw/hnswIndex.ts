/**
 * HnswVectorIndex: a graph in which a question walks from neighbour to neighbour instead of
 * looking at every vector (hnswlib-node, a native add-on that may be absent).
 *
 * What the add-on gets wrong by itself is guarded here: it reads a file of another dimension
 * without a word and answers nonsense, throws on typed arrays and when full, and takes zero
 * vectors. The label in the graph is the chunk id.
 *
 * Invariants:
 *  1. A removed point is marked and never returned; its links stay until the graph is built
 *     anew, since cutting them could split it.
 *  2. `size` and `has` speak of live points; `removedShare` says when building anew pays.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HierarchicalNSW } from 'hnswlib-node';
import { CairnError } from '../../../base/errors.ts';
import { checkChunkId, checkVector } from '../checkVector.ts';
import type { PersistentVectorIndex, VectorHit } from '../vectorIndex.ts';

/** Links per point and width of the search while building: the library's usual values; recall@10 at 20,000 clustered vectors is in the bench. */
const LINKS = 16;
const BUILD_WIDTH = 100;
/** Width of the search: recall@10 >= .97 at 20,000 vectors needs about 60; 100 leaves room at 100,000. */
const SEARCH_WIDTH = 100;
const SEED = 100;
const MAGIC = 0x43_48_56_31;

export interface HnswIndexOptions {
  readonly dimensions: number;
  /** A file that `save` wrote. Throws INDEX_CORRUPT. */
  readonly path?: string;
  /** Points to make room for at once; grows by itself. */
  readonly capacity?: number;
}

export class HnswVectorIndex implements PersistentVectorIndex {
  readonly kind = 'hnsw';
  readonly dimensions: number;
  readonly #graph: HierarchicalNSW;
  readonly #live = new Set<number>();
  readonly #removed = new Set<number>();
  #width = SEARCH_WIDTH;

  constructor(graph: HierarchicalNSW, dimensions: number, live: Iterable<number> = [], removed: Iterable<number> = []) {
    this.#graph = graph;
    this.dimensions = dimensions;
    for (const id of live) this.#live.add(id);
    for (const id of removed) this.#removed.add(id);
    this.#graph.setEf(this.#width);
  }

  size(): number {
    return this.#live.size;
  }

  has(chunkId: number): boolean {
    return this.#live.has(chunkId);
  }

  chunkIds(): number[] {
    return [...this.#live];
  }

  vectorOf(chunkId: number): Float32Array | undefined {
    return this.#live.has(chunkId) ? Float32Array.from(this.#graph.getPoint(chunkId)) : undefined;
  }

  /** Share of the graph's points that are dead, 0..1. */
  get removedShare(): number {
    const all = this.#live.size + this.#removed.size;
    return all === 0 ? 0 : this.#removed.size / all;
  }

  upsert(rows: readonly { readonly chunkId: number; readonly vector: Float32Array }[]): void {
    for (const { chunkId, vector } of rows) {
      checkChunkId(chunkId);
      checkVector(vector, this.dimensions);
    }
    for (const { chunkId, vector } of rows) {
      const held = this.#graph.getCurrentCount();
      if (held + 1 > this.#graph.getMaxElements()) this.#graph.resizeIndex(Math.ceil((held + 1) * 1.5));
      if (this.#removed.delete(chunkId)) this.#graph.unmarkDelete(chunkId);
      this.#graph.addPoint(Array.from(vector), chunkId);
      this.#live.add(chunkId);
    }
  }

  remove(chunkIds: readonly number[]): void {
    for (const chunkId of chunkIds) {
      if (!this.#live.delete(chunkId)) continue;
      this.#graph.markDelete(chunkId);
      this.#removed.add(chunkId);
    }
  }

  search(vector: Float32Array, k: number, accept?: (chunkId: number) => boolean): VectorHit[] {
    checkVector(vector, this.dimensions);
    const count = Math.min(Math.floor(k), this.#live.size);
    if (count <= 0) return [];
    const width = Math.max(SEARCH_WIDTH, 2 * count);
    if (width !== this.#width) {
      this.#graph.setEf(width);
      this.#width = width;
    }
    const { neighbors, distances } = this.#graph.searchKnn(Array.from(vector), count, accept);
    return neighbors.map((chunkId, i) => ({ chunkId, cosine: 1 - (distances[i] ?? 1) })).sort((a, b) => b.cosine - a.cosine || a.chunkId - b.chunkId);
  }

  /** Layout: magic, dimensions, number of removed (u32 each), removed ids (u32), then the add-on's own bytes. */
  async save(path: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-graph-'));
    try {
      const graphPath = join(folder, 'graph');
      await this.#graph.writeIndex(graphPath);
      const head = new Uint32Array([MAGIC, this.dimensions, this.#removed.size, ...this.#removed]);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, Buffer.concat([Buffer.from(head.buffer), await readFile(graphPath)]), { mode: 0o600 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  close(): void {
    this.#live.clear();
    this.#removed.clear();
  }
}

async function loadAddOn(): Promise<typeof HierarchicalNSW> {
  try {
    const addOn = await import('hnswlib-node');
    return addOn.HierarchicalNSW ?? addOn.default.HierarchicalNSW;
  } catch (error) {
    throw new CairnError('INDEX_UNAVAILABLE', 'hnswlib-node cannot load on this machine; exact search serves.', { cause: error });
  }
}

/** For the keeper: empty, or from a file. Throws INDEX_UNAVAILABLE without the add-on, INDEX_CORRUPT for a file that is not whole. */
export async function createHnswIndex(options: HnswIndexOptions): Promise<HnswVectorIndex> {
  const Graph = await loadAddOn();
  const graph = new Graph('ip', options.dimensions);
  if (options.path === undefined) {
    graph.initIndex(Math.max(64, options.capacity ?? 1_024), LINKS, BUILD_WIDTH, SEED);
    return new HnswVectorIndex(graph, options.dimensions);
  }
  const bytes = await readFile(options.path);
  const corrupt = (cause?: unknown): CairnError => new CairnError('INDEX_CORRUPT', 'The HNSW file is not whole or holds another dimension.', { cause, data: { dimensions: options.dimensions } });
  if (bytes.byteLength < 12 || bytes.readUInt32LE(0) !== MAGIC || bytes.readUInt32LE(4) !== options.dimensions) throw corrupt();
  const removedCount = bytes.readUInt32LE(8);
  const graphAt = 12 + removedCount * 4;
  if (graphAt >= bytes.byteLength) throw corrupt();
  const removed = new Set<number>();
  for (let i = 0; i < removedCount; i += 1) removed.add(bytes.readUInt32LE(12 + i * 4));
  const folder = await mkdtemp(join(tmpdir(), 'cairn-graph-'));
  try {
    const graphPath = join(folder, 'graph');
    await writeFile(graphPath, bytes.subarray(graphAt), { mode: 0o600 });
    await graph.readIndex(graphPath);
  } catch (error) {
    throw corrupt(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  // The add-on does not store the dimension; a point of another one gives itself away by its length.
  const ids = graph.getIdsList();
  const live = ids.filter((id) => !removed.has(id));
  const sample = live[0];
  if (sample !== undefined && graph.getPoint(sample).length !== options.dimensions) throw corrupt();
  return new HnswVectorIndex(graph, options.dimensions, live, removed);
}
