/**
 * `npm run bench`: runs the benchmarks of `test/bench` (`NAMEBench.ts`), one after the other and alone, since they
 * measure. Their tables are for `test/bench/RESULTS.md`.
 *
 *   npm run bench                        all
 *   npm run bench -- store               those whose name begins so
 *   npm run bench -- store -- 1000,10000 with arguments for it
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureDependencies } from './installDependencies.mjs';
import { repositoryDirectory } from './installing.mjs';
import { runInRepository } from './run.mjs';

const node = await ensureDependencies();
const given = process.argv.slice(2);
const divider = given.indexOf('--');
const wanted = divider < 0 ? given : given.slice(0, divider);
const benchArgs = divider < 0 ? [] : given.slice(divider + 1);
const names = fs.readdirSync(path.join(repositoryDirectory, 'test', 'bench')).filter((name) => /Bench\.ts$/.test(name)).sort();
const chosen = names.filter((name) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)));
if (chosen.length === 0) {
  process.stderr.write(`No benchmark begins with ${wanted.join(' or ')}. There are: ${names.map((name) => name.replace('Bench.ts', '')).join(', ')}.\n`);
  process.exitCode = 2;
}
process.stdout.write(`${os.cpus().length} x ${os.cpus()[0]?.model ?? 'CPU'}, load ${os.loadavg().map((load) => load.toFixed(1)).join(' ')}, ${node}\n`);
for (const name of chosen) {
  process.stdout.write(`\n## ${name.replace('Bench.ts', '')}\n\n`);
  const code = await runInRepository(`test/bench/${name}`, benchArgs, { node });
  if (code !== 0) process.exitCode = 1;
}
