/**
 * TransformersEmbedder: any sentence encoder in ONNX form, by its id on the hub or from a
 * local folder, through @huggingface/transformers. Loaded and downloaded only when a person
 * chose such a model; offline machines use a folder or a mirror.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CairnError, isCairnError } from '../../../base/errors.ts';
import type { Embedder, EmbeddingRole } from '../embedder.ts';
import { type ModelProfile, profileOf } from '../modelProfiles.ts';
import { assertNotCancelled, unitVector } from '../unitVector.ts';

export interface DownloadProgress {
  readonly file: string;
  readonly loadedBytes: number;
  readonly totalBytes: number;
}

export interface TransformersOptions {
  /** `owner/name` on the hub, a name of the profile table, or the absolute path of a folder in the hub's layout. */
  readonly model: string;
  /** Where downloads are kept. */
  readonly cacheFolder: string;
  /** False: only what is in the cache or the folder is used. Nothing is downloaded unless this is true. */
  readonly allowDownload: boolean;
  /** Another host with the hub's layout, for sites without the hub. */
  readonly mirrorUrl?: string;
  /** Weights: `q8` (a quarter of the size) if absent. */
  readonly dtype?: 'q8' | 'fp32' | 'fp16' | 'q4';
  /** Tried in order until one loads; `cpu` alone if absent. */
  readonly devices?: readonly string[];
  /** Told which device was not to be had, and why. */
  readonly onDeviceFailed?: (device: string, why: string) => void;
  /** For models outside the table. */
  readonly profile?: Partial<Pick<ModelProfile, 'pooling' | 'prefixes' | 'maxTokens' | 'dimensions'>>;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Where the package comes from; by default from the node_modules beside the program. */
  readonly importTransformers?: () => Promise<unknown>;
}

/** What of the package is used here. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string; cacheDir: string; remoteHost: string };
  pipeline(task: 'feature-extraction', model: string, options: Readonly<Record<string, unknown>>): Promise<Extractor>;
}

interface Extractor {
  (texts: readonly string[], options: { pooling: 'mean' | 'cls'; normalize: boolean }): Promise<{ readonly data: ArrayLike<number>; readonly dims: readonly number[] }>;
  readonly tokenizer: { encode(text: string): ArrayLike<number>; readonly model_max_length: number };
  dispose(): Promise<void>;
}

const ONNX_FILES: Readonly<Record<string, string>> = { q8: 'model_quantized.onnx', fp32: 'model.onnx', fp16: 'model_fp16.onnx', q4: 'model_q4.onnx' };
/** The package keeps its settings in one object; models are opened one after the other. */
let opening: Promise<unknown> = Promise.resolve();

/**
 * Loads, and where allowed downloads, the model, and asks it once to check its dimensions.
 * Throws MODEL_MISSING (not here and no download allowed), MODEL_DOWNLOAD_FAILED, EMBEDDING_MISMATCH, EMBEDDING_FAILED.
 */
export async function openTransformersEmbedder(options: TransformersOptions): Promise<Embedder> {
  const turn = opening.then(async () => open(options));
  opening = turn.catch(() => undefined); // the failure belongs to whoever asked for this model
  return turn;
}

async function open(options: TransformersOptions): Promise<Embedder> {
  const known = profileOf(options.model);
  const dtype = options.dtype ?? 'q8';
  const profile = { pooling: 'mean' as const, prefixes: { query: '', passage: '' }, maxTokens: 512, dimensions: undefined, ...known, ...options.profile };
  const isFolder = isAbsolute(options.model);
  const id = isFolder ? basename(options.model) : options.model.includes('/') ? options.model : (known?.hubId ?? options.model);
  const revision = isFolder ? await hashFile(join(options.model, 'onnx', ONNX_FILES[dtype] ?? '')) : 'main';
  const transformers = await load(options);
  const { env } = transformers;
  env.allowLocalModels = isFolder || !options.allowDownload; // the package refuses to look into its cache where it may ask neither a host nor a folder
  env.allowRemoteModels = !isFolder && options.allowDownload;
  env.localModelPath = isFolder ? dirname(options.model) : options.cacheFolder;
  env.cacheDir = options.cacheFolder;
  if (options.mirrorUrl !== undefined) env.remoteHost = options.mirrorUrl.replace(/\/*$/, '/');
  let extractor: Extractor;
  try {
    extractor = await onFirstDevice(options, async (device) => transformers.pipeline('feature-extraction', id, {
      dtype,
      device,
      local_files_only: !env.allowRemoteModels,
      session_options: { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 },
      progress_callback: (event: unknown) => report(event, options.onProgress),
    }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (!env.allowRemoteModels) throw new CairnError('MODEL_MISSING', `The model ${id} is not complete here and downloading was not asked for: ${why}`, { cause: error });
    throw new CairnError('MODEL_DOWNLOAD_FAILED', `The model ${id} could not be loaded from ${env.remoteHost}: ${why}`, { cause: error });
  }
  // The pipeline takes no length of its own; the tokenizer's is read-only in some releases.
  Object.defineProperty(extractor.tokenizer, 'model_max_length', { value: Math.min(extractor.tokenizer.model_max_length, profile.maxTokens) });
  const stamp = createHash('sha256').update(JSON.stringify([revision, profile.pooling, profile.prefixes, profile.maxTokens])).digest('hex').slice(0, 12);
  const embedder = new TransformersEmbedder(extractor, id, `transformers-${id.replaceAll(/[^\w.:/@-]/g, '_')}-${dtype}-${stamp}`, profile);
  try {
    await embedder.probe(profile.dimensions);
  } catch (error) {
    await embedder.close();
    throw error;
  }
  return embedder;
}

/** Throws what the last device said. */
async function onFirstDevice<T>({ devices = ['cpu'], onDeviceFailed }: TransformersOptions, open: (device: string) => Promise<T>): Promise<T> {
  for (const device of devices.slice(0, -1)) {
    try {
      return await open(device);
    } catch (error) {
      onDeviceFailed?.(device, error instanceof Error ? error.message : String(error));
    }
  }
  return open(devices.at(-1) ?? 'cpu');
}

class TransformersEmbedder implements Embedder {
  readonly version: string;
  dimensions = 0;
  readonly #extractor: Extractor;
  readonly #id: string;
  readonly #profile: Pick<ModelProfile, 'pooling' | 'prefixes'>;
  /** One inference at a time: the sessions behind the package are not made for more. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(extractor: Extractor, id: string, version: string, profile: Pick<ModelProfile, 'pooling' | 'prefixes'>) {
    this.#extractor = extractor;
    this.#id = id;
    this.version = version;
    this.#profile = profile;
  }

  async probe(expected: number | undefined): Promise<void> {
    const found = (await this.#run('dimensions')).length;
    if (expected !== undefined && expected !== found) throw new CairnError('EMBEDDING_MISMATCH', `The model ${this.#id} gives ${found} dimensions, not ${expected}.`, { data: { expected, found } });
    this.dimensions = found;
  }

  async embed(texts: readonly string[], { role, signal }: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]> {
    assertNotCancelled(signal);
    const vectors: Float32Array[] = [];
    // One by one: in a batch, padding and shared 8-bit scales would make a vector depend on its neighbours.
    for (const text of texts) {
      assertNotCancelled(signal);
      const turn = this.#last.then(async () => this.#run(this.#profile.prefixes[role] + text));
      this.#last = turn.catch(() => undefined); // the next text does not fail for this one
      vectors.push(unitVector(await turn, this.dimensions, this.#id));
      await nextTurn();
    }
    return vectors;
  }

  countTokens(text: string): number {
    return this.#extractor.tokenizer.encode(this.#profile.prefixes.passage + text).length;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#last;
    await this.#extractor.dispose();
  }

  async #run(text: string): Promise<ArrayLike<number>> {
    if (this.#isClosed) throw new CairnError('EMBEDDING_FAILED', 'The embedder is closed.');
    try {
      return (await this.#extractor([text.toWellFormed()], { pooling: this.#profile.pooling, normalize: false })).data;
    } catch (error) {
      throw new CairnError('EMBEDDING_FAILED', `The model ${this.#id} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
}

async function load({ importTransformers }: TransformersOptions): Promise<Transformers> {
  // Not a literal: the package is large and optional, so no bundler should look for it.
  const name: string = '@huggingface/transformers';
  try {
    const loaded = (await (importTransformers === undefined ? import(name) : importTransformers())) as Transformers & { default?: Transformers };
    return typeof loaded.pipeline === 'function' ? loaded : (loaded.default ?? loaded);
  } catch (error) {
    if (isCairnError(error)) throw error;
    throw new CairnError('MODEL_MISSING', 'The package @huggingface/transformers, which runs models of this kind, is not installed here. Use the bundled model, or a model folder of Cairn\'s own form.', { cause: error });
  }
}

function report(event: unknown, onProgress: TransformersOptions['onProgress']): void {
  const { status, file, loaded, total } = event as { status?: string; file?: string; loaded?: number; total?: number };
  if (status === 'progress' && file !== undefined) onProgress?.({ file, loadedBytes: loaded ?? 0, totalBytes: total ?? 0 });
}

async function hashFile(file: string): Promise<string> {
  try {
    await access(file);
  } catch (error) {
    throw new CairnError('MODEL_MISSING', `The model folder has no ${file}.`, { cause: error });
  }
  const hash = createHash('sha256');
  for await (const part of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(part as Buffer);
  return hash.digest('hex');
}
