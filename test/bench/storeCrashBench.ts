/**
 * The long run of the proof in test/property/storeCrash.test.ts: eight processes on one store, killed at random.
 *
 *   node test/bench/storeCrashBench.ts [kills] [acknowledged writes] [seed]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { runCrashes } from '../support/storeCrash.ts';

const [kills = '200', acknowledged = '5000', seed = '1'] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-crash-'));
const startedAt = performance.now();
const report = await runCrashes({ folder, processes: 8, kills: Number(kills), acknowledged: Number(acknowledged), seed: Number(seed) });
const failures = report.lost.length + report.errors.length + report.problems.length + report.inconsistent.length;
console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - startedAt) / 1000), seed: Number(seed) }, undefined, 2));
if (failures === 0) fs.rmSync(folder, { recursive: true, force: true });
else console.log(`Kept for a look: ${folder}`);
process.exitCode = failures === 0 ? 0 : 1;
