/**
 * What becomes of a statement that meets a related one, as a stranger would type both:
 *
 *   node scripts/run.mjs test/quality/consolidation/run.ts            sums
 *   node scripts/run.mjs test/quality/consolidation/run.ts --cases    also what went wrong
 *
 * Each pair goes through an engine of its own with the bundled model, by the write path of `cairn add`, a day apart.
 * `expect` names every outcome that a careful person would accept: `add` (both stay), `merge`, `duplicate`, `supersede`,
 * `conflict`.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';
import type { RememberResult } from '../../../src/engine/engineTypes.ts';
import { openQualityEngine } from '../qualityEngine.ts';
import { openBundledEmbedder } from '../recall/bundledEmbedder.ts';

interface Pair {
  readonly lang: string;
  readonly group: string;
  readonly expect: readonly string[];
  readonly before: string;
  readonly after: string;
}

const SETS = ['first', 'second', 'third'];
const ACTING = { actor: { surface: 'cli' as const } };
const PROVENANCE = { via: 'cli' as const };
const DAY_MS = 86_400_000;

export const readPairs = (name: string): Pair[] => fs.readFileSync(path.join(import.meta.dirname, `${name}.jsonl`), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Pair);

/** A conflict is stored beside what it contradicts, and names it. */
const outcomeOf = (result: RememberResult): string => ({ added: result.relatedIds.length > 0 ? 'conflict' : 'add', merged: 'merge', duplicate: 'duplicate', superseded: 'supersede', conflict: 'conflict', inbox: 'inbox' })[result.outcome];

export async function decide(pair: Pair, embedder: Embedder | undefined): Promise<{ outcome: string; why: string }> {
  const { engine, clock, close } = await openQualityEngine(embedder);
  try {
    await engine.remember({ text: pair.before, provenance: PROVENANCE }, ACTING);
    if (embedder !== undefined) await engine.embedPending();
    clock.advance(DAY_MS);
    const result = await engine.remember({ text: pair.after, provenance: PROVENANCE }, ACTING);
    return { outcome: outcomeOf(result), why: result.why ?? '' };
  } finally {
    await close();
  }
}

const embedder = await openBundledEmbedder();
for (const set of SETS) {
  for (const model of embedder === undefined ? [undefined] : [undefined, embedder]) {
    const tally = new Map<string, { right: number; of: number }>();
    for (const pair of readPairs(set)) {
      const { outcome, why } = await decide(pair, model);
      const isRight = pair.expect.includes(outcome);
      for (const key of [pair.group, pair.lang, 'all']) {
        const sum = tally.get(key) ?? { right: 0, of: 0 };
        tally.set(key, { right: sum.right + (isRight ? 1 : 0), of: sum.of + 1 });
      }
      if (!isRight && process.argv.includes('--cases')) console.log(`  ${pair.lang} ${pair.group}: ${outcome} for ${pair.expect.join(' or ')}: "${pair.before}" then "${pair.after}" ${why}`);
    }
    console.log(`${set}, ${model === undefined ? 'words alone' : 'with the model'}: ${[...tally].map(([key, { right, of }]) => `${key} ${right}/${of}`).join('  ')}`);
  }
}
