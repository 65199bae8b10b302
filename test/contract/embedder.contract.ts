/**
 * What every Embedder owes: one unit vector per text, the same one every time and whatever
 * stands beside it, for any text a person can type; a clear end when cancelled or closed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/engine/embedding/embedder.ts';

export interface EmbedderCase {
  readonly name: string;
  readonly open: () => Promise<Embedder>;
  readonly supports: {
    /** Knows meaning: a paraphrase is nearer than an unrelated text. */
    readonly meaning: boolean;
    /** Least cosine of two runs of one text; 1 where arithmetic is our own. */
    readonly repeatCosine?: number;
  };
}

export const cosine = (left: Float32Array, right: Float32Array): number => left.reduce((sum, value, i) => sum + value * (right[i] ?? Number.NaN), 0);

const ODD_TEXTS = ['', ' ', '\n', 'a', '?', '💥', '👩‍👩‍👧‍👦', 'x'.repeat(5_000), '未'.repeat(3_000), 'ไม่มีช่องว่าง', '\u0000\u0007', '\ud800', '한국어', 'word '.repeat(2_000)];

export function describeEmbedder({ name, open, supports }: EmbedderCase): void {
  describe(`${name} keeps the contract of Embedder`, () => {
    // One for all tests that only ask: loading a model is most of the time of each.
    let shared: Embedder;
    beforeAll(async () => {
      shared = await open();
    });
    afterAll(async () => shared.close());
    const withEmbedder = async (use: (embedder: Embedder) => Promise<void>): Promise<void> => use(shared);

    it('gives one vector of length 1 and of its dimensions for each text, in order', async () => {
      await withEmbedder(async (embedder) => {
        const texts = ['We use pnpm.', 'The cache lives in memory.', 'We use pnpm.'];
        const vectors = await embedder.embed(texts, { role: 'passage' });
        expect(vectors).toHaveLength(3);
        for (const vector of vectors) {
          expect(vector).toBeInstanceOf(Float32Array);
          expect(vector).toHaveLength(embedder.dimensions);
          expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
        }
        expect(cosine(vectors[0] ?? new Float32Array(), vectors[2] ?? new Float32Array())).toBeGreaterThan(0.9999);
        expect(cosine(vectors[0] ?? new Float32Array(), vectors[1] ?? new Float32Array())).toBeLessThan(0.99);
      });
    });

    it('gives no vectors for no texts', async () => {
      await withEmbedder(async (embedder) => expect(await embedder.embed([], { role: 'query' })).toEqual([]));
    });

    it('gives a usable vector for every odd text', async () => {
      await withEmbedder(async (embedder) => {
        for (const vector of await embedder.embed(ODD_TEXTS, { role: 'passage' })) expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
      });
    });

    it('splits more texts than one batch holds and keeps their order', async () => {
      await withEmbedder(async (embedder) => {
        const texts = Array.from({ length: 40 }, (_value, i) => `Memory number ${i} speaks of topic ${i * 7}.`);
        const vectors = await embedder.embed(texts, { role: 'passage' });
        expect(vectors).toHaveLength(40);
        const [alone] = await embedder.embed([texts[37] ?? ''], { role: 'passage' });
        expect(cosine(alone ?? new Float32Array(), vectors[37] ?? new Float32Array())).toBeGreaterThanOrEqual((supports.repeatCosine ?? 1) - 1e-5);
      });
    });

    it('gives the same vector whatever texts stand beside it', async () => {
      await withEmbedder(async (embedder) => {
        const text = 'Deployments happen on Tuesdays.';
        const [alone] = await embedder.embed([text], { role: 'query' });
        const [, beside] = await embedder.embed(['x'.repeat(600), text, '部署'], { role: 'query' });
        expect(cosine(alone ?? new Float32Array(), beside ?? new Float32Array())).toBeGreaterThanOrEqual((supports.repeatCosine ?? 1) - 1e-5);
      });
    });

    it('answers calls that run at the same time, each with its own vectors', async () => {
      await withEmbedder(async (embedder) => {
        const texts = ['alpha beta', 'gamma delta', 'epsilon zeta', 'eta theta'];
        const together = await Promise.all(texts.map(async (text) => embedder.embed([text], { role: 'passage' })));
        const inOrder = await embedder.embed(texts, { role: 'passage' });
        for (const [i, [vector]] of together.entries()) expect(cosine(vector ?? new Float32Array(), inOrder[i] ?? new Float32Array())).toBeGreaterThanOrEqual((supports.repeatCosine ?? 1) - 1e-5);
      });
    });

    it('throws CANCELLED for a call that is cancelled before it starts', async () => {
      await withEmbedder(async (embedder) => {
        await expect(embedder.embed(['text'], { role: 'query', signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
      });
    });

    it('counts more tokens for a longer text, and none less than its CJK characters need', async () => {
      await withEmbedder(async (embedder) => {
        const short = embedder.countTokens('Run the tests.');
        expect(short).toBeGreaterThan(2);
        expect(embedder.countTokens('Run the tests. '.repeat(10))).toBeGreaterThan(short * 4);
        expect(embedder.countTokens('提交之前先跑测试')).toBeGreaterThan(3);
      });
    });

    it('has a version that names it, the same at every opening', async () => {
      const [first, second] = [await open(), await open()];
      expect(first.version).toMatch(/^[\w.:/@-]+$/);
      expect(second.version).toBe(first.version);
      expect(second.dimensions).toBe(first.dimensions);
      await first.close();
      await second.close();
    });

    it('may be closed twice', async () => {
      const embedder = await open();
      await embedder.close();
      await embedder.close();
    });

    if (supports.meaning) {
      it('puts a paraphrase nearer than an unrelated text', async () => {
        await withEmbedder(async (embedder) => {
          const [question] = await embedder.embed(['which package manager installs the dependencies?'], { role: 'query' });
          const [right, wrong] = await embedder.embed(['We use pnpm workspaces; never run npm install.', 'The logo is blue and round.'], { role: 'passage' });
          const near = (vector: Float32Array | undefined): number => cosine(question ?? new Float32Array(), vector ?? new Float32Array());
          expect(near(right)).toBeGreaterThan(near(wrong) + 0.05);
        });
      });
    }
  });
}
