/** Every bundled model, on the native runtime and on WebAssembly, under the Embedder contract. */
import fs from 'node:fs';
import path from 'node:path';
import { openBundledEmbedder } from '../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { openPairedEmbedder } from '../../src/engine/embedding/bundled/pairedEmbedder.ts';
import { repositoryDirectory } from '../support/program.ts';
import { describeEmbedder } from './embedder.contract.ts';

const models = path.join(repositoryDirectory, 'media', 'models');
for (const name of fs.readdirSync(models).filter((entry) => fs.existsSync(path.join(models, entry, 'model.json')))) {
  for (const runtime of ['native', 'wasm'] as const) {
    describeEmbedder({ name: `${name} on ${runtime}`, open: async () => openBundledEmbedder({ modelFolder: path.join(models, name), runtime }), supports: { meaning: true } });
  }
}

describeEmbedder({
  name: 'The pair that ships',
  open: async () => openPairedEmbedder({ englishFolder: path.join(models, 'all-minilm-l6-v2'), multilingualFolder: path.join(models, 'multilingual-e5-small') }),
  supports: { meaning: true },
});
