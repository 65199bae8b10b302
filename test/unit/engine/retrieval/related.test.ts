/**
 * What stands near a memory, and the reasons given: on a real store, with the bundled model and without one.
 */
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openBundledEmbedder } from '../../../../src/engine/embedding/bundled/bundledEmbedder.ts';
import { createLazyEmbedderSource } from '../../../../src/engine/index.ts';
import type { Engine, EngineOptions, RelatedMemory } from '../../../../src/engine/index.ts';
import { repositoryDirectory } from '../../../support/program.ts';
import { acting, fromCli, openTestEngine, type TestEngine } from '../../../support/openTestEngine.ts';

const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

async function start(options: Partial<EngineOptions> = {}): Promise<TestEngine> {
  const test = await openTestEngine(options);
  open.push(test.engine);
  return test;
}

const add = async (engine: Engine, text: string, more: object = {}): Promise<string> => (await engine.remember({ text, provenance: fromCli, consolidate: false, ...more }, acting)).id;
const told = (related: readonly RelatedMemory[]): [string, string[]][] => related.map(({ memory, reasons }) => [memory.text, reasons.map(({ by, about }) => (about === undefined ? by : `${by} ${about}`))]);

describe('near a memory', () => {
  it('stands what shares words with it, and nothing that shares none, without a model', async () => {
    const { engine } = await start();
    const id = await add(engine, 'The orders service stores its orders in PostgreSQL 16');
    await add(engine, 'Back up the PostgreSQL of the orders service every night');
    await add(engine, 'Commit messages are written in English');
    expect(told(await engine.related(id))).toEqual([['Back up the PostgreSQL of the orders service every night', ['words']]]);
  });

  it('stands what means the same in other words, with the bundled model', async () => {
    const source = createLazyEmbedderSource(async () => openBundledEmbedder({ modelFolder: path.join(repositoryDirectory, 'media', 'models', 'all-minilm-l6-v2') }), () => Date.now());
    const { engine } = await start({ embedder: source, embedderWaitMs: 60_000 });
    const id = await add(engine, 'We store customer data in a PostgreSQL database');
    await add(engine, 'All information about clients is kept in Postgres tables');
    await add(engine, 'The office closes at six on Fridays');
    await engine.embedPending();
    const related = told(await engine.related(id));
    expect(related.map(([text]) => text)).toEqual(['All information about clients is kept in Postgres tables']);
    expect(related[0]?.[1]).toContain('meaning');
  });

  it('stands what points at the same file or says something of the same entity, though no word is shared', async () => {
    const { engine } = await start();
    const anchors = [{ path: 'src/auth/session.ts', startLine: 3, endLine: 9 }];
    const id = await add(engine, 'Tokens rotate twice a day', { anchors });
    const ofFile = await add(engine, 'Never log the cookie', { anchors: [{ path: 'src/auth/session.ts' }] });
    const ofEntity = await add(engine, 'Keycloak runs in Frankfurt');
    await add(engine, 'Commit messages are written in English', { anchors: [{ path: 'src/auth/login.ts' }] });
    await engine.relate({ subject: 'login', predicate: 'uses', object: 'Keycloak', memoryId: id });
    await engine.relate({ subject: 'Keycloak', predicate: 'runs in', object: 'Frankfurt', memoryId: ofEntity });
    expect((await engine.related(id)).map(({ memory, reasons }) => [memory.id, ...reasons])).toEqual([
      [ofFile, { by: 'file', about: 'src/auth/session.ts' }],
      [ofEntity, { by: 'entity', about: 'Keycloak' }],
    ]);
  });

  it('gives all reasons of one memory together, and repeats nothing that replaced it, was replaced by it, or is gone', async () => {
    const { engine } = await start();
    const anchors = [{ path: 'src/orders.ts' }];
    const older = await add(engine, 'The orders service uses MySQL 8', { anchors });
    const id = await add(engine, 'The orders service uses PostgreSQL 16', { anchors, supersedes: [older] });
    const near = await add(engine, 'The orders service uses pnpm', { anchors });
    const forgotten = await add(engine, 'The orders service uses yarn', { anchors });
    await engine.setStatus([forgotten], 'forgotten', 'forget', acting);
    expect((await engine.related(id)).map(({ memory, reasons }) => [memory.id, reasons.map(({ by }) => by)])).toEqual([[near, ['words', 'file', 'entity']]]);
    expect((await engine.related(older)).map(({ memory }) => memory.id)).toEqual([near]);
  });

  it('stands nothing of another branch that may not be seen here, and looking is no use', async () => {
    const { engine } = await start();
    const id = await add(engine, 'The orders service uses PostgreSQL 16');
    const here = await add(engine, 'The orders service uses pnpm', { scope: { level: 'branch', branch: 'main' } });
    const elsewhere = await add(engine, 'The orders service uses yarn', { scope: { level: 'branch', branch: 'fix' } });
    const ids = async (branch: string): Promise<string[]> => (await engine.related(id, { branch })).map(({ memory }) => memory.id);
    expect(await ids('main')).toEqual([here]);
    expect(await ids('fix')).toEqual([elsewhere]);
    expect((await engine.get(here)).memory.recallCount).toBe(0);
  });
});
