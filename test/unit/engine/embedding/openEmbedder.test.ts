/** Which embedder a setting opens. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEmbedder, type EmbedderChoice } from '../../../../src/engine/openEmbedder.ts';
import { repositoryDirectory } from '../../../support/program.ts';
import { createTemporaryFolder } from '../../../support/temporaryFolder.ts';

const choice = (model: string, over: Partial<EmbedderChoice> = {}): EmbedderChoice => ({
  model,
  bundledModels: path.join(repositoryDirectory, 'media/models'),
  models: createTemporaryFolder('models'),
  listFolder: (folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []),
  joinPath: path.join,
  isAbsolutePath: path.isAbsolute,
  ...over,
});

describe('openEmbedder', () => {
  it('opens the pair for "bundled", one model by its name, and nothing for "off"', async () => {
    expect(await openEmbedder(choice('off'))).toBeUndefined();
    for (const [model, version, dimensions] of [['bundled', /^english-multilingual-/, 896], ['Xenova/all-MiniLM-L6-v2', /^all-minilm-l6-v2-/, 384], ['use-multilingual', /^use-multilingual-/, 512], ['hashing', /^hashing-/, 384]] as const) {
      const embedder = await openEmbedder(choice(model));
      expect(embedder?.version).toMatch(version);
      expect(embedder?.dimensions).toBe(dimensions);
      await embedder?.close();
    }
  });

  it('opens a model folder by its path and from the folder of added models', async () => {
    const models = createTemporaryFolder('models');
    fs.cpSync(path.join(repositoryDirectory, 'media/models/all-minilm-l6-v2'), path.join(models, 'my-model'), { recursive: true });
    for (const model of ['my-model', path.join(models, 'my-model')]) {
      const embedder = await openEmbedder(choice(model, { models }));
      expect(embedder?.dimensions).toBe(384);
      await embedder?.close();
    }
  });

  it('says what is missing for a name that nobody knows and for a remote model without an address', async () => {
    await expect(openEmbedder(choice('no-such-model'))).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    for (const model of ['remote', 'remote:nomic-embed-text']) await expect(openEmbedder(choice(model))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
