/**
 * PairedEmbedder: an English and a multilingual encoder in one vector.
 *
 * No small model is good at both: all-MiniLM finds paraphrases in English and knows no
 * Chinese, the multilingual one meets across languages and is weaker in English. Their
 * vectors stand side by side, the English one shrunk by the share of Chinese in the text, so
 * that English meets English through both and everything else through the multilingual part.
 * On every set this is as good as the better of the two, or better (test/quality/MODELS.md).
 */
import { createHash } from 'node:crypto';
import type { Embedder, EmbeddingRole } from '../embedder.ts';
import { assertNotCancelled, unitVector } from '../unitVector.ts';
import { type BundledEmbedder, type BundledOptions, openBundledEmbedder } from './bundledEmbedder.ts';

export interface PairedOptions extends Omit<BundledOptions, 'modelFolder'> {
  readonly englishFolder: string;
  /** Its vectors should be centred by language. */
  readonly multilingualFolder: string;
}

// Changing how the two are joined? Raise it: see USE_VERSION in modelFolder.ts.
const JOIN_VERSION = 1;

/** Opens both; see openBundledEmbedder. */
export async function openPairedEmbedder({ englishFolder, multilingualFolder, ...options }: PairedOptions): Promise<BundledEmbedder> {
  const english = await openBundledEmbedder({ ...options, modelFolder: englishFolder });
  const multilingual = await openBundledEmbedder({ ...options, modelFolder: multilingualFolder });
  const paired = createPairedEmbedder(english, multilingual);
  return {
    version: paired.version,
    dimensions: paired.dimensions,
    embed: async (texts, call) => paired.embed(texts, call),
    countTokens: (text) => paired.countTokens(text),
    close: async () => paired.close(),
    async load() {
      await english.load();
      await multilingual.load();
    },
    get runtime() {
      return multilingual.runtime;
    },
  };
}

/** One embedder of two, which it closes; its dimensions are the sum of theirs. */
export function createPairedEmbedder(english: Embedder, multilingual: Embedder): Embedder {
  return new PairedEmbedder(english, multilingual);
}

/**
 * Share of Chinese among the words of a text, 0..1; a Chinese word is 1.6 characters on average.
 * 0 for a text without either.
 */
export function chineseShareOfText(text: string): number {
  const chinese = (text.match(/\p{Script=Han}/gu)?.length ?? 0) / 1.6;
  const others = text.match(/[^\P{L}\p{Script=Han}]+/gu)?.length ?? 0;
  return chinese === 0 ? 0 : chinese / (chinese + others);
}

class PairedEmbedder implements Embedder {
  readonly version: string;
  readonly dimensions: number;
  readonly #english: Embedder;
  readonly #multilingual: Embedder;

  constructor(english: Embedder, multilingual: Embedder) {
    this.#english = english;
    this.#multilingual = multilingual;
    this.dimensions = english.dimensions + multilingual.dimensions;
    const stamp = createHash('sha256').update(JSON.stringify([JOIN_VERSION, english.version, multilingual.version])).digest('hex');
    this.version = `english-chinese-${stamp.slice(0, 12)}`;
  }

  async embed(texts: readonly string[], { role, signal }: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]> {
    assertNotCancelled(signal);
    const vectors: Float32Array[] = [];
    // Text by text, so that a cancel never waits for a whole batch of the second model.
    for (const text of texts) {
      const chinese = chineseShareOfText(text);
      const [multilingual = new Float32Array()] = await this.#multilingual.embed([text], { role, signal });
      // A purely Chinese text has no English part: one inference saved.
      const [english = new Float32Array()] = chinese === 1 ? [] : await this.#english.embed([text], { role, signal });
      const joined = new Float32Array(this.dimensions);
      for (const [i, value] of english.entries()) joined[i] = value * (1 - chinese);
      joined.set(multilingual, this.#english.dimensions);
      vectors.push(unitVector(joined, this.dimensions, 'The pair of bundled models'));
    }
    return vectors;
  }

  countTokens(text: string): number {
    return Math.max(this.#english.countTokens(text), this.#multilingual.countTokens(text));
  }

  async close(): Promise<void> {
    await this.#english.close();
    await this.#multilingual.close();
  }
}
