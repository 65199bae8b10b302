/**
 * A session that was rewound: what was said on the branch that the person left behind proposes nothing, and what had
 * come of it already is taken back as far as no person has seen to it.
 */
import { describe, expect, it } from 'vitest';
import { DEFAULT_ENGINE_CONFIG, type Engine, type EngineConfig, type Turn } from '../../../../src/engine/index.ts';
import { turnContext } from '../../../../src/engine/index.ts';
import { SAMPLE_TIME } from '../../../support/builders.ts';
import { openTestEngine } from '../../../support/openTestEngine.ts';

const ACTING = { actor: { surface: 'cli' } } as const;
const turn = (messageId: string, speaker: Turn['speaker'], text: string): Turn => ({ sessionId: 's1', messageId, blockIndex: 0, speaker, text, at: SAMPLE_TIME + Number(/\d+/.exec(messageId)?.[0]) * 1_000, sidechain: false });
const MYSQL = turn('u2', 'user', 'We decided on MySQL for the orders service.');
const POSTGRES = turn('u3', 'user', 'We decided on PostgreSQL for the orders service.');

async function take(engine: Engine, ...turns: readonly Turn[]): Promise<void> {
  await engine.extraction.takeTurns({ id: 'E1', sessionId: 's1', startedAt: SAMPLE_TIME }, turns);
}
const extract = (engine: Engine): Promise<unknown> => engine.extraction.runDue({ sessionId: 's1', final: true });
const waiting = async (engine: Engine): Promise<string[]> => (await engine.inbox.list({ limit: 100, offset: 0 })).observations.map(({ text }) => text);
const active = async (engine: Engine): Promise<string[]> => (await engine.list({ filters: { statuses: ['active'] } })).memories.filter(({ memory }) => memory.kind !== 'session_summary').map(({ memory }) => memory.text);
const withoutReview: Partial<EngineConfig> = { extraction: { ...DEFAULT_ENGINE_CONFIG.extraction, review: 'none' } };

describe('what was rewound', () => {
  it('proposes nothing, is no context, and is not in the session\'s summary', async () => {
    const { engine } = await openTestEngine();
    await take(engine, turn('u1', 'user', 'Hello there, let us begin.'), MYSQL, POSTGRES);
    expect(await engine.extraction.abandonTurns('s1', ['u2'])).toBe(0);
    await extract(engine);
    expect(await waiting(engine)).toEqual([expect.stringContaining('PostgreSQL')]);
    expect(await turnContext(engine, 's1')).not.toContain('MySQL');
    const all = await engine.list({ filters: { statuses: ['active'] } });
    expect(JSON.stringify(all.memories)).not.toContain('MySQL');
  });

  it('later loses the proposals that wait from it, and no others', async () => {
    const { engine } = await openTestEngine();
    await take(engine, turn('u1', 'user', 'From now on always use tabs.'), MYSQL);
    await extract(engine);
    expect(await waiting(engine)).toHaveLength(2);
    expect(await engine.extraction.abandonTurns('s1', ['u2', 'msg_2'])).toBe(1);
    expect(await waiting(engine)).toEqual([expect.stringContaining('tabs')]);
    expect((await engine.inbox.list({ states: ['withdrawn'], limit: 10, offset: 0 })).observations).toMatchObject([{ provenance: { turnKey: 'u2:0' } }]);
  });

  it('is proposed when it is said again, word for word, where the conversation goes on', async () => {
    const { engine } = await openTestEngine();
    await take(engine, MYSQL);
    await extract(engine);
    await engine.extraction.abandonTurns('s1', ['u2']);
    await take(engine, { ...MYSQL, messageId: 'u4' });
    await extract(engine);
    expect((await engine.inbox.list({ limit: 10, offset: 0 })).observations).toMatchObject([{ provenance: { turnKey: 'u4:0' } }]);
  });

  it('waits again when the person goes on from it after all', async () => {
    const { engine } = await openTestEngine();
    await take(engine, MYSQL, POSTGRES);
    await extract(engine);
    const before = await waiting(engine);
    await engine.extraction.abandonTurns('s1', ['u2']);
    await engine.extraction.abandonTurns('s1', ['u3']);
    expect(await waiting(engine)).toEqual([expect.stringContaining('MySQL')]);
    await engine.extraction.abandonTurns('s1', []);
    expect(await waiting(engine)).toEqual(before);
  });

  it('is taken back where it was remembered without a person, with what it had replaced', async () => {
    const { engine } = await openTestEngine({}, withoutReview);
    await engine.remember({ text: 'The orders service uses MySQL.', kind: 'decision', validFrom: SAMPLE_TIME - 86_400_000, provenance: { via: 'cli' } }, ACTING);
    await take(engine, POSTGRES);
    await extract(engine);
    expect(await active(engine)).toEqual([expect.stringContaining('PostgreSQL')]);
    expect(await engine.extraction.abandonTurns('s1', ['u3'])).toBe(1);
    expect(await active(engine)).toEqual(['The orders service uses MySQL.']);
  });

  it('stays where a person accepted or changed it', async () => {
    const { engine } = await openTestEngine();
    await take(engine, MYSQL);
    await extract(engine);
    await engine.inbox.accept({}, ACTING);
    expect(await engine.extraction.abandonTurns('s1', ['u2'])).toBe(0);
    expect(await active(engine)).toEqual([expect.stringContaining('MySQL')]);

    const { engine: other } = await openTestEngine({}, withoutReview);
    await take(other, MYSQL);
    await extract(other);
    const [remembered] = (await other.list({ filters: { statuses: ['active'], kinds: ['decision'] } })).memories;
    await other.edit(remembered?.memory.id ?? '', { importance: 10 }, ACTING);
    expect(await other.extraction.abandonTurns('s1', ['u2'])).toBe(0);
    expect(await active(other)).toEqual([expect.stringContaining('MySQL')]);
  });
});
