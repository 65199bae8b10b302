/**
 * Files and HEAD of a repository, read without git, and never from outside of it.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkingTree, readHeadFacts } from '../../../src/workingTree/index.ts';
import { createTemporaryFolder, writeFiles } from '../../support/temporaryFolder.ts';
import { createTemporaryRepository } from '../../support/temporaryRepository.ts';

describe('head facts', () => {
  it('name root, branch, commit, remote and author from any folder inside', () => {
    const repository = createTemporaryRepository({ branch: 'trunk', remote: 'git@github.com:Org/App.git' });
    expect(readHeadFacts(repository.path('src'))).toMatchObject({
      root: repository.directory, commonDir: repository.path('.git'), branch: 'trunk', detached: false, head: repository.head(),
      remotes: ['github.com/org/app'], author: 'Wei Rivera', isShallow: false, isWorktree: false, isSubmodule: false,
    });
  });

  it('call a detached HEAD detached, and not a branch named HEAD', () => {
    const repository = createTemporaryRepository();
    repository.git('checkout', '-q', '--detach');
    const facts = readHeadFacts(repository.directory);
    expect(facts).toMatchObject({ detached: true, head: repository.head() });
    expect(facts.branch).toBeUndefined();
  });

  it('find a commit in packed references', () => {
    const repository = createTemporaryRepository();
    repository.git('pack-refs', '--all');
    expect(readHeadFacts(repository.directory).head).toBe(repository.head());
  });

  it('know an unborn branch', () => {
    const facts = readHeadFacts(createTemporaryRepository({ files: {}, branch: 'new' }).directory);
    expect(facts).toMatchObject({ branch: 'new', detached: false });
    expect(facts.head).toBeUndefined();
  });

  it('follow a worktree to its repository', () => {
    const repository = createTemporaryRepository();
    const worktree = repository.addWorktree('beside', 'topic/one');
    expect(readHeadFacts(worktree.directory)).toMatchObject({ root: worktree.directory, commonDir: repository.path('.git'), branch: 'topic/one', isWorktree: true });
  });

  it('see a submodule, a shallow clone and the default branch of a clone', () => {
    const outer = createTemporaryRepository();
    const inner = outer.addSubmodule(createTemporaryRepository({ name: 'core' }), 'libs/core');
    expect(readHeadFacts(inner.directory)).toMatchObject({ root: inner.directory, isSubmodule: true });
    expect(readHeadFacts(outer.directory).isSubmodule).toBe(false);
    outer.commit('second');
    expect(readHeadFacts(outer.clone('shallow', '--depth=1').directory)).toMatchObject({ isShallow: true, defaultBranch: 'main' });
  });

  it('take a folder without git, or with a broken .git, for itself', () => {
    const folder = createTemporaryFolder('plain');
    writeFiles(folder, { 'inside/.git': 'gitdir: /nowhere/at/all\n' });
    expect(readHeadFacts(path.join(folder, 'inside'))).toMatchObject({ root: path.join(folder, 'inside'), remotes: [] });
    expect(readHeadFacts(path.join(folder, 'inside')).commonDir).toBeUndefined();
  });
});

describe('the working tree', () => {
  it('reads files below its root and tells which are there', async () => {
    const repository = createTemporaryRepository();
    const tree = createWorkingTree(repository.directory);
    expect(await tree.readText('src/greeting.ts')).toContain('greet');
    expect(await tree.exists('src/greeting.ts')).toBe(true);
    expect(await tree.exists('src')).toBe(true);
    expect(await tree.exists('src/gone.ts')).toBe(false);
    expect(await tree.readText('src/gone.ts')).toBeUndefined();
    expect(await tree.readText('src')).toBeUndefined();
  });

  it.each(['../secret.txt', 'src/../../secret.txt', '/etc/passwd', 'C:\\secret.txt', 'C:secret.txt', '\\\\server\\share\\x', 'a\0b'])('refuses %j', async (name) => {
    const tree = createWorkingTree(createTemporaryRepository().directory);
    await expect(tree.readText(name)).rejects.toMatchObject({ code: 'PATH_OUTSIDE_REPOSITORY' });
    await expect(tree.exists(name)).rejects.toMatchObject({ code: 'PATH_OUTSIDE_REPOSITORY' });
  });

  it('does not follow a link out of the repository, and follows one inside', async () => {
    const repository = createTemporaryRepository();
    const outside = createTemporaryFolder('outside');
    writeFiles(outside, { 'secret.txt': 'secret' });
    fs.symlinkSync(outside, repository.path('door'));
    fs.symlinkSync(repository.path('src'), repository.path('alias'));
    const tree = createWorkingTree(repository.directory);
    await expect(tree.readText('door/secret.txt')).rejects.toMatchObject({ code: 'PATH_OUTSIDE_REPOSITORY' });
    expect(await tree.readText('alias/greeting.ts')).toContain('greet');
  });

  it('passes over files that are too large or no files at all', async () => {
    const repository = createTemporaryRepository();
    repository.write('big.txt', 'x'.repeat(100));
    execFileSync('mkfifo', [repository.path('pipe')]);
    const tree = createWorkingTree(repository.directory, { maxBytes: 99 });
    expect(await tree.readText('big.txt')).toBeUndefined();
    expect(await tree.readText('pipe')).toBeUndefined();
  });
});
