/**
 * Compares sentence encoders by their vectors alone: which one ships is decided by this
 * (MODELS.md holds the answers). One process per model, since memory is one of the figures.
 *
 *   node scripts/run.mjs test/quality/models.ts MODEL_FOLDER [SECOND_FOLDER_FOR_THE_PAIR] [--runtime wasm] [--no-centres] [--pairs FILE.mjs] [--speed-only]
 *
 * Own sets always; with CAIRN_QUALITY_DATA also parts of the corpora there. FILE.mjs exports EN
 * and ZH: rows of [statement, English question, Chinese question].
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type BundledEmbedder, openBundledEmbedder } from '../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { openPairedEmbedder } from '../../src/engine/embedding/bundled/pairedEmbedder.ts';
import { chunkText } from '../../src/engine/embedding/chunker.ts';
import { createSeededRandom } from '../support/seededRandom.ts';
import { createTemporaryFolder, removeTemporaryFolders } from '../support/temporaryFolder.ts';
import { foreignSets, ownSets } from './recall/corpus.ts';

interface Task {
  readonly name: string;
  readonly memories: readonly { id: string; text: string }[];
  readonly questions: readonly { text: string; relevantIds: readonly string[] }[];
}

/** Large corpora are cut to this many questions, their answers, and as many others again four times. */
const QUESTIONS = 40;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { runtime: { type: 'string' }, 'no-centres': { type: 'boolean' }, pairs: { type: 'string' }, 'speed-only': { type: 'boolean' } } });
const [folder = '', second] = positionals;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const rssBefore = process.memoryUsage().rss;
const openedAt = performance.now();
const runtime = values.runtime === 'wasm' ? ('wasm' as const) : ('auto' as const);
const embedder = second === undefined
  ? await openBundledEmbedder({ modelFolder: values['no-centres'] === true ? withoutCentres(folder) : path.resolve(folder), runtime })
  : await openPairedEmbedder({ englishFolder: path.resolve(folder), multilingualFolder: path.resolve(second), runtime });
await embedder.load();
const loadMs = performance.now() - openedAt;
print(`${embedder.version}  ${embedder.runtime?.kind ?? ''}  ${([folder, second].reduce((sum, each) => sum + (each === undefined ? 0 : folderBytes(each)), 0) / 1e6).toFixed(1)} MB  load ${loadMs.toFixed(0)} ms`);
for (const tokens of [16, 32, 128]) print(`${tokens} tokens: ${await timeOf(embedder, tokens)} ms`);
print(`resident memory + ${((process.memoryUsage().rss - rssBefore) / 1e6).toFixed(0)} MB`);
if (values['speed-only'] !== true) for (const task of [...(await pairTasks(values.pairs)), ...ownTasks(), ...(await foreignTasks())]) print(await answer(embedder, task));
await embedder.close();
removeTemporaryFolders();

/** Best of ten, so that other work on the machine counts least. */
async function timeOf(model: BundledEmbedder, tokens: number): Promise<string> {
  let text = '';
  while (model.countTokens(`${text} memory`) <= tokens) text += ' memory';
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10; i += 1) {
    const from = performance.now();
    await model.embed([text], { role: 'query' });
    best = Math.min(best, performance.now() - from);
  }
  return best.toFixed(1);
}

async function answer(model: BundledEmbedder, { name, memories, questions }: Task): Promise<string> {
  const chunks = memories.flatMap(({ id, text }) => chunkText(text, { countTokens: (part) => model.countTokens(part) }).map((chunk) => ({ id, text: chunk.text })));
  const vectors = await model.embed(chunks.map(({ text }) => text), { role: 'passage' });
  let first = 0;
  let five = 0;
  let ten = 0;
  let relevantSum = 0;
  let otherSum = 0;
  for (const question of questions) {
    const [asked = new Float32Array()] = await model.embed([question.text], { role: 'query' });
    const best = new Map<string, number>();
    for (const [i, { id }] of chunks.entries()) {
      let cosine = 0;
      for (const [at, value] of (vectors[i] ?? []).entries()) cosine += value * (asked[at] ?? 0);
      best.set(id, Math.max(best.get(id) ?? -1, cosine));
    }
    const ranked = [...best].sort((a, b) => b[1] - a[1]);
    const rank = ranked.findIndex(([id]) => question.relevantIds.includes(id));
    first += Number(rank === 0);
    five += Number(rank >= 0 && rank < 5);
    ten += Number(rank >= 0 && rank < 10);
    relevantSum += ranked[rank]?.[1] ?? 0;
    otherSum += ranked[Math.floor(ranked.length / 2)]?.[1] ?? 0;
  }
  const share = (count: number): string => ((100 * count) / questions.length).toFixed(1);
  return `${name}: R@1 ${share(first)}  R@5 ${share(five)}  R@10 ${share(ten)}  (${questions.length} questions, ${memories.length} memories; mean cosine ${(relevantSum / questions.length).toFixed(2)} relevant, ${(otherSum / questions.length).toFixed(2)} median)`;
}

async function pairTasks(file: string | undefined): Promise<Task[]> {
  if (file === undefined) return [];
  const { EN, ZH } = (await import(pathToFileURL(path.resolve(file)).href)) as { EN: string[][]; ZH: string[][] };
  const memories = [...EN, ...ZH].map(([text = ''], i) => ({ id: String(i), text }));
  const ask = (rows: string[][], from: number, column: number): Task['questions'] => rows.map((row, i) => ({ text: row[column] ?? '', relevantIds: [String(from + i)] }));
  return [
    { name: 'pairs EN->EN', memories, questions: ask(EN, 0, 1) }, { name: 'pairs ZH->EN', memories, questions: ask(EN, 0, 2) },
    { name: 'pairs EN->ZH', memories, questions: ask(ZH, EN.length, 1) }, { name: 'pairs ZH->ZH', memories, questions: ask(ZH, EN.length, 2) },
  ];
}

/** Statements that were replaced are left out: which is newer is not a vector's business. */
function ownTasks(): Task[] {
  return ownSets().map(({ name, memories, questions }) => ({ name, memories: memories.filter(({ supersededBy }) => supersededBy === undefined), questions: questions.filter(({ relevantIds }) => relevantIds.length > 0) }));
}

async function foreignTasks(): Promise<Task[]> {
  const tasks: Task[] = [];
  for (const { name, memories, questions } of await foreignSets(process.env.CAIRN_QUALITY_DATA)) {
    if (memories.reduce((sum, { text }) => sum + text.length, 0) / memories.length > 4_000) continue; // whole sessions: hours on a small machine
    const random = createSeededRandom(5);
    const asked = questions.filter(({ relevantIds }) => relevantIds.length > 0).map((question) => ({ question, at: random() })).sort((a, b) => a.at - b.at).slice(0, QUESTIONS).map(({ question }) => question);
    const needed = new Set(asked.flatMap(({ relevantIds }) => relevantIds));
    const others = memories.filter(({ id }) => !needed.has(id)).map((memory) => ({ memory, at: random() })).sort((a, b) => a.at - b.at).slice(0, QUESTIONS * 4).map(({ memory }) => memory);
    if (asked.length >= 20) tasks.push({ name: `${name} (part)`, memories: [...memories.filter(({ id }) => needed.has(id)), ...others], questions: asked });
  }
  return tasks;
}

function folderBytes(model: string): number {
  const { files } = JSON.parse(fs.readFileSync(path.join(model, 'model.json'), 'utf8')) as { files: Record<string, { sizeBytes: number }> };
  return Object.values(files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** The same model without language centring, to see what that brings. */
function withoutCentres(model: string): string {
  const copy = createTemporaryFolder('model');
  fs.cpSync(model, copy, { recursive: true });
  const manifest = JSON.parse(fs.readFileSync(path.join(copy, 'model.json'), 'utf8')) as Record<string, unknown>;
  fs.writeFileSync(path.join(copy, 'model.json'), JSON.stringify({ ...manifest, centres: undefined }));
  return copy;
}
