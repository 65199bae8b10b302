/**
 * BundledEmbedder: a sentence encoder that is shipped with the program, or lies in a folder
 * of the same form. No download, no Python, no server.
 *
 * Texts go through the model one by one. A batch would pad them to one length and, with 8-bit
 * activations, gain nothing on one thread; and alone, the vector of a text depends on nothing
 * but the text, which is what the cache and replays rely on.
 */
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CairnError } from '../../../base/errors.ts';
import type { Embedder, EmbeddingRole } from '../embedder.ts';
import { assertNotCancelled, unitVector } from '../unitVector.ts';
import { type ChineseLexicon, createChineseLexicon } from './chineseLexicon.ts';
import { createKnownNames, type KnownNames } from './knownNames.ts';
import { centre, type LanguageCentres, parseCentres } from './languageCentre.ts';
import { type ModelFolder, readModelFile, readModelFolder, verifyModelFile } from './modelFolder.ts';
import { type ImportRuntime, type OpenedSession, openSession, type OnnxTensor, type RuntimeKind } from './onnxRuntime.ts';
import type { Tokenizer } from './tokenizer.ts';
import { createUnigramTokenizer } from './unigramTokenizer.ts';
import { createWordPieceTokenizer } from './wordPieceTokenizer.ts';

export interface BundledOptions {
  /** Folder with model.json. */
  readonly modelFolder: string;
  /** Where the inference runtime comes from; by default from the node_modules beside the program. */
  readonly importRuntime?: ImportRuntime;
  readonly runtime?: 'auto' | RuntimeKind;
  /** Threads of one inference; 1 by default, so that an editor in use stays smooth. */
  readonly threads?: number;
}

export interface BundledEmbedder extends Embedder {
  /** Loads the model now instead of at the first text. */
  load(): Promise<void>;
  /** Which runtime serves, once the model is loaded, and why not the native one. */
  readonly runtime: { readonly kind: RuntimeKind; readonly nativeFailure: string | undefined } | undefined;
}

/**
 * Reads manifest and vocabulary (some 10 ms); the model itself is loaded, after its checksum,
 * by `load()` or at the first text. Throws MODEL_MISSING or MODEL_CORRUPT.
 */
export async function openBundledEmbedder(options: BundledOptions): Promise<BundledEmbedder> {
  const folder = await readModelFolder(options.modelFolder);
  const { tokenizer, centres, lexicon, names, dimensions } = folder.manifest;
  const textOf = async (file: string): Promise<string> => (await readModelFile(folder, file)).toString('utf8');
  const vocabulary = await textOf(tokenizer.file);
  const words = lexicon === undefined ? undefined : await readModelFile(folder, lexicon);
  return new OnnxEmbedder(folder, {
    tokenizer: tokenizer.kind === 'unigram' ? createUnigramTokenizer(vocabulary) : createWordPieceTokenizer(vocabulary),
    centres: centres === undefined ? undefined : parseCentres(await readModelFile(folder, centres), dimensions),
    lexicon: words === undefined ? undefined : createChineseLexicon(() => words.toString('utf8')),
    names: names === undefined ? undefined : createKnownNames(await textOf(names)),
  }, options);
}

/** What stands in the model's folder beside the weights. */
interface Reading {
  readonly tokenizer: Tokenizer;
  readonly centres: LanguageCentres | undefined;
  readonly lexicon: ChineseLexicon | undefined;
  readonly names: KnownNames | undefined;
}

class OnnxEmbedder implements BundledEmbedder {
  readonly version: string;
  readonly dimensions: number;
  readonly #folder: ModelFolder;
  readonly #reading: Reading;
  readonly #options: BundledOptions;
  #loading: Promise<OpenedSession> | undefined;
  #opened: OpenedSession | undefined;
  #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(folder: ModelFolder, reading: Reading, options: BundledOptions) {
    this.version = folder.version;
    this.dimensions = folder.manifest.dimensions;
    this.#folder = folder;
    this.#reading = reading;
    this.#options = options;
  }

  get runtime(): BundledEmbedder['runtime'] {
    return this.#opened === undefined ? undefined : { kind: this.#opened.kind, nativeFailure: this.#opened.nativeFailure };
  }

  async load(): Promise<void> {
    await this.#open();
  }

  async embed(texts: readonly string[], { role, signal }: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]> {
    assertNotCancelled(signal);
    if (texts.length === 0) return [];
    const opened = await this.#open();
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      assertNotCancelled(signal);
      vectors.push(await this.#embedOne(opened, text, role));
      // Inference holds the thread; between two texts a question or a cancel of somebody else gets its turn.
      await nextTurn();
    }
    return vectors;
  }

  countTokens(text: string): number {
    return this.#reading.tokenizer.encode(this.#folder.manifest.prefixes.passage + this.#inKnownWords(text)).length + 2;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#loading?.catch(() => undefined); // who asked for the load has its error
    await Promise.allSettled(this.#running);
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.session.release();
  }

  /** The text in words that the model knows. */
  #inKnownWords(text: string): string {
    const { names, lexicon } = this.#reading;
    const explained = names?.explain(text) ?? text;
    return lexicon?.inEnglish(explained) ?? explained;
  }

  async #open(): Promise<OpenedSession> {
    if (this.#isClosed) throw new CairnError('EMBEDDING_FAILED', 'The embedder is closed.');
    if (this.#opened !== undefined) return this.#opened;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<OpenedSession> {
    const { model, weights } = this.#folder.manifest;
    await verifyModelFile(this.#folder, model);
    if (weights !== undefined) await verifyModelFile(this.#folder, weights);
    this.#opened = await openSession(join(this.#folder.path, model), async () => ({
      model: await readModelFile(this.#folder, model),
      ...(weights === undefined ? {} : { externalData: [{ path: basename(weights), data: await readModelFile(this.#folder, weights) }] }),
    }), this.#options);
    return this.#opened;
  }

  async #embedOne(opened: OpenedSession, text: string, role: EmbeddingRole): Promise<Float32Array> {
    const { manifest } = this.#folder;
    const { tokenizer, centres } = this.#reading;
    const prefix = tokenizer.encode(manifest.prefixes[role]);
    const own = tokenizer.encode(manifest.prefixes[role] + this.#inKnownWords(text));
    const work = this.#run(opened, tokenizer.frame(own, manifest.maxTokens));
    this.#running.add(work);
    try {
      const pooled = unitVector(await work, this.dimensions, manifest.id);
      if (centres === undefined) return pooled;
      const share = tokenizer.chineseShare(own.slice(prefix.length));
      return unitVector(centre(pooled, centres, share), this.dimensions, manifest.id);
    } finally {
      this.#running.delete(work);
    }
  }

  async #run({ runtime, session }: OpenedSession, ids: readonly number[]): Promise<Float32Array> {
    if (this.#isClosed) throw new CairnError('EMBEDDING_FAILED', 'The embedder is closed.');
    const dims = [1, ids.length];
    const tensor = (data: BigInt64Array): OnnxTensor => new runtime.Tensor('int64', data, dims);
    const feeds: Record<string, OnnxTensor> = { input_ids: tensor(BigInt64Array.from(ids, BigInt)) };
    if (session.inputNames.includes('attention_mask')) feeds['attention_mask'] = tensor(new BigInt64Array(ids.length).fill(1n));
    if (session.inputNames.includes('token_type_ids')) feeds['token_type_ids'] = tensor(new BigInt64Array(ids.length));
    try {
      const outputs = await session.run(feeds);
      const hidden = outputs['last_hidden_state'];
      if (hidden === undefined) throw new Error('the model has no output last_hidden_state');
      return this.#folder.manifest.pooling === 'cls' ? Float32Array.from({ length: this.dimensions }, (_value, i) => hidden.data[i] ?? Number.NaN) : meanOverTokens(hidden, this.dimensions);
    } catch (error) {
      throw new CairnError('EMBEDDING_FAILED', `The model failed on a text of ${ids.length} tokens: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
}

function meanOverTokens({ data, dims }: OnnxTensor, dimensions: number): Float32Array {
  const tokens = dims[1] ?? 0;
  const sums = new Float64Array(dimensions);
  for (let token = 0; token < tokens; token += 1) {
    for (let i = 0; i < dimensions; i += 1) sums[i] = (sums[i] ?? 0) + (data[token * dimensions + i] ?? Number.NaN);
  }
  return Float32Array.from(sums, (sum) => sum / tokens);
}
