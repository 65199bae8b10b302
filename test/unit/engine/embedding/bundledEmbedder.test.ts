/** The bundled embedder when something is wrong: broken files, no runtime, a model that gives nonsense. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBundledEmbedder } from '../../../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { createPairedEmbedder, sharesOfText } from '../../../../src/engine/embedding/bundled/pairedEmbedder.ts';
import { createHashingEmbedder } from '../../../../src/engine/embedding/hashing/hashingEmbedder.ts';
import { repositoryDirectory } from '../../../support/program.ts';
import { createTemporaryFolder } from '../../../support/temporaryFolder.ts';

const shipped = path.join(repositoryDirectory, 'media/models/all-minilm-l6-v2');

function copyOfModel(): string {
  const folder = createTemporaryFolder('model');
  fs.cpSync(shipped, folder, { recursive: true });
  return folder;
}

function changeManifest(folder: string, change: Record<string, unknown>): void {
  const file = path.join(folder, 'model.json');
  fs.writeFileSync(file, JSON.stringify({ ...(JSON.parse(fs.readFileSync(file, 'utf8')) as object), ...change }));
}

/** A runtime of the same shape whose model gives `value` everywhere. */
const runtimeGiving = (value: number) => async (): Promise<unknown> => ({
  env: {},
  Tensor: class {
    readonly data: unknown;
    readonly dims: readonly number[];
    constructor(_type: string, data: unknown, dims: readonly number[]) {
      this.data = data;
      this.dims = dims;
    }
  },
  InferenceSession: {
    create: async () => ({ inputNames: ['input_ids', 'attention_mask'], run: async (feeds: { input_ids: { dims: number[] } }) => ({ last_hidden_state: { data: new Float32Array((feeds.input_ids.dims[1] ?? 0) * 384).fill(value), dims: [1, feeds.input_ids.dims[1], 384] } }), release: async () => undefined }),
  },
});

describe('the bundled embedder', () => {
  it('says which file is missing', async () => {
    await expect(openBundledEmbedder({ modelFolder: path.join(shipped, 'nowhere') })).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    const folder = copyOfModel();
    fs.rmSync(path.join(folder, 'onnx'), { recursive: true });
    const embedder = await openBundledEmbedder({ modelFolder: folder });
    await expect(embedder.load()).rejects.toMatchObject({ code: 'MODEL_MISSING', message: expect.stringContaining('model_quantized.onnx') as string });
    await embedder.close();
  });

  it('refuses a model and weights with one changed byte, a shortened vocabulary, and a manifest it does not understand', async () => {
    for (const file of ['onnx/model_quantized.onnx', 'onnx/model_quantized.onnx_data']) {
      const copy = copyOfModel();
      const bytes = fs.readFileSync(path.join(copy, file));
      bytes[100_000] = (bytes[100_000] ?? 0) ^ 1;
      fs.writeFileSync(path.join(copy, file), bytes);
      const embedder = await openBundledEmbedder({ modelFolder: copy });
      await expect(embedder.embed(['text'], { role: 'query' })).rejects.toMatchObject({ code: 'MODEL_CORRUPT', message: expect.stringContaining(file) as string });
      await embedder.close();
    }
    const folder = copyOfModel();
    fs.truncateSync(path.join(folder, 'vocab.txt'), 1_000);
    await expect(openBundledEmbedder({ modelFolder: folder })).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
    changeManifest(folder, { format: 2 });
    await expect(openBundledEmbedder({ modelFolder: folder })).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
    fs.writeFileSync(path.join(folder, 'model.json'), '{');
    await expect(openBundledEmbedder({ modelFolder: folder })).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
  });

  it('has another version when prefixes, pooling or length are other ones', async () => {
    const versions = new Set<string>();
    for (const change of [{}, { pooling: 'cls' }, { maxTokens: 128 }, { prefixes: { query: 'q: ', passage: '' } }]) {
      const folder = copyOfModel();
      changeManifest(folder, change);
      const embedder = await openBundledEmbedder({ modelFolder: folder });
      versions.add(embedder.version);
      await embedder.close();
    }
    expect(versions.size).toBe(4);
  });

  it('rejects vectors that are zero or not finite', async () => {
    for (const value of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
      const embedder = await openBundledEmbedder({ modelFolder: shipped, importRuntime: runtimeGiving(value) });
      await expect(embedder.embed(['text'], { role: 'query' })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
      await embedder.close();
    }
  });

  it('serves on WebAssembly where the native runtime cannot load, and says why', async () => {
    const embedder = await openBundledEmbedder({
      modelFolder: shipped,
      importRuntime: async (name) => {
        if (name === 'onnxruntime-node') throw new Error('no binary for this platform');
        return runtimeGiving(1)();
      },
    });
    expect(await embedder.embed(['text'], { role: 'query' })).toHaveLength(1);
    expect(embedder.runtime).toEqual({ kind: 'wasm', nativeFailure: 'no binary for this platform' });
    await embedder.close();
  });

  it('says both reasons where no runtime loads', async () => {
    const embedder = await openBundledEmbedder({
      modelFolder: shipped,
      importRuntime: async (name) => {
        throw new Error(`${name} is not there`);
      },
    });
    await expect(embedder.load()).rejects.toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringMatching(/onnxruntime-node is not there.*onnxruntime-web is not there/) as string });
    await embedder.close();
  });

  it('refuses texts after it was closed', async () => {
    const embedder = await openBundledEmbedder({ modelFolder: shipped, importRuntime: runtimeGiving(1) });
    await embedder.close();
    await expect(embedder.embed(['text'], { role: 'query' })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
  });
});

describe('a pair of embedders', () => {
  it('knows what the English encoder reads itself, what through its lexicon and what not at all', () => {
    expect(sharesOfText('only English')).toEqual({ latin: 1, chinese: 0, other: 0 });
    expect(sharesOfText('只有中文')).toEqual({ latin: 0, chinese: 1, other: 0 });
    expect(sharesOfText('')).toEqual({ latin: 1, chinese: 0, other: 0 });
    expect(sharesOfText('только русский')).toEqual({ latin: 0, chinese: 0, other: 1 });
    expect(sharesOfText('設定は config にある')).toMatchObject({ chinese: 0 });
    expect(sharesOfText('設定は config にある').other).toBeGreaterThan(0.5);
    expect(sharesOfText('用 pnpm 安装依赖').chinese).toBeGreaterThan(0.5);
  });

  it('counts the English part fully for English, half as much for Chinese, and leaves it empty for what it cannot read', async () => {
    const pair = createPairedEmbedder(createHashingEmbedder({ dimensions: 8 }), createHashingEmbedder({ dimensions: 16 }));
    const [english, chinese, russian] = await pair.embed(['use pnpm', '使用数据库', 'только русский'], { role: 'passage' });
    expect(pair.dimensions).toBe(24);
    expect(Math.hypot(...(english ?? []).slice(0, 8))).toBeCloseTo(Math.sqrt(2.5 / 3.5), 5);
    expect(Math.hypot(...(chinese ?? []).slice(0, 8))).toBeCloseTo(Math.sqrt(1.25 / 2.25), 5);
    expect(Math.hypot(...(russian ?? []).slice(0, 8))).toBe(0);
    await pair.close();
  });
});
