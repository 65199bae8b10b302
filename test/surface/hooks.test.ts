/**
 * The hook program as Claude Code starts it: whatever is wrong, exit code 0, and on stdout its contract or nothing.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { findLauncher } from '../support/program.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { leaveWorkNote, takeWorkNote } from '../../src/runtime/workQueue.ts';

const TEST_MS = 120_000;
/** Nothing here is about speed. */
const SLOW_MACHINE = { CAIRN_HOOK_DEADLINE_MS: '60000', CAIRN_EMBEDDING_MODEL: 'off' };

interface Place {
  readonly home: TemporaryHome;
  readonly repository: TemporaryRepository;
}

async function placeWithYes(): Promise<Place> {
  const place = { home: createTemporaryHome({ env: SLOW_MACHINE }), repository: createTemporaryRepository() };
  await cairn(place, 'init', '--no-register');
  await cairn(place, 'add', 'Never push to main.', '--kind', 'rule');
  return place;
}

async function cairn({ home, repository }: Place, ...args: string[]): Promise<string> {
  const run = await runCairn([...args, '--json'], { home, cwd: repository.directory });
  expect(run.code, run.stderr).toBe(0);
  return run.stdout;
}

/** `input` undefined: the event's usual JSON. */
function hook({ home, repository }: Place, event: string, changes: object = {}, options: { input?: string; neverEnds?: boolean; env?: Readonly<Record<string, string>> } = {}): Promise<{ code: number | null; stdout: string }> {
  const payload = { session_id: 's1', cwd: repository.directory, transcript_path: path.join(home.home, 'none.jsonl'), hook_event_name: event, source: 'startup', ...changes };
  const child = spawn(process.execPath, [findLauncher(), 'hook', event], { cwd: repository.directory, env: { ...home.env, ...options.env }, stdio: ['pipe', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stdin.on('error', () => undefined); // it ended without reading: the exit code tells
  if (options.neverEnds !== true) child.stdin.end(options.input ?? JSON.stringify(payload));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout })));
}

const SILENT = { code: 0, stdout: '' };

describe('the hook program', () => {
  let place: Place;
  beforeAll(async () => {
    place = await placeWithYes();
  }, TEST_MS);

  it('knows a file by whatever link it is named, and one that is about to be created', async () => {
    await cairn(place, 'add', 'Migrations are only ever added.', '--scope', 'path:migrations/**');
    const link = `${place.repository.directory}-link`;
    fs.symlinkSync(place.repository.directory, link, 'junction');
    for (const folder of [place.repository.directory, link]) {
      const { stdout } = await hook(place, 'PreToolUse', { session_id: folder, cwd: folder, tool_name: 'Write', tool_input: { file_path: path.join(folder, 'migrations', 'new', '0008.sql') } });
      expect({ folder, stdout }).toMatchObject({ stdout: expect.stringContaining('only ever added') as string });
    }
    fs.rmSync(link);
  });

  it('gives its contract and nothing else', async () => {
    const { code, stdout } = await hook(place, 'SessionStart', { session_id: 'contract' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: expect.stringContaining('Never push to main.') as string } });
    expect(await hook(place, 'SessionStart', { session_id: 'contract', source: 'resume' })).toEqual(SILENT);
  }, TEST_MS);

  it('says nothing for a background task\'s report, a command, an unknown event, garbage, or no input', async () => {
    expect(await hook(place, 'UserPromptSubmit', { prompt: '<task-notification>may I push to main?</task-notification>' })).toEqual(SILENT);
    expect(await hook(place, 'UserPromptSubmit', { prompt: '/compact push to main' })).toEqual(SILENT);
    expect(await hook(place, 'Nonsense')).toEqual(SILENT);
    for (const input of ['', 'null', '[]', '{"session_id":', '\u0000'.repeat(100), '{"session_id":1,"cwd":2}']) expect(await hook(place, 'SessionStart', {}, { input })).toEqual(SILENT);
  }, TEST_MS);

  it('says nothing for events that only take, and leaves a note that the worker takes', async () => {
    for (const event of ['Stop', 'SubagentStop', 'PreCompact', 'PostCompact', 'SessionEnd']) expect(await hook(place, event)).toEqual(SILENT);
  }, TEST_MS);

  it('does nothing when something that Cairn started fires it', async () => {
    expect(await hook(place, 'SessionStart', { session_id: 'inner' }, { env: { CAIRN_REENTRANT: '1' } })).toEqual(SILENT);
  }, TEST_MS);

  it('does nothing without the yes of the repository, in a home that does not exist, or while paused', async () => {
    const other = { home: place.home, repository: createTemporaryRepository({ name: 'other' }) };
    expect(await hook(other, 'SessionStart')).toEqual(SILENT);
    const nowhere = { home: createTemporaryHome(), repository: place.repository };
    expect(await hook(nowhere, 'SessionStart')).toEqual(SILENT);
    expect(fs.existsSync(nowhere.home.cairnHome)).toBe(false);
    await cairn(place, 'pause');
    expect(await hook(place, 'SessionStart', { session_id: 'paused' })).toEqual(SILENT);
    await cairn(place, 'resume');
    expect((await hook(place, 'SessionStart', { session_id: 'paused' })).stdout).toContain('Never push');
  }, TEST_MS);

  it('lets the session go on when the store is locked, damaged, or cannot be read', async () => {
    const broken = await placeWithYes();
    const folder = path.join(broken.home.cairnHome, 'repos');
    const store = path.join(folder, fs.readdirSync(folder)[0] ?? '', 'memory.db');
    const lock = new DatabaseSync(store);
    lock.exec('BEGIN IMMEDIATE');
    expect((await hook(broken, 'SessionStart', { session_id: 'locked' })).code).toBe(0);
    lock.exec('ROLLBACK');
    lock.close();
    const bytes = fs.readFileSync(store);
    fs.writeFileSync(store, bytes.subarray(0, Math.floor(bytes.length / 2)));
    expect((await hook(broken, 'SessionStart', { session_id: 'cut' })).code).toBe(0);
    fs.writeFileSync(path.join(broken.home.cairnHome, 'registry.db'), 'no database');
    expect(await hook(broken, 'SessionStart', { session_id: 'registry' })).toEqual(SILENT);
  }, TEST_MS);

  it('ends itself at its own deadline, in silence, though its input never ends', async () => {
    expect(await hook(place, 'SessionStart', { session_id: 'late' }, { neverEnds: true, env: { CAIRN_HOOK_DEADLINE_MS: '500' } })).toEqual(SILENT);
  }, TEST_MS);

  it('reads with the next session what a worker had taken when it was killed', async () => {
    const own = await placeWithYes();
    const session = '0b5f0c5e-1111-4222-8333-444455550001';
    const transcript = path.join(own.home.claudeDirectory, 'projects', '-k', `${session}.jsonl`);
    fs.mkdirSync(path.dirname(transcript), { recursive: true });
    fs.writeFileSync(transcript, `${JSON.stringify({ type: 'user', uuid: 'k1', cwd: own.repository.directory, timestamp: new Date().toISOString(), message: { role: 'user', content: 'From now on always sign every commit.' } })}\n`);
    leaveWorkNote(own.home.cairnHome, { cwd: own.repository.directory, sessionId: session, transcriptPath: transcript, final: true });
    expect(takeWorkNote(own.home.cairnHome)?.note.sessionId).toBe(session);
    await hook(own, 'SessionStart', { session_id: 'after-the-kill' });
    await waitUntil(async () => ((await cairn(own, 'inbox')).includes('sign every commit') ? true : undefined), 'the proposal of the session whose worker was killed', 60_000);
  }, TEST_MS);

  it('takes a session into the repository it was started in, wherever its client is by now', async () => {
    const other = { home: place.home, repository: createTemporaryRepository({ name: 'wandered', files: { 'w.txt': 'w' } }) };
    await cairn(other, 'init', '--no-register');
    const session = '0b5f0c5e-1111-4222-8333-444455559999';
    const transcript = path.join(place.home.claudeDirectory, 'projects', '-w', `${session}.jsonl`);
    fs.mkdirSync(path.dirname(transcript), { recursive: true });
    const said = (cwd: string, uuid: string, text: string): string => `${JSON.stringify({ type: 'user', uuid, cwd, timestamp: new Date().toISOString(), message: { role: 'user', content: text } })}\n`;
    fs.writeFileSync(transcript, said(place.repository.directory, 'u1', 'From now on always use tabs in every file.') + said(other.repository.directory, 'u2', 'Thank you.'));
    expect(await hook(other, 'SessionEnd', { session_id: session, transcript_path: transcript })).toEqual(SILENT);
    await waitUntil(async () => ((await cairn(place, 'inbox')).includes('tabs') ? true : undefined), 'the proposal in the repository of the session', 60_000);
    expect(await cairn(other, 'inbox')).not.toContain('tabs');
  }, TEST_MS);

  it('stays silent for input that is a list, nested, huge, in pieces, of another event, or no UTF-8', async () => {
    const good = { session_id: 'odd', cwd: place.repository.directory, hook_event_name: 'SessionStart', source: 'startup' };
    const silent: string[] = [JSON.stringify([good]), JSON.stringify({ ...good, session_id: { a: 1 } }), JSON.stringify({ ...good, cwd: 'relative/folder' }), JSON.stringify({ ...good, hook_event_name: 'Stop' }), JSON.stringify({ ...good, cwd: '/nowhere/at/all' }), `${'['.repeat(50_000)}`, `{"x":"${'y'.repeat(17 * 1024 * 1024)}"}`];
    for (const input of silent) expect({ input: input.slice(0, 60), ...(await hook(place, 'SessionStart', {}, { input })) }).toEqual({ input: input.slice(0, 60), ...SILENT });
    // A byte-order mark, line ends of Windows and fields of a client to come are no reason.
    for (const [at, input] of [`\uFEFF${JSON.stringify({ ...good, session_id: 'bom' })}`, `${JSON.stringify({ ...good, session_id: 'crlf' }, undefined, 1).replaceAll('\n', '\r\n')}\r\n`, JSON.stringify({ ...good, session_id: 'new', source: 'teleport', model: null, future: { deep: [1] } })].entries()) {
      expect({ at, ...(await hook(place, 'SessionStart', {}, { input })) }).toMatchObject({ at, code: 0, stdout: expect.stringContaining('Never push to main.') as string });
    }
  }, TEST_MS);

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s in the middle ends without a half-written answer', async (signal) => {
    const child = spawn(process.execPath, [findLauncher(), 'hook', 'SessionStart'], { cwd: place.repository.directory, env: { ...place.home.env }, stdio: ['pipe', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stdin.on('error', () => undefined);
    child.stdin.write(`{"session_id":"killed ${signal}","cwd":`);
    child.kill(signal);
    await new Promise((resolve) => child.on('close', resolve));
    expect(stdout).toBe('');
    expect((await hook(place, 'SessionStart', { session_id: `after ${signal}` })).stdout).toContain('Never push to main.');
  }, TEST_MS);
});
