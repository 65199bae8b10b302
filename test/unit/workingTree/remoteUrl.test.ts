/**
 * Remote URLs in one spelling.
 */
import { describe, expect, it } from 'vitest';
import { normalizeRemoteUrl } from '../../../src/workingTree/index.ts';

describe('remote URLs', () => {
  it.each([
    'https://github.com/Org/App.git', 'https://github.com/org/app', 'https://user:secret@github.com/org/app.git/', 'git@github.com:org/app.git', 'ssh://git@github.com/org/app',
    'ssh://git@github.com:22/org/app.git', 'ssh://git@ssh.github.com:443/org/app.git', 'git://github.com/org/app.git', 'git+ssh://git@github.com/org/app.git', 'https://www.github.com/org/app',
  ])('%s is github.com/org/app', (url) => {
    expect(normalizeRemoteUrl(url)).toBe('github.com/org/app');
  });

  it('keep the case on hosts where it counts, and unusual ports', () => {
    expect(normalizeRemoteUrl('https://git.example.org/Team/App.git')).toBe('git.example.org/Team/App');
    expect(normalizeRemoteUrl('ssh://git@git.example.org:2222/team/app.git')).toBe('git.example.org:2222/team/app');
  });

  it('see one repository behind both addresses of Azure', () => {
    expect(normalizeRemoteUrl('git@ssh.dev.azure.com:v3/org/project/repo')).toBe(normalizeRemoteUrl('https://org@dev.azure.com/org/project/_git/repo'));
  });

  it('name local remotes by their path', () => {
    expect(normalizeRemoteUrl('/srv/git/app.git')).toBe('file:/srv/git/app');
    expect(normalizeRemoteUrl('file:///srv/git/app.git')).toBe('file:/srv/git/app');
    expect(normalizeRemoteUrl('../app.git', '/w/clone')).toBe('file:/w/app');
    expect(normalizeRemoteUrl('C:\\git\\App', undefined)).toBe('file:/C:/git/app');
  });

  it('never keep credentials', () => {
    expect(normalizeRemoteUrl('https://x-token:ghp_secret@git.example.org/a/b')).not.toContain('secret');
  });

  it.each(['', '   ', 'https://github.com', 'https://github.com/'])('%j names no repository', (url) => {
    expect(normalizeRemoteUrl(url)).toBeUndefined();
  });
});
