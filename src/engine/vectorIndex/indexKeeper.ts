/**
 * Index keeper: holds the vector index of one store and one embedding version, keeps it level
 * with the rows, and answers "which chunks are near?" at any moment.
 *
 * Two layers. What the rows say since the last look goes at once into `fresh`, an exact index.
 * When HNSW is in use, a background loop carries vectors over from `fresh` into `graph`, a few
 * at a time; a question asks both and merges. So the first build, a bulk import and another
 * process's writes are the same case: nothing waits, and no vector is ever out of reach.
 *
 * Invariants:
 *  1. Rows are the truth. A chunk is in `fresh`, or in `graph` and not in `stale`, exactly when
 *     its row has a vector of this version at `epoch`.
 *  2. `epoch` never exceeds the store's (DESIGN invariant 2).
 *  3. The graph is not changed while it is being saved; `fresh` and `stale` take the changes.
 */
import { isCairnError } from '../../base/errors.ts';
import type { Degradation } from '../model/degradation.ts';
import type { MemoryStore } from '../storage/memoryStore.ts';
import { loadIndexFile, removeIndexFile, saveIndexFile, type IndexFiles, type MakeIndex } from './indexFile.ts';
import type { PersistentVectorIndex, VectorHit } from './vectorIndex.ts';

export type IndexMode = 'auto' | 'exact' | 'hnsw';

export type KeeperStore = Pick<MemoryStore, 'epoch' | 'vectorsSince' | 'countVectors' | 'getVectors' | 'chunksWithoutVector' | 'getMeta'>;

export interface IndexKeeperOptions {
  readonly store: KeeperStore;
  readonly embeddingVersion: string;
  readonly dimensions: number;
  readonly mode: IndexMode;
  /** `auto` takes HNSW from this many vectors on. */
  readonly crossing?: number;
  /** Where the index's files lie; without it nothing is kept on disk. */
  readonly folder?: string;
  readonly files?: IndexFiles;
  readonly createExact: MakeIndex;
  /** May throw INDEX_UNAVAILABLE: exact then serves. */
  readonly createHnsw: MakeIndex;
}

export interface IndexAnswer {
  readonly hits: readonly VectorHit[];
  /** Which index found them. */
  readonly index: 'exact' | 'hnsw';
  readonly degradations: readonly Degradation[];
}

export interface IndexStatus {
  readonly index: 'exact' | 'hnsw';
  readonly mode: IndexMode;
  readonly vectors: number;
  readonly epoch: number;
  /** Vectors not yet carried into the graph. */
  readonly waiting: number;
  /** Why the last open built from rows; absent when the file served. */
  readonly rebuiltBecause?: string;
  readonly hnswUnavailable: boolean;
}

export interface IndexKeeper {
  readonly embeddingVersion: string;
  /** Level with the rows committed before the call. Throws EMBEDDING_MISMATCH, EMBEDDING_FAILED for a bad query vector. */
  search(vector: Float32Array, k: number, accept?: (chunkId: number) => boolean): Promise<IndexAnswer>;
  catchUp(): Promise<void>;
  status(): IndexStatus;
  /** Resolves when nothing waits to be carried into the graph. */
  settled(): Promise<void>;
  /** Writes the file now, if there is one to write. */
  save(): Promise<void>;
  /** Throws everything away and reads all rows again. */
  rebuild(reason: string): Promise<void>;
  /** Which index answers. */
  kind(): 'exact' | 'hnsw';
  degradations(): readonly Degradation[];
  /** After a purge: no file and no dead graph point keeps what was purged. */
  discardFiles(): Promise<void>;
  /** Stops background work; saves when `save` is not false. */
  close(options?: { save?: boolean }): Promise<void>;
}

/** Measured in test/bench: below this the exact scan is as fast and needs no building. */
export const DEFAULT_CROSSING = 20_000;
const FILE_NAME = 'vectors';
const PAGE = 2_000;
/** Points carried into the graph between two yields; at 100,000 points one takes 1 to 2 ms. */
const SLICE = 8;
/** From this many waiting vectors on, answers say that the index is being built. */
const REBUILDING_FROM = 2_000;
const SAVE_AFTER_SHARE = 0.1;
const SAVE_AFTER_AT_LEAST = 500;
/** Dead points slow the walk down; building anew pays from this share on. */
const MAX_REMOVED_SHARE = 0.4;
const SAMPLE = 8;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export async function openIndexKeeper(options: IndexKeeperOptions): Promise<IndexKeeper> {
  const keeper = new Keeper(options, await options.createExact({ dimensions: options.dimensions }));
  await keeper.open();
  return keeper;
}

class Keeper implements IndexKeeper {
  readonly #options: IndexKeeperOptions;
  readonly #crossing: number;
  #fresh: PersistentVectorIndex;
  #graph: PersistentVectorIndex | undefined;
  /** Chunks that the graph still holds and must not be answered from it. */
  readonly #stale = new Set<number>();
  #epoch = 0;
  #generation = '';
  #pending = false;
  #changes = 0;
  #rebuiltBecause: string | undefined;
  #hnswUnavailable = false;
  #catchingUp: Promise<void> | undefined;
  #carrying: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  #closed = false;

  constructor(options: IndexKeeperOptions, fresh: PersistentVectorIndex) {
    this.#options = options;
    this.#crossing = options.crossing ?? DEFAULT_CROSSING;
    this.#fresh = fresh;
  }

  get embeddingVersion(): string {
    return this.#options.embeddingVersion;
  }

  get #filePath(): string | undefined {
    return this.#options.folder === undefined ? undefined : `${this.#options.folder}/${FILE_NAME}`;
  }

  get #vectors(): number {
    return this.#fresh.size() + (this.#graph?.size() ?? 0) - this.#stale.size;
  }

  get #wantsGraph(): boolean {
    return this.#options.mode === 'hnsw' || (this.#options.mode === 'auto' && this.#vectors >= this.#crossing);
  }

  async open(): Promise<void> {
    const { store, files, embeddingVersion, dimensions, mode } = this.#options;
    const filePath = this.#filePath;
    this.#generation = (await store.getMeta('generation')) ?? '';
    if (filePath !== undefined && files !== undefined) {
      const make = (kind: 'exact' | 'hnsw'): MakeIndex | undefined => (kind === 'exact' ? this.#options.createExact : mode === 'exact' ? undefined : this.#options.createHnsw);
      const loaded = await loadIndexFile(filePath, files, { embeddingVersion, dimensions, generation: this.#generation, storeEpoch: await store.epoch(), make }, pause);
      if ('index' in loaded) {
        if (loaded.index.kind === 'exact') this.#fresh = loaded.index;
        else this.#graph = loaded.index;
        this.#epoch = loaded.stamp.epoch;
        if (await this.#agreesWithRows(loaded.index)) await this.#readRows();
        else this.#rebuiltBecause = 'the file does not agree with the rows';
      } else this.#rebuiltBecause = loaded.reason;
      if (this.#rebuiltBecause === undefined && this.#vectors !== (await store.countVectors(embeddingVersion))) this.#rebuiltBecause = 'the file holds another number of vectors than the rows';
    }
    if (this.#rebuiltBecause !== undefined || this.#epoch === 0) await this.#readAllRows();
    this.#startCarrying();
  }

  async search(vector: Float32Array, k: number, accept?: (chunkId: number) => boolean): Promise<IndexAnswer> {
    await this.catchUp();
    const hits = this.#fresh.search(vector, k, accept);
    let merged = hits;
    if (this.#graph !== undefined && this.#graph.size() > 0) {
      const stale = this.#stale;
      const live = stale.size === 0 ? accept : (chunkId: number): boolean => !stale.has(chunkId) && (accept === undefined || accept(chunkId));
      merged = [...hits, ...this.#graph.search(vector, k, live)].sort((a, b) => b.cosine - a.cosine || a.chunkId - b.chunkId).slice(0, k);
    }
    return { hits: merged, index: this.kind(), degradations: this.degradations() };
  }

  catchUp(): Promise<void> {
    // One at a time: a second caller may have been waiting for rows that the running one read before.
    const next = (this.#catchingUp ?? Promise.resolve()).then(() => this.#readNew());
    const settled = next.catch(() => undefined);
    this.#catchingUp = settled;
    return next;
  }

  status(): IndexStatus {
    return {
      index: this.kind(),
      mode: this.#options.mode,
      vectors: this.#vectors,
      epoch: this.#epoch,
      waiting: this.#graph === undefined ? 0 : this.#fresh.size(),
      ...(this.#rebuiltBecause === undefined ? {} : { rebuiltBecause: this.#rebuiltBecause }),
      hnswUnavailable: this.#hnswUnavailable,
    };
  }

  async settled(): Promise<void> {
    await this.catchUp();
    while (this.#carrying !== undefined) await this.#carrying;
    await this.#saving;
  }

  async save(): Promise<void> {
    const { files, embeddingVersion, dimensions } = this.#options;
    const filePath = this.#filePath;
    if (filePath === undefined || files === undefined) return;
    await this.#saving;
    const index = this.#graph ?? this.#fresh;
    // A graph's file is whole only when nothing waits: until then there is nothing worth stamping.
    if (this.#graph !== undefined && (this.#fresh.size() > 0 || this.#stale.size > 0)) return;
    const stamp = { kind: index.kind, embeddingVersion, dimensions, epoch: this.#epoch, generation: this.#generation };
    this.#changes = 0;
    const work = saveIndexFile(filePath, files, index, stamp, pause);
    this.#saving = work.catch(() => undefined).then(() => { this.#saving = undefined; });
    await work;
  }

  async rebuild(reason: string): Promise<void> {
    this.#rebuiltBecause = reason;
    await this.#removeFiles();
    await (this.#catchingUp ?? Promise.resolve());
    const work = this.#readAllRows();
    this.#catchingUp = work.catch(() => undefined);
    await work;
    this.#startCarrying();
  }

  async close(options: { save?: boolean } = {}): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#catchingUp;
    await this.#carrying;
    if (options.save !== false && this.#changes > 0) await this.save();
    await this.#saving;
    this.#fresh.close();
    this.#graph?.close();
  }

  async discardFiles(): Promise<void> {
    await this.catchUp();
    await this.#saving;
    if (this.#graph !== undefined && (this.#stale.size > 0 || (this.#graph.removedShare ?? 0) > 0)) await this.rebuild('memories were purged');
    else await this.#removeFiles();
    // Nothing is on disk now, so closing has something to write.
    this.#changes = Math.max(1, this.#changes);
  }

  async #removeFiles(): Promise<void> {
    const { files } = this.#options;
    if (this.#filePath === undefined || files === undefined) return;
    await this.#saving;
    await removeIndexFile(this.#filePath, files);
  }

  kind(): 'exact' | 'hnsw' {
    return this.#graph !== undefined && this.#graph.size() >= this.#fresh.size() ? 'hnsw' : 'exact';
  }

  degradations(): readonly Degradation[] {
    const found: Degradation[] = [];
    if (this.#graph !== undefined && this.#fresh.size() >= REBUILDING_FROM) found.push({ part: 'index_rebuilding', message: `The vector index is being built; ${this.#fresh.size()} vectors are still searched one by one.` });
    if (this.#hnswUnavailable && this.#wantsGraph) found.push({ part: 'index_fallback_exact', message: 'The HNSW add-on cannot load here; exact search serves.' });
    if (this.#pending) found.push({ part: 'vectors_pending', message: 'Some memories have no vector yet; they are found by their words.' });
    return found;
  }

  async #readNew(): Promise<void> {
    if (this.#closed) return;
    const { store } = this.#options;
    const epoch = await store.epoch();
    if (epoch === this.#epoch) return;
    const generation = (await store.getMeta('generation')) ?? '';
    if (epoch < this.#epoch || generation !== this.#generation) {
      this.#rebuiltBecause = 'the store went back to an earlier state';
      this.#generation = generation;
      await this.#readAllRows();
    } else await this.#readRows();
    this.#startCarrying();
  }

  async #readAllRows(): Promise<void> {
    this.#fresh.close();
    this.#graph?.close();
    this.#graph = undefined;
    this.#stale.clear();
    this.#fresh = await this.#options.createExact({ dimensions: this.#options.dimensions });
    this.#epoch = 0;
    await this.#readRows();
  }

  /** Rows after `#epoch`, in pages; a row seen twice changes nothing. */
  async #readRows(): Promise<void> {
    const { store, embeddingVersion } = this.#options;
    const target = await store.epoch();
    let epoch = this.#epoch;
    let afterChunkId: number | undefined;
    for (;;) {
      const rows = await store.vectorsSince(embeddingVersion, epoch, PAGE, afterChunkId);
      const present = rows.filter((row) => row.vector !== undefined).map((row) => ({ chunkId: row.chunkId, vector: row.vector as Float32Array }));
      const gone = rows.filter((row) => row.vector === undefined).map((row) => row.chunkId);
      this.#take(present, gone);
      const last = rows.at(-1);
      if (last === undefined) break;
      epoch = last.epoch;
      afterChunkId = last.chunkId;
      if (rows.length < PAGE) break;
      await pause();
    }
    this.#epoch = Math.max(target, epoch);
    this.#pending = (await store.chunksWithoutVector(embeddingVersion, 1)).length > 0;
  }

  #take(present: readonly { chunkId: number; vector: Float32Array }[], gone: readonly number[]): void {
    this.#changes += present.length + gone.length;
    this.#fresh.upsert(present);
    this.#fresh.remove(gone);
    if (this.#graph === undefined) return;
    for (const chunkId of [...present.map((row) => row.chunkId), ...gone]) if (this.#graph.has(chunkId)) this.#stale.add(chunkId);
  }

  /** A few vectors that the file claims to hold must be those of the rows, else it is another store's file. */
  async #agreesWithRows(index: PersistentVectorIndex): Promise<boolean> {
    const ids = index.chunkIds();
    const step = Math.max(1, Math.floor(ids.length / SAMPLE));
    const sample = ids.filter((_, i) => i % step === 0).slice(0, SAMPLE);
    const rows = await this.#options.store.getVectors(this.#options.embeddingVersion, sample);
    for (const [chunkId, vector] of rows) {
      const held = index.vectorOf(chunkId);
      let cosine = 0;
      if (held !== undefined) for (let i = 0; i < vector.length; i += 1) cosine += (vector[i] ?? 0) * (held[i] ?? 0);
      if (cosine < 0.999) return false;
    }
    return true;
  }

  #startCarrying(): void {
    if (this.#closed || this.#carrying !== undefined || this.#hnswUnavailable) return;
    if (this.#graph === undefined ? !this.#wantsGraph : this.#fresh.size() === 0 && this.#stale.size === 0) {
      this.#saveIfDue();
      return;
    }
    const work = this.#carry().finally(() => {
      this.#carrying = undefined;
      // Rows that came in while the last slice ran.
      this.#startCarrying();
    });
    this.#carrying = work;
  }

  async #carry(): Promise<void> {
    if (this.#graph === undefined) {
      try {
        this.#graph = await this.#options.createHnsw({ dimensions: this.#options.dimensions, capacity: Math.ceil(this.#fresh.size() * 1.2) });
      } catch (error) {
        // Without the add-on exact search serves; answers and doctor say so.
        this.#hnswUnavailable = true;
        if (isCairnError(error)) return;
        throw error;
      }
    }
    let queue: number[] = [];
    while (!this.#closed) {
      await this.#saving;
      const graph: PersistentVectorIndex | undefined = this.#graph;
      if (graph === undefined) return;
      const removed = [...this.#stale].filter((chunkId) => !this.#fresh.has(chunkId));
      graph.remove(removed);
      for (const chunkId of removed) this.#stale.delete(chunkId);
      if (queue.length === 0) queue = this.#fresh.chunkIds();
      if (queue.length === 0) break;
      const slice = queue.splice(-SLICE);
      const present: { chunkId: number; vector: Float32Array }[] = [];
      for (const chunkId of slice) {
        const vector = this.#fresh.vectorOf(chunkId);
        if (vector !== undefined) present.push({ chunkId, vector });
      }
      graph.upsert(present);
      this.#fresh.remove(slice);
      for (const chunkId of slice) this.#stale.delete(chunkId);
      await pause();
    }
    if ((this.#graph?.removedShare ?? 0) > MAX_REMOVED_SHARE && !this.#closed) await this.rebuild('most of the graph was dead');
    this.#saveIfDue();
  }

  #saveIfDue(): void {
    if (this.#closed || this.#changes < Math.max(SAVE_AFTER_AT_LEAST, this.#vectors * SAVE_AFTER_SHARE)) return;
    // A save that fails (disk full) costs a rebuild at the next open and nothing else.
    this.save().catch(() => { this.#changes = 0; });
  }
}

/** Removes a folder's index files where no keeper is open (after a purge without a model). */
export async function discardIndexFolder(folder: string, files: IndexFiles): Promise<void> {
  await removeIndexFile(`${folder}/${FILE_NAME}`, files);
}
