/**
 * The model path over a recording: template, provider, wire, parser, trust, gate, inbox.
 *
 *   CAIRN_EVALUATION_DATA=DIR node scripts/run.mjs test/quality/extraction/modelPath.ts [--cases]
 *
 * `recordings/mempalace-en.jsonl` holds what one language model answered to the template for the English snippets of
 * DIR/mempalace-extraction, read without their labels; quotes stand as the number of the sentence they copy. A scripted
 * endpoint sends the answers over HTTP in turn in every form that real ones come in, and misbehaves in some. So the
 * numbers say that nothing is lost on the way and what such a model would find, not how good the next model is.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createIdSource } from '../../../src/base/ids.ts';
import { noEmbedderSource } from '../../../src/engine/embedding/embedderSource.ts';
import { openEngine } from '../../../src/engine/engine.ts';
import { DEFAULT_ENGINE_CONFIG } from '../../../src/engine/engineOptions.ts';
import { shapeOf } from '../../../src/engine/extraction/consolidation/statementShape.ts';
import { createAnthropicExtractor, createOpenAiExtractor } from '../../../src/engine/extraction/providers/index.ts';
import type { Observation } from '../../../src/engine/model/observation.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { openScriptedEndpoint, type ModelScript } from '../../support/scriptedEndpoint.ts';
import { createSeededRandom } from '../../support/seededRandom.ts';

interface Recorded {
  readonly id: string;
  readonly statements: readonly (Record<string, unknown> & { readonly text: string; readonly sentence: number })[];
}

interface Form {
  readonly name: string;
  readonly kind: 'openai' | 'anthropic';
  scripts(answer: string): ModelScript[];
}

/** What real endpoints do with one and the same answer. */
const FORMS: readonly Form[] = [
  { name: 'stream', kind: 'openai', scripts: (text) => [{ text }] },
  { name: 'tool call', kind: 'anthropic', scripts: (text) => [{ text }] },
  { name: 'fenced', kind: 'openai', scripts: (text) => [{ text: `\`\`\`json\n${text}\n\`\`\`` }] },
  { name: 'prose around it', kind: 'openai', scripts: (text) => [{ text: `Here is what I would keep:\n\n${text}\n\nLet me know if you need more.` }] },
  { name: 'cut off, then repaired', kind: 'openai', scripts: (text) => [{ text: text.slice(0, Math.ceil(text.length * 0.6)) }, { text }] },
  { name: '429, then later', kind: 'openai', scripts: (text) => [{ status: 429, text: 'slow down' }, { text }] },
  { name: 'numbers as text', kind: 'openai', scripts: (text) => [{ text: text.replaceAll(/("(?:importance|confidence|turn)":)([\d.]+)/g, '$1"$2"') }] },
  { name: 'one document', kind: 'openai', scripts: (text) => [{ text, whole: true }] },
];

const folder = process.env.CAIRN_EVALUATION_DATA;
if (folder === undefined) throw new Error('Set CAIRN_EVALUATION_DATA to the folder that holds mempalace-extraction.');
const { load } = (await import(pathToFileURL(path.join(folder, 'mempalace-extraction', 'load.mjs')).href)) as { load(o: { lang: string }): { corpus: { id: string; text: string }[]; labels: Record<string, { content: string }[]> } };
const { corpus, labels } = load({ lang: 'en' });
const recording = new Map(fs.readFileSync(path.join(import.meta.dirname, 'recordings', 'mempalace-en.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Recorded).map((one) => [one.id, one]));

const sentencesIn = (text: string): string[] => text.split(/(?<=[.!?])\s+/);

/** As the model sends it: the quote in full, the turn's number as the prompt gave it. */
function answerOf(recorded: Recorded, text: string): string {
  const statements = recorded.statements.map(({ sentence, ...statement }) => ({ scope: 'repository', ...statement, quote: sentencesIn(text)[sentence - 1], turn: 1 }));
  return JSON.stringify({ statements });
}

async function proposalsFor(text: string, form: Form, answer: string): Promise<Observation[]> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-quality-'));
  const clock = new FakeClock('2026-11-01T12:00:00Z');
  const endpoint = await openScriptedEndpoint(form.kind, form.scripts(answer));
  const extractor = form.kind === 'openai' ? createOpenAiExtractor({ baseUrl: `${endpoint.url}/v1`, model: 'recorded', fetch }) : createAnthropicExtractor({ apiKey: 'not-a-key', baseUrl: endpoint.url });
  const engine = await openEngine({
    repository: { id: 'quality', name: 'quality', storePath: path.join(root, 'memory.db'), indexFolder: path.join(root, 'index') },
    user: { storePath: path.join(root, 'user.db'), indexFolder: path.join(root, 'userIndex') },
    clock,
    ids: createIdSource(clock, createSeededRandom(1)),
    embedder: noEmbedderSource,
    embedderWaitMs: 0,
    background: false,
    extractors: () => Promise.resolve([extractor]),
    config: () => ({ ...DEFAULT_ENGINE_CONFIG, extraction: { ...DEFAULT_ENGINE_CONFIG.extraction, captureMode: 'model' } }),
  });
  try {
    await engine.extraction.takeTurns({ id: 'e', sessionId: 's', startedAt: clock.now() }, [{ sessionId: 's', messageId: 'm', blockIndex: 0, speaker: 'user', text, at: clock.now(), sidechain: false }]);
    const { waitingBatches } = await engine.extraction.runDue({ sessionId: 's', final: true });
    if (waitingBatches > 0) {
      clock.advance(3_600_000);
      await engine.extraction.runDue({ sessionId: 's', final: true });
    }
    return [...(await engine.inbox.list({ limit: 100, offset: 0 })).observations];
  } finally {
    await engine.close();
    endpoint.close();
    fs.rmSync(root, { recursive: true, force: true });
  }
}

const wordsOf = (text: string): Set<string> => {
  const shape = shapeOf(text);
  return new Set([...shape.subject, ...shape.values.map((value) => value.value)]);
};
/** Gold memories are paraphrases: a statement meets one when it holds this share of its content words. */
const MEETS = 0.4;
const meets = (text: string, gold: string): boolean => {
  const [mine, theirs] = [wordsOf(text), wordsOf(gold)];
  return [...theirs].filter((word) => mine.has(word)).length >= MEETS * theirs.size;
};

const sums = { rules: { found: 0, right: 0, gold: 0, snippets: 0 }, model: { found: 0, right: 0, gold: 0, snippets: 0 } };
const byForm = new Map<string, { sent: number; arrived: number; untrusted: number }>();
let goldInAll = 0;
for (const [i, { id, text }] of corpus.entries()) {
  const recorded = recording.get(id);
  const form = FORMS[i % FORMS.length];
  if (recorded === undefined || form === undefined) throw new Error(`Nothing is recorded for ${id}.`);
  const proposals = await proposalsFor(text, form, answerOf(recorded, text));
  const gold = (labels[id] ?? []).map(({ content }) => content);
  goldInAll += gold.length;
  for (const path_ of ['rules', 'model'] as const) {
    const found = proposals.filter((one) => (one.provenance.model !== undefined) === (path_ === 'model')).map((one) => one.text);
    sums[path_].found += found.length;
    sums[path_].right += found.filter((one) => gold.some((wanted) => meets(one, wanted))).length;
    sums[path_].gold += gold.filter((wanted) => found.some((one) => meets(one, wanted))).length;
    sums[path_].snippets += found.length > 0 ? 1 : 0;
    if (process.argv.includes('--cases')) for (const one of found) console.log(`  ${id} ${path_} ${gold.some((wanted) => meets(one, wanted)) ? 'meets' : '     '} ${one}`);
  }
  const tally = byForm.get(form.name) ?? { sent: 0, arrived: 0, untrusted: 0 };
  const texts = new Set(recorded.statements.map((statement) => statement.text));
  const arrived = proposals.filter((one) => texts.has(one.text));
  byForm.set(form.name, { sent: tally.sent + texts.size, arrived: tally.arrived + arrived.length, untrusted: tally.untrusted + arrived.filter((one) => one.untrusted).length });
}
for (const [name, { sent, arrived, untrusted }] of byForm) console.log(`${name.padEnd(24)} ${arrived} of ${sent} recorded statements reached the inbox, ${untrusted} of them untrusted`);
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} % (${part}/${whole})`;
for (const [name, { found, right, gold, snippets }] of Object.entries(sums)) console.log(`${name.padEnd(6)} statements ${found} from ${snippets} of ${corpus.length} snippets; that meet a gold memory ${percent(right, found)}; gold memories met ${percent(gold, goldInAll)}`);
