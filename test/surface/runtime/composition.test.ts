/**
 * One call from a target to an answer: which repository it means, whether it may run, and
 * what is refused.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/engine/index.ts';
import { openRuntime, type RuntimeOptions } from '../../../src/runtime/runtime.ts';
import { Composition, InProcessClient, type StoreChange, type Target } from '../../../src/worker/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../../support/temporaryHome.ts';
import { createTemporaryRepository } from '../../support/temporaryRepository.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const clients: InProcessClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function openClient(home: TemporaryHome, options: Partial<RuntimeOptions> = {}): Promise<InProcessClient> {
  const client = new InProcessClient(new Composition(await openRuntime({ env: home.env, osHome: home.home, role: 'command', processName: 'test', ...options })));
  clients.push(client);
  return client;
}

const as = (surface: Actor['surface'], target: Target): { target: Target; actor: Actor } => ({ target, actor: { surface } });
interface Recalled {
  readonly results: readonly { readonly memory: { readonly text: string; readonly provenance: { readonly author?: string; readonly branch?: string } } }[];
}
const texts = (output: Recalled): string[] => output.results.map(({ memory }) => memory.text);

describe('a call', () => {
  it('finds the repository of a folder inside it, with branch and author', async () => {
    const client = await openClient(createTemporaryHome());
    const repository = createTemporaryRepository({ branch: 'trunk' });
    await client.call('remember', { text: 'The deploy command is make ship.' }, as('cli', { cwd: repository.path('src') }));
    const output = await client.call<Recalled>('recall', { query: 'deploy command' }, as('cli', { cwd: repository.directory }));
    expect(texts(output)).toEqual(['The deploy command is make ship.']);
    expect(output.results[0]?.memory.provenance).toMatchObject({ author: 'Wei Rivera', branch: 'trunk' });
  });

  it('sees nothing of another repository unless that one is named', async () => {
    const client = await openClient(createTemporaryHome());
    const [one, two] = [createTemporaryRepository({ name: 'one', files: { '1.txt': '1' } }), createTemporaryRepository({ name: 'two', files: { '2.txt': '2' } })];
    await client.call('remember', { text: 'The deploy command is one.' }, as('cli', { cwd: one.directory }));
    await client.call('remember', { text: 'The deploy command is two.' }, as('cli', { cwd: two.directory }));
    const ask = (target: Target): Promise<Recalled> => client.call<Recalled>('recall', { query: 'deploy command' }, as('cli', target));
    expect(texts(await ask({ cwd: one.directory }))).toEqual(['The deploy command is one.']);
    expect(texts(await ask({ cwd: one.directory, project: 'two' }))).toEqual(['The deploy command is two.']);
    await expect(ask({ cwd: one.directory, project: 'three' })).rejects.toMatchObject({ code: 'REPOSITORY_UNKNOWN' });
  });

  it('shares memory between a repository and its worktree', async () => {
    const client = await openClient(createTemporaryHome());
    const main = createTemporaryRepository();
    const fix = main.addWorktree('fix');
    await client.call('remember', { text: 'Ports are listed in ports.md.' }, as('cli', { cwd: fix.directory }));
    main.git('worktree', 'remove', '--force', fix.directory);
    expect(texts(await client.call<Recalled>('recall', { query: 'ports' }, as('cli', { cwd: main.directory })))).toEqual(['Ports are listed in ports.md.']);
  });

  it('to an operation that does not exist, or with wrong input, is refused by name', async () => {
    const client = await openClient(createTemporaryHome());
    const { directory } = createTemporaryRepository();
    await expect(client.call('obliterate', {}, as('cli', { cwd: directory }))).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' });
    await expect(client.call('remember', { text: 7 }, as('cli', { cwd: directory }))).rejects.toMatchObject({ code: 'INPUT_INVALID', data: { field: 'text' } });
    await expect(client.call('recall', { query: { no: 'words' } }, as('cli', { cwd: directory }))).rejects.toMatchObject({ code: 'INPUT_INVALID', data: { field: 'query' } });
  });

  it('with a path of another system is refused and makes no folder', async () => {
    const client = await openClient(createTemporaryHome());
    await expect(client.call('remember', { text: 'x' }, as('cli', { cwd: 'C:\\w\\app' }))).rejects.toMatchObject({ code: 'PATH_FOREIGN' });
    expect(fs.existsSync('C:\\w\\app')).toBe(false);
  });
});

describe('consent', () => {
  it('is needed by what Claude does, not by what a person does', async () => {
    const home = createTemporaryHome();
    const client = await openClient(home);
    const { directory } = createTemporaryRepository();
    await expect(client.call('remember', { text: 'Stored by Claude.' }, as('mcp', { cwd: directory }))).rejects.toMatchObject({ code: 'CONSENT_REQUIRED' });
    expect(fs.existsSync(path.join(home.cairnHome, 'repos'))).toBe(false);
    await client.call('remember', { text: 'Stored by a person.' }, as('selection', { cwd: directory }));
    await expect(client.call('remember', { text: 'Stored by Claude.' }, as('mcp', { cwd: directory }))).rejects.toMatchObject({ code: 'CONSENT_REQUIRED' });
  });

  it('is given for a repository, and obeyed at once by a process that runs already', async () => {
    const home = createTemporaryHome();
    const [person, server] = [await openClient(home), await openClient(home)];
    const { directory } = createTemporaryRepository();
    const isEnabled = async (): Promise<unknown> => server.call('consent', {}, as('mcp', { cwd: directory }));
    expect(await isEnabled()).toMatchObject({ enabled: false });
    await person.call('setEnabled', { enabled: true }, as('extension', { cwd: directory }));
    expect(await isEnabled()).toMatchObject({ enabled: true });
    await server.call('remember', { text: 'Stored by Claude.' }, as('mcp', { cwd: directory }));
    await person.call('setPaused', { paused: true }, as('extension', { cwd: directory }));
    expect(await isEnabled()).toMatchObject({ enabled: false, paused: true });
  });
});

describe('changes', () => {
  it('made by one process are seen by another', async () => {
    const home = createTemporaryHome();
    const [writer, watcher] = [await openClient(home), await openClient(home)];
    const { directory } = createTemporaryRepository();
    await writer.call('remember', { text: 'First.' }, as('cli', { cwd: directory }));
    await watcher.call('recall', { query: 'first' }, as('cli', { cwd: directory }));
    const seen: StoreChange[] = [];
    watcher.onDidChange((change) => seen.push(change));
    await waitUntil(async () => {
      await writer.call('remember', { text: `More ${seen.length} ${Math.random()}` }, as('cli', { cwd: directory }));
      return seen.length > 0;
    }, 'the change to be seen');
    expect(seen[0]?.repositoryId).not.toBe('user');
  });
});

describe('a home', () => {
  it('that is a file is refused with the cure', async () => {
    const home = createTemporaryHome({ files: { '.cairn': 'a file' } });
    await expect(openClient(home)).rejects.toMatchObject({ code: 'STORE_UNREADABLE', message: expect.stringContaining('CAIRN_HOME') });
  });

  it('that cannot be made is refused with the cure, at once', async () => {
    const home = createTemporaryHome();
    await expect(openClient(home, { env: { ...home.env, CAIRN_HOME: process.platform === 'win32' ? 'NUL\\cairn' : '/proc/nowhere/cairn' } })).rejects.toMatchObject({ code: 'STORE_UNREADABLE', message: expect.stringContaining('CAIRN_HOME') });
  });

  it('in a sync folder is refused with the cure', async () => {
    const home = createTemporaryHome();
    await expect(openClient(home, { env: { ...home.env, CAIRN_HOME: path.join(home.home, 'OneDrive', 'cairn') } })).rejects.toMatchObject({ code: 'STORE_NETWORK_FILE_SYSTEM', message: expect.stringContaining('CAIRN_HOME') });
  });

  it('is made for its owner alone', async () => {
    const home = createTemporaryHome();
    const client = await openClient(home);
    await client.call('remember', { text: 'Mine.' }, as('cli', { cwd: createTemporaryRepository().directory }));
    const modes = fs.readdirSync(home.cairnHome, { recursive: true, withFileTypes: true }).map((entry) => ({ name: entry.name, isFile: entry.isFile(), mode: fs.statSync(path.join(entry.parentPath, entry.name)).mode & 0o777 }));
    expect(fs.statSync(home.cairnHome).mode & 0o777).toBe(0o700);
    expect(modes.filter(({ isFile, mode }) => mode !== (isFile ? 0o600 : 0o700))).toEqual([]);
  });
});

describe('a path', () => {
  it('means the file beside one at a terminal, the one at the root to a model and the editor, and any name to the editor', async () => {
    const client = await openClient(createTemporaryHome());
    const repository = createTemporaryRepository({ files: { 'README.md': '# Root\n', 'app/README.md': '# App\n' } });
    await client.call('setEnabled', { enabled: true }, as('cli', { cwd: repository.directory }));
    const anchored = async (surface: Actor['surface'], given: string): Promise<string | undefined> =>
      (await client.call<{ memory: { anchors: { path: string }[] } }>('remember', { text: `${surface} on ${given}`, anchors: [{ path: given }], consolidate: false }, as(surface, { cwd: repository.path('app') }))).memory.anchors[0]?.path;
    expect(await anchored('cli', 'README.md')).toBe('app/README.md');
    expect(await anchored('mcp', 'README.md')).toBe('README.md');
    expect(await anchored('extension', 'README.md')).toBe('README.md');
    expect(await anchored('extension', 'a*b/**')).toBe('a*b/**');
    const listed = async (surface: Actor['surface'], given: string): Promise<number> => (await client.call<{ total: number }>('listMemories', { path: given }, as(surface, { cwd: repository.path('app') }))).total;
    expect([await listed('extension', 'a*b/**'), await listed('extension', 'README.md'), await listed('cli', 'README.md')]).toEqual([1, 2, 1]);
    await expect(listed('cli', 'a*b/x')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

describe('relink', () => {
  it('brings the memories of one repository into another and follows the old name', async () => {
    const client = await openClient(createTemporaryHome());
    const [one, two] = [createTemporaryRepository({ name: 'one', files: { '1.txt': '1' } }), createTemporaryRepository({ name: 'two', files: { '2.txt': '2' } })];
    await client.call('remember', { text: 'From one.' }, as('cli', { cwd: one.directory }));
    await client.call('remember', { text: 'From two.' }, as('cli', { cwd: two.directory }));
    expect(await client.call('relink', { from: 'one', to: 'two' }, as('cli', { cwd: two.directory }))).toEqual({ movedMemories: 1 });
    expect(texts(await client.call<Recalled>('recall', { query: 'from' }, as('cli', { cwd: one.directory }))).sort()).toEqual(['From one.', 'From two.']);
  });

  it('brings each memory with its whole history, and leaves no second copy but a backup that a purge names', async () => {
    const home = createTemporaryHome();
    const client = await openClient(home);
    const [one, two] = [createTemporaryRepository({ name: 'one', files: { '1.txt': '1' } }), createTemporaryRepository({ name: 'two', files: { '2.txt': '2' } })];
    const [here, there] = [as('cli', { cwd: one.directory }), as('cli', { cwd: two.directory })];
    const { id } = await client.call<{ id: string }>('remember', { text: 'Ships on basalt Mondays.' }, here);
    await client.call('updateMemory', { id, patch: { text: 'Ships on basalt Tuesdays.' }, reason: 'we moved' }, here);
    await client.call('updateMemory', { id, patch: { importance: 9 } }, here);
    const { id: gone } = await client.call<{ id: string }>('remember', { text: 'Forgotten basalt.' }, here);
    await client.call('forget', { ids: [gone] }, here);
    await client.call('remember', { text: 'From two.' }, there);
    const past = (await client.call<{ changes: { changeId: string }[] }>('history', { id }, here)).changes;

    expect(await client.call('relink', { from: 'one', to: 'two' }, there)).toEqual({ movedMemories: 2 });
    const { changes } = await client.call<{ changes: { changeId: string; reason?: string }[] }>('history', { id }, there);
    expect(changes.slice(0, -1)).toEqual(past);
    expect(changes.at(-1)?.reason).toBe('Relinked from one.');
    expect((await client.call<{ history: unknown[] }>('getMemory', { id: gone }, there)).history).toHaveLength(3);
    expect(await client.call('relink', { from: 'one', to: 'two' }, there)).toEqual({ movedMemories: 0 });

    const { backups } = await client.call<{ backups: string[] }>('purge', { ids: [id, gone], confirm: true }, there);
    const holding = fs.readdirSync(home.cairnHome, { recursive: true, encoding: 'utf8' }).map((name) => path.join(home.cairnHome, name)).filter((file) => fs.statSync(file).isFile() && fs.readFileSync(file).includes('basalt'));
    expect(holding.length).toBeGreaterThan(0);
    expect(backups).toEqual(expect.arrayContaining(holding));
  });
});

describe('backups', () => {
  it('bring back what was forgotten for good', async () => {
    const client = await openClient(createTemporaryHome());
    const target = as('cli', { cwd: createTemporaryRepository().directory });
    await client.call('remember', { text: 'Precious.' }, target);
    const { made } = await client.call<{ made: { path: string } }>('backup', {}, target);
    await client.call('purge', { what: 'all', confirm: true }, target);
    expect(texts(await client.call<Recalled>('recall', { query: 'precious' }, target))).toEqual([]);
    await client.call('restoreBackup', { path: made.path }, target);
    expect(texts(await client.call<Recalled>('recall', { query: 'precious' }, target))).toEqual(['Precious.']);
  });
});
