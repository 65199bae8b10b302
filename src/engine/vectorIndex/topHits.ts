/**
 * The best k of many: a heap of hits, worst on top, so that a scan of n rows costs n
 * comparisons and few moves. Order is total (cosine, then chunk id), hence insertion order
 * never shows in an answer.
 */
import type { VectorHit } from './vectorIndex.ts';

const isWorse = (a: VectorHit, b: VectorHit): boolean => a.cosine < b.cosine || (a.cosine === b.cosine && a.chunkId > b.chunkId);

export class TopHits {
  readonly #heap: VectorHit[] = [];
  readonly #k: number;

  constructor(k: number) {
    this.#k = k;
  }

  /** Cosine of the worst kept hit once k are kept; -Infinity before. Smaller ones need not be offered. */
  get floor(): number {
    return this.#heap.length < this.#k ? -Infinity : (this.#heap[0]?.cosine ?? -Infinity);
  }

  offer(chunkId: number, cosine: number): void {
    const hit = { chunkId, cosine };
    const heap = this.#heap;
    if (heap.length < this.#k) {
      heap.push(hit);
      let i = heap.length - 1;
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (!isWorse(heap[i] as VectorHit, heap[parent] as VectorHit)) break;
        this.#swap(i, parent);
        i = parent;
      }
      return;
    }
    if (this.#k === 0 || !isWorse(heap[0] as VectorHit, hit)) return;
    heap[0] = hit;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      const right = left + 1;
      let worst = i;
      if (left < heap.length && isWorse(heap[left] as VectorHit, heap[worst] as VectorHit)) worst = left;
      if (right < heap.length && isWorse(heap[right] as VectorHit, heap[worst] as VectorHit)) worst = right;
      if (worst === i) return;
      this.#swap(i, worst);
      i = worst;
    }
  }

  #swap(i: number, j: number): void {
    const hit = this.#heap[i] as VectorHit;
    this.#heap[i] = this.#heap[j] as VectorHit;
    this.#heap[j] = hit;
  }

  /** Best first. */
  sorted(): VectorHit[] {
    return [...this.#heap].sort((a, b) => b.cosine - a.cosine || a.chunkId - b.chunkId);
  }
}
