/**
 * Measures recall:
 *
 *   npm run quality                        all modes, our own sets, and what CAIRN_QUALITY_DATA holds
 *   npm run quality -- --only english      corpora whose name contains this
 *   npm run quality -- --modes keyword     keyword, semantic, hybrid
 *   npm run quality -- --misses            what was not found at 5, with what was found instead
 *   npm run quality -- --write             also writes baseline.json and the section of RESULTS.md
 *
 * Prints each measure with a 95 % interval, and what fell more than its interval below the baseline.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';
import type { RecallMode } from '../../../src/engine/engineTypes.ts';
import { foreignSets, ownSets, unlinkedReplacements, type Corpus, type CorpusQuestion } from './corpus.ts';
import { openBundledEmbedder } from './bundledEmbedder.ts';
import { interval, mean, measure, type Measured } from './measures.ts';
import { openSubject } from './subject.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const baselinePath = path.join(here, '..', 'baseline.json');
const resultsPath = path.join(here, '..', 'RESULTS.md');
const LIMIT = 10;

interface Row {
  readonly corpus: string;
  readonly mode: RecallMode;
  readonly category: string;
  readonly questions: number;
  readonly values: Readonly<Record<keyof Measured, number>>;
  readonly intervals: Readonly<Partial<Record<keyof Measured, readonly [number, number]>>>;
  /** Share of unanswerable questions that got nothing, and memories given to the others. */
  readonly abstention?: { readonly questions: number; readonly silent: number; readonly given: number };
  readonly forbidden: number;
  /** Replaced statements among what was given, and how many of them stood there without or above the one that replaced them. */
  readonly replaced?: { readonly given: number; readonly ahead: number };
}

const SHOWN: readonly (keyof Measured)[] = ['anyAt1', 'recallAt1', 'recallAt5', 'recallAt10', 'mrr', 'ndcgAt10', 'precisionAt5'];
const flag = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : (process.argv[at + 1] ?? '');
};
const has = (name: string): boolean => process.argv.includes(`--${name}`);
const print = (line: string): void => { process.stdout.write(`${line}\n`); };
const percent = (value: number): string => (100 * value).toFixed(1);

interface Asked {
  readonly question: CorpusQuestion;
  readonly ranked: readonly string[];
  readonly replacements: ReadonlyMap<string, string>;
}

function countReplaced(asked: readonly Asked[]): Pick<Row, 'replaced'> {
  const given = asked.flatMap(({ ranked, replacements }) => ranked.flatMap((id, place) => (replacements.has(id) ? [{ place, byPlace: ranked.indexOf(replacements.get(id) ?? '') }] : [])));
  if (asked.every(({ replacements }) => replacements.size === 0)) return {};
  return { replaced: { given: given.length, ahead: given.filter(({ place, byPlace }) => byPlace < 0 || byPlace > place).length } };
}

function rowOf(corpus: string, mode: RecallMode, category: string, asked: readonly Asked[]): Row {
  const answerable = asked.filter(({ question }) => question.relevantIds.length > 0);
  const measured = answerable.map(({ question, ranked }) => measure(ranked, question.relevantIds));
  const unanswerable = asked.filter(({ question }) => question.relevantIds.length === 0);
  const values = Object.fromEntries([...SHOWN, 'anyAt5', 'anyAt10'].map((key) => [key, mean(measured.map((each) => each[key as keyof Measured]))])) as Record<keyof Measured, number>;
  return {
    corpus, mode, category, questions: answerable.length, values,
    intervals: Object.fromEntries(SHOWN.map((key) => [key, interval(measured.map((each) => each[key]))])),
    ...(unanswerable.length === 0 ? {} : { abstention: { questions: unanswerable.length, silent: unanswerable.filter(({ ranked }) => ranked.length === 0).length, given: mean(unanswerable.map(({ ranked }) => ranked.length)) } }),
    ...countReplaced(asked),
    forbidden: asked.reduce((sum, { question, ranked }) => sum + ranked.filter((id) => question.forbiddenIds.includes(id)).length, 0),
  };
}

async function ask(parts: readonly Corpus[], embedder: Embedder | undefined, modes: readonly RecallMode[]): Promise<Map<RecallMode, Asked[]>> {
  const asked = new Map<RecallMode, Asked[]>(modes.map((mode) => [mode, []]));
  for (const part of parts) {
    const subject = await openSubject(part, embedder);
    const replacements = unlinkedReplacements(part.memories);
    const began = performance.now();
    for (const question of part.questions) for (const mode of modes) asked.get(mode)?.push({ question, replacements, ranked: await subject.ask(question.text, mode, LIMIT) });
    if (part.questions.length > 20) print(`  ${((performance.now() - began) / part.questions.length / modes.length).toFixed(1)} ms a question`);
    if (has('misses')) await showMisses(subject, part, asked.get(modes.at(-1) ?? 'hybrid') ?? []);
    await subject.close();
  }
  return asked;
}

async function showMisses(subject: Awaited<ReturnType<typeof openSubject>>, corpus: Corpus, asked: readonly Asked[]): Promise<void> {
  const textOf = new Map(corpus.memories.map((memory) => [memory.id, memory.text.replaceAll(/\s+/g, ' ').slice(0, 90)]));
  for (const { question, ranked } of asked) {
    const missing = question.relevantIds.filter((id) => !ranked.slice(0, 5).includes(id));
    if (missing.length === 0 && question.relevantIds.length > 0) continue;
    if (question.relevantIds.length === 0 && ranked.length === 0) continue;
    print(`  [${question.category}] ${question.text.slice(0, 160)}`);
    for (const id of missing) print(`     wanted ${id}: ${textOf.get(id) ?? '?'} (place ${ranked.indexOf(id) + 1 || '-'})`);
    const { results } = await subject.engine.recall({ query: question.text, limit: 3, countUse: false });
    for (const { memory, explain } of results) print(`     got ${memory.externalId ?? ''}: ${memory.text.replaceAll(/\s+/g, ' ').slice(0, 70)} | lex ${explain.lexicalRank ?? '-'} vec ${explain.vectorRank ?? '-'} cos ${explain.cosine?.toFixed(2) ?? '-'} ${explain.boosts.map(({ name, factor }) => `${name} ${factor.toFixed(2)}`).join(' ')}`);
  }
}

function table(rows: readonly Row[]): string[] {
  const lines = ['| corpus | mode | questions | R@1 (any) | R@1 | R@5 | R@10 | MRR | nDCG@10 | P@5 | abstains | forbidden | replaced ahead |', `|${' --- |'.repeat(13)}`];
  for (const row of rows) {
    const cells = SHOWN.map((key) => {
      const bounds = row.intervals[key];
      return row.questions === 0 ? '-' : `${percent(row.values[key])} (${bounds === undefined ? '' : `${percent(bounds[0])}-${percent(bounds[1])}`})`;
    });
    const abstention = row.abstention === undefined ? '-' : `${row.abstention.silent}/${row.abstention.questions} (else ${row.abstention.given.toFixed(1)} given)`;
    lines.push(`| ${row.corpus}${row.category === '' ? '' : `: ${row.category}`} | ${row.mode} | ${row.questions} | ${cells.join(' | ')} | ${abstention} | ${row.forbidden} | ${row.replaced === undefined ? '-' : `${row.replaced.ahead} of ${row.replaced.given}`} |`);
  }
  return lines;
}

function compare(rows: readonly Row[]): void {
  if (!fs.existsSync(baselinePath)) return;
  const baseline = JSON.parse(fs.readFileSync(baselinePath, 'utf8')) as { rows: Row[] };
  for (const row of rows) {
    const before = baseline.rows.find((each) => each.corpus === row.corpus && each.mode === row.mode && each.category === row.category);
    if (before === undefined) continue;
    for (const key of ['anyAt1', 'recallAt5', 'recallAt10', 'precisionAt5'] as const) {
      const fell = before.values[key] - row.values[key];
      if (fell > 0.005) print(`FELL ${row.corpus} ${row.category} ${row.mode} ${key}: ${percent(before.values[key])} -> ${percent(row.values[key])}`);
      if (fell > 0.03) process.exitCode = 1;
    }
  }
}

function write(rows: readonly Row[], model: string): void {
  const measured = rows.filter((row) => row.category === '' || row.mode === 'hybrid');
  const before = fs.existsSync(baselinePath) ? (JSON.parse(fs.readFileSync(baselinePath, 'utf8')) as { rows: Row[] }).rows : [];
  const isSame = (a: Row, b: Row): boolean => a.corpus === b.corpus && a.mode === b.mode && a.category === b.category;
  // What this run did not measure stays as it was.
  const kept = [...before.filter((row) => !measured.some((each) => isSame(each, row))), ...measured];
  fs.writeFileSync(baselinePath, `${JSON.stringify({ model, rows: kept.map((row) => ({ ...row, intervals: Object.fromEntries(Object.entries(row.intervals).map(([key, bounds]) => [key, bounds?.map((value) => Math.round(value * 1e4) / 1e4)])), values: Object.fromEntries(Object.entries(row.values).map(([key, value]) => [key, Math.round(value * 1e4) / 1e4])) })) }, null, 1)}\n`);
  const START = '<!-- recall: begin, written by run.ts -->';
  const END = '<!-- recall: end -->';
  const section = [START, '## Recall', '', `\`CAIRN_QUALITY_DATA=DIR npm run quality -- --write\`, ${new Date().toISOString().slice(0, 10)}, ${os.cpus().length} cores ${os.cpus()[0]?.model ?? ''}, Node ${process.versions.node}, model ${model}. R@k is the share of relevant memories among the first k (any: at least one); brackets are 95 % bootstrap intervals; P@5 is the share of relevant ones among the first five given; "replaced ahead" are statements given without or above a newer one that replaced them and is not linked to them, of all replaced ones given.`, '', ...table(kept), END].join('\n');
  const text = fs.existsSync(resultsPath) ? fs.readFileSync(resultsPath, 'utf8') : '# Measured quality\n';
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  fs.writeFileSync(resultsPath, from < 0 || to < 0 ? `${text.trimEnd()}\n\n${section}\n` : text.slice(0, from) + section + text.slice(to + END.length));
}

const only = flag('only')?.toLowerCase();
const modes = (flag('modes')?.split(',') as RecallMode[] | undefined) ?? ['keyword', 'semantic', 'hybrid'];
const wanted = [...ownSets(), ...(await foreignSets(process.env.CAIRN_QUALITY_DATA))].filter(({ name }) => only === undefined || name.toLowerCase().includes(only));
const names = [...new Set(wanted.map(({ name }) => name))];
const embedder = modes.some((mode) => mode !== 'keyword') ? await openBundledEmbedder() : undefined;
const rows: Row[] = [];
for (const name of names) {
  const asked = await ask(wanted.filter((corpus) => corpus.name === name), embedder, modes);
  const own: Row[] = [];
  for (const [mode, all] of asked) {
    own.push(rowOf(name, mode, '', all));
    const categories = [...new Set(all.map(({ question }) => question.category))].filter((category) => category !== '');
    if (categories.length > 1 && mode === modes.at(-1)) for (const category of categories) own.push(rowOf(name, mode, category, all.filter(({ question }) => question.category === category)));
  }
  for (const line of table(own)) print(line);
  rows.push(...own);
}
compare(rows);
if (has('write')) write(rows, embedder?.version ?? 'none');
await embedder?.close();
