/**
 * One embedder per user: elected, shared over a socket, handed on.
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { Embedder, EmbedderSource } from '../../../src/engine/index.ts';
import { homePaths, type HomePaths } from '../../../src/runtime/paths.ts';
import { estimateModelTokens } from '../../../src/runtime/residentEmbedder/client.ts';
import { addressFile, ownerLock, readAddress } from '../../../src/runtime/residentEmbedder/protocol.ts';
import { createResidentSource, type ResidentSourceOptions } from '../../../src/runtime/residentEmbedder/residentSource.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const sources: EmbedderSource[] = [];
afterEach(async () => {
  for (const source of sources.splice(0).reverse()) await source.close();
});

/** Vectors that tell which text they are of. */
function createEmbedder(name: string, log: string[]): Embedder {
  return {
    version: 'test-1', dimensions: 4, countTokens: (text) => text.length,
    embed: async (texts, { role }) => {
      log.push(`${name} embeds ${texts.length} ${role}`);
      if (texts.includes('bad')) throw new Error('bad text');
      return texts.map((text) => Float32Array.from([text.length, text.charCodeAt(0), 0.25, -1]));
    },
    close: async () => void log.push(`${name} closed`),
  };
}

function openSource(paths: HomePaths, name: string, log: string[], options: Partial<ResidentSourceOptions> = {}): EmbedderSource {
  const source = createResidentSource({
    role: 'host', paths, clock: systemClock, version: '1.0.0', model: () => 'bundled',
    load: async () => {
      log.push(`${name} loads`);
      return createEmbedder(name, log);
    },
    ...options,
  });
  sources.push(source);
  return source;
}

const openHome = (): HomePaths => homePaths(path.join(createTemporaryFolder('home'), 'a very long folder name that no socket path could hold '.repeat(2).trim()));

describe('the resident embedder', () => {
  it('loads the model in one process and serves the others', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    const owner = await openSource(paths, 'owner', log).get();
    const guest = await openSource(paths, 'guest', log).get();
    const command = await openSource(paths, 'command', log, { role: 'command' }).get();
    const hook = await openSource(paths, 'hook', log, { role: 'hook' }).get();
    expect(log).toEqual(['owner loads']);
    for (const embedder of [owner, guest, command, hook]) {
      expect(embedder).toMatchObject({ version: 'test-1', dimensions: 4 });
      expect(await embedder?.embed(['ab', '中'], { role: 'query' })).toEqual([Float32Array.from([2, 97, 0.25, -1]), Float32Array.from([1, 20013, 0.25, -1])]);
    }
  });

  it('is elected: of several that start at once one loads', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    const started = await Promise.all(['a', 'b', 'c', 'd'].map((name) => openSource(paths, name, log).get()));
    expect(started.every((embedder) => embedder !== undefined)).toBe(true);
    expect(log.filter((line) => line.endsWith('loads'))).toHaveLength(1);
  });

  it('is not loaded by a hook, and by a command only for itself', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    expect(await openSource(paths, 'hook', log, { role: 'hook' }).get()).toBeUndefined();
    expect(await openSource(paths, 'command', log, { role: 'command' }).get()).toBeDefined();
    expect(fs.existsSync(addressFile(paths))).toBe(false);
    expect(log).toEqual(['command loads']);
  });

  it('is found anew when its owner ends', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    const first = openSource(paths, 'first', log);
    await first.get();
    const second = openSource(paths, 'second', log);
    const embedder = await second.get();
    await first.close();
    expect(fs.existsSync(ownerLock(paths))).toBe(false);
    await waitUntil(() => second.state() !== 'ready', 'the loss to be noticed');
    expect(await embedder?.embed(['ab'], { role: 'passage' })).toHaveLength(1);
    expect(log).toContain('second loads');
    expect(readAddress(paths)).toBeDefined();
  });

  it('is taken over from an owner of an older version', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    await openSource(paths, 'old', log, { version: '1.0.0' }).get();
    await openSource(paths, 'new', log, { version: '1.1.0' }).get();
    expect(readAddress(paths)?.version).toBe('1.1.0');
    await openSource(paths, 'older', log, { version: '1.0.5' }).get();
    expect(log.filter((line) => line.endsWith('loads'))).toEqual(['old loads', 'new loads']);
  });

  it('gives its memory back when nobody uses it', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    const source = openSource(paths, 'owner', log, { idleMs: 1 });
    await source.get();
    await waitUntil(() => log.includes('owner closed'), 'the idle owner to leave');
    expect(fs.existsSync(ownerLock(paths))).toBe(false);
    expect(await (await source.get())?.embed(['a'], { role: 'query' })).toHaveLength(1);
  });

  it('passes failures on by name and goes on serving', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    await openSource(paths, 'owner', log).get();
    const guest = await openSource(paths, 'guest', log).get();
    await expect(guest?.embed(['bad'], { role: 'query' })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED', message: 'bad text' });
    expect(await guest?.embed(['good'], { role: 'query' })).toHaveLength(1);
    const controller = new AbortController();
    controller.abort();
    await expect(guest?.embed(['good'], { role: 'query', signal: controller.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('does not serve whoever lacks the token, and keeps its address to the user', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    await openSource(paths, 'owner', log).get();
    const address = readAddress(paths);
    expect(fs.statSync(addressFile(paths)).mode & 0o777).toBe(0o600);
    expect(Buffer.byteLength(address?.socket ?? '')).toBeLessThan(100);
    const answer = await new Promise<string>((resolve) => {
      const socket = net.connect(address?.socket ?? '');
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      socket.on('error', () => undefined);
      socket.write(`${JSON.stringify({ type: 'hello', protocol: 1, version: '1.0.0', token: 'f'.repeat(64), model: 'bundled' })}\n`);
    });
    expect(answer).toBe('');
  });

  it('is passed over when it left an address but is gone', async () => {
    const [paths, log] = [openHome(), [] as string[]];
    fs.mkdirSync(paths.leases, { recursive: true });
    fs.writeFileSync(addressFile(paths), JSON.stringify({ socket: path.join(createTemporaryFolder('gone'), 'x.sock'), token: 'a', protocol: 1, version: '9.0.0', model: 'bundled' }));
    expect(await openSource(paths, 'next', log).get()).toBeDefined();
    expect(log).toEqual(['next loads']);
  });

  it('says why when the model cannot be loaded, and is off by setting', async () => {
    const paths = openHome();
    const failing = openSource(paths, 'x', [], { load: async () => Promise.reject(new Error('no such file')) });
    expect(await failing.get()).toBeUndefined();
    expect([failing.state(), failing.failure()]).toEqual(['failed', 'no such file']);
    expect(fs.existsSync(ownerLock(paths))).toBe(false);
    const off = openSource(paths, 'x', [], { model: () => 'off' });
    expect([await off.get(), off.state()]).toEqual([undefined, 'off']);
  });
});

describe('the estimate of model tokens', () => {
  it('counts words by thirds, CJK by characters and marks one by one', () => {
    expect(estimateModelTokens('the cat')).toBe(2);
    expect(estimateModelTokens('数据库')).toBe(3);
    expect(estimateModelTokens('a.b(c)')).toBe(6);
    expect(estimateModelTokens('internationalization')).toBe(7);
  });
});
