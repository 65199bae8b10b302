/**
 * When two spellings of a folder are one folder, by the rules of each system.
 */
import { describe, expect, it } from 'vitest';
import { pathKey, toNativePath } from '../../../src/runtime/pathKeys.ts';

const linux = { platform: 'linux' };
const windows = { platform: 'win32' };
const wsl = { platform: 'linux', wslDistribution: 'Debian' };

describe('path keys', () => {
  it('ignore the case of the drive letter on Windows', () => {
    expect(pathKey('c:\\Work\\App', windows)).toBe(pathKey('C:\\Work\\App', windows));
    expect(pathKey('C:/Work/App/', windows)).toBe(pathKey('C:\\work\\app', windows));
  });

  it('keep the case on Linux', () => {
    expect(pathKey('/w/App', linux)).not.toBe(pathKey('/w/app', linux));
  });

  it('are lossless: a dash is no slash', () => {
    expect(pathKey('/w/a-b/c', linux)).not.toBe(pathKey('/w/a/b-c', linux));
    expect(pathKey('C:\\w\\a-b\\c', windows)).not.toBe(pathKey('C:\\w\\a\\b-c', windows));
  });

  it('see one folder behind both names of a WSL share, and keep the case inside it', () => {
    expect(pathKey('\\\\wsl$\\Debian\\home\\u\\App', windows)).toBe(pathKey('\\\\wsl.localhost\\debian\\home\\u\\App', windows));
    expect(pathKey('\\\\wsl$\\Debian\\home\\u\\App', windows)).not.toBe(pathKey('\\\\wsl$\\Debian\\home\\u\\app', windows));
  });

  it('know UNC shares and the long form of a path', () => {
    expect(pathKey('\\\\Server\\Share\\App', windows)).toBe(pathKey('//server/share/app', windows));
    expect(pathKey('\\\\?\\C:\\Work\\App', windows)).toBe(pathKey('C:\\Work\\App', windows));
    expect(pathKey('\\\\?\\UNC\\server\\share', windows)).toBe(pathKey('\\\\server\\share', windows));
  });

  it('compose Unicode on macOS and leave it alone on Linux', () => {
    expect(pathKey('/u/cafe\u0301', { platform: 'darwin' })).toBe(pathKey('/u/caf\u00e9', { platform: 'darwin' }));
    expect(pathKey('/u/cafe\u0301', linux)).not.toBe(pathKey('/u/caf\u00e9', linux));
  });

  it('keep spaces and non-ASCII letters', () => {
    expect(pathKey('/w/my app 目录', linux)).toBe('/w/my app 目录');
    expect(pathKey('/', linux)).toBe('/');
  });
});

describe('native paths', () => {
  it('translate what WSL and Windows both can name', () => {
    expect(toNativePath('\\\\wsl.localhost\\Debian\\home\\u\\app', wsl)).toBe('/home/u/app');
    expect(toNativePath('\\\\wsl$\\debian\\home\\u\\app', wsl)).toBe('/home/u/app');
    expect(toNativePath('C:\\w\\app', wsl)).toBe('/mnt/c/w/app');
    expect(toNativePath('/mnt/c/w/app', windows)).toBe('C:\\w\\app');
    expect(toNativePath('/c/w/app', windows)).toBe('C:\\w\\app');
  });

  it('give the same key for both spellings of one folder', () => {
    expect(pathKey(toNativePath('/mnt/c/w/app', windows), windows)).toBe(pathKey(toNativePath('c:\\W\\app', windows), windows));
    expect(pathKey(toNativePath('\\\\wsl.localhost\\Debian\\home\\u\\app', wsl), wsl)).toBe(pathKey('/home/u/app', wsl));
  });

  it.each([
    ['a Windows path on plain Linux', 'C:\\w\\app', linux],
    ['a WSL share on plain Linux', '\\\\wsl.localhost\\Debian\\home\\u\\app', linux],
    ['a share of another WSL distribution', '\\\\wsl.localhost\\Ubuntu\\home\\u\\app', wsl],
    ['a network share on Linux', '\\\\server\\share\\app', linux],
    ['a Linux path on Windows', '/home/u/app', windows],
  ])('refuse %s instead of making a folder of that name', (_, path, system) => {
    expect(() => toNativePath(path, system)).toThrow(expect.objectContaining({ code: 'PATH_FOREIGN' }));
  });

  it('leave a backslash inside a Linux name alone', () => {
    expect(toNativePath('/w/odd\\name', linux)).toBe('/w/odd\\name');
  });
});
