/**
 * Does a belief that was replaced, or another user's, come back? Statements arrive one after the other through the
 * write path and through extraction, without any link that says what replaces what.
 *
 *   CAIRN_EVALUATION_DATA=DIR node scripts/run.mjs test/quality/consolidation/beliefs.ts [--cases]
 *
 * DIR/precisionmembench: the contents of the beliefs, each user in a store of their own, then its 77 questions.
 * DIR/devmembench: the sessions through rules and inbox (everything accepted), then the knowledge-update questions;
 * OUTDATED names what an answer must not present as current.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createIdSource } from '../../../src/base/ids.ts';
import type { Embedder } from '../../../src/engine/embedding/embedder.ts';
import { createLazyEmbedderSource, noEmbedderSource } from '../../../src/engine/embedding/embedderSource.ts';
import { openEngine } from '../../../src/engine/engine.ts';
import type { Engine } from '../../../src/engine/engineFacade.ts';
import { DEFAULT_ENGINE_CONFIG } from '../../../src/engine/engineOptions.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { createSeededRandom } from '../../support/seededRandom.ts';
import { openBundledEmbedder } from '../recall/bundledEmbedder.ts';

const TOP = 5;
const ACTING = { actor: { surface: 'cli' as const } };
const clock = new FakeClock('2026-11-01T12:00:00Z');
const ids = createIdSource(clock, createSeededRandom(1));
const showsCases = process.argv.includes('--cases');
const folder = process.env.CAIRN_EVALUATION_DATA ?? '';
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-quality-'));

const open = async (name: string, embedder: Embedder | undefined): Promise<Engine> => openEngine({
  repository: { id: name, name, storePath: path.join(root, name, 'memory.db'), indexFolder: path.join(root, name, 'index') },
  user: { storePath: path.join(root, name, 'user.db'), indexFolder: path.join(root, name, 'userIndex') },
  clock,
  ids,
  embedder: embedder === undefined ? noEmbedderSource : createLazyEmbedderSource(() => Promise.resolve(embedder), () => clock.now()),
  embedderWaitMs: 60_000,
  background: false,
  config: () => DEFAULT_ENGINE_CONFIG,
});

interface Belief {
  readonly _id: string;
  readonly user_id: string;
  readonly content: string;
  readonly epistemic_status: string;
  readonly updated_at: string;
}

async function precisionMemBench(embedder: Embedder | undefined, label: string): Promise<void> {
  const read = <T>(name: string): T => JSON.parse(fs.readFileSync(path.join(folder, 'precisionmembench', name), 'utf8')) as T;
  const beliefs = read<Belief[]>('beliefs.seed.json').sort((a, b) => (a.updated_at < b.updated_at ? -1 : a.updated_at > b.updated_at ? 1 : 0));
  const owner = beliefs[0]?.user_id ?? '';
  const engine = await open(`precision-${label}`, embedder);
  const others = await open(`precision-others-${label}`, embedder);
  for (const belief of beliefs) {
    const saidAt = Date.parse(belief.updated_at);
    await (belief.user_id === owner ? engine : others).remember({ text: belief.content, externalId: belief._id, validFrom: saidAt, provenance: { via: 'transcript', saidAt } }, ACTING);
    if (embedder !== undefined) await engine.embedPending();
  }
  let [asked, replaced, foreign] = [0, 0, 0];
  for (const { query } of read<{ query?: string }[]>('retrieval.cases.json')) {
    asked += 1;
    for (const { memory } of (await engine.recall({ query: query ?? '', limit: TOP, countUse: false })).results) {
      const belief = beliefs.find((one) => one.content === memory.text);
      if (belief?.epistemic_status === 'superseded') replaced += 1;
      if (belief !== undefined && belief.user_id !== owner) foreign += 1;
      if (showsCases && (belief?.epistemic_status === 'superseded' || belief?.user_id !== owner)) console.log(`  "${query ?? ''}" gave ${memory.text}`);
    }
  }
  console.log(`precisionmembench, ${label}: ${asked} questions; superseded beliefs in the top ${TOP}: ${replaced}; other users' beliefs: ${foreign}`);
  await engine.close();
  await others.close();
}

/** What a session said before another one took it back; a memory that names it without what came after presents it as current. */
const OUTDATED: readonly { readonly old: RegExp; readonly current: RegExp }[] = [
  { old: /\balembic\b/i, current: /aerich/i },
  { old: /\bsqlalchemy\b/i, current: /tortoise|moving away/i },
  { old: /1\.2 ?GB/i, current: /340/ },
  { old: /\b2\.3 seconds\b/i, current: /45/ },
];

interface Session {
  readonly sessionId: string;
  readonly metadata: { readonly date: string };
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
}

async function devMemBench(embedder: Embedder | undefined, label: string): Promise<void> {
  const read = <T>(name: string): T => JSON.parse(fs.readFileSync(path.join(folder, 'devmembench', name), 'utf8')) as T;
  const engine = await open(`devmem-${label}`, embedder);
  for (const session of read<Session[]>('sessions.json').sort((a, b) => (a.metadata.date < b.metadata.date ? -1 : 1))) {
    const at = Date.parse(session.metadata.date);
    await engine.extraction.takeTurns({ id: ids.next(), sessionId: session.sessionId, startedAt: at }, session.messages.map((message, i) => ({ sessionId: session.sessionId, messageId: `m${i}`, blockIndex: 0, speaker: message.role, text: message.content, at: at + i, sidechain: false })));
    await engine.extraction.runDue({ sessionId: session.sessionId, final: true });
    await engine.inbox.accept({}, ACTING);
  }
  if (embedder !== undefined) await engine.embedPending();
  let [asked, outdated] = [0, 0];
  for (const { question, questionType } of read<{ question: string; questionType: string }[]>('questions.json')) {
    if (questionType !== 'knowledge-update') continue;
    asked += 1;
    for (const { memory } of (await engine.recall({ query: question, limit: TOP, countUse: false })).results) {
      if (memory.kind === 'session_summary' || !OUTDATED.some(({ old, current }) => old.test(memory.text) && !current.test(memory.text))) continue;
      outdated += 1;
      if (showsCases) console.log(`  "${question}" gave ${memory.text}`);
    }
  }
  const { memories } = await engine.list({ filters: { statuses: ['active'] } });
  console.log(`devmembench knowledge-update, ${label}: ${asked} questions over ${memories.length} memories taken from the sessions; outdated ones in the top ${TOP}: ${outdated}`);
  await engine.close();
}

if (!fs.existsSync(path.join(folder, 'precisionmembench'))) throw new Error(`Set CAIRN_EVALUATION_DATA to the folder with the sets.`);
const embedder = await openBundledEmbedder();
for (const model of embedder === undefined ? [undefined] : [undefined, embedder]) {
  const label = model === undefined ? 'words alone' : 'with the model';
  await precisionMemBench(model, label);
  await devMemBench(model, label);
}
fs.rmSync(root, { recursive: true, force: true });
