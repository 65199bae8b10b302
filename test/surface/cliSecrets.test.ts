/** Secrets at the command line [P1]: masked as they come in, found in an old store, and let through where a person says that it is none. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';

let home: TemporaryHome;
let repository: TemporaryRepository;
beforeEach(async () => {
  home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  repository = createTemporaryRepository();
  await run('init', '--no-register');
});

const run = (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd: repository.directory });
const texts = async (): Promise<string[]> => (await run('list', '--json')).json<{ memories: { text: string }[] }>().memories.map(({ text }) => text);

/** Put together here, so that no scanner finds it in this file. */
const sample = ['The sample key in the docs is api', '_key = "', 'Zq8rT2mK9', 'wB4nL7vC1', 'xJ6hD3"'].join('');

describe('a false alarm', () => {
  it('is allowed by its text, and then remembered as it is', async () => {
    expect((await run('add', sample)).stdout).toContain('1 secret masked');
    expect(await texts()).toEqual([expect.stringContaining('[redacted:')]);
    expect((await run('doctor', '--allow-secret', sample)).code).toBe(0);
    await run('add', sample);
    expect(await texts()).toContain(sample);
  });

  it('is named by its fingerprint where it is in the store already, and allowed by it', async () => {
    await run('doctor', '--allow-secret', sample);
    await run('add', sample);
    await run('config', 'privacy.allowedSecrets', '--unset');
    const scan = await run('doctor', '--scan-secrets');
    const fingerprint = /--allow-secret ([0-9a-z]{11})/.exec(scan.stdout)?.[1] ?? '';
    expect(fingerprint).not.toBe('');
    expect(scan.stdout).not.toContain('Zq8rT2mK9');
    await run('doctor', '--allow-secret', fingerprint);
    expect((await run('doctor', '--scan-secrets')).stdout).toContain('No secrets found in the store.');
  });

  it('is not made of what looks like no secret', async () => {
    const refused = await run('doctor', '--allow-secret', 'just a sentence');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('Nothing in this text looks like a secret');
  });
});

describe('a value of the repository\'s .env files', () => {
  it('is masked wherever it is said, and is in no file of Cairn\'s home', async () => {
    const value = 'plumtree-sapphire-77-orbit';
    fs.writeFileSync(path.join(repository.directory, '.env.local'), `INTERNAL_TOKEN=${value}\nNODE_ENV=production\n`);
    await run('add', `Staging answers only with ${value} in the header, in production mode`);
    expect(await texts()).toEqual(['Staging answers only with [redacted:env-value] in the header, in production mode']);
    const bytes = fs.readdirSync(home.cairnHome, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1')).join('\n');
    expect(bytes).not.toContain(value);
  });
});
