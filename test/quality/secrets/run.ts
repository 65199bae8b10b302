/**
 * Measures the redactor on a set of secrets and look-alikes that is not part of this repository (drawn from the
 * unit tests of gitleaks):
 *
 *   CAIRN_EVALUATION_DATA=DIR node test/quality/secrets/run.ts
 *
 * DIR holds `secrets/load.mjs` with `evaluate(redact)` and `load()`. Prints the numbers, the weak rules, what was
 * changed wrongly, and how long a megabyte takes.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRedactor } from '../../../src/engine/extraction/redaction/redactor.ts';

interface Loader {
  evaluate(redact: (text: string) => string): { recall: number; macroRecall: number; rulesWithoutLeak: number; rules: number; lookAlikesKept: number; worstRules: string[] };
  load(): { positives: { rule: string; text: string; secret: string }[]; negatives: { rule: string; text: string }[] };
}

const folder = process.env.CAIRN_EVALUATION_DATA;
if (folder === undefined) throw new Error('Set CAIRN_EVALUATION_DATA to the folder that holds secrets/load.mjs.');
const data = (await import(pathToFileURL(path.join(folder, 'secrets', 'load.mjs')).href)) as Loader;
const redactor = createRedactor();
const result = data.evaluate((text) => redactor.redact(text).text);
const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
console.log(`secrets masked        ${percent(result.recall)} (mean over rules ${percent(result.macroRecall)}, ${result.rulesWithoutLeak} of ${result.rules} rules without a leak)`);
console.log(`look-alikes unchanged ${percent(result.lookAlikesKept)}`);
console.log('weak rules', result.worstRules);
const { positives, negatives } = data.load();
const unstable = [...positives, ...negatives].filter(({ text }) => redactor.redact(redactor.redact(text).text).text !== redactor.redact(text).text);
console.log(`not stable when redacted twice: ${unstable.length}`);
if (process.argv.includes('--wrong')) {
  for (const negative of negatives) {
    const after = redactor.redact(negative.text).text;
    if (after !== negative.text) console.log('WRONG', negative.rule, JSON.stringify(negative.text.slice(0, 200)), '->', JSON.stringify(after.slice(0, 200)));
  }
}
if (process.argv.includes('--missed')) {
  for (const one of positives) {
    const after = redactor.redact(one.text).text;
    if (after.includes(one.secret.slice(0, 12))) console.log('MISSED', one.rule, JSON.stringify(one.text.slice(0, 300)), '=>', JSON.stringify(one.secret.slice(0, 80)));
  }
}
