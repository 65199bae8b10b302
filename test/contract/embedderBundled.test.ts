/** The bundled models and their pair under the Embedder contract; on WebAssembly they agree with the native runtime. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBundledEmbedder } from '../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { openPairedEmbedder } from '../../src/engine/embedding/bundled/pairedEmbedder.ts';
import { repositoryDirectory } from '../support/program.ts';
import { cosine, describeEmbedder } from './embedder.contract.ts';

const models = path.join(repositoryDirectory, 'media', 'models');
const names = fs.readdirSync(models).filter((entry) => fs.existsSync(path.join(models, entry, 'model.json')));

for (const name of names) describeEmbedder({ name, open: async () => openBundledEmbedder({ modelFolder: path.join(models, name), runtime: 'native' }), supports: { meaning: true } });

describeEmbedder({
  name: 'The pair that ships',
  open: async () => openPairedEmbedder({ englishFolder: path.join(models, 'all-minilm-l6-v2'), multilingualFolder: path.join(models, 'use-multilingual') }),
  supports: { meaning: true },
});

describe('on WebAssembly', () => {
  for (const name of names) {
    it(`${name} gives the vectors of the native runtime`, async () => {
      const [native, wasm] = await Promise.all((['native', 'wasm'] as const).map(async (runtime) => openBundledEmbedder({ modelFolder: path.join(models, name), runtime })));
      if (native === undefined || wasm === undefined) throw new Error('both were opened');
      const texts = ['We use pnpm.', '提交之前先跑一遍测试。', ''];
      const expected = await native.embed(texts, { role: 'passage' });
      for (const [i, vector] of (await wasm.embed(texts, { role: 'passage' })).entries()) expect(cosine(vector, expected[i] ?? new Float32Array())).toBeGreaterThan(0.99);
      expect([native.runtime?.kind, wasm.runtime?.kind]).toEqual(['native', 'wasm']);
      await native.close();
      await wasm.close();
    });
  }
});
