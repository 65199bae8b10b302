import { describe, expect, it } from 'vitest';
import { PAGE_SIZE } from '../../../src/protocol/index.ts';
import type { ListPage, MemoryRow } from '../../../src/protocol/index.ts';
import { PagedRows } from '../../../webview-ui/src/pagedRows.ts';

const row = (id: string): MemoryRow => ({ id, text: id, cut: false, kind: 'fact', importance: 5, tags: [], pinned: false, scope: 'repository', status: 'active', createdAt: 0, updatedAt: 0, anchorCount: 0, untrusted: false });

/** A host with `total` rows that answers when told to. */
function host(total: number, prefix = 'r') {
  const asked: number[] = [];
  const aborted: number[] = [];
  const fetch = async (offset: number, signal: AbortSignal): Promise<ListPage> => {
    asked.push(offset);
    signal.addEventListener('abort', () => { aborted.push(offset); });
    await Promise.resolve();
    return { rows: Array.from({ length: Math.max(0, Math.min(PAGE_SIZE, total - offset)) }, (_, index) => row(`${prefix}${offset + index}`)), total, offset, degradations: [] };
  };
  return { asked, aborted, fetch };
}
const settle = async (): Promise<void> => { for (let turn = 0; turn < 10; turn += 1) await Promise.resolve(); };

describe('rows by pages', () => {
  it('holds 100,000 rows and asks only for the pages that are looked at', async () => {
    const { asked, fetch } = host(100_000);
    const rows = new PagedRows(() => undefined);
    rows.ask(fetch);
    await settle();
    expect(rows.total).toBe(100_000);
    expect(rows.at(70_001)).toBeUndefined();
    await settle();
    expect(rows.at(70_001)?.id).toBe('r70001');
    expect(asked).toEqual([0, 70_000]);
  });

  it('keeps the old rows until the answer to a new question is there', async () => {
    const rows = new PagedRows(() => undefined);
    rows.ask(host(3, 'old').fetch);
    await settle();
    rows.ask(host(2, 'new').fetch);
    expect(rows.peek(0)?.id).toBe('old0');
    await settle();
    expect(rows.peek(0)?.id).toBe('new0');
    expect(rows.total).toBe(2);
  });

  it('ignores and cancels answers to questions that were left', async () => {
    const rows = new PagedRows(() => undefined);
    const first = host(3, 'first');
    rows.ask(first.fetch);
    rows.ask(host(1, 'second').fetch);
    await settle();
    expect(first.aborted).toEqual([0]);
    expect(rows.peek(0)?.id).toBe('second0');
  });

  it('sees the first memory arrive in an empty list', async () => {
    let total = 0;
    const rows = new PagedRows(() => undefined);
    rows.ask((offset, signal) => host(total).fetch(offset, signal));
    await settle();
    total = 1;
    rows.refresh();
    await settle();
    expect(rows.total).toBe(1);
  });

  it('tells a failure and recovers from it', async () => {
    let fails = true;
    const rows = new PagedRows(() => undefined);
    rows.ask((offset, signal) => (fails ? Promise.reject(new Error('locked')) : host(1).fetch(offset, signal)));
    await settle();
    expect(rows.state).toBe('failed');
    fails = false;
    rows.refresh();
    await settle();
    expect(rows.state).toBe('ready');
  });
});
