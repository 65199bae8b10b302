/**
 * A home that may be read but not written (a read-only mount, somebody else's folder): what is remembered is still
 * found, shown and exported; what would write says so, with the code and the cure. Runs the built program as an
 * ordinary user, since permissions do not bind root.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { giveToOrdinaryUser } from '../support/ordinaryUser.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

interface Bench {
  readonly cairn: (...args: string[]) => Promise<CairnRun>;
  readonly home: string;
  readonly folder: string;
}

/** A home with one memory, then given to an ordinary user. */
async function openGiven(): Promise<Bench> {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  const folder = createTemporaryFolder('readonly');
  const repository = createTemporaryRepository({ parent: folder });
  await runCairn(['add', 'the canary host is named basalt-heron'], { home, cwd: repository.directory });
  giveToOrdinaryUser(folder);
  const user = giveToOrdinaryUser(home.root);
  return { home: home.cairnHome, folder, cairn: async (...args) => runCairn(args, { home, cwd: repository.directory, user }) };
}

/** Takes the right to write from a file or from all in a folder; returns how to give it back, without which nobody could clean up. */
function takeWriting(target: string): () => void {
  const all = fs.statSync(target).isDirectory() ? [target, ...fs.readdirSync(target, { recursive: true, encoding: 'utf8' }).map((name) => path.join(target, name))] : [target];
  const modes = all.map((file) => [file, fs.statSync(file).mode] as const);
  for (const [file, mode] of modes.toReversed()) fs.chmodSync(file, mode & ~0o222);
  return () => {
    for (const [file, mode] of modes) fs.chmodSync(file, mode);
  };
}

const PLACES: readonly [string, (home: string) => string][] = [
  ['the whole home', (home) => home],
  ['the registry', (home) => path.join(home, 'registry.db')],
  ['the folder of the store', (home) => path.join(home, 'repos', fs.readdirSync(path.join(home, 'repos'))[0] ?? '')],
  ['the file of the store', (home) => path.join(home, 'repos', fs.readdirSync(path.join(home, 'repos'))[0] ?? '', 'memory.db')],
];

describe('a home of which only reading is allowed', () => {
  it.each(PLACES)('for %s answers what was remembered', async (_name, placeOf) => {
    const { cairn, home, folder } = await openGiven();
    const giveBack = takeWriting(placeOf(home));
    try {
      const found = await cairn('search', 'canary host', '--json');
      expect(found.stderr).toBe('');
      expect(found.json<{ results: { text: string }[] }>().results[0]?.text).toContain('basalt-heron');
      expect((await cairn('list', '--json')).json()).toMatchObject({ total: 1 });
      expect((await cairn('status', '--json')).json()).toMatchObject({ counts: { repository: 1 } });
      expect((await cairn('stats', '--json')).code).toBe(0);
      expect((await cairn('project', '--json')).json()).toMatchObject({ here: { name: expect.any(String) } });
      const elsewhere = path.join(folder, 'export.jsonl');
      expect((await cairn('export', elsewhere, '--json')).json()).toMatchObject({ exported: 1 });
      expect(fs.readFileSync(elsewhere, 'utf8')).toContain('basalt-heron');
    } finally {
      giveBack();
    }
  });

  it.each(PLACES.filter(([name]) => name !== 'the registry'))('for %s refuses to remember, edit and forget with one code and the cure, and doctor says where', async (_name, placeOf) => {
    const { cairn, home } = await openGiven();
    const { memories } = (await cairn('list', '--json')).json<{ memories: { id: string }[] }>();
    const id = memories[0]?.id ?? '';
    const giveBack = takeWriting(placeOf(home));
    try {
      for (const args of [['add', 'another one'], ['edit', id, '--text', 'changed'], ['forget', id], ['purge', id, '--yes']]) {
        const run = await cairn(...args, '--json');
        expect(run.code).toBe(1);
        expect(run.json()).toMatchObject({ error: { code: 'STORE_READ_ONLY', message: expect.stringContaining('permissions') } });
      }
      if (placeOf(home) === home) {
        for (const args of [['config', 'recall.limit', '5'], ['init', '--no-register'], ['pause']]) expect((await cairn(...args, '--json')).json()).toMatchObject({ error: { code: 'STORE_READ_ONLY', message: expect.stringContaining('permissions') } });
      }
      const { checks } = (await cairn('doctor', '--json')).json<{ checks: { id: string; state: string; cure?: string }[] }>();
      expect(checks.find((check) => check.id === 'store-repository')).toMatchObject({ state: 'warning', cure: expect.stringContaining('writable') });
    } finally {
      giveBack();
    }
    expect((await cairn('list', '--json')).json()).toMatchObject({ total: 1 });
  });
});
