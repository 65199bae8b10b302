/**
 * PagedRows: a list of any length of which only the pages that scrolled by are held.
 * A new question keeps showing the old rows until the first page of the new answer is
 * there, so that nothing blinks while typing; a refresh replaces pages in place.
 */
import { PAGE_SIZE } from '../../src/protocol/index.ts';
import type { ListPage, MemoryRow } from '../../src/protocol/index.ts';

export type FetchPage = (offset: number, signal: AbortSignal) => Promise<ListPage>;

/** Pages far from what is shown are let go of beyond this many (20 x 200 rows). */
const MAX_PAGES = 20;

export class PagedRows {
  readonly #onChange: () => void;
  #fetch: FetchPage | undefined;
  #pages = new Map<number, readonly MemoryRow[]>();
  #loading = new Map<number, AbortController>();
  #stale = new Set<number>();
  #asked = false;
  total = 0;
  state: 'loading' | 'ready' | 'failed' = 'loading';
  error: Error | undefined;
  degradations: readonly string[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** A new question. Answers to older ones are cancelled. */
  ask(fetch: FetchPage): void {
    this.#fetch = fetch;
    this.#cancelAll();
    this.state = 'loading';
    this.error = undefined;
    this.#asked = true;
    this.#load(0, true);
  }

  /** The store changed: pages that are looked at are fetched again. */
  refresh(): void {
    if (!this.#asked) return;
    for (const page of this.#pages.keys()) this.#stale.add(page);
    if (this.total === 0 || this.state === 'failed') this.#load(0, true);
    else for (const page of this.#recent) this.#load(page, false);
  }

  #recent = new Set<number>();

  /** The row at a position, or undefined while its page is fetched. */
  at(index: number): MemoryRow | undefined {
    const page = Math.floor(index / PAGE_SIZE);
    const rows = this.#pages.get(page);
    if (!this.#recent.has(page)) {
      this.#recent.add(page);
      if (this.#recent.size > 3) this.#recent.delete([...this.#recent][0] ?? page);
    }
    if (rows === undefined || this.#stale.has(page)) this.#load(page, false);
    return rows?.[index % PAGE_SIZE];
  }

  /** As `at`, without fetching. */
  peek(index: number): MemoryRow | undefined {
    return this.#pages.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE];
  }

  /** Where a loaded row is now, or -1. */
  indexOf(id: string): number {
    for (const [page, rows] of this.#pages) {
      const index = rows.findIndex((row) => row.id === id);
      if (index !== -1) return page * PAGE_SIZE + index;
    }
    return -1;
  }

  dispose(): void {
    this.#cancelAll();
    this.#asked = false;
  }

  #cancelAll(): void {
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
    this.#stale.clear();
  }

  #load(page: number, fresh: boolean): void {
    if (this.#fetch === undefined || this.#loading.has(page)) return;
    const controller = new AbortController();
    this.#loading.set(page, controller);
    this.#stale.delete(page);
    this.#fetch(page * PAGE_SIZE, controller.signal).then(
      (answer) => {
        if (controller.signal.aborted) return;
        this.#loading.delete(page);
        if (fresh) this.#pages.clear();
        this.#pages.set(page, answer.rows);
        this.#letGo(page);
        this.total = answer.total;
        this.degradations = answer.degradations;
        this.state = 'ready';
        this.error = undefined;
        this.#onChange();
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        this.#loading.delete(page);
        this.state = 'failed';
        this.error = error instanceof Error ? error : new Error(String(error));
        this.#onChange();
      },
    );
  }

  #letGo(near: number): void {
    if (this.#pages.size <= MAX_PAGES) return;
    const farthest = [...this.#pages.keys()].sort((a, b) => Math.abs(b - near) - Math.abs(a - near));
    for (const page of farthest.slice(0, this.#pages.size - MAX_PAGES)) this.#pages.delete(page);
  }
}
