/** Where the package of the transformers embedder cannot be had; all the rest is under test/contract with the real package. */
import { expect, it } from 'vitest';
import { openTransformersEmbedder } from '../../../../src/engine/embedding/transformers/transformersEmbedder.ts';
import { createTemporaryFolder } from '../../../support/temporaryFolder.ts';

it('a model from the hub without its package fails with what to do', async () => {
  const importTransformers = async (): Promise<unknown> => import(createTemporaryFolder('no-package'));
  await expect(openTransformersEmbedder({ model: 'multilingual-e5-small', cacheFolder: createTemporaryFolder('cache'), allowDownload: true, importTransformers })).rejects.toMatchObject({
    code: 'MODEL_MISSING', message: expect.stringContaining('@huggingface/transformers') as string,
  });
});
