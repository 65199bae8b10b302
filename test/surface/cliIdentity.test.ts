/**
 * Which repository a folder means, at the command line and on real git repositories: whatever its name, its state, the
 * git at hand and the variables around it, memories are kept in one place and found again. Runs the built program.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

interface Bench {
  readonly cairn: (cwd: string, args: string[], env?: Record<string, string>) => Promise<CairnRun>;
}

function open(): Bench {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  return { cairn: async (cwd, args, env) => runCairn([...args, '--json'], { home, cwd, ...(env === undefined ? {} : { env }) }) };
}

const totalOf = (run: CairnRun): number => run.json<{ total: number }>().total;
const idOf = async (run: Promise<CairnRun>): Promise<string> => (await run).json<{ id: string }>().id;

describe('a repository', () => {
  it.each(["quote's", 'dou"ble', 'semi;colon', '$HOME', '-dash', ' ends with blank ', '100%41', '#hash', '*star?', 'emoji 🚀', 'cafe\u0301'])('in a folder named %j keeps what is said in it', async (name) => {
    const { cairn } = open();
    const { directory } = createTemporaryRepository({ name });
    expect((await cairn(directory, ['add', 'said in a folder with a strange name'])).code).toBe(0);
    fs.mkdirSync(path.join(directory, 'below'));
    expect(totalOf(await cairn(path.join(directory, 'below'), ['list']))).toBe(1);
  });

  it('whose git folder is broken is still one place', async () => {
    const { cairn } = open();
    const breakages: readonly ((directory: string) => void)[] = [
      (directory) => fs.writeFileSync(path.join(directory, '.git', 'HEAD'), 'garbage'),
      (directory) => fs.rmSync(path.join(directory, '.git', 'config')),
      (directory) => { fs.rmSync(path.join(directory, '.git'), { recursive: true }); fs.writeFileSync(path.join(directory, '.git'), 'gitdir: /nowhere/at/all\n'); },
      (directory) => { fs.rmSync(path.join(directory, '.git'), { recursive: true }); fs.writeFileSync(path.join(directory, '.git'), Buffer.from([0xff, 0xfe, 0x00, 0x67])); },
    ];
    for (const breakIt of breakages) {
      const { directory } = createTemporaryRepository();
      breakIt(directory);
      expect((await cairn(directory, ['add', 'said beside a broken git folder'])).code).toBe(0);
      expect(totalOf(await cairn(directory, ['list']))).toBe(1);
    }
  });

  it('is not made of a folder without git by looking, which would own every folder below it', async () => {
    const { cairn } = open();
    const folder = createTemporaryFolder('plain');
    const [one, two] = ['one', 'two'].map((name) => path.join(folder, name)) as [string, string];
    for (const each of [one, two]) fs.mkdirSync(each);
    for (const args of [['list'], ['search', 'anything'], ['status'], ['project'], ['stats'], ['context'], ['inbox']]) expect((await cairn(folder, args)).code, args.join(' ')).toBe(0);
    await cairn(one, ['add', 'said in the first folder']);
    expect([totalOf(await cairn(one, ['list'])), totalOf(await cairn(two, ['list'])), totalOf(await cairn(folder, ['list']))]).toEqual([1, 0, 0]);
  });

  it('says once it is switched on what else it may be, a fork or what was in its folder before, and is made one with it', async () => {
    const { cairn } = open();
    const { directory } = createTemporaryRepository({ name: 'upstream' });
    const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' });
    git('-C', directory, 'remote', 'add', 'origin', 'git@example.org:up/lib.git');
    await cairn(directory, ['add', 'said in the upstream']);
    const fork = path.join(createTemporaryFolder('fork'), 'fork');
    git('clone', '-q', directory, fork);
    git('-C', fork, 'remote', 'set-url', 'origin', 'git@example.org:me/lib.git');
    expect(totalOf(await cairn(fork, ['list']))).toBe(0);
    const [upstreamId, forkId] = [await idOf(cairn(directory, ['project'])), await idOf(cairn(fork, ['project']))];
    expect((await cairn(fork, ['init', '--no-register'])).json()).toMatchObject({ kin: [{ id: upstreamId, by: 'history' }] });
    expect((await cairn(directory, ['project'])).json()).toMatchObject({ kin: [] });
    await cairn(fork, ['relink', forkId, upstreamId]);
    expect(totalOf(await cairn(fork, ['list']))).toBe(1);
    expect((await cairn(fork, ['project'])).json()).toMatchObject({ kin: [] });
    const again = createTemporaryRepository({ name: 'again' });
    await cairn(again.directory, ['add', 'said before the history was begun anew']);
    const before = await idOf(cairn(again.directory, ['project']));
    fs.rmSync(path.join(again.directory, '.git'), { recursive: true });
    git('init', '-q', again.directory);
    git('-C', again.directory, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'anew');
    const now = await idOf(cairn(again.directory, ['project']));
    expect(now).not.toBe(before);
    expect((await cairn(again.directory, ['init', '--no-register'])).json()).toMatchObject({ kin: [{ id: before, by: 'folder' }] });
    await cairn(again.directory, ['relink', before, now]);
    expect(totalOf(await cairn(again.directory, ['list']))).toBe(1);
  });

  it('is the same without git on the PATH, with one that fails, and under the variables of a hook', async () => {
    const { cairn } = open();
    const here = createTemporaryRepository({ remote: 'git@example.test:org/app.git' });
    const other = createTemporaryRepository({ name: 'other' });
    const id = await idOf(cairn(here.directory, ['project']));
    const empty = createTemporaryFolder('path');
    const failing = createTemporaryFolder('path');
    fs.writeFileSync(path.join(failing, 'git'), '#!/bin/sh\necho "fatal: no" >&2\nexit 128\n', { mode: 0o755 });
    const surroundings: readonly Record<string, string>[] = [{ PATH: empty }, { PATH: `${failing}${path.delimiter}${process.env['PATH'] ?? ''}` }, { GIT_DIR: other.path('.git'), GIT_WORK_TREE: other.directory, GIT_INDEX_FILE: other.path('.git', 'index') }];
    for (const env of surroundings) {
      expect(await idOf(cairn(here.directory, ['project'], env))).toBe(id);
    }
  });

  it('is met under every spelling of its remote, and not under a like one', async () => {
    const { cairn } = open();
    const idOfRemote = async (remote: string): Promise<string> => idOf(cairn(createTemporaryRepository({ remote }).directory, ['project']));
    const id = await idOfRemote('https://github.com/Org/App.git');
    for (const same of ['git@github.com:Org/App.git', 'ssh://git@GitHub.com:22/Org/App', 'https://user:token@github.com:443/org/app.git/', 'git://www.github.com/Org/App']) expect(await idOfRemote(same)).toBe(id);
    for (const other of ['https://gitlab.com/Org/App.git', 'https://github.com:8443/Org/App.git', 'https://github.com/Org/App.wiki.git', 'https://github.com/Org/App2']) expect(await idOfRemote(other)).not.toBe(id);
  });
});

describe('the home', () => {
  it.each([['~/kept here', 'kept here'], ['kept/there', 'kept/there'], ['', '.cairn']])('given as %j lies in the user\'s folder, for commands and hooks alike, wherever they start', async (given, expected) => {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', CAIRN_HOME: given } });
    const { directory: cwd } = createTemporaryRepository();
    await runCairn(['init', '--no-register'], { home, cwd });
    await runCairn(['add', 'We always ship on Tuesdays', '--kind', 'rule', '--pin'], { home, cwd });
    expect(fs.existsSync(path.join(home.home, expected, 'registry.db'))).toBe(true);
    expect(fs.readdirSync(cwd).filter((name) => name.startsWith('~') || name === 'kept')).toEqual([]);
    const hook = await runCairn(['hook', 'SessionStart'], { home, cwd, stdin: JSON.stringify({ hook_event_name: 'SessionStart', source: 'startup', session_id: 's1', cwd, transcript_path: path.join(home.home, 's1.jsonl') }) });
    expect(hook.stdout).toContain('Tuesdays');
  });
});

describe('what is said at a detached HEAD', () => {
  it('is kept with the commit, and with no branch of the name HEAD', async () => {
    const { cairn } = open();
    const repository = createTemporaryRepository();
    repository.git('checkout', '-q', '--detach');
    const id = await idOf(cairn(repository.directory, ['add', 'said at a commit', '--path', 'README.md']));
    const { provenance, anchors } = (await cairn(repository.directory, ['show', id])).json<{ provenance: { branch?: string; commit?: string }; anchors: { commit?: string }[] }>();
    expect(provenance).toMatchObject({ commit: repository.head() });
    expect(provenance.branch).toBeUndefined();
    expect(anchors[0]?.commit).toBe(repository.head());
    expect((await cairn(repository.directory, ['search', 'commit', '--branch', 'HEAD'])).json()).toMatchObject({ results: [] });
  });
});
