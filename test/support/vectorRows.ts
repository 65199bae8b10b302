/**
 * Rows with vectors, kept in memory: what an index keeper sees of a store, with a second
 * "process" writing through the same object. The epoch rises with every write and removals
 * stay visible, as MemoryStore promises.
 */
import type { KeeperStore } from '../../src/engine/vectorIndex/indexKeeper.ts';
import type { VectorRow } from '../../src/engine/storage/memoryStore.ts';

export class VectorRows implements KeeperStore {
  generation = 'first';
  #epoch = 0;
  #rows = new Map<number, VectorRow>();

  put(rows: readonly { chunkId: number; vector: Float32Array }[]): void {
    this.#epoch += 1;
    for (const { chunkId, vector } of rows) this.#rows.set(chunkId, { chunkId, memoryId: `M${chunkId}`, epoch: this.#epoch, vector });
  }

  remove(chunkIds: readonly number[]): void {
    this.#epoch += 1;
    for (const chunkId of chunkIds) this.#rows.set(chunkId, { chunkId, memoryId: `M${chunkId}`, epoch: this.#epoch, vector: undefined });
  }

  live(): Map<number, Float32Array> {
    return new Map([...this.#rows.values()].filter((row) => row.vector !== undefined).map((row) => [row.chunkId, row.vector as Float32Array]));
  }

  /** The state a restored backup would have. */
  goBackTo(epoch: number, generation: string): void {
    for (const [chunkId, row] of this.#rows) if (row.epoch > epoch) this.#rows.delete(chunkId);
    this.#epoch = epoch;
    this.generation = generation;
  }

  /** What a restore into the store in use leaves: other rows, older than the epoch, under a new generation. */
  become(rows: readonly { chunkId: number; vector: Float32Array }[], generation: string): void {
    this.#epoch += 1;
    this.#rows = new Map(rows.map(({ chunkId, vector }) => [chunkId, { chunkId, memoryId: `M${chunkId}`, epoch: 1, vector }]));
    this.generation = generation;
  }

  epoch(): Promise<number> {
    return Promise.resolve(this.#epoch);
  }

  vectorsSince(_version: string, epoch: number, limit: number, afterChunkId = Infinity): Promise<VectorRow[]> {
    const rows = [...this.#rows.values()].filter((row) => row.epoch > epoch || (row.epoch === epoch && row.chunkId > afterChunkId)).sort((a, b) => a.epoch - b.epoch || a.chunkId - b.chunkId);
    return Promise.resolve(rows.slice(0, limit));
  }

  countVectors(): Promise<number> {
    return Promise.resolve(this.live().size);
  }

  getVectors(_version: string, chunkIds: readonly number[]): Promise<Map<number, Float32Array>> {
    const live = this.live();
    return Promise.resolve(new Map(chunkIds.flatMap((id) => (live.has(id) ? [[id, live.get(id) as Float32Array] as const] : []))));
  }

  chunksWithoutVector(): Promise<never[]> {
    return Promise.resolve([]);
  }

  getMeta(key: string): Promise<string | undefined> {
    return Promise.resolve(key === 'generation' ? this.generation : undefined);
  }
}
