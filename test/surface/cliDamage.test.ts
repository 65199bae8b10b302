/**
 * A damaged store as a person meets it: every command says so, doctor says how to cure it,
 * and the cure brings back what there is. Never a silent empty store.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

async function openWithTwo(): Promise<{ cairn: (...args: string[]) => ReturnType<typeof runCairn>; store: string }> {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  const repository = createTemporaryRepository();
  const cairn = (...args: string[]): ReturnType<typeof runCairn> => runCairn(args, { home, cwd: repository.directory });
  await cairn('add', 'The first of two');
  await cairn('add', 'The second of two');
  const [id = ''] = fs.readdirSync(path.join(home.cairnHome, 'repos'));
  return { cairn, store: path.join(home.cairnHome, 'repos', id, 'memory.db') };
}

const spoil = (file: string, at: number, length: number): void => {
  const handle = fs.openSync(file, 'r+');
  fs.writeSync(handle, Buffer.alloc(length, 0xa5), 0, length, at);
  fs.closeSync(handle);
};

describe('a damaged store', () => {
  it('is named by every command and cured by doctor from the newest copy', async () => {
    const { cairn, store } = await openWithTwo();
    expect((await cairn('backup')).code).toBe(0);
    spoil(store, 0, 2_000);
    for (const command of [['list'], ['search', 'two'], ['add', 'a third'], ['stats']]) {
      const run = await cairn(...command, '--json');
      expect(run.code).toBe(1);
      expect(run.json()).toMatchObject({ error: { code: 'STORE_CORRUPT' } });
    }
    const seen = (await cairn('doctor', '--json'));
    expect(seen.code).toBe(1);
    expect(seen.json<{ healthy: boolean; checks: { id: string; state: string; fixable?: boolean }[] }>().checks[0]).toMatchObject({ id: 'store-repository', state: 'failed', fixable: true });
    expect((await cairn('doctor', '--fix', '--json')).code).toBe(0);
    expect((await cairn('stats', '--json')).json()).toMatchObject({ total: 2 });
    expect(fs.readdirSync(path.dirname(store)).some((name) => name.includes('damaged'))).toBe(true);
  });

  it('without a copy gives back what can be salvaged, or says that nothing could be', async () => {
    const { cairn, store } = await openWithTwo();
    fs.truncateSync(store, 0);
    expect((await cairn('list', '--json')).json()).toMatchObject({ error: { code: 'STORE_CORRUPT' } });
    const fixed = (await cairn('doctor', '--fix', '--json')).json<{ fixed: { detail: string; state: string }[] }>();
    expect(fixed.fixed[0]?.detail).toMatch(/nothing could be brought back|salvaged/);
    expect((await cairn('list', '--json')).code).toBe(0);
  });
});

describe('the registry of repositories', () => {
  const damages: readonly [string, (file: string) => void][] = [
    ['removed', (file) => fs.rmSync(file)],
    ['emptied', (file) => fs.truncateSync(file, 0)],
    ['cut to half', (file) => fs.truncateSync(file, fs.statSync(file).size / 2)],
    ['overwritten at its head', (file) => spoil(file, 0, 100)],
    ['overwritten in the middle', (file) => spoil(file, Math.floor(fs.statSync(file).size / 8192) * 4096, 4096)],
    ['overwritten from the second page on', (file) => spoil(file, 4096, fs.statSync(file).size - 4096)],
  ];
  it.each(damages)('that was %s is made again, and every repository finds its memories, by place and by name', async (_name, damage) => {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
    const [one, two] = [createTemporaryRepository({ name: 'one' }), createTemporaryRepository({ name: 'two' })];
    const cairn = (cwd: string, ...args: string[]): ReturnType<typeof runCairn> => runCairn([...args, '--json'], { home, cwd });
    await cairn(one.directory, 'add', 'The first of one');
    await cairn(two.directory, 'add', 'The first of two');
    const before = (await cairn(one.directory, 'project')).json<{ id: string }>().id;
    damage(path.join(home.cairnHome, 'registry.db'));

    // Two at once: one makes it anew, the other waits for it.
    const [left, right] = await Promise.all([cairn(one.directory, 'list'), cairn(two.directory, 'list')]);
    expect([left.stderr, right.stderr]).toEqual(['', '']);
    expect(left.json()).toMatchObject({ memories: [{ text: 'The first of one' }] });
    expect(right.json()).toMatchObject({ memories: [{ text: 'The first of two' }] });
    expect((await cairn(one.directory, 'list', '--project', 'two')).json()).toMatchObject({ memories: [{ text: 'The first of two' }] });
    expect((await cairn(one.directory, 'project')).json<{ id: string }>().id).toBe(before);
    expect(fs.readdirSync(path.join(home.cairnHome, 'repos'))).toHaveLength(2);
    expect((await cairn(one.directory, 'doctor')).json<{ checks: { id: string; state: string }[] }>().checks.find(({ id }) => id === 'registry')?.state).toBe('ok');
  });
});

describe('a damaged user store', () => {
  it('does not keep the repository from answering; doctor names it and brings it back', async () => {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
    const repository = createTemporaryRepository();
    const cairn = (...args: string[]): ReturnType<typeof runCairn> => runCairn([...args, '--json'], { home, cwd: repository.directory });
    await cairn('add', 'Holds for me everywhere', '--user');
    await cairn('add', 'Holds here');
    await cairn('backup');
    spoil(path.join(home.cairnHome, 'user', 'memory.db'), 0, 200);
    const found = (await cairn('search', 'holds')).json<{ results: { text: string }[]; degradations: { part: string }[] }>();
    expect(found.results.map(({ text }) => text)).toEqual(['Holds here']);
    expect(found.degradations.map(({ part }) => part)).toContain('user_store_unavailable');
    const sick = (await cairn('doctor')).json<{ healthy: boolean; checks: { id: string; state: string }[] }>();
    expect(sick.healthy).toBe(false);
    expect(sick.checks.find(({ id }) => id === 'store-user')?.state).toBe('failed');
    expect((await cairn('doctor', '--fix')).json()).toMatchObject({ healthy: true });
    expect((await cairn('list', '--user')).json()).toMatchObject({ memories: [{ text: 'Holds for me everywhere' }] });
    expect((await cairn('doctor')).json()).toMatchObject({ healthy: true });
  });
});
