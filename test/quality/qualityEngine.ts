/**
 * The engine that quality is measured on: stores of its own in a temporary folder, a clock that stands still, ids that
 * repeat, and the settings that a person finds.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createIdSource } from '../../src/base/ids.ts';
import type { Embedder } from '../../src/engine/embedding/embedder.ts';
import { createLazyEmbedderSource, noEmbedderSource } from '../../src/engine/embedding/embedderSource.ts';
import { openEngine } from '../../src/engine/engine.ts';
import type { Engine } from '../../src/engine/engineFacade.ts';
import { DEFAULT_ENGINE_CONFIG } from '../../src/engine/engineOptions.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { createSeededRandom } from '../support/seededRandom.ts';

/** Later than everything in the sets: time itself is not under test. */
const NOW = '2026-11-01T12:00:00Z';

export interface QualityEngine {
  readonly engine: Engine;
  readonly clock: FakeClock;
  close(): Promise<void>;
}

/** Without an embedder: by words alone. */
export async function openQualityEngine(embedder: Embedder | undefined): Promise<QualityEngine> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-quality-'));
  const clock = new FakeClock(NOW);
  const engine = await openEngine({
    repository: { id: 'quality', name: 'quality', storePath: path.join(folder, 'memory.db'), indexFolder: path.join(folder, 'index') },
    user: { storePath: path.join(folder, 'user.db'), indexFolder: path.join(folder, 'userIndex') },
    clock,
    ids: createIdSource(clock, createSeededRandom(1)),
    embedder: embedder === undefined ? noEmbedderSource : createLazyEmbedderSource(() => Promise.resolve(embedder), () => clock.now()),
    embedderWaitMs: 60_000,
    background: false,
    config: () => DEFAULT_ENGINE_CONFIG,
  });
  return {
    engine,
    clock,
    async close() {
      await engine.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
