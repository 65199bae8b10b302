/**
 * Which repository a working tree is, from facts and known names alone.
 */
import { describe, expect, it } from 'vitest';
import { type Alias, aliasesOf, type IdentityFacts, type KnownRepository, resolveIdentity } from '../../../src/runtime/identity.ts';

const linux = { platform: 'linux' };
const facts = (changes: Partial<IdentityFacts> = {}): IdentityFacts => ({ root: '/w/app', commonDir: '/w/app/.git', remotes: ['github.com/org/app'], rootCommit: 'aaaa', isShallow: false, fileId: '1:10:5', ...changes });
/** A repository that learned everything of these facts. */
const known = (id: string, of: IdentityFacts): KnownRepository => ({ id, aliases: aliasesOf(of, linux) });
const resolve = (of: IdentityFacts, repositories: readonly KnownRepository[], lacks?: (commit: string) => boolean): ReturnType<typeof resolveIdentity> => resolveIdentity(of, linux, repositories, lacks);
const idOf = (of: IdentityFacts, repositories: readonly KnownRepository[], lacks?: (commit: string) => boolean): string => {
  const verdict = resolve(of, repositories, lacks);
  return verdict.kind === 'known' ? verdict.id : 'new';
};

describe('identity of a repository', () => {
  const app = known('app', facts());

  it('is kept by a linked worktree, whose common folder is the same', () => {
    expect(idOf(facts({ root: '/w/app-fix' }), [app])).toBe('app');
  });

  it('is shared by two clones of one remote', () => {
    expect(idOf(facts({ root: '/w/second', commonDir: '/w/second/.git', fileId: '1:11:9' }), [app])).toBe('app');
  });

  it('survives the renaming of the folder, and the new place is learned', () => {
    const verdict = resolve(facts({ root: '/w/renamed', commonDir: '/w/renamed/.git', remotes: [] }), [app]);
    expect(verdict).toMatchObject({ kind: 'known', id: 'app' });
    expect(verdict.kind === 'known' && verdict.learn).toContainEqual({ kind: 'git-dir', value: '/w/renamed/.git' } satisfies Alias);
  });

  it('survives a move of a repository without remote and commits, by its folder\'s own id', () => {
    const bare = facts({ remotes: [], rootCommit: undefined });
    expect(idOf({ ...bare, root: '/x/app', commonDir: '/x/app/.git' }, [known('app', bare)])).toBe('app');
  });

  it('survives a new clone from a renamed remote in the same place', () => {
    expect(idOf(facts({ remotes: ['github.com/neworg/app'] }), [app])).toBe('app');
  });

  it('is not taken from the root commit of a shallow clone', () => {
    const elsewhere = facts({ root: '/w/shallow', commonDir: '/w/shallow/.git', fileId: '1:12:1', remotes: [], isShallow: true });
    expect(idOf(elsewhere, [app])).toBe('new');
    expect(aliasesOf(elsewhere, linux).map(({ kind }) => kind)).not.toContain('root-commit');
  });

  it('is another one for a fork, which is named as such', () => {
    const fork = facts({ root: '/w/fork', commonDir: '/w/fork/.git', fileId: '1:13:1', remotes: ['github.com/me/app', 'github.com/org/app'] });
    expect(resolve(fork, [app])).toMatchObject({ kind: 'new', forkOf: 'app' });
  });

  it('is another one for a submodule, whose common folder is its own', () => {
    const submodule = facts({ root: '/w/app/libs/core', commonDir: '/w/app/.git/modules/libs/core', remotes: ['github.com/org/core'], rootCommit: 'bbbb', fileId: '1:14:1' });
    expect(idOf(submodule, [app])).toBe('new');
  });

  it('is another one for what was cloned into the place of a removed repository', () => {
    const other = facts({ remotes: ['github.com/org/other'], rootCommit: undefined, fileId: '1:99:7' });
    expect(resolve(other, [app])).toMatchObject({ kind: 'new', formerly: 'app' });
  });

  it('is another one where git lacks every known root commit', () => {
    const other = facts({ remotes: [], rootCommit: 'cccc', fileId: '1:99:7' });
    expect(idOf(other, [app], () => true)).toBe('new');
  });

  it('is kept on an orphan branch, whose root commit is another one', () => {
    expect(idOf(facts({ remotes: [], rootCommit: 'dddd' }), [app], () => false)).toBe('app');
  });

  it('is kept when `git init` is run in a registered plain folder', () => {
    const plain: IdentityFacts = { root: '/w/notes', remotes: [], isShallow: false, fileId: '1:20:1' };
    const now = facts({ root: '/w/notes', commonDir: '/w/notes/.git', remotes: [], rootCommit: undefined, fileId: '1:21:1' });
    expect(idOf(now, [known('notes', plain)])).toBe('notes');
  });

  it('does not mix folders whose names differ in a dash', () => {
    const first: IdentityFacts = { root: '/w/a-b/c', remotes: [], isShallow: false };
    expect(idOf({ root: '/w/a/b-c', remotes: [], isShallow: false }, [known('first', first)])).toBe('new');
  });

  it('is one on Windows whatever the case of the drive letter', () => {
    const windows = { platform: 'win32' };
    const upper: IdentityFacts = { root: 'C:\\Work\\App', remotes: [], isShallow: false };
    const registered = { id: 'app', aliases: aliasesOf(upper, windows) };
    expect(resolveIdentity({ ...upper, root: 'c:\\Work\\App' }, windows, [registered])).toMatchObject({ kind: 'known', id: 'app' });
  });
});
