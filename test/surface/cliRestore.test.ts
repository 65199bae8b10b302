/**
 * Going back to a backup, or repairing a store, while another process has it open: that process goes on with what is
 * there now, and nothing it acknowledges afterwards is written where nobody looks. Two real processes: the command
 * line and an MCP server.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openSdkMcpClient, toolText } from '../support/mcpClient.ts';
import { notRunHere } from '../support/notRunHere.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { hasTerminal, runAtTerminal } from '../support/terminal.ts';

interface Bench {
  readonly cairn: (...args: string[]) => Promise<CairnRun>;
  readonly recall: (query: string) => Promise<string>;
  readonly remember: (text: string) => Promise<string>;
  readonly store: string;
  readonly close: () => Promise<void>;
}

/** A server that has answered already, so that store and vector index are open in it. */
async function open(): Promise<Bench> {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'hashing' } });
  const { directory: cwd } = createTemporaryRepository();
  const cairn = async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd });
  await cairn('init', '--no-register');
  await cairn('add', 'The canary host is named basalt-heron');
  const client = await openSdkMcpClient({ home, cwd });
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => toolText(await client.callTool({ name, arguments: args }));
  const recall = async (query: string): Promise<string> => call('recall', { query });
  expect(await recall('canary host')).toContain('basalt-heron');
  const [id = ''] = fs.readdirSync(path.join(home.cairnHome, 'repos'));
  return { cairn, recall, remember: async (text) => call('remember', { text }), store: path.join(home.cairnHome, 'repos', id, 'memory.db'), close: async () => client.close() };
}

const textsOf = async (run: Promise<CairnRun>): Promise<string[]> => (await run).json<{ memories: { text: string }[] }>().memories.map(({ text }) => text);
const asideOf = (store: string, why: string): string[] => fs.readdirSync(path.dirname(store)).filter((name) => name.startsWith(`memory.db.${why}-`) && !/-(wal|shm)$/.test(name));

describe('a backup brought back while a server has the store open', () => {
  it('is what the server recalls, by words and by meaning, and what it writes to', async () => {
    const { cairn, recall, remember, store, close } = await open();
    const { made } = (await cairn('backup', '--json')).json<{ made: { path: string } }>();
    await cairn('add', 'The staging bucket is named quartz-otter');
    expect(await recall('staging bucket')).toContain('quartz-otter');

    expect((await cairn('restore', made.path, '--yes', '--json')).code).toBe(0);
    expect(await recall('staging bucket named')).not.toContain('quartz-otter');
    expect(await recall('canary host')).toContain('basalt-heron');
    await remember('The release train leaves on Thursdays');
    expect(await textsOf(cairn('list', '--json'))).toEqual(expect.arrayContaining(['The release train leaves on Thursdays', 'The canary host is named basalt-heron']));
    expect(await recall('release train')).toContain('Thursdays');
    expect((await cairn('doctor', '--json')).json<{ checks: { id: string; state: string }[] }>().checks.find(({ id }) => id === 'store-repository')?.state).toBe('ok');

    // What was there is kept beside it, and can itself be brought back.
    const [aside = ''] = asideOf(store, 'replaced');
    expect((await cairn('restore', path.join(path.dirname(store), aside), '--yes', '--json')).code).toBe(0);
    expect(await recall('staging bucket')).toContain('quartz-otter');
    await close();
  });

  it('loses no acknowledged write of others meanwhile: each is in the store or in the copy beside it', async () => {
    const { cairn, store, close } = await open();
    const { made } = (await cairn('backup', '--json')).json<{ made: { path: string } }>();
    const acknowledged: string[] = [];
    const write = async (writer: string): Promise<void> => {
      for (let i = 0; i < 5; i += 1) acknowledged.push((await cairn('add', `Writer ${writer} says ${i}`, '--no-consolidate', '--json')).json<{ id: string }>().id);
    };
    const restore = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) expect((await cairn('restore', made.path, '--yes')).code).toBe(0);
    };
    await Promise.all([write('one'), write('two'), restore()]);
    const kept = new Set<unknown>();
    for (const file of [store, ...asideOf(store, 'replaced').map((name) => path.join(path.dirname(store), name))]) {
      const database = new DatabaseSync(file, { readOnly: true });
      for (const row of database.prepare('SELECT id FROM memory').all()) kept.add(row['id']);
      database.close();
    }
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    await close();
  });

  it('keeps a limited number of the stores it replaced', async () => {
    const { cairn, store, close } = await open();
    const { made } = (await cairn('backup', '--json')).json<{ made: { path: string } }>();
    for (let i = 0; i < 7; i += 1) await cairn('restore', made.path, '--yes');
    expect(asideOf(store, 'replaced')).toHaveLength(5);
    await close();
  });

  it('gives the index another generation, so that a file made before is not taken for it', async () => {
    const { cairn, recall, close } = await open();
    const { made } = (await cairn('backup', '--json')).json<{ made: { path: string } }>();
    for (let i = 0; i < 5; i += 1) {
      await cairn('add', `Service number ${i} of the restored kind listens on its own port`);
      await cairn('restore', made.path, '--yes');
      const degraded = (await cairn('search', 'service number', '--json')).json<{ results: unknown[]; degradations: { part: string }[] }>();
      expect(degraded.results).toEqual([]);
      expect(await recall('service number of the restored kind')).not.toContain('listens');
    }
    await close();
  });
});

describe('a store repaired while a server has it open', () => {
  it('is what the server goes on with: its next write is in the repaired store', async () => {
    const { cairn, recall, remember, store, close } = await open();
    await cairn('backup');
    const wal = `${store}-wal`;
    if (fs.existsSync(wal)) fs.truncateSync(wal, 0);
    fs.truncateSync(store, 0);
    expect((await cairn('list', '--json')).json()).toMatchObject({ error: { code: 'STORE_CORRUPT' } });
    expect((await cairn('doctor', '--fix', '--json')).json()).toMatchObject({ healthy: true });
    expect(await recall('canary host')).toContain('basalt-heron');
    await remember('The release train leaves on Thursdays');
    expect(await textsOf(cairn('list', '--json'))).toContain('The release train leaves on Thursdays');
    await close();
  });
});

describe('the question before a backup is brought back', () => {
  async function twoMemoriesAndABackupOfOne() {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
    const { directory: cwd } = createTemporaryRepository();
    const cairn = async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd });
    await cairn('add', 'The canary host is named basalt-heron');
    const { made } = (await cairn('backup', '--json')).json<{ made: { path: string } }>();
    await cairn('add', 'The staging bucket is named quartz-otter');
    return { home, cwd, cairn, backup: made.path };
  }

  it('is refused where nobody can be asked, names what would be replaced and the cure, and nothing is changed', async () => {
    const { cairn, backup } = await twoMemoriesAndABackupOfOne();
    const run = await cairn('restore', backup, '--json');
    expect([run.code, run.json<{ error: { code: string } }>().error.code]).toEqual([2, 'INPUT_INVALID']);
    expect(run.stderr).toMatch(/of this repository \(2 memories, last changed \d{4}-\d\d-\d\d \d\d:\d\d\) by the backup \(1 memory, last changed .*Say so with --yes/s);
    expect(await textsOf(cairn('list', '--json'))).toHaveLength(2);
    expect((await cairn('restore', `${backup}.none`, '--json')).json<{ error: { code: string } }>().error.code).toBe('FILE_UNREADABLE');
    expect((await cairn('restore', backup, '--yes')).code).toBe(0);
    expect(await textsOf(cairn('list', '--json'))).toEqual(['The canary host is named basalt-heron']);
  });

  if (hasTerminal) {
    it('is asked at a terminal: only a yes goes on', async () => {
      const { home, cwd, cairn, backup } = await twoMemoriesAndABackupOfOne();
      const ask = async (answer: string) => runAtTerminal(['restore', backup], { home, cwd, question: '[y/N]', answer });
      for (const answer of ['', 'n', 'maybe']) {
        const { code, screen } = await ask(answer);
        expect([code, screen]).toEqual([1, expect.stringContaining('Nothing was changed')]);
      }
      expect(await textsOf(cairn('list', '--json'))).toHaveLength(2);
      expect(await ask('y')).toMatchObject({ code: 0, screen: expect.stringContaining('Restored') as string });
      expect(await textsOf(cairn('list', '--json'))).toHaveLength(1);
    });
  } else notRunHere('the question of `cairn restore`', 'a pseudo-terminal is made with util-linux\'s script');

  it('says that there is nothing to lose where the store is gone', async () => {
    const { home, cairn, backup } = await twoMemoriesAndABackupOfOne();
    const [id = ''] = fs.readdirSync(path.join(home.cairnHome, 'repos'));
    fs.rmSync(path.join(home.cairnHome, 'repos', id, 'memory.db'));
    expect((await cairn('restore', backup)).stderr).toContain('(nothing that can be read) by the backup (1 memory');
    expect((await cairn('restore', backup, '--yes')).code).toBe(0);
    expect(await textsOf(cairn('list', '--json'))).toHaveLength(1);
  });
});
