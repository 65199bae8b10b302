/**
 * From a key to the rows it brings, in one piece: a real editor with the packaged extension, its engine in a worker
 * thread over a store of so many memories, the bundled model, and real key presses in the sidebar's search field.
 *
 *   npm run bench -- typing [-- memories]
 *
 * Two ways of typing. One key at a time, each waited for: every prefix of a word is a search. And as people type, a key
 * every 120 ms: what counts is the time from the last key to the rows for all of the words. The page's own clock runs
 * from the key's event to the frame after the rows were drawn; the driver's way to the page is not counted.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { runCairn } from '../support/runCairn.ts';
import { createSeededRandom } from '../support/seededRandom.ts';
import { removeTemporaryFolders } from '../support/temporaryFolder.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { Sidebar, startEditor } from '../extension/sidebarDriver.ts';

const size = Number(process.argv[2] ?? 10_000);
const BUDGET_MS = 100;
const ROUNDS = 3;
const BETWEEN_KEYS_MS = 120;
const PATIENCE_MS = 60_000;
const random = createSeededRandom(29);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const PARTS = {
  who: ['orders service', 'billing job', 'session store', 'search index', 'mobile client', 'admin panel', 'deploy script', 'nightly import', 'payment gateway', 'report worker', 'login page', 'audit log', 'rate limiter', 'image cache', 'mail queue'],
  does: ['uses', 'never touches', 'reads from', 'writes to', 'must not block', 'is tested against', 'falls back to', 'is configured by', 'retries with', 'reports to', 'is owned by', 'shares a schema with'],
  what: ['PostgreSQL 16', 'the Redis cluster', 'feature flags', 'the staging bucket', 'signed cookies', 'ruff and black', 'pnpm workspaces', 'the European region', 'protobuf messages', 'a circuit breaker', 'OpenTelemetry traces', 'the platform team', 'structured logs', 'idempotency keys', 'blue-green deploys'],
  why: ['because of the outage in March', 'since the audit', 'until the migration is done', 'to keep latency low', 'as agreed with security', 'so that tests stay fast', 'after the review', 'for the next release', 'since nobody restarts it', 'to avoid double billing'],
} as const;
const statement = (index: number): string => `The ${pick(PARTS.who)} ${pick(PARTS.does)} ${pick(PARTS.what)} ${pick(PARTS.why)}, case ${index}`;
const QUERIES = ['which database', 'orders postgres', 'signed cookies', 'who owns billing', 'latency', 'circuit breaker', 'flags', 'double billing'] as const;

interface Painted {
  readonly query: string;
  /** When the page asked its host, when the answer was there, when its rows stood in a frame. */
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly at: number;
}

interface Timing {
  readonly allMs: number;
  readonly waitMs: number;
  readonly hostMs: number;
  readonly drawMs: number;
}

/** Runs in the page: notes when keys came and when the rows for a query stood in a frame. */
const WATCH = `(() => {
  const view = document.querySelector('cairn-sidebar').shadowRoot.querySelector('cairn-memories');
  const list = view.shadowRoot.querySelector('cairn-memory-list');
  window.keyAt = 0;
  window.painted = [];
  const askedAt = new Map();
  const request = list.link.request.bind(list.link);
  list.link.request = (method, params, signal) => {
    if (method === 'listMemories') askedAt.set(params.query, performance.now());
    return request(method, params, signal);
  };
  document.addEventListener('keydown', (event) => { window.keyAt = event.timeStamp; }, true);
  list.addEventListener('answered', async () => {
    const { query } = list.question;
    const answeredAt = performance.now();
    if (list.rows.state !== 'ready') return;
    await list.updateComplete;
    requestAnimationFrame(() => { setTimeout(() => { window.painted.push({ query, askedAt: askedAt.get(query), answeredAt, at: performance.now() }); }, 0); });
  });
})()`;

async function sidebarFrame(page: Page): Promise<Frame> {
  let found: Frame | undefined;
  await waitUntil(async () => {
    for (const frame of page.frames()) {
      if ((await frame.evaluate("document.querySelector('cairn-sidebar') !== null").catch(() => false)) === true) found = frame; // A frame that is being replaced cannot answer.
    }
    return found !== undefined;
  }, 'the sidebar\'s frame', PATIENCE_MS);
  return found as Frame;
}

async function timingFor(frame: Frame, query: string): Promise<Timing> {
  const { askedAt, answeredAt, at } = await paintedFor(frame, query);
  const keyAt = (await frame.evaluate('window.keyAt')) as number;
  return { allMs: at - keyAt, waitMs: askedAt - keyAt, hostMs: answeredAt - askedAt, drawMs: at - answeredAt };
}

async function paintedFor(frame: Frame, query: string): Promise<Painted> {
  let painted: Painted | undefined;
  await waitUntil(async () => {
    painted = ((await frame.evaluate('window.painted')) as Painted[]).find((each) => each.query === query);
    return painted !== undefined;
  }, `rows for "${query}"`, PATIENCE_MS);
  return painted as Painted;
}

const percentile = (values: readonly number[], share: number): number => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

function report(what: string, timings: readonly Timing[]): void {
  const over = timings.filter(({ allMs }) => allMs > BUDGET_MS).length;
  const spread = (part: keyof Timing): string => [0.5, 0.95, 1].map((share) => percentile(timings.map((timing) => timing[part]), share).toFixed(0)).join(' / ');
  say(`| ${what} | ${timings.length} | ${spread('allMs')} ms | ${over} | ${spread('waitMs')} | ${spread('hostMs')} | ${spread('drawMs')} |`);
}

const repository = createTemporaryRepository({ name: 'orders' });
const editor = await startEditor();
try {
  const place = { home: editor.home, cwd: repository.directory, timeoutMs: 3_600_000 };
  const run = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await runCairn(args, place);
    if (code !== 0) throw new Error(`cairn ${args.join(' ')}: ${stderr}`);
  };
  const file = path.join(repository.directory, '..', 'memories.jsonl');
  fs.writeFileSync(file, Array.from({ length: size }, (_, index) => `${JSON.stringify({ text: statement(index), kind: pick(['fact', 'decision', 'rule', 'preference']) })}\n`).join(''));
  await run('init', '--no-register');
  await run('import', file, '--no-consolidate');
  await run('embeddings', 'backfill');
  const workbench = await editor.open({ target: repository.directory, viewport: { width: 1_000, height: 800 } });
  const sidebar = new Sidebar(workbench);
  await sidebar.show();
  await sidebar.waitForRow('The ');
  const frame = await sidebarFrame(workbench.page);
  const field = sidebar.frame.getByRole('textbox', { name: 'Search memories' });
  const { keyboard } = workbench.page;
  const clear = async (): Promise<void> => {
    await field.fill('');
    await frame.evaluate('window.painted = []');
  };
  await frame.evaluate(WATCH);
  await field.focus();
  // The first search loads model and index; no key is charged for that.
  await keyboard.type('warm up', { delay: 50 });
  await paintedFor(frame, 'warm up');
  await waitUntil(async () => (await sidebar.frame.locator('.note').count()) === 0, 'search by meaning', PATIENCE_MS);
  say(`typing in the sidebar of a real editor, ${size} memories (load ${os.loadavg()[0]?.toFixed(1)}, ${os.cpus().length} cores); budget ${BUDGET_MS} ms\n`);
  say('| from key to rows | keys | p50 / p95 / most | over budget | until asked | host and engine | until drawn |\n|---|---|---|---|---|---|---|');
  const single: Timing[] = [];
  const last: Timing[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const query of QUERIES) {
      await clear();
      for (let end = 1; end <= query.length; end += 1) {
        await keyboard.press(query[end - 1] === ' ' ? 'Space' : (query[end - 1] ?? ''));
        if (query[end - 1] === ' ') continue; // The same question as before it.
        single.push(await timingFor(frame, query.slice(0, end)));
      }
      await clear();
      await keyboard.type(query, { delay: BETWEEN_KEYS_MS });
      last.push(await timingFor(frame, query));
    }
  }
  report('each key waited for', single);
  report(`a key every ${BETWEEN_KEYS_MS} ms, from the last`, last);
  await workbench.close();
} finally {
  await editor.stop();
  removeTemporaryFolders();
}
