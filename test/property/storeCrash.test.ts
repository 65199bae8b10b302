/** Eight processes on one store, killed at random. The long run is in test/bench/storeCrash.ts. */
import { describe, expect, it } from 'vitest';
import { testSeed } from '../support/seededRandom.ts';
import { runCrashes } from '../support/storeCrash.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';

describe('a store shared by eight processes that are killed at random', () => {
  const seed = testSeed(20_261_130);
  it(`loses no acknowledged write, stays whole and never answers "locked" (seed ${seed})`, async () => {
    const report = await runCrashes({ folder: createTemporaryFolder('crash'), processes: 8, kills: 8, acknowledged: 150, seed });
    expect(report).toMatchObject({ lost: [], errors: [], problems: [], inconsistent: [] });
    expect(report.killed).toBeGreaterThanOrEqual(8);
    expect(report.acknowledged).toBeGreaterThan(100);
  }, 120_000);
});
