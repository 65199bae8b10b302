/**
 * Rewinding: which messages of a session file the person took back, in the layouts that clients write, and when a
 * reader that follows the file learns of it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatCursor, lastAnswer, parseCursor, readTranscript, recentTurns, type TranscriptCursor } from '../../../src/transcripts/index.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

type Line = Record<string, unknown>;
const prompt = (uuid: string, parentUuid: string | null, text = uuid, changes: Line = {}): Line => ({ type: 'user', uuid, parentUuid, message: { role: 'user', content: text }, ...changes });
const answer = (uuid: string, parentUuid: string | null, text = uuid, changes: Line = {}): Line => ({ type: 'assistant', uuid, parentUuid, message: { id: `msg_${uuid}`, role: 'assistant', content: [{ type: 'text', text }] }, ...changes });
const call = (uuid: string, parentUuid: string, message: string): Line => ({ type: 'assistant', uuid, parentUuid, message: { id: message, role: 'assistant', content: [{ type: 'tool_use', id: `t_${uuid}`, name: 'Bash', input: { command: uuid } }] } });
const result = (uuid: string, parentUuid: string, of: string): Line => ({ type: 'user', uuid, parentUuid, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t_${of}`, content: uuid }] } });
const hook = (uuid: string, parentUuid: string): Line => ({ type: 'attachment', uuid, parentUuid, attachment: { type: 'hook_success' } });
const ended = (uuid: string, parentUuid: string): Line => ({ type: 'system', subtype: 'turn_duration', uuid, parentUuid });
const boundary = (uuid: string, logicalParentUuid: string): Line => ({ type: 'system', subtype: 'compact_boundary', uuid, parentUuid: null, logicalParentUuid });
const summary = (uuid: string, parentUuid: string): Line => prompt(uuid, parentUuid, 'They talked.', { isCompactSummary: true });

/** Two prompts with their answers; `e2` is where the next prompt goes on. */
const TALK = [prompt('u1', null), answer('a1', 'u1'), ended('e1', 'a1'), prompt('u2', 'e1'), answer('a2', 'u2'), ended('e2', 'a2')];

class SessionFile {
  readonly file = path.join(createTemporaryFolder('tree'), '0b5f0c5e-1111-4222-8333-444455556666.jsonl');
  #cursor: TranscriptCursor | undefined;

  add(...lines: readonly Line[]): this {
    fs.appendFileSync(this.file, lines.map((line) => `${JSON.stringify({ timestamp: '2026-03-01T09:00:00.000Z', sessionId: '0b5f0c5e-1111-4222-8333-444455556666', ...line })}\n`).join(''));
    return this;
  }

  /** What reading on from where the last reading stopped says was taken back, sorted; undefined when it says nothing. */
  async abandoned(): Promise<string[] | undefined> {
    const reading = await readTranscript(this.file, this.#cursor === undefined ? {} : { from: this.#cursor });
    for await (const turn of reading.turns) expect(turn.text).not.toBe('');
    this.#cursor = parseCursor(formatCursor(reading.cursor()));
    const found = await reading.abandoned();
    return found === undefined ? undefined : [...found].sort();
  }
}

const taken = (...lines: readonly Line[]): Promise<string[] | undefined> => new SessionFile().add(...lines).abandoned();

describe('a rewind', () => {
  it('in the layout of client 2.1.332 takes back what was said after the chosen prompt', async () => {
    const reading = await readTranscript(path.join(import.meta.dirname, '../../fixtures/transcripts/rewound.jsonl'));
    const said = new Map<string, string>();
    for await (const { messageId, text } of reading.turns) said.set(messageId, text);
    expect([...((await reading.abandoned()) ?? [])].flatMap((id) => said.get(id) ?? [])).toEqual(['We decided on MySQL for the orders.', 'MySQL it is.']);
  });

  it('takes back the prompts and answers after the place where the conversation goes on', async () => {
    expect(await taken(...TALK, prompt('u3', 'e1'), answer('a3', 'u3'))).toEqual(['msg_a2', 'u2']);
  });

  it('to the very start takes back everything before', async () => {
    expect(await taken(...TALK, prompt('u3', null), answer('a3', 'u3'))).toEqual(['msg_a1', 'msg_a2', 'u1', 'u2']);
  });

  it('after a rewind, and to the same place again, leaves only the last branch', async () => {
    expect(await taken(...TALK, prompt('u3', 'e1'), answer('a3', 'u3'), prompt('u4', 'e1'), answer('a4', 'u4'), prompt('u5', null), answer('a5', 'u5'))).toEqual(['msg_a1', 'msg_a2', 'msg_a3', 'msg_a4', 'u1', 'u2', 'u3', 'u4']);
  });

  it('at a message in the middle of a turn is one as well, as `--resume-session-at` writes it', async () => {
    expect(await taken(...TALK, prompt('u3', 'a1'))).toEqual(['msg_a2', 'u2']);
  });

  it('takes back a prompt that was queued on the branch', async () => {
    const queued = [{ type: 'queue-operation', operation: 'enqueue', timestamp: '2026-03-01T09:00:07.000Z', content: 'and tabs' }, { type: 'queue-operation', operation: 'remove', timestamp: '2026-03-01T09:00:08.000Z' }];
    expect(await taken(...TALK.slice(0, 5), ...queued, ended('e2', 'a2'), prompt('u3', 'e1'))).toEqual(['msg_a2', 'queue:2026-03-01T09:00:07.000Z', 'u2']);
  });

  it('to before a compaction takes the compaction back with it', async () => {
    expect(await taken(...TALK, boundary('b1', 'e2'), summary('s1', 'b1'), prompt('u3', 's1'), prompt('u4', 'e1'), answer('a4', 'u4'))).toEqual(['msg_a2', 's1', 'u2', 'u3']);
  });
});

describe('nothing is taken back', () => {
  it('in a conversation that only goes on', async () => {
    expect(await taken(...TALK, prompt('u3', 'e2'))).toBeUndefined();
  });

  it('by parallel tool calls, hooks and progress notes, which branch off as well', async () => {
    const parallel = [prompt('u1', null), call('c1', 'u1', 'm1'), call('c2', 'c1', 'm1'), result('r1', 'c1', 'c1'), hook('h1', 'c1'), result('r2', 'c2', 'c2'), answer('a1', 'r2')];
    expect(await taken(...parallel, prompt('u2', 'a1'))).toBeUndefined();
    // The hook's note came last, so the prompt does not follow the last line: the tree tells.
    expect(await taken(...parallel, hook('h2', 'c2'), prompt('u2', 'a1'))).toEqual([]);
  });

  it('by a compaction, of everything or of a part ("summarize from here")', async () => {
    expect(await taken(...TALK, boundary('b1', 'e2'), summary('s1', 'b1'), prompt('u3', 's1'))).toBeUndefined();
    expect(await taken(...TALK, boundary('b1', 'e1'), summary('s1', 'b1'), prompt('u3', 's1'))).toBeUndefined();
  });

  it('by a session that repeats its lines when it is resumed', async () => {
    expect((await taken(...TALK, ...TALK, prompt('u3', 'e2'))) ?? []).toEqual([]);
  });

  it('by a sub-agent\'s lines in between', async () => {
    expect(await taken(...TALK, prompt('side', null, 'Look around.', { isSidechain: true }), answer('x', 'side', 'Looked.', { isSidechain: true }), prompt('u3', 'e2'))).toBeUndefined();
  });

  it('where lines name no parents, unknown ones, or each other in a circle', async () => {
    const flat = ['u1', 'u2', 'u3'].flatMap((id) => [prompt(id, null), answer(`a${id}`, null)]);
    expect((await taken(...flat)) ?? []).toEqual([]);
    expect((await taken(...TALK, answer('a3', 'gone'), prompt('u3', 'a3'), prompt('u4', 'gone too'))) ?? []).toEqual([]);
    expect((await taken(prompt('u1', 'u2'), prompt('u2', 'u1'), prompt('u3', 'u3'))) ?? []).toEqual([]);
    const { parentUuid: _none, ...withoutParent } = prompt('u3', null);
    expect((await taken(...TALK, withoutParent)) ?? []).toEqual([]);
  });
});

describe('a reader that follows the file', () => {
  it('learns of a rewind that comes after it took the turns, once', async () => {
    const session = new SessionFile().add(...TALK);
    expect(await session.abandoned()).toBeUndefined();
    session.add(prompt('u3', 'e1'), answer('a3', 'u3'));
    expect(await session.abandoned()).toEqual(['msg_a2', 'u2']);
    session.add(ended('e3', 'a3'), prompt('u4', 'e3'));
    expect(await session.abandoned()).toBeUndefined();
  });

  it('is told everything that is taken back, also what was before', async () => {
    const session = new SessionFile().add(...TALK, prompt('u3', 'e1'), answer('a3', 'u3'));
    expect(await session.abandoned()).toEqual(['msg_a2', 'u2']);
    session.add(prompt('u4', 'e1'), answer('a4', 'u4'));
    expect(await session.abandoned()).toEqual(['msg_a2', 'msg_a3', 'u2', 'u3']);
  });

  it('is told when the conversation goes on from what was taken back', async () => {
    const session = new SessionFile().add(...TALK, prompt('u3', 'e1'), answer('a3', 'u3'));
    await session.abandoned();
    session.add(prompt('u4', 'e2'), answer('a4', 'u4'));
    expect(await session.abandoned()).toEqual(['msg_a3', 'u3']);
  });

  it('sees it too where an older reader left a cursor that knows no last line', async () => {
    const session = new SessionFile().add(...TALK);
    const reading = await readTranscript(session.file);
    for await (const turn of reading.turns) expect(turn).toBeDefined();
    const { tail: _tail, ...state } = reading.cursor().state;
    session.add(prompt('u3', 'e1'));
    const next = await readTranscript(session.file, { from: { ...reading.cursor(), state } });
    for await (const turn of next.turns) expect(turn.text).toBe('u3');
    expect([...((await next.abandoned()) ?? [])].sort()).toEqual(['msg_a2', 'u2']);
  });
});

describe('the end of a session', () => {
  it('leaves out what was taken back', async () => {
    const session = new SessionFile().add(...TALK, prompt('u3', 'e1'));
    expect((await recentTurns(session.file, 10)).map(({ text }) => text)).toEqual(['u1', 'a1', 'u3']);
    expect(await lastAnswer(session.file)).toMatchObject({ text: 'a1', prompt: 'u1' });
  });

  it('is looked for further back where the place of the rewind lies before what was read', async () => {
    const filler = Array.from({ length: 400 }, (_, at) => answer(`f${at}`, at === 0 ? 'e2' : `f${at - 1}`, 'x'.repeat(1_000)));
    const session = new SessionFile().add(...TALK, ...filler, prompt('u3', 'f399', 'said on the branch'), answer('a3', 'u3'), prompt('u4', 'e1', 'said after it'));
    expect((await recentTurns(session.file, 2)).map(({ text }) => text)).toEqual(['a1', 'said after it']);
  });
});
