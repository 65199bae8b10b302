/**
 * Models from the hub under the Embedder contract: the real package, fetched by the product's own code, and a model that
 * ships, in the hub's layout. What it gives is compared with our own runtime, which reads the same weights.
 */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openBundledEmbedder } from '../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { chunkText } from '../../src/engine/embedding/chunker.ts';
import { openTransformersEmbedder, type TransformersOptions } from '../../src/engine/embedding/transformers/transformersEmbedder.ts';
import { findTransformers, makeHubModel, PACKAGES, SHIPPED_MODEL } from '../support/hubModel.ts';
import { notRunHere } from '../support/notRunHere.ts';
import { createTemporaryFolder, writeFiles } from '../support/temporaryFolder.ts';
import { cosine, describeEmbedder } from './embedder.contract.ts';

const importTransformers = await findTransformers();
if (importTransformers === undefined) {
  notRunHere('models from the hub', 'the package registry cannot be reached');
  describe('models from the hub', () => it('are not tried without the package', () => expect(fs.existsSync(path.join(PACKAGES, 'node_modules/@huggingface/transformers/package.json'))).toBe(false)));
} else {
  const folder = createTemporaryFolder('hub');
  const model = makeHubModel(folder, 'all-minilm-l6-v2');
  /** The shipped model in our own form, without what we do to a text before it is encoded (names, Chinese words): the hub knows nothing of that. */
  const plainModel = (over: object = {}): string => {
    const ownForm = createTemporaryFolder('own-form');
    fs.cpSync(SHIPPED_MODEL, ownForm, { recursive: true });
    const manifest = JSON.parse(fs.readFileSync(path.join(SHIPPED_MODEL, 'model.json'), 'utf8')) as object;
    writeFiles(ownForm, { 'model.json': { ...manifest, lexicon: undefined, names: undefined, ...over } });
    return ownForm;
  };
  const options = (over: Partial<TransformersOptions> = {}): TransformersOptions => ({ model, cacheFolder: createTemporaryFolder('cache'), allowDownload: false, importTransformers, ...over });

  describeEmbedder({ name: 'A model from the hub', open: async () => openTransformersEmbedder(options()), supports: { meaning: true, repeatCosine: 0.9999 } });

  describe('the package', () => {
    it('takes no room for other systems and browsers', () => {
      const libraries = path.join(PACKAGES, 'node_modules/onnxruntime-node/bin');
      const platforms = fs.readdirSync(libraries).flatMap((version) => fs.readdirSync(path.join(libraries, version)).flatMap((platform) => fs.readdirSync(path.join(libraries, version, platform)).map((architecture) => `${platform}-${architecture}`)));
      expect(platforms).toEqual([`${process.platform}-${process.arch}`]);
      expect(fs.readdirSync(path.join(PACKAGES, 'node_modules/onnxruntime-web'))).toEqual(['package.json']);
    });
  });

  describe('a model from the hub', () => {
    it('gives the vectors of our own runtime: long, Chinese, accented and empty texts alike', async () => {
      const [ours, theirs] = [await openBundledEmbedder({ modelFolder: plainModel(), runtime: 'native' }), await openTransformersEmbedder(options())];
      const texts = ['We use pnpm.', '提交之前先跑一遍测试。', '', ' ', 'Café déjà vu, ﬁne', 'src/engine/openEmbedder.ts: `fooBar()`', 'The cache lives in memory. '.repeat(200), '未'.repeat(900), '👩‍👩‍👧‍👦 ok'];
      const expected = await ours.embed(texts, { role: 'passage' });
      for (const [i, vector] of (await theirs.embed(texts, { role: 'passage' })).entries()) expect(cosine(vector, expected[i] ?? new Float32Array()), texts[i]).toBeGreaterThan(theirs.countTokens(texts[i] ?? '') > 256 ? 0.99 : 0.9999); // the package cuts the end mark off with the rest of a text that is too long
      expect(texts.map((text) => theirs.countTokens(text))).toEqual(texts.map((text) => ours.countTokens(text)));
      const chunks = chunkText(texts[6] ?? '', { countTokens: (text) => theirs.countTokens(text) });
      expect(chunks.length).toBeGreaterThan(4);
      for (const { text } of chunks) expect(theirs.countTokens(text)).toBeLessThanOrEqual(256);
      await Promise.all([ours.close(), theirs.close()]);
    });

    it('is asked with the pooling and the prefixes that the table has for its name', async () => {
      const prefix = 'Represent this sentence for searching relevant passages: ';
      const [ours, theirs] = [await openBundledEmbedder({ modelFolder: plainModel({ pooling: 'cls', prefixes: { query: prefix, passage: '' } }), runtime: 'native' }), await openTransformersEmbedder(options({ model: makeHubModel(folder, 'bge-small-en-v1.5') }))];
      for (const role of ['query', 'passage'] as const) {
        const [expected, found] = [await ours.embed(['which port?'], { role }), await theirs.embed(['which port?'], { role })];
        expect(cosine(found[0] ?? new Float32Array(), expected[0] ?? new Float32Array()), role).toBeGreaterThan(0.999);
      }
      const [asQuery, asPassage] = [await theirs.embed(['which port?'], { role: 'query' }), await theirs.embed(['which port?'], { role: 'passage' })];
      expect(cosine(asQuery[0] ?? new Float32Array(), asPassage[0] ?? new Float32Array())).toBeLessThan(0.99);
      await Promise.all([ours.close(), theirs.close()]);
    });

    it('stops between two texts when it is cancelled, and serves the next question', async () => {
      const embedder = await openTransformersEmbedder(options());
      const abort = new AbortController();
      const asked = embedder.embed(Array.from({ length: 5_000 }, (_value, i) => `Memory number ${i}.`), { role: 'passage', signal: abort.signal });
      setImmediate(() => abort.abort());
      await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(await embedder.embed(['We use pnpm.'], { role: 'query' })).toHaveLength(1);
      await embedder.close();
      await expect(embedder.embed(['x'], { role: 'query' })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    });

    it('has another version when its weights are others, and is refused where its dimensions are not what the table says', async () => {
      await expect(openTransformersEmbedder(options({ model: makeHubModel(folder, 'bge-small-zh-v1.5') }))).rejects.toMatchObject({ code: 'EMBEDDING_MISMATCH' });
      const changed = makeHubModel(folder, 'changed');
      const [first, second] = [await openTransformersEmbedder(options({ model: changed })), await openTransformersEmbedder(options({ model: changed, profile: { pooling: 'cls' } }))];
      expect(second.version).not.toBe(first.version);
      await Promise.all([first.close(), second.close()]);
      await fs.promises.rm(path.join(changed, 'onnx'), { recursive: true });
      await expect(openTransformersEmbedder(options({ model: changed }))).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    });

    it('runs on the processor where the wanted device is not to be had, and says why', async () => {
      const failed: string[] = [];
      const embedder = await openTransformersEmbedder(options({ devices: ['no-such-device', 'cpu'], onDeviceFailed: (device, why) => failed.push(`${device}: ${why}`) }));
      expect(failed).toEqual([expect.stringMatching(/^no-such-device: .*no-such-device/)]);
      expect(await embedder.embed(['We use pnpm.'], { role: 'query' })).toHaveLength(1);
      await embedder.close();
    });
  });

  describe('a mirror of the hub', () => {
    const asked: string[] = [];
    // The hub's addresses: OWNER/NAME/resolve/REVISION/FILE.
    const mirror = http.createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://mirror');
      asked.push(pathname);
      const file = path.join(model, /^\/hub\/team\/minilm\/resolve\/main\/(.+)$/.exec(pathname)?.[1] ?? 'nothing-of-that-name');
      if (!fs.existsSync(file)) return response.writeHead(404).end();
      const bytes = fs.readFileSync(file);
      return response.writeHead(200, { 'content-length': bytes.length }).end(request.method === 'HEAD' ? undefined : bytes);
    }).listen(0, '127.0.0.1');
    afterAll(() => {
      mirror.closeAllConnections();
      mirror.close();
    });

    it('gives a model once, with progress; afterwards the cache serves without asking anybody', async () => {
      const { port } = mirror.address() as AddressInfo;
      const fromMirror = options({ model: 'team/minilm', allowDownload: true, mirrorUrl: `http://127.0.0.1:${port}/hub` });
      const progress = new Map<string, number>();
      const first = await openTransformersEmbedder({ ...fromMirror, onProgress: ({ file, loadedBytes, totalBytes }) => progress.set(file, loadedBytes / totalBytes) });
      expect(progress.get('onnx/model_quantized.onnx')).toBe(1);
      const [vector] = await first.embed(['We use pnpm.'], { role: 'query' });
      await first.close();
      const before = asked.length;
      const second = await openTransformersEmbedder({ ...fromMirror, allowDownload: false });
      const [again] = await second.embed(['We use pnpm.'], { role: 'query' });
      expect(cosine(vector ?? new Float32Array(), again ?? new Float32Array())).toBeGreaterThan(0.9999);
      expect(asked).toHaveLength(before);
      await second.close();
    });

    it('that does not have the model is named, and nobody is asked unless downloading was asked for', async () => {
      const { port } = mirror.address() as AddressInfo;
      const unknown = options({ model: 'team/unknown', mirrorUrl: `http://127.0.0.1:${port}/hub` });
      const before = asked.length;
      await expect(openTransformersEmbedder(unknown)).rejects.toMatchObject({ code: 'MODEL_MISSING' });
      expect(asked).toHaveLength(before);
      await expect(openTransformersEmbedder({ ...unknown, allowDownload: true })).rejects.toMatchObject({ code: 'MODEL_DOWNLOAD_FAILED', message: expect.stringContaining(`127.0.0.1:${port}`) as string });
    });
  });
}
