/** Recall's contract around the ranking: limits, filters, what is missing, what is said. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../../../src/engine/embedding/embedder.ts';
import type { WorkingTree } from '../../../../src/engine/engineTypes.ts';
import { sampleProvenance } from '../../../support/builders.ts';
import { openRecallBench, type RecallBench } from '../../../support/recallBench.ts';
import { createTemporaryFolder } from '../../../support/temporaryFolder.ts';
import { waitUntil } from '../../../support/waitUntil.ts';

/** Two directions: what is about food and what is not; enough to be found without a shared word. */
const topics: Embedder = {
  version: 'topics@1',
  dimensions: 2,
  countTokens: (text) => text.length / 4,
  embed: (texts) => Promise.resolve(texts.map((text) => Float32Array.from(/bread|soup|eat|hungry/.test(text) ? [1, 0] : [0, 1]))),
  close: () => Promise.resolve(),
};
const failing: Embedder = { ...topics, embed: (texts, { role }) => (role === 'query' ? Promise.resolve([]) : topics.embed(texts, { role })) };

let bench: RecallBench;
const open = async (options: Parameters<typeof openRecallBench>[1] = {}): Promise<void> => {
  await bench.close();
  bench = await openRecallBench(createTemporaryFolder('recall'), options);
};
beforeEach(async () => {
  bench = await openRecallBench(createTemporaryFolder('recall'));
});
afterEach(async () => {
  await bench.close();
});

describe('limits', () => {
  it.each([0, -1, 1.5, Number.NaN])('refuses %s', async (limit) => {
    await expect(bench.recall({ query: 'x', limit })).rejects.toMatchObject({ code: 'LIMIT_RANGE' });
  });

  it('caps a huge one and says so', async () => {
    const result = await bench.recall({ query: 'x', limit: 1e9 });
    expect(result.limit).toBe(200);
    expect(result.degradations).toContainEqual(expect.objectContaining({ part: 'limit_capped' }));
  });
});

describe('what is missing', () => {
  it('answers by words without a model and says so', async () => {
    await bench.put('the bread is baked on Mondays');
    const { results, mode, degradations } = await bench.recall({ query: 'bread', mode: 'semantic' });
    expect(results).toHaveLength(1);
    expect(mode).toBe('keyword');
    expect(degradations.map(({ part }) => part)).toContain('embedder_absent');
  });

  it('answers by words when the model fails, and says so', async () => {
    await open({ embedder: failing });
    await bench.put('the bread is baked on Mondays');
    const { results, degradations } = await bench.recall('bread');
    expect(results).toHaveLength(1);
    expect(degradations.map(({ part }) => part)).toContain('embedder_failed');
  });

  it('stops when cancelled', async () => {
    await expect(bench.recall({ query: 'x', signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('meaning', () => {
  it('finds without a shared word, and explains rank, cosine and index', async () => {
    await open({ embedder: topics });
    await bench.put('soup is served at noon', 'the deployment takes nine minutes');
    const { results } = await bench.recall('I am hungry');
    expect(results.map(({ memory }) => memory.text)).toEqual(['soup is served at noon']);
    expect(results[0]?.explain).toMatchObject({ vectorRank: 1, index: 'exact' });
    expect(results[0]?.explain.cosine).toBeCloseTo(1, 5);
  });
});

describe('a long text', () => {
  /** A page of many chunks, one of which lies a little nearer to the question than the statement that answers. */
  const spread: Embedder = {
    ...topics,
    version: 'spread@1',
    embed: (texts) => Promise.resolve(texts.map((text) => {
      const cosine = text.includes('question') ? 1 : text.includes('lucky') ? 0.61 : text.includes('answer') ? 0.6 : 0.5;
      return Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2));
    })),
  };

  it('does not stand before the statement that answers because the best of its many chunks is near by chance', async () => {
    await open({ embedder: spread });
    const page = Array.from({ length: 160 }, (_, i) => `Line ${i} tells of things that are not asked for.`);
    await bench.put([...page, 'This one is lucky.', ...page].join('\n'), 'the answer');
    expect((await bench.texts({ query: 'question', mode: 'semantic' }))[0]).toBe('the answer');
  });
});

describe('a question about nothing', () => {
  it('gets no page of noise, whatever the limit', async () => {
    const strangers: Embedder = { ...topics, version: 'strangers@1', embed: (texts) => Promise.resolve(texts.map((text) => (text === 'asdfghjkl' ? Float32Array.of(1, 0) : Float32Array.of(0.25, Math.sqrt(1 - 0.25 ** 2))))) };
    await open({ embedder: strangers });
    await bench.put(...Array.from({ length: 80 }, (_, i) => `statement ${i} about something else`));
    expect(await bench.texts({ query: 'asdfghjkl', limit: 20 })).toHaveLength(3);
    expect(await bench.texts({ query: 'asdfghjkl', limit: 100 })).toHaveLength(3);
  });
});

describe('long texts', () => {
  it('are ordered by their ranks by words and by meaning as well, each place accounted for; short ones are not', async () => {
    await open({ embedder: topics });
    const page = (start: string): string => `${start} ${'Line after line of what nobody asked for. '.repeat(60)}`;
    const accounts = async (): Promise<boolean[]> => (await bench.recall('hungry for bread')).results.map(({ explain }, i, all) => {
      const product = explain.boosts.reduce((score, { factor }) => score * factor, explain.rrfScore);
      expect(product / explain.finalScore).toBeCloseTo(1, 6);
      expect(explain.finalScore).toBeLessThanOrEqual(all[i - 1]?.explain.finalScore ?? Infinity);
      return explain.boosts.some(({ name }) => name === 'ranks');
    });
    await bench.put(page('The bread is baked on Mondays.'), page('Soup for the hungry at noon.'));
    expect(await accounts()).toEqual([true, true]);
    await bench.put('bread for the hungry', 'hungry people eat bread', 'the bread is gone', 'a hungry crowd at the bread counter');
    expect((await accounts()).some(Boolean)).toBe(false);
  });

  it('are found first by words though sixty others lie nearer by meaning', async () => {
    const near: Embedder = {
      ...topics,
      version: 'near@1',
      embed: (texts) => Promise.resolve(texts.map((text, i) => {
        const cosine = text.includes('ErrStop in ForEach') ? 0.45 : 0.5 + i / 1_000;
        return text === 'use storer.ErrStop in ForEach' ? Float32Array.of(1, 0) : Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2));
      })),
    };
    await open({ embedder: near });
    const page = (start: string): string => `${start} ${'Line after line of what nobody asked for. '.repeat(60)}`;
    await bench.put(page('We use storer.ErrStop in ForEach so that no error goes on.'), ...Array.from({ length: 70 }, (_, i) => page(`Page ${i} tells of other things.`)));
    const { results } = await bench.recall('use storer.ErrStop in ForEach');
    expect(results[0]?.memory.text).toContain('storer.ErrStop');
    expect(results[0]?.explain.vectorRank).toBeGreaterThan(60);
  });

  it('that begin alike replace nothing: pages of one kind do', async () => {
    const page = (rest: string): string => `Implement the following plan step by step and report. ${rest} ${'Line after line of what nobody asked for. '.repeat(60)}`;
    await bench.put({ text: page('The harbour crane gets new brakes.'), validFrom: Date.parse('2025-03-01') }, { text: page('The harbour is cleaned on Mondays, and nobody walks below a crane; bicycles without brakes are given away.'), validFrom: Date.parse('2026-03-01') });
    const { results } = await bench.recall('plan for the brakes of the harbour crane');
    expect(results[0]?.memory.text).toContain('crane');
    expect(results.flatMap(({ explain }) => explain.boosts.map(({ name }) => name))).not.toContain('newerStatement');
  });
});

describe('a text in pieces', () => {
  const filler = 'Nothing else is told here, line after line. '.repeat(60);

  it('is one of ten results: its other pieces come behind what other texts say', async () => {
    const others = ['the harbour crane brakes are painted yellow', 'the brakes of the harbour crane were ordered in May'];
    await bench.put(...[1, 2, 3].map((part) => ({ text: `Part ${part}: the harbour crane needs new brakes. ${filler}`, externalId: 'page' })), ...others);
    const { results } = await bench.recall('harbour crane brakes');
    const places = results.map(({ memory, explain }) => (memory.externalId === undefined ? 'other' : explain.boosts.some(({ name }) => name === 'sameText') ? 'further piece' : 'best piece'));
    expect([...places].sort()).toEqual(['best piece', 'further piece', 'further piece', 'other', 'other']);
    expect(places.slice(3)).toEqual(['further piece', 'further piece']);
  });

  it('is not what only shares where it came from', async () => {
    await bench.put({ text: 'the harbour crane needs brakes', externalId: 'ticket 7' }, { text: 'the harbour crane is painted, brakes too', externalId: 'ticket 7' }, 'a crane operator is hired');
    expect((await bench.texts('harbour crane brakes')).slice(0, 2).every((text) => text.includes('harbour'))).toBe(true);
  });
});

describe('nothing asked', () => {
  it('lists the newest, without superseded, archived and expired ones', async () => {
    await bench.put({ text: 'old', updatedAt: 1 }, { text: 'new', updatedAt: 2 }, { text: 'gone', status: 'archived' }, { text: 'replaced', status: 'superseded' }, { text: 'over', expiresAt: 5 });
    expect(await bench.texts('')).toEqual(['new', 'old']);
    expect(await bench.texts({ filters: { statuses: ['archived'] } })).toEqual(['gone']);
  });
});

describe('filters and use', () => {
  it('keeps to kinds, tags and exclusions', async () => {
    const [first] = await bench.put({ text: 'deploy on tags', kind: 'rule', tags: ['ops'] }, { text: 'deploy by hand', kind: 'fact' });
    expect(await bench.texts({ query: 'deploy', filters: { kinds: ['rule'] } })).toEqual(['deploy on tags']);
    expect(await bench.texts({ query: 'deploy', filters: { tags: ['ops'] } })).toEqual(['deploy on tags']);
    expect(await bench.texts({ query: 'deploy', exclude: new Set([first?.id ?? '']) })).toEqual(['deploy by hand']);
  });

  it('counts use, unless it is only looked at', async () => {
    const [memory] = await bench.put('deploy on tags');
    await bench.recall({ query: 'deploy', countUse: false });
    expect((await bench.store.getMemory(memory?.id ?? ''))?.recallCount).toBe(0);
    await bench.recall('deploy');
    await waitUntil(async () => (await bench.store.getMemory(memory?.id ?? ''))?.recallCount === 1, 'the use to be counted');
  });

  it('orders equal matches by importance and kind, never a weak match above a clear one', async () => {
    await bench.put({ text: 'deploy on tags', importance: 3 }, { text: 'deploy on tags only', importance: 9, kind: 'rule' }, { text: 'tags are lower case and the word deploy stands here among many other words about nothing at all', importance: 10, kind: 'rule', pinned: true });
    expect((await bench.texts('deploy on tags'))[2]).toContain('lower case');
  });
});

describe('branches and anchors', () => {
  const tree: WorkingTree = { readText: (path) => Promise.resolve(path === 'src/here.ts' ? 'export const here = 1;' : undefined), exists: (path) => Promise.resolve(path === 'src/here.ts') };

  it('hides what was made on another branch about code that is not here, and names the branch otherwise', async () => {
    await open({ workingTree: tree });
    const made = { provenance: sampleProvenance({ branch: 'fix' }) };
    await bench.put({ text: 'cache is warmed in here', ...made, anchors: [{ path: 'src/here.ts' }] }, { text: 'cache is warmed over there', ...made, anchors: [{ path: 'src/there.ts' }] });
    const { results } = await bench.recall({ query: 'cache warmed', view: { branch: 'main' } });
    expect(results.map(({ memory }) => memory.text)).toEqual(['cache is warmed in here']);
    expect(results[0]?.explain.visibleBecause).toContain('fix');
    expect(results[0]?.anchorChecks).toMatchObject([{ state: 'fresh' }]);
  });

  it('lets what is said on another branch replace nothing here', async () => {
    const older = { text: 'orders are stored in MySQL 8', validFrom: Date.parse('2025-03-01'), provenance: sampleProvenance({ branch: 'main' }) };
    const newer = { text: 'now the orders are stored in PostgreSQL, no longer in MySQL', validFrom: Date.parse('2026-03-01'), provenance: sampleProvenance({ branch: 'fix' }) };
    await bench.put(older, newer);
    const on = async (branch: string): Promise<unknown[]> => (await bench.recall({ query: 'where are orders stored', view: { branch, defaultBranch: 'main' } })).results.map(({ memory, explain }) => [memory.text.slice(0, 10), explain.replacedBy !== undefined]);
    expect(await on('main')).toEqual([['orders are', false], ['now the or', false]]);
    expect(await on('fix')).toEqual([['now the or', false], ['orders are', true]]);
  });

  it('says that nothing was checked without a working tree', async () => {
    await bench.put({ text: 'cache is warmed', anchors: [{ path: 'src/here.ts' }] });
    const { results, degradations } = await bench.recall('cache');
    expect(results[0]?.anchorChecks).toMatchObject([{ state: 'unchecked' }]);
    expect(degradations.map(({ part }) => part)).toContain('working_tree_unchecked');
  });

  it('ranks the memory of the file in view first', async () => {
    await bench.put({ text: 'retry three times', anchors: [{ path: 'src/mail.ts' }] }, { text: 'retry three times at most', anchors: [{ path: 'src/pay.ts' }] });
    expect((await bench.texts({ query: 'retry', view: { activePath: 'src/pay.ts' } }))[0]).toContain('at most');
    expect((await bench.texts({ query: 'retry', view: { activePath: 'src/mail.ts' } }))[0]).not.toContain('at most');
  });
});
