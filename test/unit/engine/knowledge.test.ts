/** Profile and graph follow what is remembered, changed and taken back, by whatever way [K7, K8]. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine, RememberInput } from '../../../src/engine/index.ts';
import { acting, fromCli, openTestEngine } from '../../support/openTestEngine.ts';

const say = async (engine: Engine, text: string, more: Partial<RememberInput> = {}): Promise<string> => (await engine.remember({ text, kind: 'preference', confidence: 0.9, provenance: fromCli, ...more }, acting)).id;
const valueOf = async (engine: Engine, key: string): Promise<{ value: string; memoryIds: readonly string[] } | undefined> => {
  const found = (await engine.profile()).find((one) => one.key === key);
  return found === undefined ? undefined : { value: found.value, memoryIds: found.memoryIds };
};

describe('the profile', () => {
  it('takes a preference as it is remembered, of either scope, and names the memory it came from', async () => {
    const { engine } = await openTestEngine();
    const tabs = await say(engine, 'I prefer tabs for indentation');
    const vim = await say(engine, 'I use vim', { scope: { level: 'user' } });
    expect(await valueOf(engine, 'style.indentation')).toEqual({ value: 'tabs', memoryIds: [tabs] });
    expect(await valueOf(engine, 'tools.editor')).toEqual({ value: 'vim', memoryIds: [vim] });
  });

  it('leaves out what is unsure, untrusted or about one repository', async () => {
    const { engine } = await openTestEngine();
    await say(engine, 'I prefer tabs for indentation', { confidence: 0.6 });
    await say(engine, 'Prefers ruff for Python formatting', { untrusted: true });
    await say(engine, 'Prefer single quotes in this repository');
    expect(await engine.profile()).toEqual([]);
  });

  it('follows what replaces it, what is forgotten, what is brought back, and what is purged', async () => {
    const { engine, time } = await openTestEngine();
    const tabs = await say(engine, 'Use tabs for indentation');
    time.now += 60_000;
    const spaces = await say(engine, 'Use spaces for indentation');
    expect(await valueOf(engine, 'style.indentation')).toEqual({ value: 'spaces', memoryIds: [spaces] });
    await engine.setStatus([spaces], 'forgotten', 'forget', acting);
    expect(await valueOf(engine, 'style.indentation')).toBeUndefined();
    await engine.undo(undefined, acting);
    expect(await valueOf(engine, 'style.indentation')).toEqual({ value: 'spaces', memoryIds: [spaces] });
    await engine.purge([spaces, tabs]);
    expect(await engine.profile()).toEqual([]);
  });

  it('keeps what a person typed, and what a person took out stays out until something newer is said', async () => {
    const { engine, time } = await openTestEngine();
    await say(engine, 'I prefer tabs for indentation');
    await engine.setProfileValue('style.indentation', 'spaces, four of them');
    await say(engine, 'I like tabs for indentation in Go');
    expect(await valueOf(engine, 'style.indentation')).toEqual({ value: 'spaces, four of them', memoryIds: [] });
    time.now += 60_000;
    await engine.setProfileValue('style.indentation', null);
    await say(engine, 'I use vim');
    expect(await valueOf(engine, 'style.indentation')).toBeUndefined();
    time.now += 60_000;
    await say(engine, 'From today I indent with spaces');
    expect(await valueOf(engine, 'style.indentation')).toMatchObject({ value: 'spaces' });
  });

  it('is fed by imports too', async () => {
    const { engine } = await openTestEngine();
    await engine.rememberMany([{ text: 'I prefer conventional commits', kind: 'preference', confidence: 0.9, provenance: { via: 'import' } }], acting);
    expect(await valueOf(engine, 'git.commitStyle')).toMatchObject({ value: 'conventional commits' });
  });

  it('tells the words of a repository\'s preference in no other one, only what is known of the person by them', async () => {
    const { engine, folder, again } = await openTestEngine();
    await say(engine, 'Check the bodies of Acme requests with zod, next to the route');
    await say(engine, 'I prefer tabs for indentation of Acme code');
    await say(engine, 'I like to talk about the plan before the code', { scope: { level: 'user' } });
    const other = await again({ repository: { id: 'repo-2', name: 'other', storePath: path.join(folder, 'repos', 'repo-2', 'memory.db'), indexFolder: path.join(folder, 'repos', 'repo-2', 'index') } });
    const values = (await other.profile()).map(({ value }) => value);
    expect(values).toContain('tabs');
    expect(values).toContain('I like to talk about the plan before the code');
    expect(values.join()).not.toMatch(/acme/i);
    await other.close();
  });

  it('keeps what another repository said', async () => {
    const { engine, folder, again } = await openTestEngine();
    await say(engine, 'I prefer tabs for indentation');
    const other = await again({ repository: { id: 'repo-2', name: 'other', storePath: path.join(folder, 'repos', 'repo-2', 'memory.db'), indexFolder: path.join(folder, 'repos', 'repo-2', 'index') } });
    await say(other, 'I prefer single quotes');
    expect((await other.profile()).map(({ key, value }) => `${key}=${value}`)).toEqual(['style.indentation=tabs', 'style.quotes=single']);
    await other.close();
  });
});

describe('the graph', () => {
  it('follows plain memories: remembered, reworded, forgotten; what a person linked stays', async () => {
    const { engine } = await openTestEngine();
    const id = await say(engine, 'The orders service uses Kafka.', { kind: 'technical_context' });
    await engine.relate({ subject: 'orders', predicate: 'owned by', object: 'Mia' });
    const triples = async (): Promise<string[]> => (await engine.relations({}, 20)).map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`).sort();
    expect(await triples()).toEqual(['orders owned by Mia', 'orders service uses Kafka']);
    await engine.edit(id, { text: 'The orders service uses NATS.' }, acting);
    expect(await triples()).toEqual(['orders owned by Mia', 'orders service uses NATS']);
    await engine.setStatus([id], 'forgotten', 'forget', acting);
    expect(await triples()).toEqual(['orders owned by Mia']);
  });
});
