/**
 * Tokens given in scripted sessions: 20 sessions of ten prompts each over a store of 300 statements, some of the
 * prompts about what is stored and most about something else.
 *
 *   node scripts/run.mjs test/bench/injectionBench.ts
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createIdSource } from '../../src/base/ids.ts';
import { DEFAULT_ENGINE_CONFIG, noEmbedderSource, openEngine } from '../../src/engine/index.ts';
import { createSeededRandom } from '../support/seededRandom.ts';
import { FakeClock } from '../support/fakeClock.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-injection-bench-'));
const clock = new FakeClock();
const engine = await openEngine({
  repository: { id: 'bench', name: 'bench', storePath: path.join(root, 'repo', 'memory.db'), indexFolder: path.join(root, 'repo', 'vectors') },
  user: { storePath: path.join(root, 'user', 'memory.db'), indexFolder: path.join(root, 'user', 'vectors') },
  clock, ids: createIdSource(clock, createSeededRandom(11)), embedder: noEmbedderSource, embedderWaitMs: 0, background: false, config: () => DEFAULT_ENGINE_CONFIG,
});
const THINGS = ['payment worker', 'order queue', 'login form', 'invoice export', 'search index', 'session cache', 'image resizer', 'mail sender', 'audit log', 'price table'];
const FACTS = ['retries five times', 'runs on port 4100', 'is owned by the platform team', 'must not log e-mail addresses', 'is deployed on Tuesday'];
const inputs = Array.from({ length: 300 }, (_, index) => ({
  text: `The ${THINGS[index % 10] ?? ''} ${FACTS[Math.floor(index / 10) % 5] ?? ''}, variant ${index}.`, kind: index % 15 === 0 ? ('rule' as const) : index % 7 === 0 ? ('decision' as const) : ('fact' as const),
  importance: 1 + (index % 10), consolidate: false, provenance: { via: 'cli' as const },
}));
await engine.rememberMany(inputs, { actor: { surface: 'cli' } });

const UNRELATED = ['write a haiku about the sea', 'rename this variable', 'why does the button flicker on hover', 'yes', 'add a unit test', 'make the title bold', 'explain this regular expression', 'commit'];
const totals: number[] = [];
let unrelatedGiven = 0;
let unrelatedAsked = 0;
for (let session = 0; session < 20; session += 1) {
  const sessionId = `session-${session}`;
  await engine.injection.startBlock({ sessionId, source: 'startup', view: {} });
  for (let turn = 0; turn < 10; turn += 1) {
    const isRelated = turn % 3 === 0;
    const prompt = isRelated ? `how often does the ${THINGS[(session + turn) % 10] ?? ''} retry, and on which port does it run?` : (UNRELATED[(session * 3 + turn) % UNRELATED.length] ?? '');
    const block = await engine.injection.promptBlock({ sessionId, prompt, view: {} });
    if (!isRelated) {
      unrelatedAsked += 1;
      if (block !== undefined) unrelatedGiven += 1;
    }
  }
  totals.push((await engine.injection.given(sessionId)).tokens);
}
await engine.close();
fs.rmSync(root, { recursive: true, force: true });
totals.sort((a, b) => a - b);
process.stdout.write(`tokens a session: least ${totals[0]}, median ${totals[10]}, most ${totals.at(-1)} (limit ${DEFAULT_ENGINE_CONFIG.injection.sessionTokens}); unrelated prompts given something: ${unrelatedGiven} of ${unrelatedAsked}\n`);
