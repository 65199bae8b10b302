/**
 * Measures the rules extractor on the labelled turns beside this file:
 *
 *   node test/quality/extraction/run.ts             sums of both halves
 *   node test/quality/extraction/run.ts --cases     also what went wrong, for the development half only
 *
 * With CAIRN_EVALUATION_DATA=DIR it also reports DIR/mempalace-extraction (40 snippets in ten languages), where a
 * statement counts for a snippet as a whole: its gold memories are paraphrases.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Turn } from '../../../src/engine/model/episode.ts';
import { extractByRules } from '../../../src/engine/extraction/rules/rulesExtractor.ts';

interface Case {
  id: string;
  lang: string;
  group: string;
  turns: { speaker: Turn['speaker']; text: string; sidechain?: boolean; toolName?: string }[];
  gold: { kind: string; has: string[] }[];
}

const here = path.dirname(fileURLToPath(import.meta.url));
const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);
const toTurns = (one: Case): Turn[] => one.turns.map((turn, i) => ({ sessionId: one.id, messageId: `m${i}`, blockIndex: 0, speaker: turn.speaker, text: turn.text, at: Date.UTC(2026, 1, 3) + i, sidechain: turn.sidechain ?? false, ...(turn.toolName === undefined ? {} : { toolName: turn.toolName }) }));

function measure(name: string): void {
  const cases = fs.readFileSync(path.join(here, `${name}.jsonl`), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Case);
  for (const lang of ['en', 'zh', 'both']) {
    let [found, right, gold, hit, kinds] = [0, 0, 0, 0, 0];
    for (const one of cases) {
      if (lang !== 'both' && one.lang !== lang) continue;
      const statements = extractByRules(toTurns(one));
      found += statements.length;
      gold += one.gold.length;
      const left = [...one.gold];
      const wrong = statements.filter((statement) => {
        const at = left.findIndex((label) => label.has.every((word) => statement.text.toLowerCase().includes(word.toLowerCase())));
        if (at < 0) return true;
        right += 1;
        hit += 1;
        if (left[at]?.kind === statement.kind) kinds += 1;
        left.splice(at, 1);
        return false;
      });
      if (name !== 'frozen' && lang !== 'both' && process.argv.includes('--cases')) {
        for (const statement of wrong) console.log(`  WRONG  ${one.id} ${one.group} [${statement.provenance.rule}] ${statement.text}`);
        for (const label of left) console.log(`  MISSED ${one.id} ${label.kind} ${JSON.stringify(one.turns.map((turn) => turn.text))}`);
      }
    }
    console.log(`${name.padEnd(12)} ${lang.padEnd(5)} precision ${percent(right, found)} (${right}/${found})  recall ${percent(hit, gold)} (${hit}/${gold})  kind right ${percent(kinds, right)}`);
  }
}

measure('development');
measure('second');
measure('third');
measure('frozen');

const folder = process.env.CAIRN_EVALUATION_DATA;
if (folder !== undefined) {
  const { load } = (await import(pathToFileURL(path.join(folder, 'mempalace-extraction', 'load.mjs')).href)) as { load(o: { lang: string }): { corpus: { id: string; text: string }[]; labels: Record<string, unknown[]> } };
  for (const lang of ['en', 'zh', 'de', 'es', 'fr', 'hi', 'it', 'ko', 'pt-BR', 'ru']) {
    const { corpus, labels } = load({ lang });
    let [with_, of, found, right] = [0, 0, 0, 0];
    for (const { id, text } of corpus) {
      const isGold = (labels[id] ?? []).length > 0;
      const statements = extractByRules([{ sessionId: id, messageId: 'm', blockIndex: 0, speaker: 'user', text, at: 1, sidechain: false }]);
      if (isGold) of += 1;
      if (statements.length > 0) {
        found += 1;
        if (isGold) {
          right += 1;
          with_ += 1;
        }
      }
    }
    console.log(`mempalace    ${lang.padEnd(5)} snippets with a statement ${found}, of them with a gold memory ${percent(right, found)}; snippets with gold reached ${percent(with_, of)} (${with_}/${of})`);
  }
}
