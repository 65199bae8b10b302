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
