/**
 * The bundled models of this repository's media folder. CAIRN_QUALITY_MODEL names one of them,
 * or `pair` for both as one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';
import { openBundledEmbedder as openModel } from '../../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { createPairedEmbedder } from '../../../src/engine/embedding/bundled/pairedEmbedder.ts';
import { cachedEmbedder } from './cachedEmbedder.ts';

const models = fileURLToPath(new URL('../../../media/models/', import.meta.url));
const cache = fileURLToPath(new URL('../../../.cache/quality', import.meta.url));
const NAMES = ['all-minilm-l6-v2', 'use-multilingual'] as const;

const open = async (name: string): Promise<Embedder> => cachedEmbedder(await openModel({ modelFolder: path.join(models, name), threads: 2 }), cache);

/** Undefined where no model is here: keyword search is then all that is measured. Vectors are kept between runs. */
export async function openBundledEmbedder(): Promise<Embedder | undefined> {
  const asked = process.env.CAIRN_QUALITY_MODEL ?? 'pair';
  const here = NAMES.filter((name) => fs.existsSync(path.join(models, name, 'model.json')));
  if (asked === 'pair' && here.length === 2) return createPairedEmbedder(await open(NAMES[0]), await open(NAMES[1]));
  const name = here.find((each) => each === asked) ?? here[0];
  return name === undefined ? undefined : open(name);
}
