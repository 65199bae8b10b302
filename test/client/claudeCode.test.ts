/**
 * The real Claude Code against a scripted API, in a scratch home, on the lowest and the newest tested version: what
 * reaches the model, what is taken from a session, and that a session never suffers from its memory.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { SessionWatcher } from '../../src/transcripts/index.ts';
import { CLAUDE_VERSIONS, openClaudeSession, readTranscripts, type ClaudeSession } from '../support/claudeRig/claudeClient.ts';
import { findInRequests, startFakeApi, type FakeApi, type Finding } from '../support/claudeRig/fakeApi.ts';
import { CLIENT_TEST_MS, createClientBench, waitForWorker } from '../support/clientBench.ts';
import { notRunHere } from '../support/notRunHere.ts';
import { runCairn } from '../support/runCairn.ts';
import { layOver } from '../support/smallDisk.ts';
import { waitUntil } from '../support/waitUntil.ts';

const RULE = 'Never push to main without a review.';
const FACT = 'The retry limit of the payment worker is 5.';
const PROMPT = 'what is the retry limit of the payment worker?';
const TOOL = 'mcp__plugin_cairn_memory__';

/** Places of main requests only: side questions of the client may repeat a prompt. */
const places = (api: FakeApi, text: string): Finding[] => findInRequests(api, text).filter(({ kind }) => kind === 'main');
/** 1 for the first request of the conversation itself; older clients ask something on the side before it. */
const turnOf = (api: FakeApi, text: string): number => api.messages('main').findIndex((request) => request.number === places(api, text)[0]?.request) + 1;
/** How often the last main request holds the text. */
function timesInLast(api: FakeApi, text: string): number {
  const last = api.messages('main').at(-1);
  return last === undefined ? 0 : JSON.stringify(last.body).split(JSON.stringify(text).slice(1, -1)).length - 1;
}

for (const version of CLAUDE_VERSIONS) {
  describe(`Claude Code ${version}`, () => {
    const bench = createClientBench(version);
    const sessions: ClaudeSession[] = [];
    afterEach(async () => {
      await Promise.all(sessions.splice(0).map(async (session) => session.end()));
      await bench.closeApis();
    });

    const openSession = async (cwd: string, api: FakeApi, args: readonly string[] = []): Promise<ClaudeSession> => {
      const session = await openClaudeSession({ home: bench.home, cwd, version, api, args, timeoutMs: CLIENT_TEST_MS });
      sessions.push(session);
      return session;
    };

    it('is given the start block in the first request after a fresh registration, and what a prompt is about', async () => {
      const repository = await bench.repository('first');
      await bench.cairn(repository, 'add', RULE, '--kind', 'rule');
      await bench.cairn(repository, 'add', FACT);
      const { api } = await bench.prompt(repository, PROMPT, [{ text: 'Five.' }]);
      expect(turnOf(api, RULE)).toBe(1);
      expect(places(api, FACT).length).toBeGreaterThan(0);
      const unrelated = await bench.prompt(repository, 'write a haiku about the sea', [{ text: 'Waves.' }]);
      expect(places(unrelated.api, RULE).length).toBeGreaterThan(0);
      expect(places(unrelated.api, FACT)).toEqual([]);
    }, CLIENT_TEST_MS);

    it('sees nothing of another repository, and nothing at all where memory was not switched on', async () => {
      const one = await bench.repository('one');
      const other = await bench.repository('other');
      await bench.cairn(one, 'add', RULE, '--kind', 'rule');
      expect(places((await bench.prompt(other, PROMPT, [{ text: 'ok' }])).api, RULE)).toEqual([]);
      await bench.cairn(one, 'config', 'enabled', 'false', '--repository');
      const { api, init } = await bench.prompt(one, PROMPT, [{ text: 'ok' }]);
      expect(JSON.stringify(api.messages())).not.toContain('cairn-memory');
      expect(init?.tools?.filter((tool) => tool.startsWith(TOOL))).toEqual([]);
    }, CLIENT_TEST_MS);

    it('gets a memory once a session, not again when it continues, and once after a compaction', async () => {
      const repository = await bench.repository('once');
      await bench.cairn(repository, 'add', RULE, '--kind', 'rule');
      await bench.cairn(repository, 'add', FACT);
      const api = await startFakeApi({ turns: [{ text: 'ok', times: 0 }, { kind: 'compact', text: '<summary>They talked.</summary>', times: 0 }] });
      const session = await openSession(repository.directory, api);
      await session.say(PROMPT);
      await session.say(`again: ${PROMPT}`);
      await session.say('and a third time: the retry limit of the payment worker');
      expect(timesInLast(api, FACT)).toBe(1);
      expect(timesInLast(api, RULE)).toBe(1);
      await session.say('/compact');
      await session.say('what did we talk about just now, in general?');
      expect(timesInLast(api, RULE)).toBe(1);
      const { session_id: id } = session.events.find((event) => event.session_id !== undefined) ?? {};
      await session.end();
      const resumed = await bench.prompt(repository, 'still about something general', [{ text: 'ok' }], ['--resume', id ?? '']);
      expect(timesInLast(resumed.api, RULE)).toBe(1);
      await api.close();
    }, CLIENT_TEST_MS);

    it('gets the memories of a file when it reads it, once', async () => {
      const repository = await bench.repository('file');
      const file = repository.write('src/pool.ts', 'export const size = 20;\n');
      await bench.cairn(repository, 'add', 'The pool must stay below the server limit of 20.', '--path', 'src/pool.ts', '--lines', '1-1');
      const read = { tool: { name: 'Read', input: { file_path: file } } };
      const { api } = await bench.prompt(repository, 'look at the code please', [read, read, { text: 'Done.' }], ['--allowedTools', 'Read']);
      expect(turnOf(api, 'below the server limit')).toBe(2);
      expect(timesInLast(api, 'below the server limit')).toBe(1);
    }, CLIENT_TEST_MS);

    it('remembers and recalls through its tools, and has nothing proposed that it stored itself', async () => {
      const repository = await bench.repository('tools');
      await bench.prompt(repository, 'Remember that we use pnpm, never npm.', [{ tool: { name: `${TOOL}remember`, input: { text: 'We use pnpm, never npm.', kind: 'preference' } } }, { text: 'Noted.' }], ['--allowedTools', `${TOOL}remember`]);
      const { api } = await bench.prompt(repository, 'hello', [{ tool: { name: `${TOOL}recall`, input: { query: 'package manager pnpm' } } }, { text: 'pnpm.' }], ['--allowedTools', `${TOOL}recall`]);
      expect(JSON.stringify(api.messages('main')[1]?.body)).toContain('We use pnpm, never npm.');
      await waitForWorker(bench);
      expect(await bench.cairn(repository, 'inbox')).toMatchObject({ observations: [] });
    }, CLIENT_TEST_MS);

    it('has each turn taken exactly once, whoever takes it', async () => {
      const repository = await bench.repository('capture');
      const { sessionId = '' } = await bench.prompt(repository, 'We decided on PostgreSQL, not MySQL.', [{ text: 'PostgreSQL it is.' }]);
      await waitForWorker(bench);
      const expected = ['user: We decided on PostgreSQL, not MySQL.', 'assistant: PostgreSQL it is.'];
      expect(await bench.takenTurns(repository, sessionId)).toEqual(expected);
      const seen: string[] = [];
      const watcher = new SessionWatcher({ claudeDirectory: bench.home.claudeDirectory, roots: [repository.directory], onSession: (session) => void seen.push(session.path) });
      await watcher.start();
      await watcher.check();
      watcher.dispose();
      expect(seen).toHaveLength(1);
      await Promise.all([
        runCairn(['save', '--json'], { home: bench.home, cwd: repository.directory, stdin: JSON.stringify({ transcript_path: seen[0] }) }),
        runCairn(['backfill', '--json'], { home: bench.home, cwd: repository.directory }),
      ]);
      expect(await bench.takenTurns(repository, sessionId)).toEqual(expected);
      await bench.prompt(repository, 'And Node 24 everywhere.', [{ text: 'Noted.' }], ['--resume', sessionId]);
      await waitForWorker(bench);
      expect(await bench.takenTurns(repository, sessionId)).toEqual([...expected, 'user: And Node 24 everywhere.', 'assistant: Noted.']);
    }, CLIENT_TEST_MS);

    it('has nothing proposed from what was said on a branch that was rewound', async () => {
      const repository = await bench.repository('rewound');
      const { sessionId = '' } = await bench.prompt(repository, 'From now on use tabs in every file.', [{ text: 'Tabs it is.' }]);
      await bench.prompt(repository, 'We decided on MySQL for the orders service.', [{ text: 'MySQL it is.' }], ['--resume', sessionId]);
      await waitForWorker(bench);
      const waiting = async (): Promise<string[]> => (await bench.cairn<{ observations: { text: string }[] }>(repository, 'inbox')).observations.map(({ text }) => text).sort();
      expect(await waiting()).toEqual([expect.stringContaining('tabs'), expect.stringContaining('MySQL')]);
      const first = readTranscripts(bench.home).flatMap(({ lines }) => lines).find(({ type, sessionId: id }) => type === 'assistant' && id === sessionId);
      await bench.prompt(repository, 'We decided on PostgreSQL for the orders service.', [{ text: 'PostgreSQL it is.' }], ['--resume', sessionId, '--resume-session-at', String(first?.['uuid'])]);
      await waitForWorker(bench);
      expect(await waiting()).toEqual([expect.stringContaining('tabs'), expect.stringContaining('PostgreSQL')]);
    }, CLIENT_TEST_MS);

    it('goes on while the store is locked, damaged or the program is gone, and is caught up later', async () => {
      const repository = await bench.repository('trouble');
      await bench.cairn(repository, 'add', RULE, '--kind', 'rule');
      const lock = new DatabaseSync(bench.storeFile(repository));
      lock.exec('BEGIN IMMEDIATE');
      const locked = await bench.prompt(repository, 'we deploy on Tuesday', [{ text: 'Good.' }]);
      lock.exec('ROLLBACK');
      lock.close();
      expect(locked.result?.result).toBe('Good.');
      const store = bench.storeFile(repository);
      const whole = fs.readFileSync(store);
      fs.writeFileSync(store, whole.subarray(0, 1_000));
      const damaged = await bench.prompt(repository, 'releases are tagged by the pipeline', [{ text: 'Right.' }]);
      expect(damaged.result?.result).toBe('Right.');
      expect(JSON.stringify(damaged.api.messages())).not.toContain('cairn-memory>');
      for (const suffix of ['', '-wal', '-shm']) fs.rmSync(`${store}${suffix}`, { force: true });
      fs.writeFileSync(store, whole);
      const bin = path.join(bench.home.cairnHome, 'bin');
      fs.renameSync(bin, `${bin}.gone`);
      const gone = await bench.prompt(repository, 'and never on Friday', [{ text: 'Fine.' }]);
      fs.renameSync(`${bin}.gone`, bin);
      expect(gone.result?.result).toBe('Fine.');
      await bench.prompt(repository, 'hello again', [{ text: 'Hello.' }]);
      await waitForWorker(bench);
      await bench.cairn(repository, 'backfill');
      expect(await bench.takenTurns(repository, locked.sessionId ?? '')).toContain('user: we deploy on Tuesday');
      expect(await bench.takenTurns(repository, gone.sessionId ?? '')).toContain('user: and never on Friday');
      expect(await bench.takenTurns(repository, damaged.sessionId ?? '')).toContain('user: releases are tagged by the pipeline');
    }, CLIENT_TEST_MS);

    it('goes on while the disk is full, and is caught up when there is room', async () => {
      const repository = await bench.repository('full');
      await bench.cairn(repository, 'add', RULE, '--kind', 'rule');
      const disk = layOver(path.dirname(bench.storeFile(repository)), 6);
      if (typeof disk === 'string') return notRunHere('a session on a full disk', disk);
      try {
        disk.fill();
        const full = await bench.prompt(repository, 'we deploy on Tuesday', [{ text: 'Good.' }]);
        expect(full.result?.result).toBe('Good.');
        disk.free();
        const after = await bench.prompt(repository, 'and never on Friday', [{ text: 'Fine.' }]);
        expect(after.result?.result).toBe('Fine.');
        await waitForWorker(bench);
        await bench.cairn(repository, 'backfill');
        expect(await bench.takenTurns(repository, full.sessionId ?? '')).toContain('user: we deploy on Tuesday');
        expect(await bench.takenTurns(repository, after.sessionId ?? '')).toContain('user: and never on Friday');
      } finally {
        disk.remove();
      }
    }, CLIENT_TEST_MS);

    it('is given the block in both layouts of messages', async () => {
      const repository = await bench.repository('layouts');
      await bench.cairn(repository, 'add', RULE, '--kind', 'rule');
      const older = await bench.prompt(repository, 'hello', [{ text: 'ok' }], ['--model', 'claude-sonnet-4-5']);
      expect(places(older.api, RULE)[0]).toMatchObject({ place: expect.stringMatching(/^messages\[\d+:user\]/) as string });
      expect(JSON.stringify(places(older.api, RULE)[0]?.block)).toContain('system-reminder');
      const newer = await bench.prompt(repository, 'hello', [{ text: 'ok' }], ['--model', 'claude-opus-4-8']);
      expect(places(newer.api, RULE)).not.toEqual([]);
    }, CLIENT_TEST_MS);

    it('has its turns taken without hooks for prompts and turns, as in the editor\'s panel', async () => {
      const repository = await bench.repository('panel');
      const hooksFile = path.join(bench.home.cairnHome, 'claude-plugin', 'cairn', 'hooks', 'hooks.json');
      const whole = fs.readFileSync(hooksFile, 'utf8');
      const { hooks } = JSON.parse(whole) as { hooks: Record<string, unknown> };
      fs.writeFileSync(hooksFile, JSON.stringify({ hooks: { SessionStart: hooks['SessionStart'] } }));
      const save = async (file: string): Promise<void> => void (await runCairn(['save', '--json'], { home: bench.home, cwd: repository.directory, stdin: JSON.stringify({ transcript_path: file }) }));
      const watcher = new SessionWatcher({ claudeDirectory: bench.home.claudeDirectory, roots: [repository.directory], pollMs: 200, onSession: (session) => save(session.path) });
      const api = await startFakeApi({ turns: [{ text: 'Noted.', times: 0 }] });
      try {
        await watcher.start();
        const session = await openSession(repository.directory, api);
        await session.say('From now on use tabs.');
        await session.say('And write tests first.');
        const id = session.events.find((event) => event.session_id !== undefined)?.session_id ?? '';
        await session.end();
        const turns = await waitUntil(async () => {
          const taken = await bench.takenTurns(repository, id);
          return taken.length >= 4 ? taken : undefined;
        }, 'the turns of the session', 120_000);
        expect(turns).toEqual(['user: From now on use tabs.', 'assistant: Noted.', 'user: And write tests first.', 'assistant: Noted.']);
      } finally {
        watcher.dispose();
        fs.writeFileSync(hooksFile, whole);
        await api.close();
      }
    }, CLIENT_TEST_MS);

    it('works in user scope, where plugins are not allowed: hooks, tools and a turn taken once, and leaves as it came', async () => {
      const repository = await bench.repository('user scope');
      await runCairn(['unregister', '--json'], { home: bench.home, cwd: repository.directory });
      const settings = path.join(bench.home.claudeDirectory, 'settings.json');
      const theirs = '{\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n';
      fs.writeFileSync(settings, theirs);
      expect((await runCairn(['register', '--way', 'user', '--json'], { home: bench.home, cwd: repository.directory })).json<{ way: string }>().way).toBe('user');
      await bench.cairn(repository, 'add', RULE, '--kind', 'rule');
      await bench.cairn(repository, 'add', FACT);
      const file = repository.write('src/pool.ts', 'export const size = 20;\n');
      await bench.cairn(repository, 'add', 'The pool must stay below the server limit of 20.', '--path', 'src/pool.ts', '--lines', '1-1');
      const tool = 'mcp__cairn__remember';
      const used = await bench.prompt(repository, `${PROMPT} And remember that we use pnpm, never npm.`, [{ tool: { name: 'Read', input: { file_path: file } } }, { tool: { name: tool, input: { text: 'We use pnpm, never npm.' } } }, { text: 'Noted.' }], ['--allowedTools', `Read,${tool}`]);
      expect(JSON.stringify(used.init?.plugins ?? [])).not.toContain('cairn');
      expect(turnOf(used.api, RULE)).toBe(1);
      expect(turnOf(used.api, FACT)).toBe(1);
      expect(turnOf(used.api, 'below the server limit')).toBe(2);
      expect(JSON.stringify(await bench.cairn(repository, 'search', 'pnpm'))).toContain('We use pnpm, never npm.');
      await waitForWorker(bench);
      const said = (await bench.takenTurns(repository, used.sessionId ?? '')).filter((turn) => turn.startsWith('user: '));
      expect(said).toEqual([`user: ${PROMPT} And remember that we use pnpm, never npm.`]);
      await runCairn(['unregister', '--json'], { home: bench.home, cwd: repository.directory });
      expect(fs.readFileSync(settings, 'utf8')).toBe(theirs);
      expect(JSON.stringify(JSON.parse(fs.readFileSync(path.join(bench.home.home, '.claude.json'), 'utf8')))).not.toMatch(/cairn\.cjs/);
      const after = await bench.prompt(repository, 'hello', [{ text: 'ok' }]);
      expect(JSON.stringify(after.api.messages())).not.toContain('cairn-memory');
      fs.rmSync(settings);
      await runCairn(['register', '--json'], { home: bench.home, cwd: repository.directory });
    }, CLIENT_TEST_MS);

    it.each([['other people\'s hooks', false], ['comments and trailing commas', true]])('is left as it was by unregister, with %s in its settings', async (_, commented) => {
      const repository = await bench.repository(`leaving ${String(commented)}`);
      await runCairn(['unregister', '--json'], { home: bench.home, cwd: repository.directory });
      const settings = path.join(bench.home.claudeDirectory, 'settings.json');
      // With comments and commas the client does not read the file; the plugin is found in the skills folder then.
      const theirs = commented ? '{\n  // mine\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }], },\n}\n' : '{\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n';
      fs.writeFileSync(settings, theirs);
      expect((await runCairn(['register', '--json'], { home: bench.home, cwd: repository.directory })).json<{ way: string }>().way).toBe(commented ? 'skills' : 'settings');
      const used = await bench.prompt(repository, 'hello', [{ text: 'ok' }]);
      expect(JSON.stringify(used.init?.plugins)).toContain(commented ? 'cairn@skills-dir' : 'cairn@cairn-local');
      await waitForWorker(bench);
      const left = await runCairn(['unregister', '--json'], { home: bench.home, cwd: repository.directory });
      expect(left.json<{ diff: string }>().diff).toContain(commented ? '"cairn"' : 'cairn@cairn-local');
      expect(fs.readFileSync(settings, 'utf8')).toBe(theirs);
      const { api, init } = await bench.prompt(repository, 'hello', [{ text: 'ok' }]);
      expect(JSON.stringify(init?.plugins ?? [])).not.toContain('cairn');
      expect(JSON.stringify(api.messages())).not.toContain('cairn-memory');
    }, CLIENT_TEST_MS);
  });
}
