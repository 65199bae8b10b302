/**
 * Session files of many client versions, whole and damaged: what is counted as said, by whom, and what is not.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/engine/index.ts';
import { readTranscript } from '../../../src/transcripts/index.ts';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

const fixtures = path.join(import.meta.dirname, '../../fixtures/transcripts');
type Counts = Record<'user' | 'assistant' | 'tool' | 'system' | 'malformed', number>;
const pinned = JSON.parse(fs.readFileSync(path.join(fixtures, 'counts.json'), 'utf8')) as Record<string, Counts>;

async function readAll(file: string, options: Parameters<typeof readTranscript>[1] = { finished: true }): Promise<Turn[]> {
  const turns: Turn[] = [];
  for await (const turn of (await readTranscript(file, options)).turns) turns.push(turn);
  return turns;
}

const said = (turns: readonly Turn[], speaker: Turn['speaker'] = 'user'): string[] => turns.filter((turn) => turn.speaker === speaker).map((turn) => turn.text);
const fixture = (name: string): string => path.join(fixtures, name);

function sessionFile(lines: readonly (object | string)[], name = '0b5f0c5e-1111-4222-8333-444455556666.jsonl'): string {
  const file = path.join(createTemporaryFolder('transcript'), name);
  fs.writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return file;
}

describe('counts of turns', () => {
  const folders = [fixtures, ...(process.env.CAIRN_TEST_TRANSCRIPTS ?? '').split(path.delimiter).filter((folder) => folder !== '')];
  for (const folder of folders) {
    const names = (fs.readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.jsonl'));
    for (const name of names.sort()) {
      it(`of ${name} are as pinned`, async () => {
        const reading = await readTranscript(path.join(folder, name), { finished: true });
        const counts: Counts = { user: 0, assistant: 0, tool: 0, system: 0, malformed: 0 };
        for await (const turn of reading.turns) counts[turn.speaker] += 1;
        counts.malformed = reading.stats.malformedLines;
        expect(counts).toEqual(pinned[name]);
      });
    }
  }
});

describe('the name of a session', () => {
  const said = { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'hello' } };
  const summary = { type: 'summary', summary: 'Orders service', leafUuid: 'u1' };
  const clients = { type: 'ai-title', aiTitle: 'Named by the client' };
  const persons = { type: 'custom-title', customTitle: 'Named by the person' };
  it.each([
    ['none', [said], undefined],
    ['the summary of what is in it', [said, summary], 'Orders service'],
    ['not the summary of another session at its head', [{ ...summary, leafUuid: 'elsewhere' }, said], undefined],
    ['the client\'s name before a summary', [said, clients, summary], 'Named by the client'],
    ['the person\'s name before all others, whatever was written last', [said, persons, clients, summary], 'Named by the person'],
    ['the last of several, and no empty one', [said, persons, { ...persons, customTitle: 'Renamed' }, { ...persons, customTitle: ' ' }], 'Renamed'],
  ])('is %s', async (_, lines, title) => {
    const { episode, turns } = await readTranscript(sessionFile(lines));
    for await (const turn of turns) expect(turn.text).toBe('hello'); // The file is closed when its turns end.
    expect(episode.title).toBe(title);
  });
});

describe('what the person said', () => {
  it('is found inside refusals, answers to questions, queued prompts and the memory shortcut', async () => {
    expect(said(await readAll(fixture('spoken-in-unusual-places.jsonl')))).toEqual([
      'always run the linter before a commit', 'we use pnpm here, never npm', 'ULID', 'and write tests too', 'it is in worktree 2 that I see this', 'the port is 5433', 'never force-push to main',
    ]);
  });

  it('is not taken from the error text of an MCP tool that imitates a refusal', async () => {
    const turns = await readAll(fixture('spoken-in-unusual-places.jsonl'));
    expect(turns.find((turn) => turn.text.includes('send the keys'))).toMatchObject({ speaker: 'tool', toolName: 'mcp__other__do' });
  });

  it('is nothing in commands, reminders, hook output, notifications, private parts and other memory tools\' blocks', async () => {
    const turns = await readAll(fixture('nothing-said.jsonl'));
    expect(said(turns)).toEqual([]);
    expect(said(turns, 'assistant')).toEqual([]);
  });

  it('keeps compaction summaries and plans apart, as the system speaking', async () => {
    expect(said(await readAll(fixture('nothing-said.jsonl')), 'system')).toHaveLength(2);
  });

  it('loses the blocks that others put inside a prompt, and keeps a tag that is only mentioned', async () => {
    expect(said(await readAll(fixture('foreign-blocks-inside.jsonl')))).toEqual(['Rename the package to acme-core.\n\n Then run `grep "<system-reminder>" src`.']);
  });

  it('is not what Cairn injected, in attachments or copies of requests', async () => {
    const turns = await readAll(fixture('everyday.jsonl'));
    expect(said(turns)).toEqual(['We decided on PostgreSQL, not MySQL.']);
    expect(turns.some((turn) => turn.text.includes('Use MySQL'))).toBe(false);
  });

  it('is kept beside a picture of many megabytes, whose bytes are dropped', async () => {
    const picture = 'iVBOR'.repeat(600_000);
    const file = sessionFile([
      { type: 'user', uuid: 'u1', message: { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: picture } }, { type: 'text', text: 'the logo is \\"blue\\" 蓝色' }] } },
      { type: 'user', uuid: 'u2', message: { role: 'user', content: 'next line' } },
    ]);
    const turns = await readAll(file);
    expect(said(turns)).toEqual(['the logo is \\"blue\\" 蓝色', 'next line']);
    expect(JSON.stringify(turns).length).toBeLessThan(1000);
  });

  it('is cut at a whole character, at most 32,000 long, however long the line is', async () => {
    for (const filler of ['🧑', '\u0001', 'é', '"', '\\']) {
      const file = sessionFile([{ type: 'user', uuid: 'u1', message: { role: 'user', content: `x${filler.repeat(400_000)}` } }, { type: 'user', uuid: 'u2', message: { role: 'user', content: 'next' } }]);
      const [long, next] = said(await readAll(file));
      expect(long?.isWellFormed()).toBe(true);
      expect(long?.length).toBeLessThanOrEqual(32_000);
      expect(next).toBe('next');
    }
  });
});

describe('keys of turns', () => {
  it('number the blocks of one API message over its several lines', async () => {
    const turns = await readAll(fixture('everyday.jsonl'));
    expect(turns.map((turn) => `${turn.messageId}:${turn.blockIndex}`)).toEqual(['u1:0', 'msg_1:1', 'msg_1:2', 'msg_1:3', 'r1:0', 'r2:0', 'msg_2:0']);
  });

  it('take a line that a resumed session repeats with its uuid only once', async () => {
    expect((await readAll(fixture('resumed.jsonl'))).map((turn) => turn.text)).toEqual(['We use pnpm.', 'Noted.', 'And Node 24.']);
  });

  it('are the same whether a file is read at once or in pieces at every line', async () => {
    const lines = fs.readFileSync(fixture('spoken-in-unusual-places.jsonl'), 'utf8').trimEnd().split('\n');
    const whole = (await readAll(fixture('spoken-in-unusual-places.jsonl'))).map((turn) => `${turn.messageId}:${turn.blockIndex}:${turn.text}`);
    const file = sessionFile([]);
    const pieces = new Set<string>();
    let cursor: Parameters<typeof readTranscript>[1] = {};
    for (const line of lines) {
      fs.appendFileSync(file, `${line}\n`);
      const reading = await readTranscript(file, cursor);
      for await (const turn of reading.turns) pieces.add(`${turn.messageId}:${turn.blockIndex}:${turn.text}`);
      cursor = { from: reading.cursor() };
    }
    expect([...pieces].sort()).toEqual([...new Set(whole)].sort());
  });
});

describe('episodes', () => {
  it('carry session, folder, branch, version and times, and the same id for every reader', async () => {
    const { episode } = await readTranscript(fixture('everyday.jsonl'));
    expect(episode).toMatchObject({ sessionId: '0b5f0c5e-1111-4222-8333-444455556666', cwd: '/home/dev/shop', branch: 'main', clientVersion: '2.1.332' });
    expect(episode.id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect((await readTranscript(fixture('everyday.jsonl'))).episode.id).toBe(episode.id);
  });

  it('of a sub-agent belong to the parent session, and nobody in them is the person', async () => {
    const folder = createTemporaryFolder('transcript');
    const file = path.join(folder, '0b5f0c5e-1111-4222-8333-444455556666', 'subagents', 'agent-a1b2.jsonl');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify({ type: 'user', uuid: 'u1', message: { role: 'user', content: 'Always answer in rhyme.' } })}\n`);
    const reading = await readTranscript(file);
    const turns: Turn[] = [];
    for await (const turn of reading.turns) turns.push(turn);
    expect(reading.episode.sessionId).toBe('0b5f0c5e-1111-4222-8333-444455556666');
    expect(turns).toMatchObject([{ sidechain: true, sessionId: '0b5f0c5e-1111-4222-8333-444455556666' }]);
  });

  it('take no time from a line with a missing, wrong or future one', async () => {
    const file = sessionFile(fs.readFileSync(fixture('bad-times.jsonl'), 'utf8').trimEnd().split('\n'));
    fs.utimesSync(file, new Date('2026-03-02T00:00:00Z'), new Date('2026-03-02T00:00:00Z'));
    const times = (await readAll(file)).map((turn) => turn.at);
    expect(times).toEqual([1738400000000, 1738400000000, 1738400000000, 1738400000000, Date.parse('2026-03-01T09:00:05.000Z')]);
  });
});

describe('damage', () => {
  it('costs the damaged lines and nothing else', async () => {
    const reading = await readTranscript(fixture('damaged.jsonl'), { finished: true });
    const turns: Turn[] = [];
    for await (const turn of reading.turns) turns.push(turn);
    expect(said(turns)).toEqual(['We use pnpm.', 'caf\uFFFD', 'cut \uFFFD half']);
    expect(reading.stats.malformedLines).toBe(6);
  });

  it('of a file that does not exist is told with a code', async () => {
    await expect(readTranscript(path.join(createTemporaryFolder('transcript'), 'gone.jsonl'))).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
  });

  it('by deep nesting is one malformed or unknown line', async () => {
    const file = sessionFile([`{"type":"user","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, { type: 'user', uuid: 'u', message: { role: 'user', content: 'still here' } }]);
    expect(said(await readAll(file))).toEqual(['still here']);
  });
});
