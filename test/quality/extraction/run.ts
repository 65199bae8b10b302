/**
 * Measures the rules extractor on the labelled turns beside this file:
 *
 *   node scripts/run.mjs test/quality/extraction/run.ts             sums of all sets; SET=NAME for one
 *   node scripts/run.mjs test/quality/extraction/run.ts --cases     also what went wrong, but for the sets left out of the fit
 *
 * With CAIRN_EVALUATION_DATA=DIR it also counts what is found in the typed turns of DIR/entire-sessions, and reports DIR/mempalace-extraction (40 snippets in ten languages), where a
 * statement counts for a snippet as a whole: its gold memories are paraphrases.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { extractByRules } from '../../../src/engine/extraction/rules/rulesExtractor.ts';
import { holds, isLearnedFrom, LEFT_OUT, readRealTurns, readSet, SETS, toTurns } from './labelled.ts';

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);
function measure(name: string): void {
  const cases = readSet(name);
  for (const lang of ['en', 'zh', 'both']) {
    let [found, right, gold, hit, kinds] = [0, 0, 0, 0, 0];
    for (const one of cases) {
      if (lang !== 'both' && one.lang !== lang) continue;
      const statements = extractByRules(toTurns(one));
      found += statements.length;
      gold += one.gold.length;
      const left = [...one.gold];
      const wrong = statements.filter((statement) => {
        const at = left.findIndex((label) => holds(statement.text, label));
        if (at < 0) return true;
        right += 1;
        hit += 1;
        if (left[at]?.kind === statement.kind) kinds += 1;
        left.splice(at, 1);
        return false;
      });
      if (!LEFT_OUT.has(name) && lang !== 'both' && process.argv.includes('--cases')) {
        for (const statement of wrong) console.log(`  WRONG  ${one.id} ${one.group} [${statement.provenance.rule}] ${statement.text}`);
        for (const label of left) console.log(`  MISSED ${one.id} ${label.kind} ${JSON.stringify(one.turns.map((turn) => turn.text))}`);
      }
    }
    console.log(`${name.padEnd(12)} ${lang.padEnd(5)} precision ${percent(right, found)} (${right}/${found})  recall ${percent(hit, gold)} (${hit}/${gold})  kind right ${percent(kinds, right)}`);
  }
}

for (const set of process.env.SET === undefined ? SETS : [process.env.SET]) measure(set);

const folder = process.env.CAIRN_EVALUATION_DATA;
if (folder !== undefined) {
  for (const part of ['learned', 'left']) {
    const turns = readRealTurns(folder).filter((turn) => isLearnedFrom(turn.session) === (part === 'learned'));
    const found = turns.flatMap(({ session, text }) => extractByRules([{ sessionId: session, messageId: 'm', blockIndex: 0, speaker: 'user', text, at: 1, sidechain: false }]));
    console.log(`real turns   ${part === 'learned' ? 'of the sessions that taught what is said every day' : 'of the other sessions'}: ${turns.length}, statements found ${found.length}`);
    if (part === 'left' && process.argv.includes('--cases')) for (const statement of found) console.log(`  FOUND ${statement.kind} ${statement.text}`);
  }
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
