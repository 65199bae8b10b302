/**
 * The life of a memory on real stores: remembering, editing, superseding, moving between
 * the stores, forgetting, and taking acts back.
 */
import { describe, expect, it } from 'vitest';
import { acting, fromCli, openTestEngine } from '../../../support/openTestEngine.ts';

const remember = { provenance: fromCli };

describe('remembering', () => {
  it('keeps one memory when two processes remember the same words at once', async () => {
    const { engine, again } = await openTestEngine();
    const other = await again();
    const results = await Promise.all([engine, other, engine, other].map(async (one) => one.remember({ ...remember, text: 'We deploy on Tuesdays' }, acting)));
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['added', 'duplicate', 'duplicate', 'duplicate']);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    const { memory } = await engine.get(results[0]?.id ?? '');
    expect(memory.repeatCount).toBe(3);
    await other.close();
    await engine.close();
  });

  it('masks secrets in the text, the quote, the context and the anchor before anything is stored', async () => {
    const { engine } = await openTestEngine();
    const secret = `ghp_${'Zy9Xw8Vu7Ts6'.repeat(3)}`;
    const result = await engine.remember({
      text: `Use ${secret} for CI`,
      anchors: [{ path: 'ci.yml', startLine: 1, endLine: 1, snippet: `token: ${secret}` }],
      provenance: { via: 'cli', quote: `it is ${secret}`, context: `user: ${secret}` },
    }, acting);
    expect(JSON.stringify(await engine.get(result.id))).not.toContain(secret);
    await engine.close();
  });

  it('refuses what would be nothing but a secret', async () => {
    const { engine } = await openTestEngine();
    await expect(engine.remember({ ...remember, text: `ghp_${'Zy9Xw8Vu7Ts6'.repeat(3)}` }, acting)).rejects.toMatchObject({ code: 'SECRET_REFUSED' });
    await engine.close();
  });

  it('keeps text well-formed and within the limit around a surrogate pair', async () => {
    const { engine } = await openTestEngine();
    for (const length of [7_998, 7_999, 8_000]) {
      const text = `${'a'.repeat(length - 5)}🧑‍💻`;
      if (text.length > 8_000) await expect(engine.remember({ ...remember, text, consolidate: false }, acting)).rejects.toMatchObject({ code: 'TEXT_TOO_LONG' });
      else {
        const { id } = await engine.remember({ ...remember, text, consolidate: false }, acting);
        const { memory } = await engine.get(id);
        expect(memory.text).toBe(text);
        expect(memory.text.isWellFormed()).toBe(true);
      }
    }
    await expect(engine.remember({ ...remember, text: 'half \ud83e' }, acting)).rejects.toMatchObject({ code: 'TEXT_MALFORMED' });
    await engine.close();
  });
});

describe('what was archived', () => {
  it('is active again when somebody says it again, word for word or nearly, and undo archives it again', async () => {
    const { engine, time } = await openTestEngine();
    const said = ['The staging port is 5433.', 'Actually the staging port is 5433.'];
    const { id } = await engine.remember({ ...remember, text: said[0] ?? '' }, acting);
    for (const text of said) {
      await engine.setStatus([id], 'archived', 'archive', acting);
      time.now += 1_000;
      expect(await engine.remember({ ...remember, text }, acting)).toMatchObject({ id, memory: { status: 'active' } });
      expect((await engine.recall({ query: 'staging port', limit: 5, view: {} })).results).toHaveLength(1);
      await engine.undo(undefined, acting);
      expect((await engine.get(id)).memory.status).toBe('archived');
    }
    await engine.close();
  });

  it('stays archived when an older session or an import only repeats what was known then', async () => {
    const { engine, time } = await openTestEngine();
    const { id } = await engine.remember({ ...remember, text: 'The staging port is 5433.' }, acting);
    time.now += 1_000;
    await engine.setStatus([id], 'archived', 'archive', acting);
    await engine.remember({ text: 'The staging port is 5433.', provenance: { via: 'transcript', sessionId: 's', saidAt: time.now - 86_400_000 } }, acting);
    expect((await engine.get(id)).memory.status).toBe('archived');
    await engine.close();
  });
});

describe('superseding', () => {
  it('takes the place of what it replaces: pinned, as important, with its tags', async () => {
    const { engine } = await openTestEngine();
    await engine.remember({ ...remember, text: 'Tests run with Jest', pinned: true, importance: 9, tags: ['testing'] }, acting);
    const { id, outcome } = await engine.remember({ ...remember, text: 'Tests run with Vitest' }, acting);
    expect(outcome).toBe('superseded');
    expect((await engine.get(id)).memory).toMatchObject({ pinned: true, importance: 9, tags: ['testing'] });
    await engine.close();
  });

  it('links both ways, keeps both rows, and refuses to supersede what is superseded', async () => {
    const { engine, time } = await openTestEngine();
    const a = await engine.remember({ ...remember, text: 'Orders use MySQL' }, acting);
    time.now += 1_000;
    const b = await engine.remember({ ...remember, text: 'Orders use PostgreSQL', supersedes: [a.id] }, acting);
    expect((await engine.get(a.id)).memory).toMatchObject({ status: 'superseded', supersededBy: b.id });
    expect((await engine.get(b.id)).memory.supersedes).toEqual([a.id]);
    await expect(engine.remember({ ...remember, text: 'Orders use SQLite', supersedes: [a.id] }, acting)).rejects.toMatchObject({ code: 'MEMORY_NOT_ACTIVE' });
    await engine.undo(undefined, acting);
    expect((await engine.get(a.id)).memory).toMatchObject({ status: 'active' });
    expect((await engine.get(a.id)).memory.supersededBy).toBeUndefined();
    expect((await engine.get(b.id)).memory.status).toBe('forgotten');
    await engine.close();
  });
});

describe('editing', () => {
  it('refuses an edit of a version that somebody else changed', async () => {
    const { engine } = await openTestEngine();
    const { id } = await engine.remember({ ...remember, text: 'Port 3000' }, acting);
    await engine.edit(id, { text: 'Port 4000' }, acting, { expectedVersion: 1 });
    await expect(engine.edit(id, { text: 'Port 5000' }, acting, { expectedVersion: 1 })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect((await engine.get(id)).memory).toMatchObject({ text: 'Port 4000', version: 2 });
    await engine.close();
  });

  it('moves a memory between the stores with its id and its history', async () => {
    const { engine } = await openTestEngine();
    const { id } = await engine.remember({ ...remember, text: 'I like short functions' }, acting);
    await engine.edit(id, { importance: 9 }, acting);
    await engine.edit(id, { scope: { level: 'user' } }, acting);
    const detail = await engine.get(id);
    expect(detail.store).toBe('user');
    expect(detail.memory).toMatchObject({ importance: 9, scope: { level: 'user' } });
    expect(detail.history.map(({ verb }) => verb)).toContain('add');
    expect(await engine.store('repository')?.getMemory(id)).toBeUndefined();
    await engine.close();
  });

  it('finishes a move that a crash interrupted', async () => {
    const { engine, again } = await openTestEngine();
    const { id } = await engine.remember({ ...remember, text: 'Interrupted move' }, acting);
    await engine.store('repository')?.write(async (writer) => writer.setMeta('moving', JSON.stringify([id])));
    await engine.close();
    const reopened = await again({ background: true });
    expect(await reopened.store('repository')?.getMemory(id)).toBeUndefined();
    expect((await reopened.get(id)).store).toBe('user');
    expect(await reopened.store('repository')?.getMeta('moving')).toBeUndefined();
    await reopened.close();
  });
});

describe('undo', () => {
  it('takes back whole acts, newest first, and is itself in the history', async () => {
    const { engine, time } = await openTestEngine();
    const ids: string[] = [];
    for (const text of ['one fish', 'two fish', 'red fish']) {
      time.now += 1_000;
      ids.push((await engine.remember({ ...remember, text, consolidate: false }, acting)).id);
    }
    time.now += 1_000;
    await engine.setStatus(ids, 'forgotten', 'forget', acting);
    time.now += 1_000;
    await engine.undo(undefined, acting);
    for (const id of ids) expect((await engine.get(id)).memory.status).toBe('active');
    time.now += 1_000;
    await engine.undo(undefined, acting);
    expect((await engine.get(ids[2] ?? '')).memory.status).toBe('forgotten');
    expect((await engine.history(ids[2] ?? '')).map(({ verb }) => verb)).toEqual(['add', 'forget', 'undo', 'undo']);
    await engine.close();
  });

  it('takes what was typed last for the last, though the clock went back meanwhile', async () => {
    const { engine, time } = await openTestEngine();
    await engine.remember({ ...remember, text: 'We use MySQL' }, acting);
    time.now -= 86_400_000;
    const { outcome } = await engine.remember({ ...remember, text: 'We use PostgreSQL' }, acting);
    expect(outcome).toBe('superseded');
    const current = async (): Promise<string[]> => (await engine.list({ filters: { statuses: ['active'] } })).memories.map(({ memory }) => memory.text);
    expect(await current()).toEqual(['We use PostgreSQL']);
    time.now -= 86_400_000;
    expect((await engine.remember({ ...remember, text: 'We use MySQL' }, acting)).outcome).toBe('superseded');
    expect(await current()).toEqual(['We use MySQL']);
    await engine.undo(undefined, acting);
    expect(await current()).toEqual(['We use PostgreSQL']);
    await engine.undo(undefined, acting);
    expect(await current()).toEqual(['We use MySQL']);
    await engine.close();
  });

  it('refuses to undo under a newer change, and says which', async () => {
    const { engine, time } = await openTestEngine();
    const { id } = await engine.remember({ ...remember, text: 'Original' }, acting);
    time.now += 1_000;
    const first = await engine.edit(id, { text: 'First edit' }, acting);
    time.now += 1_000;
    await engine.edit(id, { text: 'Second edit' }, acting);
    await expect(engine.undo(first.actId, acting)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect((await engine.get(id)).memory.text).toBe('Second edit');
    await engine.close();
  });

  it('says so when there is nothing to undo', async () => {
    const { engine } = await openTestEngine();
    await expect(engine.undo(undefined, acting)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
    await engine.close();
  });
});

describe('purging', () => {
  it('leaves nothing but a tombstone, and the id is never used again', async () => {
    const { engine } = await openTestEngine();
    const { id } = await engine.remember({ ...remember, text: 'Gone for good' }, acting);
    expect(await engine.purge([id])).toBe(1);
    await expect(engine.get(id)).rejects.toMatchObject({ code: 'ID_UNKNOWN' });
    expect(await engine.store('repository')?.tombstone(id)).toMatchObject({ reason: 'purged' });
    await engine.close();
  });
});
