/** The command line changes the model [O5]: staged, resumable, nothing lost when it fails or is killed. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTransformers, makeHubModel, PACKAGES } from '../support/hubModel.ts';
import { notRunHere } from '../support/notRunHere.ts';
import { findProgram } from '../support/program.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';

interface Status {
  readonly version?: string;
  readonly stores: readonly { readonly role: string; readonly pending: number; readonly versions: readonly { readonly version: string; readonly vectors: number }[] }[];
}

const MEMORIES = 120;
const hasTransformers = (await findTransformers()) !== undefined;

async function prepare(): Promise<{ home: TemporaryHome; cwd: string; vectors: () => Promise<Record<string, number>> }> {
  const home = createTemporaryHome({ files: { '.cairn/config.json': { 'embedding.model': 'hashing' } } });
  const cwd = createTemporaryRepository().directory;
  const lines = Array.from({ length: MEMORIES }, (_, i) => JSON.stringify({ text: `Service number ${i} is deployed from folder ${i * 7}.` })).join('\n');
  await runCairn(['import', '-', '--no-consolidate'], { home, cwd, stdin: lines });
  await runCairn(['embeddings', 'backfill'], { home, cwd });
  const vectors = async (): Promise<Record<string, number>> => {
    const { stores } = (await runCairn(['embeddings', '--json'], { home, cwd })).json<Status>();
    return Object.fromEntries(stores.flatMap(({ versions }) => versions.map(({ version, vectors: count }) => [version.replace(/-[0-9a-f]{12}$/, ''), count])));
  };
  return { home, cwd, vectors };
}

describe('cairn embeddings switch', () => {
  it('gives every memory a vector of the new model, then takes the old ones away, and keeps the setting', async () => {
    const { home, cwd, vectors } = await prepare();
    const before = await vectors();
    expect(Object.values(before)).toEqual([MEMORIES]);
    const result = (await runCairn(['embeddings', 'switch', 'use-multilingual', '--json'], { home, cwd })).json<Status & { embedded: number; dropped: number }>();
    expect(result).toMatchObject({ embedded: MEMORIES, dropped: MEMORIES });
    expect(await vectors()).toEqual({ 'use-multilingual': MEMORIES });
    expect((await runCairn(['config', 'embedding.model'], { home, cwd })).stdout).toContain('use-multilingual');
  });

  if (hasTransformers) {
    it('takes a folder in the layout of the hub, embeds what is there with its model, and finds by it', async () => {
      const { home, cwd, vectors } = await prepare();
      fs.symlinkSync(PACKAGES, path.join(home.cairnHome, 'packages'), 'junction');
      const switched = await runCairn(['embeddings', 'switch', makeHubModel(createTemporaryFolder('hub'), 'my-model'), '--json'], { home, cwd });
      expect(switched.json(), switched.stderr).toMatchObject({ embedded: MEMORIES, dropped: MEMORIES });
      expect(await vectors()).toEqual({ 'transformers-my-model-q8': MEMORIES });
      await runCairn(['add', 'Dependencies are installed with pnpm, never with npm.'], { home, cwd });
      const found = (await runCairn(['search', '--mode', 'semantic', 'which package manager?', '--json'], { home, cwd })).json<{ results: { text: string }[] }>();
      expect(found.results[0]?.text).toContain('pnpm');
    });
  } else notRunHere('cairn embeddings switch to a model from the hub', 'the package registry cannot be reached');

  it('leaves setting and vectors alone when the model cannot serve', async () => {
    const { home, cwd, vectors } = await prepare();
    const before = await vectors();
    const failed = await runCairn(['embeddings', 'switch', 'no-such-model', '--json'], { home, cwd });
    expect(failed.code).toBe(1);
    expect(failed.json<{ error: { code: string; message: string } }>().error).toMatchObject({ code: 'EMBEDDING_FAILED', message: expect.stringContaining('no-such-model') as string });
    expect(await vectors()).toEqual(before);
    expect((await runCairn(['config', 'embedding.model'], { home, cwd })).stdout).toContain('hashing');
  });

  it('keeps the old vectors when it is killed, and the same command goes on where it stopped', async () => {
    const { home, cwd, vectors } = await prepare();
    const [old = ''] = Object.keys(await vectors());
    const child = spawn(process.execPath, [findProgram(), 'embeddings', 'switch', 'use-multilingual'], { cwd, env: home.env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await waitUntil(async () => child.exitCode !== null || ((await vectors())['use-multilingual'] ?? 0) > 0, 'the first vectors of the new model');
    child.kill('SIGKILL');
    await ended;
    const between = await vectors();
    // On a fast machine the switch may have been through; else nothing old is gone.
    if ((between['use-multilingual'] ?? 0) < MEMORIES) expect(between[old]).toBe(MEMORIES);
    await runCairn(['embeddings', 'switch', 'use-multilingual'], { home, cwd });
    expect(await vectors()).toEqual({ 'use-multilingual': MEMORIES });
  });

  it('says how it is called when a model is missing or where none belongs', async () => {
    const home = createTemporaryHome();
    const cwd = createTemporaryRepository().directory;
    for (const args of [['switch'], ['backfill', 'bundled'], ['switch', 'off']]) {
      const run = await runCairn(['embeddings', ...args, '--json'], { home, cwd });
      expect(run.json<{ error: { code: string } }>().error.code).toBe('INPUT_INVALID');
    }
  });
});
