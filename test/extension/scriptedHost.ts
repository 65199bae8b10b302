/**
 * The webview alone in a browser, with a scripted host in the page: for what would take hours by hand in an editor (a
 * hundred thousand memories, a hundred proposals) and for benchmarks. The built page and its policy are the real ones.
 */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { repositoryDirectory } from '../support/program.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';

const ORIGIN = 'http://webview.test';
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };
const SNAPSHOT = { state: 'on', workspace: 'folder', folders: [{ name: 'orders', active: true }], repository: { id: 'r', name: 'orders' }, branch: 'main', counts: { memories: 0, user: 0, inbox: 0 }, revision: 1 };

export interface ScriptedHost {
  readonly rows: number;
  readonly proposals: number;
  /** Another page than the sidebar. */
  readonly page?: 'graph';
  /** Methods that are never answered, and such that fail. */
  readonly silent?: readonly string[];
  readonly failing?: readonly string[];
  /** Of the graph. */
  readonly nodes?: number;
  /** What stands in each row beside its number. */
  readonly words?: string;
}

interface Params {
  readonly offset: number;
  readonly query: string;
  readonly ids: readonly string[];
  readonly command: string;
}

/** Runs in the page, before the webview's own script; `options` come from the test. */
function hostInPage({ options, snapshot }: { options: ScriptedHost; snapshot: typeof SNAPSHOT }): void {
  const kinds = ['rule', 'decision', 'preference', 'fact'];
  const row = (index: number): Record<string, unknown> => ({ id: `m${index}`, text: `Memory number ${index}: ${options.words ?? `the service ${index % 97} keeps its promise about ${index % 13} things`}`, cut: false, kind: kinds[index % 4], importance: (index % 10) + 1, tags: [`t${index % 20}`], pinned: index % 50 === 0, scope: 'repository', status: 'active', createdAt: 1_700_000_000_000 - index * 1_000, updatedAt: 1_700_000_000_000 - index * 1_000, anchorCount: 0, untrusted: false });
  let waiting = Array.from({ length: options.proposals }, (_, index) => ({ id: `p${index}`, text: `Proposal ${index}`, kind: kinds[index % 4], importance: 7, confidence: 0.8, tags: [], scope: 'repository', outcome: 'add', why: 'new', quote: `quote ${index}`, hasTranscript: false, untrusted: false, suspicious: false, createdAt: 1_700_000_000_000, sessionId: `s${Math.floor(index / 10)}` }));
  const take = (ids: readonly string[]): void => { waiting = waiting.filter(({ id }) => !ids.includes(id)); };
  const answers: Record<string, (params: Params) => unknown> = {
    listMemories: ({ offset, query }) => {
      const total = query === '' ? options.rows : Math.min(3, options.rows);
      return { rows: Array.from({ length: Math.max(0, Math.min(200, total - offset)) }, (_, index) => row(offset + index)), total, offset, degradations: [] };
    },
    listInbox: () => {
      const sessions = [...new Set(waiting.map(({ sessionId }) => sessionId))];
      return { groups: sessions.map((sessionId) => ({ sessionId, title: `orders ${sessionId}`, at: 1_700_000_000_000, proposals: waiting.filter((proposal) => proposal.sessionId === sessionId) })), total: waiting.length, folded: 0, offers: [] };
    },
    acceptProposals: ({ ids }) => { take(ids); return { message: 'Accepted', undoable: true }; },
    rejectProposals: ({ ids }) => { take(ids); return { message: 'Rejected', undoable: true }; },
    undo: () => ({ message: 'Undone: Accepted', undoable: false }),
    listTags: () => ({ tags: [] }),
    memoriesOfFile: () => ({ rows: [], total: 0 }),
    getMemory: () => ({
      row: row(0), text: 'The service keeps its promise', confidence: 1, version: 1, recallCount: 0, notRelevantCount: 0, repeatCount: 0, given: 0,
      anchors: [], provenance: { via: 'cli', hasTranscript: false }, history: [], superseded: [], superseding: [], related: [], relations: [],
    }),
    listInjected: () => ({ preview: { text: '', tokens: 0, budgetTokens: 1_500, memories: [] }, sessions: [] }),
    graph: () => ({
      focus: 'e0',
      nodes: Array.from({ length: options.nodes ?? 0 }, (_, index) => ({ id: `e${index}`, label: `Entity ${index}`, form: 'entity', ring: index === 0 ? 0 : index < 40 ? 1 : 2 })),
      edges: Array.from({ length: Math.max(0, (options.nodes ?? 0) - 1) }, (_, index) => ({ from: index < 39 ? 'e0' : `e${1 + (index % 39)}`, to: `e${index + 1}`, label: 'uses' })),
    }),
    runCommand: () => ({}),
  };
  const asked: { method: string; query?: string; command?: string }[] = [];
  const say = (data: unknown): void => { setTimeout(() => { window.postMessage(data, '*'); }, 0); };
  Object.assign(window, {
    asked,
    acquireVsCodeApi: () => ({
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
      setState: (state: unknown) => { sessionStorage.setItem('state', JSON.stringify(state)); },
      postMessage: (message: { type: string; id: number; method: string; params: Params }) => {
        if (message.type === 'ready') say({ type: 'init', words: {}, locale: 'en', snapshot: { ...snapshot, counts: { memories: options.rows, user: 0, inbox: waiting.length } } });
        if (message.type !== 'request') return;
        asked.push({ method: message.method, query: message.params.query, command: message.params.command });
        if (options.silent?.includes(message.method) === true) return;
        if (options.failing?.includes(message.method) === true) {
          say({ type: 'response', id: message.id, ok: false, error: { code: 'STORE_UNREADABLE', message: 'The store cannot be read; check its permissions.' } });
          return;
        }
        const answer = answers[message.method];
        say(answer === undefined ? { type: 'response', id: message.id, ok: false, error: { code: 'OPERATION_UNKNOWN', message: message.method } } : { type: 'response', id: message.id, ok: true, result: answer(message.params) });
      },
    }),
  });
}

/** Opens the sidebar at a width; the policy is the extension's own. */
export async function openScripted(browser: Browser, options: ScriptedHost, width = 300, userAgent?: string): Promise<Page> {
  const folder = createTemporaryFolder('webview');
  await build({ absWorkingDir: repositoryDirectory, entryPoints: ['webview-ui/src/main.ts'], bundle: true, minify: true, splitting: true, format: 'esm', target: 'chrome130', outdir: folder, chunkNames: 'chunks/[name]-[hash]', logLevel: 'error' });
  const context = await browser.newContext({ viewport: { width, height: 700 }, ...(userAgent === undefined ? {} : { userAgent }) });
  const page = await context.newPage();
  const policy = `default-src 'none'; script-src 'nonce-n'; style-src ${ORIGIN}; font-src ${ORIGIN}`;
  await page.route(`${ORIGIN}/**`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === '') {
      await route.fulfill({ contentType: 'text/html', body: `<!DOCTYPE html><html lang="en"><head><meta http-equiv="Content-Security-Policy" content="${policy}"><link rel="stylesheet" href="/main.css"></head><body data-page="${options.page ?? 'sidebar'}"><script type="module" nonce="n" src="/main.js"></script></body></html>` });
      return;
    }
    const file = path.join(folder, name);
    if (fs.existsSync(file)) await route.fulfill({ contentType: TYPES[path.extname(name)] ?? 'text/plain', body: fs.readFileSync(file) });
    else await route.fulfill({ status: 404, body: '' });
  });
  await page.addInitScript(hostInPage, { options, snapshot: SNAPSHOT });
  await page.goto(`${ORIGIN}/`);
  return page;
}
