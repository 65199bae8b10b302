/**
 * PairedEmbedder: an English and a multilingual encoder in one vector.
 *
 * No small model is good at both: all-MiniLM finds paraphrases in English and reads Chinese
 * only word by word, the multilingual one meets across languages and is weaker in English.
 * Their vectors stand side by side, the English one as large as it is worth and shrunk by the
 * share of scripts that it cannot read, so that English and Chinese meet through both and
 * everything else through the multilingual part. On every set this is as good as the better of the two, or better
 * (test/quality/MODELS.md).
 */
import { createHash } from 'node:crypto';
import type { Embedder, EmbeddingRole } from '../embedder.ts';
import { assertNotCancelled, unitVector } from '../unitVector.ts';
import { isChinese } from './chineseLexicon.ts';
import { type BundledEmbedder, type BundledOptions, openBundledEmbedder } from './bundledEmbedder.ts';

export interface PairedOptions extends Omit<BundledOptions, 'modelFolder'> {
  readonly englishFolder: string;
  /** Its vectors should be centred by language. */
  readonly multilingualFolder: string;
}

// Changing how the two are joined? Raise it: see USE_VERSION in modelFolder.ts.
const JOIN_VERSION = 3;
/**
 * How much the cosine of the English part counts beside that of the other. By vectors alone R@1 on sessions is
 * 79 / 81 / 79 at 1 / 2 / 3, R@5 on English paraphrases 80 / 83 / 86, R@1 on short facts 88 / 84 / 81; in the whole
 * recall 2, 2.5 and 3 give 85.7, 86.9 and 86.3 on sessions and the same elsewhere.
 */
const ENGLISH_WEIGHT = 2.5;
/**
 * The same for Chinese, which it reads word by word (chineseLexicon.ts). By vectors alone R@5 on Chinese paraphrases is
 * 67 / 76 / 82 / 82 / 81 at 0 / .5 / 1 / 1.25 / 2.5, on the second set 71 / 87 / 87 / 85 / 82.
 */
const LEXICON_WEIGHT = 1.25;

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
 * How the words of a text divide among what the English encoder reads itself, what it reads through its lexicon, and
 * what it cannot read; they sum to 1. A Chinese word is 1.6 characters on average. A text without words is English.
 */
export function sharesOfText(text: string): { readonly latin: number; readonly chinese: number; readonly other: number } {
  const han = (text.match(/\p{Script=Han}/gu)?.length ?? 0) / 1.6;
  const chinese = isChinese(text) ? han : 0;
  let latin = 0;
  let other = han - chinese;
  for (const [word] of text.matchAll(/[^\P{L}\p{Script=Han}]+/gu)) {
    if (/\p{Script=Latin}/u.test(word)) latin += 1;
    else other += 1;
  }
  const all = latin + chinese + other;
  return all === 0 ? { latin: 1, chinese: 0, other: 0 } : { latin: latin / all, chinese: chinese / all, other: other / all };
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
    const stamp = createHash('sha256').update(JSON.stringify([JOIN_VERSION, ENGLISH_WEIGHT, LEXICON_WEIGHT, english.version, multilingual.version])).digest('hex');
    this.version = `english-multilingual-${stamp.slice(0, 12)}`;
  }

  async embed(texts: readonly string[], { role, signal }: { role: EmbeddingRole; signal?: AbortSignal }): Promise<Float32Array[]> {
    assertNotCancelled(signal);
    const vectors: Float32Array[] = [];
    // Text by text, so that a cancel never waits for a whole batch of the second model.
    for (const text of texts) {
      const { latin, chinese, other } = sharesOfText(text);
      const [multilingual = new Float32Array()] = await this.#multilingual.embed([text], { role, signal });
      // A text in a third language has no English part: one inference saved.
      const [english = new Float32Array()] = other === 1 ? [] : await this.#english.embed([text], { role, signal });
      const joined = new Float32Array(this.dimensions);
      // By the share that it can read, and by how well it reads that share.
      const size = (1 - other) * Math.sqrt((latin * ENGLISH_WEIGHT + chinese * LEXICON_WEIGHT) / (latin + chinese));
      for (const [i, value] of english.entries()) joined[i] = value * size;
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
