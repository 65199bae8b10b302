/** The cache: asks once, keeps the recent, splits batches, and is spoilt by nobody. */
import { describe, expect, it } from 'vitest';
import { createCachedEmbedder } from '../../../../src/engine/embedding/cachedEmbedder.ts';
import type { Embedder } from '../../../../src/engine/embedding/embedder.ts';
import { createHashingEmbedder } from '../../../../src/engine/embedding/hashing/hashingEmbedder.ts';

/** The real hashing embedder, with a record of what it was asked and a gate that can hold it. */
function recorded(): { inner: Embedder; calls: string[][]; hold: () => () => void; failNext: (error: Error) => void } {
  const hashing = createHashingEmbedder();
  const calls: string[][] = [];
  let gate: Promise<void> = Promise.resolve();
  let failure: Error | undefined;
  return {
    calls,
    hold: () => {
      let open = (): void => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return () => open();
    },
    failNext: (error) => {
      failure = error;
    },
    inner: {
      version: hashing.version,
      dimensions: hashing.dimensions,
      countTokens: (text) => hashing.countTokens(text),
      close: async () => hashing.close(),
      embed: async (texts, options) => {
        calls.push([...texts]);
        await gate;
        if (failure !== undefined) {
          const error = failure;
          failure = undefined;
          throw error;
        }
        return hashing.embed(texts, options);
      },
    },
  };
}

describe('the cached embedder', () => {
  it('asks for a text once, also for callers at the same time, and apart for each role', async () => {
    const { inner, calls, hold } = recorded();
    const cached = createCachedEmbedder(inner);
    const release = hold();
    const both = Promise.all([cached.embed(['a', 'b'], { role: 'passage' }), cached.embed(['b', 'c', 'b'], { role: 'passage' })]);
    release();
    const [first, second] = await both;
    expect(calls).toEqual([['a', 'b'], ['c']]);
    expect(second[0]).toEqual(first[1]);
    await cached.embed(['a', 'b', 'c'], { role: 'passage' });
    expect(calls).toHaveLength(2);
    await cached.embed(['a'], { role: 'query' });
    expect(calls).toHaveLength(3);
  });

  it('hands the model at most 32 texts at a time', async () => {
    const { inner, calls } = recorded();
    const texts = Array.from({ length: 70 }, (_value, i) => `text ${i}`);
    expect(await createCachedEmbedder(inner).embed(texts, { role: 'passage' })).toHaveLength(70);
    expect(calls.map(({ length }) => length)).toEqual([32, 32, 6]);
  });

  it('forgets the least recently used text when it is full', async () => {
    const { inner, calls } = recorded();
    const cached = createCachedEmbedder(inner, { capacity: 2 });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.embed([text], { role: 'query' });
    expect(calls.flat()).toEqual(['a', 'b', 'c', 'b']);
  });

  it('gives the error of a failed call to all who wait, and asks again next time', async () => {
    const { inner, failNext } = recorded();
    const cached = createCachedEmbedder(inner);
    failNext(new Error('broken'));
    const outcomes = await Promise.allSettled([cached.embed(['a'], { role: 'query' }), cached.embed(['a'], { role: 'query' })]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cached.embed(['a'], { role: 'query' })).toHaveLength(1);
  });

  it('lets one caller cancel without taking the answer from another', async () => {
    const { inner, hold } = recorded();
    const cached = createCachedEmbedder(inner);
    const release = hold();
    const abort = new AbortController();
    const cancelled = cached.embed(['a'], { role: 'query', signal: abort.signal });
    const waiting = cached.embed(['a'], { role: 'query' });
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    release();
    expect(await waiting).toHaveLength(1);
  });

  it('hands out copies, so that a caller who changes a vector changes only its own', async () => {
    const cached = createCachedEmbedder(createHashingEmbedder());
    const [vector] = await cached.embed(['a'], { role: 'query' });
    const before = [...(vector ?? [])];
    vector?.fill(9);
    const [again] = await cached.embed(['a'], { role: 'query' });
    expect([...(again ?? [])]).toEqual(before);
  });
});
