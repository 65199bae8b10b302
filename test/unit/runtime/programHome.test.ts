/**
 * Program home: whole copies, an atomic switch, and nothing pulled from under a process.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { homePaths } from '../../../src/runtime/paths.ts';
import { compareVersions, holdProgram, installProgram, launcherPath, programCommand, readCurrent, recordRuntime, removeUnusedPrograms } from '../../../src/runtime/programHome.ts';
import { createTemporaryFolder, writeFiles } from '../../support/temporaryFolder.ts';

const MINUTE = 60_000;
/** Long after the files of this test were written. */
const later = (minutes: number): number => Date.now() + minutes * MINUTE;

function makeProgram(version: string, contentHash: string): string {
  const folder = createTemporaryFolder('program');
  writeFiles(folder, { 'program.json': { version, contentHash, platform: 'test' }, 'launcher.cjs': `// ${contentHash}\n`, 'cairn.mjs': '', 'chunks/lazy.mjs': `export const hash = '${contentHash}';\n` });
  return folder;
}

const openHome = (): ReturnType<typeof homePaths> => homePaths(path.join(createTemporaryFolder('home'), '.cairn'));

describe('installing a program', () => {
  it('copies it whole, makes it current and writes the launcher', () => {
    const paths = openHome();
    const installed = installProgram(makeProgram('1.2.3', 'aaaa'), paths, 1);
    expect(installed.folder).toBe(path.join(paths.app, '1.2.3-aaaa'));
    expect(fs.readFileSync(path.join(installed.folder, 'chunks', 'lazy.mjs'), 'utf8')).toContain('aaaa');
    expect(readCurrent(paths)).toMatchObject({ version: '1.2.3', contentHash: 'aaaa', folder: installed.folder });
    expect(fs.readFileSync(launcherPath(paths), 'utf8')).toBe('// aaaa\n');
  });

  it('is done once: the same program again changes nothing', () => {
    const paths = openHome();
    const source = makeProgram('1.0.0', 'aaaa');
    installProgram(source, paths, 1);
    const before = fs.statSync(path.join(paths.app, '1.0.0-aaaa', 'program.json')).mtimeMs;
    installProgram(source, paths, 2);
    expect(fs.statSync(path.join(paths.app, '1.0.0-aaaa', 'program.json')).mtimeMs).toBe(before);
    expect(readCurrent(paths)?.switchedAt).toBe(1);
  });

  it('repairs a copy that was interrupted', () => {
    const paths = openHome();
    writeFiles(path.join(paths.app, '1.0.0-aaaa'), { 'cairn.mjs': 'half' });
    installProgram(makeProgram('1.0.0', 'aaaa'), paths, 1);
    expect(fs.existsSync(path.join(paths.app, '1.0.0-aaaa', 'chunks', 'lazy.mjs'))).toBe(true);
  });

  it('does not go back to an older version because an older editor starts', () => {
    const paths = openHome();
    installProgram(makeProgram('1.10.0', 'new0'), paths, 1);
    installProgram(makeProgram('1.9.0', 'old0'), paths, 2);
    expect(readCurrent(paths)?.version).toBe('1.10.0');
    expect(fs.existsSync(path.join(paths.app, '1.9.0-old0'))).toBe(true);
  });

  it('takes another build of the same version', () => {
    const paths = openHome();
    installProgram(makeProgram('1.0.0', 'aaaa'), paths, 1);
    installProgram(makeProgram('1.0.0', 'bbbb'), paths, 2);
    expect(readCurrent(paths)?.contentHash).toBe('bbbb');
  });

  it('survives a damaged pointer', () => {
    const paths = openHome();
    installProgram(makeProgram('1.0.0', 'aaaa'), paths, 1);
    fs.writeFileSync(path.join(paths.app, 'current.json'), '{"ver');
    expect(readCurrent(paths)).toBeUndefined();
    installProgram(makeProgram('1.0.0', 'aaaa'), paths, 2);
    expect(readCurrent(paths)?.contentHash).toBe('aaaa');
  });
});

describe('old programs', () => {
  it('stay while a process holds them and go when it has ended', () => {
    const paths = openHome();
    const old = installProgram(makeProgram('1.0.0', 'aaaa'), paths, Date.now());
    const lease = holdProgram(old.folder, paths, 'test');
    installProgram(makeProgram('2.0.0', 'bbbb'), paths, Date.now());
    expect(removeUnusedPrograms(paths, later(5))).toEqual([]);
    lease?.dispose();
    expect(removeUnusedPrograms(paths, later(5))).toEqual(['1.0.0-aaaa']);
    expect(fs.readdirSync(paths.app).sort()).toEqual(['2.0.0-bbbb', 'current.json']);
  });

  it('stay for a moment after the switch, since somebody may be starting them', () => {
    const paths = openHome();
    installProgram(makeProgram('1.0.0', 'aaaa'), paths, Date.now());
    installProgram(makeProgram('2.0.0', 'bbbb'), paths, Date.now());
    expect(removeUnusedPrograms(paths, Date.now() + 1_000)).toEqual([]);
    expect(removeUnusedPrograms(paths, later(5))).toEqual(['1.0.0-aaaa']);
  });
});

describe('the registered command', () => {
  it('is a recorded Node with the launcher, never a path of an editor or an extension', () => {
    const paths = openHome();
    recordRuntime(paths, { path: process.execPath, version: '24.1.0', isElectron: false }, 1);
    expect(programCommand(paths, ['mcp'], path.dirname(paths.home), 'linux')).toEqual({ command: process.execPath, args: [launcherPath(paths), 'mcp'], env: {} });
    expect(programCommand(paths, ['mcp'], createTemporaryFolder('elsewhere'), 'linux').env).toEqual({ CAIRN_HOME: paths.home });
  });

  it('goes through the shell launcher where only an editor can run it, and says ELECTRON_RUN_AS_NODE on Windows', () => {
    const paths = openHome();
    recordRuntime(paths, { path: process.execPath, version: '22.22.0', isElectron: true }, 1);
    expect(programCommand(paths, ['hook', 'Stop'], path.dirname(paths.home), 'linux')).toMatchObject({ command: path.join(paths.bin, 'cairn'), args: ['hook', 'Stop'] });
    expect(programCommand(paths, ['mcp'], path.dirname(paths.home), 'win32').env).toEqual({ ELECTRON_RUN_AS_NODE: '1' });
  });

  it('forgets a runtime that is too old or gone', () => {
    const paths = openHome();
    recordRuntime(paths, { path: process.execPath, version: '20.1.0', isElectron: false }, 1);
    expect(programCommand(paths, [], path.dirname(paths.home), 'linux').command).toBe(path.join(paths.bin, 'cairn'));
    expect(recordRuntime(paths, { path: process.execPath, version: '24.0.0', isElectron: false }, 2)).toBe(true);
    expect(recordRuntime(paths, { path: process.execPath, version: '24.0.0', isElectron: false }, 3)).toBe(false);
  });
});

describe('versions', () => {
  it.each([['1.2.9', '1.2.10', -1], ['1.2.0', '1.2.0', 0], ['2.0.0', '1.9.9', 1], ['1.0.0-beta.1', '1.0.0', -1], ['1.0.0', '1.0.0-beta.1', 1]] as const)('%s against %s is %i', (a, b, expected) => {
    expect(compareVersions(a, b)).toBe(expected);
  });
});
