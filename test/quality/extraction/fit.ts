/**
 * Fits the weights of the rules' signals on the labelled turns and writes src/engine/extraction/rules/weights.json:
 *
 *   node scripts/run.mjs test/quality/extraction/fit.ts            how well each set is told by the others
 *   node scripts/run.mjs test/quality/extraction/fit.ts --write    and the weights of all of them
 *
 * With CAIRN_EVALUATION_DATA=DIR the typed turns of half of DIR/entire-sessions count as what a person says all day: nothing to
 * keep, but for the few sentences of MAY_LAST. The other half is left to measure false alarms (run.ts).
 *
 * Logistic regression over sentences, pulled towards zero. Sets of LEFT_OUT take no part.
 */
import fs from 'node:fs';
import path from 'node:path';
import { cueOf, evidenceOf, isNoStatement, isTaken, kindEvidenceOf } from '../../../src/engine/extraction/rules/judgement.ts';
import type { CueRule } from '../../../src/engine/extraction/rules/language.ts';
import { languageOf } from '../../../src/engine/extraction/rules/languages.ts';
import { likelihoodOf, type Weights } from '../../../src/engine/extraction/rules/signals.ts';
import { sentencesOf } from '../../../src/engine/extraction/rules/speech.ts';
import { CUES_CAME_AFTER, holds, isLearnedFrom, LEFT_OUT, readRealTurns, readSet, SETS } from './labelled.ts';

const PULL = 2;
const KIND_PULL = 1;
/** The share that has to be right among what is taken. */
const WANTED = 0.92;
const ROUNDS = 500;
/** A signal seen less often says nothing. */
const LEAST_SEEN = 3;

interface Example {
  readonly set: string;
  readonly lang: string;
  readonly ids: readonly string[];
  readonly lasts: boolean;
  /** Of what lasts. */
  readonly kind?: string;
  readonly kindIds: readonly string[];
  readonly cue: CueRule | undefined;
  readonly said: string;
  readonly weight: number;
}

function examplesOf(set: string): Example[] {
  const examples: Example[] = [];
  for (const one of readSet(set)) {
    const spoken = one.turns.flatMap((turn, i) => (turn.speaker !== 'user' || turn.sidechain === true ? [] : [{ sentences: sentencesOf(turn.text), afterAssistant: one.turns[i - 1]?.speaker === 'assistant' }]));
    const single = spoken.reduce((sum, turn) => sum + turn.sentences.length, 0) === 1;
    for (const { sentences, afterAssistant } of spoken) {
      for (const [index, sentence] of sentences.entries()) {
        const language = languageOf(sentence.bare);
        if (language === undefined || isNoStatement(sentence, language)) continue;
        // The cues were written with these sets at hand: there they would look better than they are.
        const cue = CUES_CAME_AFTER.has(set) ? undefined : cueOf(sentence, language);
        const ids = evidenceOf(sentence, language, { index, count: sentences.length, afterAssistant }, cue);
        const label = single ? one.gold[0] : one.gold.find((gold) => holds(sentence.text, gold));
        const kind = label === undefined ? {} : { kind: label.kind === 'correction' ? 'rule' : label.kind };
        examples.push({ set, lang: language.language, ids, kindIds: kindEvidenceOf(sentence, language, ids, cueOf(sentence, language)), lasts: label !== undefined, cue, ...kind, said: `${one.id} ${sentence.text}`, weight: 1 });
      }
    }
  }
  return examples;
}

interface Row {
  readonly ids: readonly string[];
  readonly is: boolean;
  readonly weight: number;
}

const asLasting = (examples: readonly Example[]): Row[] => examples.map(({ ids, lasts, weight }) => ({ ids, is: lasts, weight }));
const asKind = (examples: readonly Example[], kind: string): Row[] => examples.filter((example) => example.kind !== undefined).map((example) => ({ ids: example.kindIds, is: example.kind === kind, weight: 1 }));

function fit(all: readonly Row[], pull: number): Weights {
  const seen = new Map<string, number>();
  for (const row of all) for (const id of row.ids) seen.set(id, (seen.get(id) ?? 0) + 1);
  const rows = all.map((row) => ({ ...row, ids: row.ids.filter((id) => (seen.get(id) ?? 0) >= LEAST_SEEN) }));
  const mass = rows.reduce((sum, row) => sum + row.weight, 0);
  const of: Record<string, number> = {};
  let bias = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const slope = new Map<string, number>();
    let biasSlope = 0;
    for (const row of rows) {
      const error = row.weight * (likelihoodOf(row.ids, { bias, of }) - (row.is ? 1 : 0));
      biasSlope += error;
      for (const id of row.ids) slope.set(id, (slope.get(id) ?? 0) + error);
    }
    const step = 4 / (1 + round / 100) / mass;
    bias -= step * biasSlope;
    for (const [id, value] of slope) of[id] = (of[id] ?? 0) - step * (value + pull * (of[id] ?? 0));
  }
  return { bias, of };
}

/** Sentences of the real sessions that two careful people would call worth keeping, or argue about. */
const MAY_LAST = /claude\.md|\bwe should (?:always|be using)|everywhere|in linear\.|overriding|keep in mind|have in mind|\bremember\b|we don't have|explicitly in other places|stick to|prefer|always|never|wherever|in this repo|configurable|i'd like to see|convention|backwards compat/i;
const EVERYDAY = 'everyday';
const EVERYDAY_WEIGHT = 1;

function everyday(folder: string): Example[] {
  const examples: Example[] = [];
  for (const turn of readRealTurns(folder)) {
    if (!isLearnedFrom(turn.session)) continue;
    const sentences = sentencesOf(turn.text);
    for (const [index, sentence] of sentences.entries()) {
      const language = languageOf(sentence.bare);
      if (language === undefined || isNoStatement(sentence, language) || MAY_LAST.test(sentence.text)) continue;
      examples.push({ set: EVERYDAY, lang: language.language, ids: evidenceOf(sentence, language, { index, count: sentences.length, afterAssistant: turn.afterAssistant }, cueOf(sentence, language)), kindIds: [], cue: undefined, lasts: false, said: sentence.text, weight: EVERYDAY_WEIGHT });
    }
  }
  return examples;
}

const folder = process.env.CAIRN_EVALUATION_DATA;
const examples = SETS.filter((set) => !LEFT_OUT.has(set)).flatMap(examplesOf).concat(folder === undefined ? [] : everyday(folder));
const languages = [...new Set(examples.map((example) => example.lang))].sort();
const percent = (part: number, whole: number): string => (whole === 0 ? '-' : ((100 * part) / whole).toFixed(0));
const round = (value: number): number => Math.round(value * 100) / 100;
const rounded = ({ bias, of }: Weights, least: number): Weights => ({ bias: round(bias), of: Object.fromEntries(Object.entries(of).map(([id, value]) => [id, round(value)] as const).filter(([, value]) => Math.abs(value) >= least).sort(([a], [b]) => (a < b ? -1 : 1))) });
const written: Record<string, unknown> = {};
for (const lang of languages) {
  const own = examples.filter((example) => example.lang === lang);
  const kinds = [...new Set(own.flatMap((example) => example.kind ?? []))].sort();
  const told: { example: Example; likelihood: number; kind: string }[] = [];
  for (const set of new Set(own.map((example) => example.set))) {
    if (set === EVERYDAY) continue;
    const others = own.filter((example) => example.set !== set);
    const lasting = fit(asLasting(others), PULL);
    const ofKinds = kinds.map((kind) => ({ kind, weights: fit(asKind(others, kind), KIND_PULL) }));
    for (const example of own.filter((one) => one.set === set)) {
      const best = ofKinds.map(({ kind, weights }) => ({ kind, likelihood: likelihoodOf(example.kindIds, weights) })).sort((a, b) => b.likelihood - a.likelihood)[0];
      told.push({ example, likelihood: likelihoodOf(example.ids, lasting), kind: best?.kind ?? '' });
    }
  }
  const lasting = told.filter(({ example }) => example.lasts);
  const rateFrom = (from: number, rows: typeof told): { precision: number; recall: number } => {
    const taken = rows.filter(({ example, likelihood }) => isTaken(likelihood, example.cue, from));
    const hits = taken.filter(({ example }) => example.lasts).length;
    return { precision: hits / taken.length, recall: hits / rows.filter(({ example }) => example.lasts).length };
  };
  const steps = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8];
  const likely = steps.find((from) => rateFrom(from, told).precision >= WANTED) ?? 0.8;
  console.log(`${lang}: ${own.length} sentences, likely from ${likely}; kind right ${percent(lasting.filter(({ example, kind }) => example.kind === kind).length, lasting.length)} %. Precision/recall of each set by the weights of the others:`);
  for (const from of steps) {
    const parts = [...new Set(told.map(({ example }) => example.set)), 'all'].map((set) => {
      const { precision, recall } = rateFrom(from, told.filter(({ example }) => set === 'all' || example.set === set));
      return `${set} ${percent(precision, 1)}/${percent(recall, 1)}`;
    });
    console.log(`  from ${from}: ${parts.join('  ')}`);
  }
  if (process.argv.includes('--cases')) for (const { example, likelihood } of told) if (isTaken(likelihood, example.cue, likely) !== example.lasts) console.log(`  ${example.lasts ? 'MISSED' : 'WRONG '} ${likelihood.toFixed(2)} ${example.said}`);
  written[lang] = { likely, lasting: rounded(fit(asLasting(own), PULL), 0.02), kinds: Object.fromEntries(kinds.map((kind) => [kind, rounded(fit(asKind(own, kind), KIND_PULL), 0.08)])) };
}
if (process.argv.includes('--write')) fs.writeFileSync(path.join(import.meta.dirname, '../../../src/engine/extraction/rules/weights.json'), `${JSON.stringify(written, null, 1)}\n`);
