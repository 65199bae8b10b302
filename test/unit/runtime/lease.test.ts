/**
 * Leases: held by the living, never by the dead or by strangers.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHolders, readLivingOwner, readProcessStart, shareLease, tryAcquireLease } from '../../../src/runtime/lease.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

const lockFile = (): string => path.join(createTemporaryFolder('lease'), 'leases', 'some.lock');

describe('a lock', () => {
  it('is held by one, and free when it is let go', () => {
    const file = lockFile();
    const first = tryAcquireLease(file, 'me');
    expect(first?.isHeld()).toBe(true);
    expect(tryAcquireLease(file)).toBeUndefined();
    expect(readLivingOwner(file)).toMatchObject({ pid: process.pid, note: 'me' });
    first?.dispose();
    const second = tryAcquireLease(file);
    expect(second).toBeDefined();
    second?.dispose();
  });

  it('of a dead process blocks nobody', () => {
    const file = lockFile();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    fs.writeFileSync(file, JSON.stringify({ pid, token: 'gone' }));
    const lease = tryAcquireLease(file);
    expect(lease?.isHeld()).toBe(true);
    lease?.dispose();
  });

  it('whose pid now belongs to another program blocks nobody', () => {
    const file = lockFile();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const start = readProcessStart(process.ppid);
    fs.writeFileSync(file, JSON.stringify({ pid: process.ppid, start: start === undefined ? undefined : `${start}0`, token: 'stranger' }));
    // Where start times cannot be read, it is the missing heartbeat that tells.
    const longAgo = new Date(Date.now() - 3_600_000);
    fs.utimesSync(file, longAgo, longAgo);
    const lease = tryAcquireLease(file);
    expect(lease?.isHeld()).toBe(true);
    lease?.dispose();
  });

  it('of a living process is respected', async () => {
    const file = lockFile();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await new Promise((resolve) => child.once('spawn', resolve));
    fs.writeFileSync(file, JSON.stringify({ pid: child.pid, start: readProcessStart(child.pid ?? 0), token: 'alive' }));
    expect(tryAcquireLease(file)).toBeUndefined();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const lease = tryAcquireLease(file);
    expect(lease).toBeDefined();
    lease?.dispose();
  });

  it('that holds rubbish, as an old half-written file does, blocks nobody', () => {
    const file = lockFile();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '{"pid":');
    const longAgo = new Date(Date.now() - 60_000);
    fs.utimesSync(file, longAgo, longAgo);
    const lease = tryAcquireLease(file);
    expect(lease).toBeDefined();
    lease?.dispose();
  });

  it('is not given to a second process while a first replaces a dead owner', () => {
    const file = lockFile();
    fs.mkdirSync(`${file}.takeover`, { recursive: true });
    fs.writeFileSync(file, JSON.stringify({ pid: 2_147_483_646, token: 'gone' }));
    expect(tryAcquireLease(file)).toBeUndefined();
  });
});

describe('a shared lease', () => {
  it('lists its living holders and forgets the dead', () => {
    const folder = path.join(createTemporaryFolder('lease'), 'app', '1.0');
    const one = shareLease(folder, 'mcp');
    const two = shareLease(folder);
    fs.writeFileSync(path.join(folder, 'dead.json'), JSON.stringify({ pid: 2_147_483_646, token: 'dead' }));
    expect(readHolders(folder)).toHaveLength(2);
    expect(fs.existsSync(path.join(folder, 'dead.json'))).toBe(false);
    one.dispose();
    two.dispose();
    expect(readHolders(folder)).toEqual([]);
  });
});
