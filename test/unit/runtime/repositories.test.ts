/**
 * From folders to repositories, with real git and a real registry.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createIdSource } from '../../../src/base/ids.ts';
import { readRepoFacts } from '../../../src/git/index.ts';
import { openRegistry, type Registry } from '../../../src/runtime/registry.ts';
import { type LocatedRepository, type LocateOptions, Repositories } from '../../../src/runtime/repositories.ts';
import { readHeadFacts } from '../../../src/workingTree/index.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { notRunHere } from '../../support/notRunHere.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';
import { createTemporaryRepository, TemporaryRepository } from '../../support/temporaryRepository.ts';

const opened: Registry[] = [];
afterEach(() => {
  for (const registry of opened.splice(0)) registry.close();
});

interface Bench {
  readonly repositories: Repositories;
  readonly registry: Registry;
  id(folder: string, options?: Partial<LocateOptions>): Promise<string | undefined>;
  register(folder: string): Promise<string>;
  locate(folder: string): Promise<LocatedRepository>;
}

async function openBench(): Promise<Bench> {
  const clock = new FakeClock();
  const system = { platform: process.platform };
  const folder = createTemporaryFolder('registry');
  const registry = await openRegistry({ file: path.join(folder, 'registry.db'), repositories: path.join(folder, 'repos'), clock, ids: createIdSource(clock), system });
  opened.push(registry);
  const repositories = new Repositories({ registry: async () => registry, env: process.env, system, osHome: process.env.HOME ?? '/' });
  const locate = (folder: string, options: Partial<LocateOptions> = {}): Promise<LocatedRepository> => repositories.locate(folder, { register: false, mayRunGit: true, ...options });
  return {
    repositories, registry, locate,
    id: async (folder, options) => (await locate(folder, options)).identity?.id,
    register: async (folder) => (await locate(folder, { register: true })).identity?.id ?? '',
  };
}

/** A `git` before the real one on the PATH that leaves a line for each start. */
function countGitStarts(): { env: Record<string, string | undefined>; starts: () => number } {
  const folder = createTemporaryFolder('git');
  const log = path.join(folder, 'starts');
  fs.writeFileSync(log, '');
  fs.writeFileSync(path.join(folder, 'git'), `#!/bin/sh\necho start >> "${log}"\nPATH="\${PATH#*:}" exec git "$@"\n`, { mode: 0o755 });
  return { env: { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}` }, starts: () => fs.readFileSync(log, 'utf8').split('\n').length - 1 };
}

describe('git', () => {
  it('is asked once in a process about a repository that has no commit yet, and again when it has one', async () => {
    if (process.platform === 'win32') return notRunHere('counting the starts of git', 'a program on the PATH is no script there');
    const { registry } = await openBench();
    const { env, starts } = countGitStarts();
    const repositories = new Repositories({ registry: async () => registry, env, system: { platform: process.platform }, osHome: process.env.HOME ?? '/' });
    const repository = createTemporaryRepository({ files: {} });
    await repositories.locate(repository.directory, { register: true, mayRunGit: true });
    const first = starts();
    expect(first).toBeGreaterThan(0);
    for (let call = 0; call < 3; call += 1) await repositories.locate(repository.directory, { register: false, mayRunGit: true });
    expect(starts()).toBe(first);
    repository.write('a.txt', 'a');
    repository.git('add', '.');
    repository.git('commit', '-qm', 'first');
    await repositories.locate(repository.directory, { register: false, mayRunGit: true });
    expect(starts()).toBeGreaterThan(first);
    expect(registry.list()[0]?.aliases.map(({ kind }) => kind)).toContain('root-commit');
  });
});

describe('a git that hangs', () => {
  it('is asked one question and no more; the facts of the files are enough', async () => {
    if (process.platform === 'win32') return notRunHere('a git that hangs', 'a program on the PATH is no script there');
    const folder = createTemporaryFolder('git');
    const log = path.join(folder, 'starts');
    fs.writeFileSync(path.join(folder, 'git'), `#!/bin/sh\necho start >> "${log}"\nexec sleep 600\n`, { mode: 0o755 });
    const facts = readHeadFacts(createTemporaryRepository().directory);
    expect(await readRepoFacts(facts, { env: { PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}` }, timeoutMs: 200 })).toEqual(facts);
    expect(fs.readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});

describe('one repository', () => {
  it('is its worktree as well, from any folder inside and without starting git', async () => {
    const { id, register } = await openBench();
    const main = createTemporaryRepository();
    const fix = main.addWorktree('app-fix', 'fix');
    const registered = await register(main.path('src'));
    expect(await id(fix.directory, { mayRunGit: false })).toBe(registered);
    main.git('worktree', 'remove', '--force', fix.directory);
    expect(await id(main.directory)).toBe(registered);
  });

  it('is two clones of one remote', async () => {
    const { id, register } = await openBench();
    const registered = await register(createTemporaryRepository({ remote: 'git@github.com:Org/App.git' }).directory);
    expect(await id(createTemporaryRepository({ remote: 'https://github.com/org/app' }).directory, { mayRunGit: false })).toBe(registered);
  });

  it('is the same after a rename, a move and a new clone of it', async () => {
    const { id, register } = await openBench();
    const first = createTemporaryRepository();
    const registered = await register(first.directory);
    const renamed = path.join(createTemporaryFolder('moved'), 'renamed');
    fs.renameSync(first.directory, renamed);
    expect(await id(renamed)).toBe(registered);
    const clone = new TemporaryRepository(renamed).clone();
    clone.git('remote', 'remove', 'origin');
    expect(await id(clone.directory)).toBe(registered);
  });

  it('is reached through a symbolic link', async () => {
    const { id, register } = await openBench();
    const repository = createTemporaryRepository();
    const link = path.join(createTemporaryFolder('link'), 'link');
    fs.symlinkSync(repository.directory, link);
    const registered = await register(repository.directory);
    expect(await id(link)).toBe(registered);
  });
});

describe('another repository', () => {
  it('is a shallow clone whose remote nobody knows, since its first commit says nothing', async () => {
    const { id, register } = await openBench();
    const source = createTemporaryRepository();
    source.commit('second');
    await register(source.directory);
    const shallow = source.clone('shallow', '--depth=1');
    shallow.git('remote', 'remove', 'origin');
    expect(await id(shallow.directory)).toBeUndefined();
  });

  it('is a submodule, and nothing is written into .git for it', async () => {
    const { register } = await openBench();
    const outer = createTemporaryRepository();
    const inner = outer.addSubmodule(createTemporaryRepository({ name: 'core', files: { 'core.txt': 'core' } }), 'libs/core');
    const listing = (): string[] => fs.readdirSync(outer.path('.git'), { recursive: true }).map(String).sort();
    const before = listing();
    const outerId = await register(outer.directory);
    const { facts } = await (await openBench()).locate(inner.directory);
    expect(facts).toMatchObject({ isSubmodule: true, root: inner.directory });
    expect(await register(inner.directory)).not.toBe(outerId);
    expect(listing()).toEqual(before);
  });

  it('is a fork, and it is said of what', async () => {
    const { register, locate } = await openBench();
    const upstream = createTemporaryRepository({ remote: 'https://github.com/org/app' });
    const upstreamId = await register(upstream.directory);
    const fork = upstream.clone('fork');
    fork.git('remote', 'set-url', 'origin', 'https://github.com/me/app');
    expect(await locate(fork.directory)).toMatchObject({ forkOf: upstreamId });
    expect(await register(fork.directory)).not.toBe(upstreamId);
  });

  it('is what is cloned into the place of a removed one', async () => {
    const { id, register } = await openBench();
    const parent = createTemporaryFolder('place');
    const first = createTemporaryRepository({ parent, name: 'app', remote: 'https://github.com/org/first' });
    const registered = await register(first.directory);
    fs.rmSync(first.directory, { recursive: true });
    const second = createTemporaryRepository({ parent, name: 'app', remote: 'https://github.com/org/second', files: { 'other.txt': 'other' } });
    expect(await id(second.directory)).not.toBe(registered);
    expect(await id(second.directory, { mayRunGit: false })).toBeUndefined();
  });

  it('is a folder that differs in a dash only', async () => {
    const { register } = await openBench();
    const parent = createTemporaryFolder('dash');
    const [one, two] = [path.join(parent, 'a-b', 'c'), path.join(parent, 'a', 'b-c')];
    for (const folder of [one, two]) fs.mkdirSync(folder, { recursive: true });
    expect(await register(one)).not.toBe(await register(two));
  });
});

describe('a folder without git', () => {
  it('is a repository of its own, with all folders below it', async () => {
    const { id, register } = await openBench();
    const notes = path.join(createTemporaryFolder('notes'), 'my notes 笔记');
    fs.mkdirSync(path.join(notes, 'deep', 'er'), { recursive: true });
    const registered = await register(notes);
    expect(await id(path.join(notes, 'deep', 'er'))).toBe(registered);
    expect(await id(path.dirname(notes))).toBeUndefined();
  });
});

describe('the registry', () => {
  it('is written by any number of callers at once', async () => {
    const { registry, register } = await openBench();
    const ids = await Promise.all(['one', 'two', 'three', 'four'].map((name) => register(createTemporaryRepository({ name, files: { [name]: name } }).directory)));
    await Promise.all(ids.flatMap((id, at) => [registry.rename(id, `renamed ${at}`), registry.setSessionPaused(`s${at}`, true)]));
    expect(registry.list().map(({ name }) => name).sort()).toEqual(['renamed 0', 'renamed 1', 'renamed 2', 'renamed 3']);
  });

  it('registers a repository once when two ask at the same time', async () => {
    const { registry, register } = await openBench();
    const { directory } = createTemporaryRepository();
    const [one, two] = await Promise.all([register(directory), register(directory)]);
    expect(one).toBe(two);
    expect(registry.list()).toHaveLength(1);
  });

  it('finds by id, name, end of the remote and path, and says when a name is not enough', async () => {
    const { repositories, register } = await openBench();
    const one = createTemporaryRepository({ remote: 'https://github.com/org/app' });
    const two = createTemporaryRepository({ remote: 'https://github.com/other/app' });
    const [oneId, twoId] = [await register(one.directory), await register(two.directory)];
    expect((await repositories.find(oneId)).repository.id).toBe(oneId);
    expect((await repositories.find('other/app')).repository.id).toBe(twoId);
    expect((await repositories.find(`${two.directory}/src`)).repository.id).toBe(twoId);
    await expect(repositories.find('app')).rejects.toMatchObject({ code: 'REPOSITORY_AMBIGUOUS' });
    await expect(repositories.find('nothing')).rejects.toMatchObject({ code: 'REPOSITORY_UNKNOWN' });
  });

  it('merges two repositories and follows the old id', async () => {
    const { registry, register, id } = await openBench();
    const [one, two] = [createTemporaryRepository({ files: { 'one.txt': '1' } }), createTemporaryRepository({ files: { 'two.txt': '2' } })];
    const [oneId, twoId] = [await register(one.directory), await register(two.directory)];
    await registry.merge(oneId, twoId);
    expect(await id(one.directory)).toBe(twoId);
    expect(registry.get(oneId)?.id).toBe(twoId);
  });

  it('refuses a file of a newer Cairn', async () => {
    const { registry } = await openBench();
    const clock = new FakeClock();
    const { openSqliteDatabase } = await import('../../../src/engine/index.ts');
    const file = path.join(createTemporaryFolder('newer'), 'registry.db');
    const database = await openSqliteDatabase(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await expect(openRegistry({ file, repositories: `${file}.repos`, clock, ids: createIdSource(clock), system: { platform: 'linux' } })).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    expect(registry.list()).toEqual([]);
  });

  it('pauses sessions one by one', async () => {
    const { registry } = await openBench();
    await registry.setSessionPaused('s1', true);
    expect([registry.isSessionPaused('s1'), registry.isSessionPaused('s2')]).toEqual([true, false]);
    await registry.setSessionPaused('s1', false);
    expect(registry.isSessionPaused('s1')).toBe(false);
  });
});
