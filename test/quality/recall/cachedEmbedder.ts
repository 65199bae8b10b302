/**
 * An embedder whose vectors are kept on disk between runs, by version, role and text: measuring
 * a ranking twice must not embed forty thousand texts twice.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';

export function cachedEmbedder(embedder: Embedder, folder: string): Embedder {
  fs.mkdirSync(folder, { recursive: true });
  const name = createHash('sha256').update(embedder.version).digest('hex').slice(0, 16);
  const keyFile = path.join(folder, `${name}.keys`);
  const vectorFile = path.join(folder, `${name}.f32`);
  const known = new Map<string, Float32Array>();
  if (fs.existsSync(keyFile)) {
    const keys = fs.readFileSync(keyFile, 'utf8').split('\n').filter((key) => key !== '');
    const bytes = fs.readFileSync(vectorFile);
    const all = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
    for (const [i, key] of keys.entries()) known.set(key, all.slice(i * embedder.dimensions, (i + 1) * embedder.dimensions));
  }
  return {
    version: embedder.version,
    dimensions: embedder.dimensions,
    countTokens: (text) => embedder.countTokens(text),
    close: () => embedder.close(),
    async embed(texts, options) {
      const keys = texts.map((text) => createHash('sha256').update(`${options.role}\n${text}`).digest('hex').slice(0, 24));
      const missing = [...new Set(keys.keys())].filter((i) => !known.has(keys[i] ?? ''));
      if (missing.length > 0) {
        const made = await embedder.embed(missing.map((i) => texts[i] ?? ''), options);
        for (const [j, i] of missing.entries()) {
          const vector = made[j];
          const key = keys[i];
          if (vector === undefined || key === undefined || known.has(key)) continue;
          known.set(key, vector);
          fs.appendFileSync(keyFile, `${key}\n`);
          fs.appendFileSync(vectorFile, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
        }
      }
      return keys.map((key) => known.get(key) ?? new Float32Array(embedder.dimensions));
    },
  };
}
