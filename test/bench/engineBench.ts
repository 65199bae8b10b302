/**
 * How the whole engine grows, as a surface drives it: node test/bench/engineBench.ts 1000,10000,100000
 *
 * Import in batches (the last thousand compared with all that is stored, the rest as it is), one acknowledged remember and the time until its vector is there, a recall of
 * ten results whose anchors are looked up in a working tree of 200 files against the same recall without, opening,
 * and bytes on disk. Questions and single statements go through the bundled pair; what fills the store has random
 * vectors of the same length, since the pair would take twenty minutes for 100,000. Limits are DESIGN's budgets.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/base/clock.ts';
import { createIdSource } from '../../src/base/ids.ts';
import { openPairedEmbedder } from '../../src/engine/embedding/bundled/pairedEmbedder.ts';
import type { Embedder } from '../../src/engine/embedding/embedder.ts';
import { createLazyEmbedderSource } from '../../src/engine/embedding/embedderSource.ts';
import { DEFAULT_ENGINE_CONFIG, openEngine } from '../../src/engine/index.ts';
import type { Engine, RememberInput } from '../../src/engine/index.ts';
import { createWorkingTree } from '../../src/workingTree/index.ts';
import { createSeededRandom } from '../support/seededRandom.ts';
import { vectorMaker } from '../support/vectors.ts';

const sizes = (process.argv[2] ?? '1000,10000').split(',').map(Number);
const FILES = 200;
const BATCH = 1_000;
const acting = { actor: { surface: 'cli' as const } };
const random = createSeededRandom(23);
const modelFolder = (name: string): string => fileURLToPath(new URL(`../../media/models/${name}`, import.meta.url));
const model = await openPairedEmbedder({ englishFolder: modelFolder('all-minilm-l6-v2'), multilingualFolder: modelFolder('use-multilingual') });
const SYLLABLES = ['ba', 'ko', 'mi', 'tu', 'ra', 'se', 'lo', 'pi', 'du', 'ne', 'ga', 'vo', 'fi', 'ju'];
const word = (): string => Array.from({ length: 3 }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? '').join('');
const COMMON = ['service', 'orders', 'runs', 'uses', 'database', 'never', 'always', 'build', 'test', 'config', 'retry', 'the', 'on', 'for'];
const statement = (length: number): string => Array.from({ length }, () => (random() < 0.5 ? (COMMON[Math.floor(random() * COMMON.length)] ?? '') : word())).join(' ');

let isFilling = true;
const nextVector = vectorMaker({ dimensions: model.dimensions, seed: 5 });
/** Random vectors while the store is filled, the bundled pair from then on. */
const embedder: Embedder = {
  version: model.version,
  dimensions: model.dimensions,
  embed: async (texts, options) => (isFilling ? texts.map(() => nextVector()) : model.embed(texts, options)),
  countTokens: (text) => model.countTokens(text),
  close: () => Promise.resolve(),
};

function makeWorkingTree(folder: string): void {
  fs.mkdirSync(path.join(folder, 'src'), { recursive: true });
  for (let file = 0; file < FILES; file += 1) {
    fs.writeFileSync(path.join(folder, 'src', `file${file}.ts`), Array.from({ length: 300 }, (_, line) => `export const value${file}x${line} = ${line};`).join('\n'));
  }
}

const inputAt = (i: number, consolidate: boolean): RememberInput => {
  const start = 1 + (i % 290);
  const snippet = Array.from({ length: 4 }, (_, k) => `export const value${i % FILES}x${start - 1 + k} = ${start - 1 + k};`).join('\n');
  return { text: statement(12 + Math.floor(random() * 30)), anchors: [{ path: `src/file${i % FILES}.ts`, startLine: start, endLine: start + 3, snippet }], consolidate, provenance: { via: 'import' } };
};

/** p50 / p95 in milliseconds by the clock. */
async function timed(count: number, work: (i: number) => Promise<unknown>): Promise<[number, number]> {
  for (let i = 0; i < 3; i += 1) await work(i);
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const start = performance.now();
    await work(i + 3);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return [times[Math.floor(count / 2)] ?? 0, times[Math.floor(count * 0.95)] ?? 0];
}
const shown = ([middle, late]: [number, number]): string => `${middle.toFixed(1)} / ${late.toFixed(1)}`;
const bytesBelow = (folder: string): number => fs.readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0), 0);

async function open(folder: string, tree: string | undefined, background: boolean): Promise<Engine> {
  return openEngine({
    repository: { id: 'bench', name: 'bench', storePath: path.join(folder, 'repository', 'memory.db'), indexFolder: path.join(folder, 'repository', 'index') },
    clock: systemClock, ids: createIdSource(systemClock), embedder: createLazyEmbedderSource(() => Promise.resolve(embedder), () => Date.now()), embedderWaitMs: 60_000, background,
    config: () => DEFAULT_ENGINE_CONFIG, ...(tree === undefined ? {} : { workingTree: createWorkingTree(tree) }),
  });
}

/** Milliseconds from the acknowledgement of one remember to its vector. */
async function untilVector(engine: Engine): Promise<number> {
  await engine.remember({ text: statement(40), provenance: { via: 'cli' } }, acting);
  const start = performance.now();
  while (((await engine.info())[0]?.info.chunksWithoutVector ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  return performance.now() - start;
}

/** Memories a second of one import. */
async function importRate(engine: Engine, from: number, to: number, consolidate: boolean): Promise<string> {
  const begun = performance.now();
  for (let at = from; at < to; at += BATCH) {
    const inputs = Array.from({ length: Math.min(BATCH, to - at) }, (_, i) => inputAt(at + i, consolidate));
    for (const result of await engine.rememberMany(inputs, acting)) if (result instanceof Error) throw result;
  }
  return to === from ? '-' : ((to - from) / ((performance.now() - begun) / 1_000)).toFixed(0);
}

interface Column { readonly [row: string]: string }

async function measure(size: number): Promise<Column> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-engine-bench-'));
  const tree = path.join(root, 'tree');
  makeWorkingTree(tree);
  const folder = path.join(root, 'home');
  isFilling = true;
  const filling = await open(folder, undefined, false);
  // Checked against what is there, the last thousand: the figure holds for a store of this size.
  const checkedFrom = size - Math.min(size, BATCH);
  const unconsolidated = await importRate(filling, 0, checkedFrom, false);
  const consolidated = await importRate(filling, checkedFrom, size, true);
  await filling.embedPending();
  await filling.openIndex();
  await filling.close();
  isFilling = false;
  const disk = bytesBelow(folder);
  const opened = performance.now();
  const engine = await open(folder, tree, true);
  const openMs = performance.now() - opened;
  await engine.openIndex();
  const indexMs = performance.now() - opened - openMs;
  const recall = async (asked: Engine): Promise<[number, number]> => timed(100, async (i) => asked.recall({ query: questions[i % questions.length] ?? '', limit: 10, countUse: false }));
  const questions = Array.from({ length: 60 }, () => statement(8));
  const checked = await recall(engine);
  const plain = await open(folder, undefined, false);
  await plain.openIndex();
  const unchecked = await recall(plain);
  await plain.close();
  const remembered = await timed(60, async () => engine.remember({ text: statement(40), provenance: { via: 'cli' } }, acting));
  while (((await engine.info())[0]?.info.chunksWithoutVector ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const waits: number[] = [];
  for (let i = 0; i < 10; i += 1) waits.push(await untilVector(engine));
  await engine.close();
  fs.rmSync(root, { recursive: true, force: true });
  return {
    'import, memories a second': unconsolidated,
    'import compared with what is stored, memories a second': consolidated,
    'remember 40 words, acknowledged, p50 / p95 ms (limit 60)': shown(remembered),
    'its vector is there after, longest of ten, ms (limit 1,000)': Math.max(...waits).toFixed(0),
    'recall of ten with anchors looked up, p50 / p95 ms': shown(checked),
    'the same without a working tree': shown(unchecked),
    'freshness adds at p95, ms (limit 5)': (checked[1] - unchecked[1]).toFixed(1),
    'open, ms': openMs.toFixed(0),
    'vector index from its file, ms': indexMs.toFixed(0),
    'on disk, bytes a memory': (disk / size).toFixed(0),
    'resident memory of the process, MB': (process.memoryUsage.rss() / 2 ** 20).toFixed(0),
  };
}

const columns: Column[] = [];
for (const size of sizes) columns.push(await measure(size));
await model.close();
const rows = Object.keys(columns[0] ?? {});
process.stdout.write([`| memories | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |`, `|---|${sizes.map(() => '---|').join('')}`, ...rows.map((row) => `| ${row} | ${columns.map((column) => column[row] ?? '').join(' | ')} |`), ''].join('\n'));
