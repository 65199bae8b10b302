/**
 * The bundled model of this repository's media folder; CAIRN_QUALITY_MODEL names another folder there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';
import { openBundledEmbedder as openModel } from '../../../src/engine/embedding/bundled/bundledEmbedder.ts';

const models = fileURLToPath(new URL('../../../media/models/', import.meta.url));
/** Best first. */
const NAMES = ['multilingual-e5-small', 'all-minilm-l6-v2'];

/** Undefined where no model is here: keyword search is then all that is measured. */
export async function openBundledEmbedder(): Promise<Embedder | undefined> {
  const asked = process.env.CAIRN_QUALITY_MODEL;
  const name = (asked === undefined ? NAMES : [asked]).find((each) => fs.existsSync(path.join(models, each, 'model.json')));
  return name === undefined ? undefined : openModel({ modelFolder: path.join(models, name), threads: 2 });
}
