/**
 * Activation in the real extension host, as the editor measures it ("Developer: Startup Performance"): loading the
 * code, and `activate()` until it yields. Needs `npm run package`.
 *
 *   node scripts/run.mjs test/bench/activationBench.ts [rounds=5]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runInHost } from '../support/editorHost/inHost.ts';
import { findPackagedExtension } from '../support/program.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

const options = Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('='))) as Record<string, string>;
const rounds = Number(options['rounds'] ?? 5);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One row of the table: load code, call activate, finish activate. */
async function measure(isUsed: boolean): Promise<number[]> {
  const home = createTemporaryHome();
  const repository = createTemporaryRepository();
  if (isUsed) await runCairn(['init', '--no-register'], { home, cwd: repository.directory });
  const output = path.join(createTemporaryFolder('activation'), 'performance.txt');
  await runInHost({ home, extensions: [findPackagedExtension()], target: repository.directory, files: [path.join(import.meta.dirname, 'activation.mocha.ts')], variables: { CAIRN_BENCH_OUTPUT: output } });
  const row = fs.readFileSync(output, 'utf8').split('\n').find((line) => /cairn\.cairn-memory\s+\|/.test(line)) ?? '';
  return row.split('|').map((cell) => cell.trim()).filter((cell) => /^\d+$/.test(cell)).map(Number);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

say(`node ${process.version}, load average ${os.loadavg()[0]?.toFixed(1)} on ${os.cpus().length} cores, ${rounds} rounds\n`);
say('| activation | load code, min / median ms | `activate()`, min / median ms | budget |');
say('|---|---|---|---|');
for (const [name, isUsed] of [['first use', false], ['memory on in the folder', true]] as const) {
  const rows: number[][] = [];
  for (let round = 0; round < rounds; round += 1) rows.push(await measure(isUsed));
  const column = (index: number): string => {
    const values = rows.map((row) => row[index] ?? Number.NaN);
    return `${Math.min(...values)} / ${median(values)}`;
  };
  say(`| ${name} | ${column(0)} | ${column(1)} | \`activate()\` < 50 ms |`);
}
