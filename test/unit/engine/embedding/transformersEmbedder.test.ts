/**
 * What the transformers embedder asks of its package, seen by a stand-in of the same shape:
 * the package is an optional download of several hundred MB that tests must not need.
 */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTransformersEmbedder, type TransformersOptions } from '../../../../src/engine/embedding/transformers/transformersEmbedder.ts';
import { createTemporaryFolder, writeFiles } from '../../../support/temporaryFolder.ts';

function standIn(dimensions: number, fail?: Error) {
  const asked: { model: string; options: Record<string, unknown> }[] = [];
  const texts: string[] = [];
  const pooling: string[] = [];
  const env = { allowRemoteModels: true, allowLocalModels: true, localModelPath: '', cacheDir: '', remoteHost: 'https://hub.example/' };
  const pipeline = async (_task: string, model: string, options: Record<string, unknown>): Promise<unknown> => {
    asked.push({ model, options });
    if (fail !== undefined) throw fail;
    (options['progress_callback'] as (event: unknown) => void)({ status: 'progress', file: 'onnx/model_quantized.onnx', loaded: 5, total: 10 });
    return Object.assign(
      async ([text = '']: string[], how: { pooling: string }) => {
        texts.push(text);
        pooling.push(how.pooling);
        return { data: Float32Array.from({ length: dimensions }, (_value, i) => text.length + i), dims: [1, dimensions] };
      },
      { tokenizer: { encode: (text: string) => text.split(' '), model_max_length: 8_192 }, dispose: async () => undefined },
    );
  };
  return { asked, texts, pooling, env, module: { env, pipeline } };
}

const options = (over: Partial<TransformersOptions>): TransformersOptions => ({ model: 'multilingual-e5-small', cacheFolder: createTemporaryFolder('cache'), allowDownload: true, ...over });

describe('the transformers embedder', () => {
  it('knows where a model lies, its prefixes and its pooling, and reports the download', async () => {
    const { asked, texts, pooling, module } = standIn(512);
    const progress: unknown[] = [];
    const embedder = await openTransformersEmbedder(options({ model: 'bge-small-zh-v1.5', importTransformers: async () => module, onProgress: (event) => progress.push(event) }));
    await embedder.embed(['端口是多少'], { role: 'query' });
    await embedder.embed(['端口是 8080'], { role: 'passage' });
    expect(asked[0]?.model).toBe('Xenova/bge-small-zh-v1.5');
    expect(texts.slice(1)).toEqual(['为这个句子生成表示以用于检索相关文章：端口是多少', '端口是 8080']);
    expect(new Set(pooling)).toEqual(new Set(['cls']));
    expect(progress).toEqual([{ file: 'onnx/model_quantized.onnx', loadedBytes: 5, totalBytes: 10 }]);
    expect(embedder.dimensions).toBe(512);
    await embedder.close();
  });

  it('downloads nothing unless asked to, and says so when the model is not here', async () => {
    const { asked, env, module } = standIn(384, new Error('file was not found locally'));
    await expect(openTransformersEmbedder(options({ allowDownload: false, importTransformers: async () => module }))).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    expect(env.allowRemoteModels).toBe(false);
    expect(asked[0]?.options['local_files_only']).toBe(true);
    await expect(openTransformersEmbedder(options({ importTransformers: async () => module }))).rejects.toMatchObject({ code: 'MODEL_DOWNLOAD_FAILED' });
  });

  it('uses a mirror, and a local folder without asking any host', async () => {
    const { asked, env, module } = standIn(384);
    await (await openTransformersEmbedder(options({ mirrorUrl: 'https://mirror.example/models', importTransformers: async () => module }))).close();
    expect(env.remoteHost).toBe('https://mirror.example/models/');
    const folder = createTemporaryFolder('models');
    writeFiles(folder, { 'my-model/onnx/model_quantized.onnx': 'weights' });
    const embedder = await openTransformersEmbedder(options({ model: path.join(folder, 'my-model'), importTransformers: async () => module }));
    expect([asked[1]?.model, env.localModelPath, env.allowRemoteModels]).toEqual(['my-model', folder, false]);
    writeFiles(folder, { 'my-model/onnx/model_quantized.onnx': 'other weights' });
    const changed = await openTransformersEmbedder(options({ model: path.join(folder, 'my-model'), importTransformers: async () => module }));
    expect(changed.version).not.toBe(embedder.version);
  });

  it('tries the devices in order, says which was not to be had, and ends on the last one', async () => {
    const { module, asked } = standIn(384);
    const tried: unknown[] = [];
    const picky = { ...module, pipeline: async (task: 'feature-extraction', model: string, settings: Readonly<Record<string, unknown>>) => {
      tried.push(settings['device']);
      if (settings['device'] !== 'cpu') throw new Error('no such provider');
      return module.pipeline(task, model, settings);
    } };
    const failed: string[] = [];
    const embedder = await openTransformersEmbedder(options({ devices: ['dml', 'cpu'], onDeviceFailed: (device, why) => failed.push(`${device}: ${why}`), importTransformers: async () => picky }));
    expect([tried, failed, asked.length]).toEqual([['dml', 'cpu'], ['dml: no such provider'], 1]);
    await embedder.close();
  });

  it('refuses a model whose dimensions are not what the table says', async () => {
    const { module } = standIn(100);
    await expect(openTransformersEmbedder(options({ importTransformers: async () => module }))).rejects.toMatchObject({ code: 'EMBEDDING_MISMATCH' });
  });

  it('says what to do where the package is not installed', async () => {
    await expect(openTransformersEmbedder(options({ importTransformers: async () => Promise.reject(new Error('not found')) }))).rejects.toMatchObject({ code: 'MODEL_MISSING', message: expect.stringContaining('@huggingface/transformers') as string });
  });
});
