/**
 * The engine in a worker thread, from the built program: the host's own thread stays free,
 * and a worker that dies is replaced.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/engine/index.ts';
import { type StoreChange, type Target, ThreadClient } from '../../../src/worker/index.ts';
import { holdWriteLock } from '../../support/lockHolder.ts';
import { repositoryDirectory } from '../../support/program.ts';
import { createTemporaryHome, type TemporaryHome } from '../../support/temporaryHome.ts';
import { createTemporaryRepository } from '../../support/temporaryRepository.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const WORKER = path.join(repositoryDirectory, 'dist', 'program', 'engineWorker.mjs');
const clients: ThreadClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

function openClient(home: TemporaryHome, env: Readonly<Record<string, string>> = {}): ThreadClient {
  const client = new ThreadClient({ workerFile: WORKER, env: { ...home.env, ...env }, processName: 'test' });
  clients.push(client);
  return client;
}

const options = (target: Target, more: { signal?: AbortSignal } = {}): { target: Target; actor: Actor; signal?: AbortSignal } => ({ target, actor: { surface: 'extension' }, ...more });
const storeFile = (home: TemporaryHome): string => {
  const repositories = path.join(home.cairnHome, 'repos');
  return path.join(repositories, fs.readdirSync(repositories)[0] ?? '', 'memory.db');
};

describe('the engine worker', () => {
  it('answers calls, and passes errors on with code and data', async () => {
    const client = openClient(createTemporaryHome());
    const target = { cwd: createTemporaryRepository().directory };
    expect(await client.call('remember', { text: 'Builds run in CI only.' }, options(target))).toMatchObject({ outcome: 'added' });
    expect(await client.call('recall', { query: 'CI builds' }, options(target))).toMatchObject({ results: [{ memory: { text: 'Builds run in CI only.' } }] });
    await expect(client.call('remember', {}, options(target))).rejects.toMatchObject({ name: 'CairnError', code: 'INPUT_INVALID', data: { field: 'text' } });
  });

  it('does not stop its host\'s event loop while another process holds the write lock for three seconds', async () => {
    const home = createTemporaryHome();
    const client = openClient(home);
    const target = { cwd: createTemporaryRepository().directory };
    await client.call('remember', { text: 'First.' }, options(target));
    const holder = await holdWriteLock(storeFile(home));
    const events: string[] = [];
    const written = client.call('remember', { text: 'Second.' }, options(target)).then(() => events.push('written'));
    const end = Date.now() + 3_000;
    let turns = 0;
    // Were this thread to wait for the lock, it could never come to let it go, and the write would fail instead.
    while (Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      turns += 1;
      if (turns % 20 === 0) events.push('turned');
    }
    // Reads are answered meanwhile.
    expect(await client.call('recall', { query: 'first', countUse: false }, options(target))).toMatchObject({ results: [{ memory: { text: 'First.' } }] });
    events.push('released');
    await holder.release();
    await written;
    expect(events.at(0)).toBe('turned');
    expect(events.slice(-2)).toEqual(['released', 'written']);
  });

  it('is replaced after it died: the call under way fails, the next one works', async () => {
    const home = createTemporaryHome();
    const client = openClient(home);
    const target = { cwd: createTemporaryRepository().directory };
    await client.call('remember', { text: 'Kept.' }, options(target));
    const holder = await holdWriteLock(storeFile(home));
    const dying = client.call('remember', { text: 'Lost.' }, options(target));
    const outcome = expect(dying).rejects.toMatchObject({ code: 'WORKER_STOPPED' });
    await client.terminateWorker();
    await outcome;
    await holder.release();
    expect(await client.call('recall', { query: 'kept' }, options(target))).toMatchObject({ results: [{ memory: { text: 'Kept.' } }] });
  });

  it('lets a caller go at once when it cancels', async () => {
    const home = createTemporaryHome();
    const client = openClient(home);
    const target = { cwd: createTemporaryRepository().directory };
    await client.call('remember', { text: 'First.' }, options(target));
    const holder = await holdWriteLock(storeFile(home));
    const controller = new AbortController();
    const call = client.call('remember', { text: 'Second.' }, options(target, { signal: controller.signal }));
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await holder.release();
    await expect(client.call('recall', {}, options(target, { signal: controller.signal }))).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('tells one window of what another one changed', async () => {
    const home = createTemporaryHome();
    const [one, two] = [openClient(home), openClient(home)];
    const target = { cwd: createTemporaryRepository().directory };
    await one.call('remember', { text: 'From one.' }, options(target));
    const seen: StoreChange[] = [];
    await two.call('recall', { query: 'one' }, options(target));
    const listening = two.onDidChange((change) => seen.push(change));
    let n = 0;
    await waitUntil(async () => {
      await one.call('remember', { text: `Change ${n++}` }, options(target));
      return seen.length > 0;
    }, 'a change to be told');
    listening.dispose();
    expect(seen[0]?.epoch).toBeGreaterThan(0);
  });

  it('says what is missing where it cannot start, and ends when it is closed', async () => {
    const home = createTemporaryHome({ files: { '.cairn': 'a file' } });
    const client = openClient(home);
    await expect(client.call('status', {}, options({}))).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    await client.close();
    await expect(client.call('status', {}, options({}))).rejects.toMatchObject({ code: 'WORKER_STOPPED' });
  });

  it('asks its host for what only the host can tell', async () => {
    const home = createTemporaryHome();
    const client = new ThreadClient({
      workerFile: WORKER, env: home.env, processName: 'test',
      hostParts: { healthChecks: async () => [{ id: 'client', title: 'Client', state: 'ok', detail: 'registered' }] },
    });
    clients.push(client);
    const { checks } = await client.call<{ checks: { id: string }[] }>('doctor', {}, options({ cwd: createTemporaryRepository().directory }));
    expect(checks.map(({ id }) => id)).toEqual(expect.arrayContaining(['runtime', 'home', 'place', 'settings', 'registry', 'disk', 'client']));
  });
});
