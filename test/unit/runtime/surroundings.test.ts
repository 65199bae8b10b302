/**
 * The surroundings of a process: log, kinds of disks, .env values, consent without an engine.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createIdSource } from '../../../src/base/ids.ts';
import { readConsent } from '../../../src/runtime/consentReader.ts';
import { createEnvValuesReader } from '../../../src/runtime/envValues.ts';
import { assertSafePlace, classifyPlace } from '../../../src/runtime/fileSystems.ts';
import { createLogSink, type LogLevel } from '../../../src/runtime/logSink.ts';
import { homePaths } from '../../../src/runtime/paths.ts';
import { openRegistry } from '../../../src/runtime/registry.ts';
import { Repositories } from '../../../src/runtime/repositories.ts';
import { Settings } from '../../../src/runtime/settings.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { createTemporaryFolder, writeFiles } from '../../support/temporaryFolder.ts';
import { createTemporaryRepository } from '../../support/temporaryRepository.ts';

describe('the log', () => {
  const open = (level: LogLevel, maxBytes = 10_000): ReturnType<typeof createLogSink> => createLogSink({ folder: path.join(createTemporaryFolder('log'), 'logs'), clock: new FakeClock(), level: () => level, process: 'test', maxBytes, keptFiles: 2 });

  it('writes one line per entry and nothing below its level', () => {
    const log = open('warning');
    log.write('info', 'not this');
    log.write('warning', 'this\nis one line', { code: 'STORE_LOCKED', count: 3 });
    const lines = fs.readFileSync(log.file, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^2026-03-01T09:00:00\.000Z warning test:\d+ this is one line code="STORE_LOCKED" count=3$/);
    expect(fs.statSync(log.file).mode & 0o777).toBe(0o600);
  });

  it('turns over and stays bounded', () => {
    const log = open('info', 500);
    for (let i = 0; i < 100; i += 1) log.write('info', `entry ${i}`);
    const names = fs.readdirSync(path.dirname(log.file)).sort();
    expect(names).toEqual(['cairn.1.log', 'cairn.2.log', 'cairn.log']);
    for (const name of names) expect(fs.statSync(path.join(path.dirname(log.file), name)).size).toBeLessThanOrEqual(500);
  });

  it('never fails its caller', () => {
    const folder = path.join(createTemporaryFolder('log'), 'a-file');
    fs.writeFileSync(folder, '');
    expect(() => createLogSink({ folder, clock: new FakeClock(), level: () => 'info', process: 'test' }).write('error', 'x')).not.toThrow();
  });
});

describe('the place of a home', () => {
  it.each([
    ['/home/u/.cairn', { platform: 'linux', type: 0xef53 }, 'local'], ['/home/u/.cairn', { platform: 'linux', type: 0x6969 }, 'network'], ['/home/u/.cairn', { platform: 'linux', type: 0xff534d42 }, 'network'],
    ['/mnt/c/Users/u/.cairn', { platform: 'linux', type: 0x01021997 }, 'foreign'], ['/root/.cairn', { platform: 'linux', type: 0x794c7630, inContainer: true }, 'ephemeral'], ['/root/.cairn', { platform: 'linux', type: 0x794c7630 }, 'local'],
    ['/home/u/Dropbox/cairn', { platform: 'linux', type: 0xef53 }, 'sync'], ['C:\\Users\\u\\OneDrive - Firm\\cairn', { platform: 'win32' }, 'sync'], ['\\\\server\\share\\cairn', { platform: 'win32' }, 'network'],
    ['/Users/u/Library/Mobile Documents/cairn', { platform: 'darwin' }, 'sync'], ['/home/u/Dropboxes/cairn', { platform: 'linux', type: 0xef53 }, 'local'],
  ] as const)('%s with %j is %s', (folder, facts, kind) => {
    expect(classifyPlace(folder, facts).kind).toBe(kind);
  });

  it('and of added models may be given from the user\'s folder on, wherever a process was started', () => {
    const models = (given: string): string => homePaths('/data/cairn', { CAIRN_MODELS_DIR: given }, '/home/ann').models;
    expect(['', '~/models', 'models', '/opt/models'].map(models)).toEqual(['/data/cairn/models', '/home/ann/models', '/home/ann/models', '/opt/models']);
  });

  it('is refused in a sync folder that does not exist yet', () => {
    expect(() => assertSafePlace(path.join(createTemporaryFolder('home'), 'Nextcloud', 'cairn'), {})).toThrow(expect.objectContaining({ code: 'STORE_NETWORK_FILE_SYSTEM' }));
  });
});

describe('.env values', () => {
  it('are those long enough to be secrets, read anew when a file changes', () => {
    const root = createTemporaryFolder('env');
    const clock = new FakeClock();
    writeFiles(root, { '.env': 'TOKEN=abcdef123456\nPORT=3000\nMODE=development\n', '.env.local': 'DB="p@ss word one"\n', '.env.example': 'TOKEN=put-your-token-here\n' });
    const read = createEnvValuesReader(root, () => clock.now());
    expect([...read()].sort()).toEqual(['abcdef123456', 'p@ss word one']);
    writeFiles(root, { '.env': 'TOKEN=another-secret-value\n' });
    clock.advance(10_000);
    expect(read()).toContain('another-secret-value');
  });
});

describe('consent without an engine', () => {
  it('is no before anything exists, and follows switch and pause', async () => {
    const home = createTemporaryFolder('consent');
    const env = { CAIRN_HOME: path.join(home, '.cairn') };
    const { directory } = createTemporaryRepository();
    expect(await readConsent(env, directory, home)).toBe(false);
    expect(fs.existsSync(env.CAIRN_HOME)).toBe(false);
    const paths = homePaths(env.CAIRN_HOME);
    const clock = new FakeClock();
    const system = { platform: process.platform };
    const registry = await openRegistry({ file: paths.registry, repositories: paths.repositories, clock, ids: createIdSource(clock), system });
    const located = await new Repositories({ registry: async () => registry, env, system, osHome: home }).locate(directory, { register: true, mayRunGit: false });
    const id = located.identity?.id ?? '';
    const settings = new Settings({ paths, env });
    expect(await readConsent(env, directory, home)).toBe(false);
    settings.set('enabled', true, 'repository', id);
    expect(await readConsent(env, path.join(directory, 'src'), home)).toBe(true);
    settings.set('paused', true, 'user');
    expect(await readConsent(env, directory, home)).toBe(false);
    settings.set('paused', undefined, 'user');
    settings.set('enabled', false, 'repository', id);
    settings.set('enabledEverywhere', true, 'user');
    expect(await readConsent(env, directory, home)).toBe(false);
    registry.close();
  });
});
