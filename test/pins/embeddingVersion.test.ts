/**
 * Embedding versions and vectors as literals. Red here means: vectors moved, so the version
 * must move too, and stores will embed again. Change the literal only together with the reason.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBundledEmbedder } from '../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { createPairedEmbedder } from '../../src/engine/embedding/bundled/pairedEmbedder.ts';
import { createHashingEmbedder } from '../../src/engine/embedding/hashing/hashingEmbedder.ts';
import { repositoryDirectory } from '../support/program.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';

const models = path.join(repositoryDirectory, 'media', 'models');
const VERSIONS: Readonly<Record<string, string>> = { 'all-minilm-l6-v2': 'all-minilm-l6-v2-4bbe5080eab5', 'use-multilingual': 'use-multilingual-bfa0adee2708' };

interface PinnedVector {
  readonly text: string;
  readonly vector: readonly number[];
  readonly role?: 'query' | 'passage';
}

/** The pinned vectors are those of the original model, which knows nothing of our language centring, our lexicon and our list of names. */
function asOriginal(folder: string): string {
  const copy = createTemporaryFolder('model');
  fs.cpSync(folder, copy, { recursive: true });
  const manifest = JSON.parse(fs.readFileSync(path.join(copy, 'model.json'), 'utf8')) as Record<string, unknown>;
  fs.writeFileSync(path.join(copy, 'model.json'), JSON.stringify({ ...manifest, centres: undefined, lexicon: undefined, names: undefined }));
  return copy;
}

describe('embedding versions', () => {
  it('of the bundled models are these', async () => {
    const found: Record<string, string> = {};
    for (const name of fs.readdirSync(models).filter((entry) => fs.existsSync(path.join(models, entry, 'model.json')))) {
      const embedder = await openBundledEmbedder({ modelFolder: path.join(models, name) });
      found[name] = embedder.version;
      await embedder.close();
    }
    expect(found).toEqual(VERSIONS);
  });

  it('of the pair that ships as "bundled" is this', async () => {
    const [english, multilingual] = await Promise.all(['all-minilm-l6-v2', 'use-multilingual'].map(async (name) => openBundledEmbedder({ modelFolder: path.join(models, name) })));
    if (english === undefined || multilingual === undefined) throw new Error('both models ship');
    const pair = createPairedEmbedder(english, multilingual);
    expect([pair.version, pair.dimensions]).toEqual(['english-multilingual-80f761efa729', 896]);
    await pair.close();
  });

  it('of the hashing embedder is this, with these numbers', async () => {
    const embedder = createHashingEmbedder({ dimensions: 8 });
    const [vector] = await embedder.embed(['We use pnpm.'], { role: 'passage' });
    expect(embedder.version).toBe('hashing-8-v1');
    expect(Array.from(vector ?? [], (value) => Number(value.toFixed(3)))).toEqual([0.198, -0.198, 0.521, -0.397, -0.397, 0, -0.496, -0.298]);
  });

  for (const name of Object.keys(VERSIONS)) {
    it(`${name} gives the vectors of its float original, within what 8 bits cost`, async () => {
      const pinned = JSON.parse(fs.readFileSync(path.join(models, name, 'testVectors.json'), 'utf8')) as PinnedVector[];
      const embedder = await openBundledEmbedder({ modelFolder: asOriginal(path.join(models, name)) });
      expect(pinned.length).toBeGreaterThanOrEqual(5);
      for (const { text, vector, role } of pinned) {
        const [own] = await embedder.embed([text], { role: role ?? 'passage' });
        expect(vector.reduce((sum, value, i) => sum + value * (own?.[i] ?? 0), 0)).toBeGreaterThan(0.99);
      }
      await embedder.close();
    });
  }
});
