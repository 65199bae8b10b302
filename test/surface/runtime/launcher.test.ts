/**
 * The launcher and the program home, as registered commands meet them: no editor, no
 * extension folder, perhaps no fitting Node.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { homePaths, type HomePaths } from '../../../src/runtime/paths.ts';
import { installProgram, launcherPath, readCurrent, recordRuntime, removeUnusedPrograms, writeShellLauncher } from '../../../src/runtime/programHome.ts';
import { openRawMcpClient, toolText } from '../../support/mcpClient.ts';
import { repositoryDirectory } from '../../support/program.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';
import { createTemporaryHome, type TemporaryHome } from '../../support/temporaryHome.ts';
import { createTemporaryRepository } from '../../support/temporaryRepository.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const BUILT = path.join(repositoryDirectory, 'dist', 'program');
/** A runtime of today without what Cairn needs. */
const CRIPPLED = ['--no-experimental-sqlite'];

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], home: TemporaryHome, env: Readonly<Record<string, string>> = {}): Ended {
  return spawnSync(command, args, { encoding: 'utf8', cwd: home.home, env: { ...home.env, ...env }, input: '' });
}

/** What an extension folder is: a copy of the built program somewhere that an update removes. */
function copyProgram(): string {
  const folder = path.join(createTemporaryFolder('extension'), 'program');
  fs.cpSync(BUILT, folder, { recursive: true });
  return folder;
}

function installInto(home: TemporaryHome, source = BUILT): HomePaths {
  const paths = homePaths(home.cairnHome);
  installProgram(source, paths, Date.now());
  return paths;
}

/** The same Node under another name, since the launcher does not try the one that has just failed. */
function otherNode(): string {
  const link = path.join(createTemporaryFolder('node'), 'other-node');
  fs.symlinkSync(process.execPath, link);
  return link;
}

describe('the launcher', () => {
  it('runs the current program of its home with arguments, exit code and streams', () => {
    const home = createTemporaryHome();
    const paths = installInto(home);
    const good = run(process.execPath, [launcherPath(paths), '--version'], home);
    expect(good).toMatchObject({ status: 0, stderr: '' });
    expect(good.stdout).toContain('0.1.0');
    expect(run(process.execPath, [launcherPath(paths), 'no-such-command'], home).status).toBe(2);
  });

  it('takes another recorded runtime where its own has no node:sqlite', () => {
    const home = createTemporaryHome();
    const paths = installInto(home);
    recordRuntime(paths, { path: otherNode(), version: process.versions.node, isElectron: true }, Date.now());
    const ended = run(process.execPath, [...CRIPPLED, launcherPath(paths), '--version'], home, { PATH: '' });
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toContain('0.1.0');
  });

  it('takes a node on the PATH where nothing recorded is left', () => {
    const home = createTemporaryHome();
    const paths = installInto(home);
    recordRuntime(paths, { path: path.join(home.home, 'gone', 'code'), version: '22.20.0', isElectron: true }, Date.now());
    const folder = createTemporaryFolder('path');
    fs.symlinkSync(process.execPath, path.join(folder, 'node'));
    expect(run(process.execPath, [...CRIPPLED, launcherPath(paths), '--version'], home, { PATH: folder })).toMatchObject({ status: 0 });
  });

  it('ends in silence for a hook, and says the cure for a server, where nothing fits', () => {
    const home = createTemporaryHome();
    const paths = installInto(home);
    expect(run(process.execPath, [...CRIPPLED, launcherPath(paths), 'hook', 'Stop'], home, { PATH: '' })).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const server = run(process.execPath, [...CRIPPLED, launcherPath(paths), 'mcp'], home, { PATH: '' });
    expect(server).toMatchObject({ status: 1, stdout: '' });
    expect(server.stderr).toMatch(/node:sqlite.*Install Node 24/s);
  });

  it('ends in silence for a hook after Cairn is gone', () => {
    const home = createTemporaryHome();
    const paths = installInto(home);
    fs.rmSync(paths.app, { recursive: true });
    expect(run(process.execPath, [launcherPath(paths), 'hook', 'Stop'], home)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(run(process.execPath, [launcherPath(paths), 'mcp'], home)).toMatchObject({ status: 1, stdout: '' });
  });

  it('is started by the shell launcher with the first runtime that is there', () => {
    const home = createTemporaryHome();
    const paths = installInto(home);
    recordRuntime(paths, { path: otherNode(), version: process.versions.node, isElectron: true }, Date.now());
    writeShellLauncher(paths);
    const ended = run(path.join(paths.bin, 'cairn'), ['--version'], home, { PATH: '/usr/bin:/bin' });
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(fs.statSync(path.join(paths.bin, 'cairn')).mode & 0o777).toBe(0o700);
  });

  it('leaves no experimental warning on stderr', () => {
    const home = createTemporaryHome();
    const paths = installInto(home);
    const { directory } = createTemporaryRepository();
    const ended = run(process.execPath, [launcherPath(paths), 'status', '-C', directory, '--json'], home);
    expect(ended.status).toBe(0);
    expect(ended.stderr).not.toMatch(/ExperimentalWarning/);
    expect(JSON.parse(ended.stdout)).toMatchObject({ version: '0.1.0' });
  });
});

describe('a running server', () => {
  it('goes on, with code it has not loaded yet, after the extension folder is deleted and a newer program is installed', async () => {
    const home = createTemporaryHome();
    const extension = copyProgram();
    const paths = installInto(home, extension);
    const { directory } = createTemporaryRepository();
    expect(run(process.execPath, [launcherPath(paths), 'init', '-C', directory, '--no-register', '--json'], home).status).toBe(0);
    const old = readCurrent(paths);
    const client = openRawMcpClient({ home, cwd: directory, program: launcherPath(paths) });
    await client.initialize();
    fs.rmSync(path.dirname(extension), { recursive: true });
    await waitUntil(() => fs.existsSync(path.join(paths.leases, 'app')) && fs.readdirSync(path.join(paths.leases, 'app')).length > 0, 'the lease');

    const newer = copyProgram();
    fs.writeFileSync(path.join(newer, 'program.json'), JSON.stringify({ version: '0.2.0', contentHash: 'newer', platform: 'test' }));
    installProgram(newer, paths, Date.now());
    expect(readCurrent(paths)?.version).toBe('0.2.0');
    expect(removeUnusedPrograms(paths, Date.now() + 600_000)).toEqual([]);

    const stored = await client.request('tools/call', { name: 'remember', arguments: { text: 'Servers outlive their extension.' } });
    expect(toolText(stored.result)).not.toBe('');
    expect(stored.result?.['isError'] ?? false).toBe(false);
    const recalled = await client.request('tools/call', { name: 'recall', arguments: { query: 'servers extension' } });
    expect(recalled.error).toBeUndefined();
    await client.close();
    await waitUntil(() => removeUnusedPrograms(paths, Date.now() + 600_000).includes(path.basename(old?.folder ?? '')), 'the old program to be free');
  });
});
