/**
 * Following a session file while it grows, is cut, replaced, removed, forked; finding a repository's files; the end of
 * a file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { formatCursor, lastAnswer, parseCursor, readTranscript, recentTurns, replayedUuids, sessionFilesOf, SessionWatcher, type SessionFile, type TranscriptCursor } from '../../../src/transcripts/index.ts';
import { daysLeft, readRetentionDays } from '../../../src/transcripts/index.ts';
import { createTemporaryFolder, writeFiles } from '../../support/temporaryFolder.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const SESSION = '0b5f0c5e-1111-4222-8333-44445555';
const nameOf = (number: number): string => `${SESSION}${String(number).padStart(4, '0')}.jsonl`;
const line = (uuid: string, text: string, changes: object = {}): string => `${JSON.stringify({ type: 'user', uuid, cwd: '/w/app', timestamp: '2026-03-01T09:00:00.000Z', message: { role: 'user', content: text }, ...changes })}\n`;
const answer = (uuid: string, text: string): string => line(uuid, '', { type: 'assistant', message: { id: `msg_${uuid}`, role: 'assistant', content: [{ type: 'text', text }] } });

class Follower {
  readonly file: string;
  #cursor: TranscriptCursor | undefined;
  restarted = false;

  constructor(file: string) {
    this.file = file;
  }

  async read(): Promise<string[]> {
    const reading = await readTranscript(this.file, this.#cursor === undefined ? {} : { from: this.#cursor });
    const texts: string[] = [];
    for await (const turn of reading.turns) texts.push(turn.text);
    this.restarted = reading.restarted;
    // A cursor is kept as text between two readings.
    this.#cursor = parseCursor(formatCursor(reading.cursor()));
    return texts;
  }
}

describe('a cursor', () => {
  const start = (): Follower => {
    const follower = new Follower(path.join(createTemporaryFolder('follow'), nameOf(1)));
    fs.writeFileSync(follower.file, line('u1', 'one') + line('u2', 'two'));
    return follower;
  };

  it('gives only what is new', async () => {
    const follower = start();
    expect(await follower.read()).toEqual(['one', 'two']);
    expect(await follower.read()).toEqual([]);
    fs.appendFileSync(follower.file, line('u3', 'three'));
    expect(await follower.read()).toEqual(['three']);
  });

  it('waits for a line that is still being written', async () => {
    const follower = start();
    const third = line('u3', 'three');
    fs.appendFileSync(follower.file, third.slice(0, 40));
    expect(await follower.read()).toEqual(['one', 'two']);
    fs.appendFileSync(follower.file, third.slice(40));
    expect(await follower.read()).toEqual(['three']);
  });

  it('starts again when the file was cut and has grown past its place', async () => {
    const follower = start();
    await follower.read();
    fs.writeFileSync(follower.file, line('v1', 'another beginning of some length') + line('v2', 'and more') + line('v3', 'and yet more'));
    expect(await follower.read()).toEqual(['another beginning of some length', 'and more', 'and yet more']);
    expect(follower.restarted).toBe(true);
  });

  it('starts again when the file was replaced or truncated, and survives its removal', async () => {
    const follower = start();
    await follower.read();
    fs.truncateSync(follower.file, line('u1', 'one').length);
    expect(await follower.read()).toEqual(['one']);
    fs.rmSync(follower.file);
    await expect(follower.read()).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
    fs.writeFileSync(follower.file, line('w1', 'reborn'));
    expect(await follower.read()).toEqual(['reborn']);
  });

  it('does not care what the clock says', async () => {
    const follower = start();
    await follower.read();
    fs.utimesSync(follower.file, new Date('1999-01-01'), new Date('1999-01-01'));
    expect(await follower.read()).toEqual([]);
    fs.appendFileSync(follower.file, line('u3', 'three'));
    fs.utimesSync(follower.file, new Date('1999-01-01'), new Date('1999-01-01'));
    expect(await follower.read()).toEqual(['three']);
  });

  it('that is damaged is no cursor', () => {
    for (const text of ['', 'null', '{}', '{"offset":-1}', '{"offset":1,"sizeBytes":2,"file":"","mark":""}', '{"offset":1.5,"sizeBytes":2,"file":"","mark":"","state":{}}']) expect(parseCursor(text)).toBeUndefined();
  });

  it('stands still when reading is cancelled, and nothing is lost', async () => {
    const follower = start();
    const aborted = await readTranscript(follower.file, { signal: AbortSignal.abort() });
    for await (const turn of aborted.turns) expect(turn).toBeUndefined();
    expect(aborted.cursor().offset).toBe(0);
  });
});

describe('a fork', () => {
  it('hands over only the lines that its origin does not hold', async () => {
    const folder = createTemporaryFolder('fork');
    const shared = Array.from({ length: 40 }, (_, index) => line(`u${index}`, `shared ${index}`)).join('');
    fs.writeFileSync(path.join(folder, nameOf(1)), shared);
    // The copy comes later: a birth time of its own, or a later name.
    fs.writeFileSync(path.join(folder, nameOf(2)), shared + Array.from({ length: 5 }, (_, index) => line(`n${index}`, `new ${index}`)).join(''));
    const file = path.join(folder, nameOf(2));
    const reading = await readTranscript(file, { skipUuids: () => replayedUuids(file) });
    const texts: string[] = [];
    for await (const turn of reading.turns) texts.push(turn.text);
    expect(texts).toEqual(['new 0', 'new 1', 'new 2', 'new 3', 'new 4']);
    expect((await replayedUuids(path.join(folder, nameOf(1)))).size).toBe(0);
    // What is read on from a place behind the copies asks no other file.
    fs.appendFileSync(file, line('n9', 'said later'));
    const next = await readTranscript(file, { from: reading.cursor(), skipUuids: () => Promise.reject(new Error('asked again')) });
    const later: string[] = [];
    for await (const turn of next.turns) later.push(turn.text);
    expect(later).toEqual(['said later']);
  });
});

describe('session files of a repository', () => {
  it('are those whose own lines name a folder in it, though another project shares the slug', async () => {
    const claude = createTemporaryFolder('claude');
    writeFiles(claude, {
      [`projects/-w-a-b-c/${nameOf(1)}`]: line('u1', 'x', { cwd: '/w/a-b/c' }),
      [`projects/-w-a-b-c/${nameOf(2)}`]: line('u1', 'x', { cwd: '/w/a/b-c' }),
      [`projects/-w-a-b-c/${nameOf(3)}`]: '{"type":"mode"}\n' + line('u1', 'x', { cwd: '/w/a-b/c/sub' }),
      'projects/-w-a-b-c/notes.jsonl': line('u1', 'x', { cwd: '/w/a-b/c' }),
      [`projects/-w-a-b-c/${SESSION}0001/subagents/agent-1.jsonl`]: line('u1', 'x', { cwd: '/w/a-b/c' }),
    });
    const files = await sessionFilesOf(claude, ['/w/a-b/c']);
    expect(files.map((file) => path.basename(file.path)).sort()).toEqual([nameOf(1), nameOf(3)]);
  });

  it('are not those of a repository nested inside', async () => {
    const root = createTemporaryFolder('root');
    const nested = path.join(root, 'vendor', 'lib');
    writeFiles(root, { '.git/HEAD': 'ref: refs/heads/main\n', 'vendor/lib/.git': 'gitdir: elsewhere\n' });
    const claude = createTemporaryFolder('claude');
    writeFiles(claude, { [`projects/p/${nameOf(1)}`]: line('u1', 'x', { cwd: root }), [`projects/p/${nameOf(2)}`]: line('u1', 'x', { cwd: nested }) });
    expect((await sessionFilesOf(claude, [root])).map((file) => path.basename(file.path))).toEqual([nameOf(1)]);
    expect((await sessionFilesOf(claude, [nested])).map((file) => path.basename(file.path))).toEqual([nameOf(2)]);
  });

  it('are compared without drive-letter case on Windows paths, and with case elsewhere', async () => {
    const claude = createTemporaryFolder('claude');
    writeFiles(claude, { [`projects/p/${nameOf(1)}`]: line('u1', 'x', { cwd: 'c:\\Work\\App\\src' }), [`projects/p/${nameOf(2)}`]: line('u1', 'x', { cwd: '/w/App' }) });
    expect(await sessionFilesOf(claude, ['C:\\Work\\App'])).toHaveLength(1);
    expect(await sessionFilesOf(claude, ['/w/app'])).toHaveLength(0);
  });

  it('are none where Claude Code was never used', async () => {
    expect(await sessionFilesOf(path.join(createTemporaryFolder('claude'), 'none'), ['/w'])).toEqual([]);
  });
});

describe('retention', () => {
  it('is what the settings say, in spite of comments, and 30 days otherwise', async () => {
    const claude = createTemporaryFolder('claude');
    expect(await readRetentionDays(claude)).toBe(30);
    writeFiles(claude, { 'settings.json': '{\n  // "cleanupPeriodDays": 1,\n  "cleanupPeriodDays": 90,\n}\n' });
    expect(await readRetentionDays(claude)).toBe(90);
    expect(daysLeft(0, 30, 29.5 * 86_400_000)).toBe(0);
    expect(daysLeft(0, 30, 10 * 86_400_000)).toBe(20);
  });
});

describe('the end of a session', () => {
  it('gives the last answer whole, with its prompt, however much came before', async () => {
    const file = path.join(createTemporaryFolder('end'), nameOf(1));
    const noise = Array.from({ length: 3000 }, (_, index) => line(`p${index}`, 'x'.repeat(300))).join('');
    fs.writeFileSync(file, `${noise}${line('u1', 'Which port?')}${answer('a1', 'Port 5433.')}${answer('a2', 'And host db1.')}${line('m1', '<system-reminder>x</system-reminder>')}`);
    expect(await lastAnswer(file)).toMatchObject({ text: 'And host db1.', messageId: 'msg_a2', prompt: 'Which port?' });
    expect((await recentTurns(file, 3)).map((turn) => turn.text)).toEqual(['Which port?', 'Port 5433.', 'And host db1.']);
  });

  it('gives nothing where Claude has not answered', async () => {
    const file = path.join(createTemporaryFolder('end'), nameOf(1));
    fs.writeFileSync(file, line('u1', 'hello'));
    expect(await lastAnswer(file)).toBeUndefined();
  });
});

describe('the watcher', () => {
  const watchers: SessionWatcher[] = [];
  afterEach(() => watchers.splice(0).forEach((watcher) => watcher.dispose()));

  const startWatcher = async (changes: { claude?: string; pollMs?: number; changedSince?: number; fail?: boolean } = {}): Promise<{ claude: string; seen: SessionFile[]; errors: unknown[]; watcher: SessionWatcher }> => {
    const claude = changes.claude ?? createTemporaryFolder('claude');
    const seen: SessionFile[] = [];
    const errors: unknown[] = [];
    const watcher = new SessionWatcher({
      claudeDirectory: claude, roots: ['/w/app'], settleMs: 10, pollMs: changes.pollMs ?? 600_000,
      onSession: (file) => {
        seen.push(file);
        if (changes.fail === true) throw new Error('store locked');
      },
      onError: (error) => errors.push(error),
      ...(changes.changedSince === undefined ? {} : { changedSince: changes.changedSince }),
    });
    watchers.push(watcher);
    await watcher.start();
    return { claude, seen, errors, watcher };
  };

  it('reports a file that grows, by event and by poll alike, and never twice for one change', async () => {
    const claude = createTemporaryFolder('claude');
    writeFiles(claude, { [`projects/p/${nameOf(1)}`]: line('u1', 'x'), [`projects/other/${nameOf(2)}`]: line('u1', 'x', { cwd: '/w/other' }) });
    const { seen, watcher } = await startWatcher({ claude });
    await watcher.check();
    expect(seen.map((file) => file.sessionId)).toEqual([`${SESSION}0001`]);
    fs.appendFileSync(path.join(claude, 'projects/p', nameOf(1)), line('u2', 'y'));
    await waitUntil(() => seen.length === 2, 'the event of the growing file');
    await watcher.check();
    await watcher.check();
    expect(seen).toHaveLength(2);
  });

  it('finds a folder and a session that come into being later', async () => {
    const { claude, seen } = await startWatcher({ pollMs: 30 });
    writeFiles(claude, { [`projects/later/${nameOf(7)}`]: line('u1', 'x') });
    await waitUntil(() => seen.length === 1, 'the new session');
  });

  it('sees a file that was cut, removed and made again', async () => {
    const claude = createTemporaryFolder('claude');
    writeFiles(claude, { [`projects/p/${nameOf(1)}`]: line('u1', 'x') + line('u2', 'y') });
    const { seen, watcher } = await startWatcher({ claude });
    const file = path.join(claude, 'projects/p', nameOf(1));
    await watcher.check();
    fs.truncateSync(file, 10);
    await watcher.check();
    fs.rmSync(file);
    await watcher.check();
    fs.writeFileSync(file, line('u9', 'z'));
    await watcher.check();
    expect(seen.length).toBeGreaterThanOrEqual(3);
  });

  it('leaves old sessions to the backfill', async () => {
    const claude = createTemporaryFolder('claude');
    writeFiles(claude, { [`projects/p/${nameOf(1)}`]: line('u1', 'x') });
    fs.utimesSync(path.join(claude, 'projects/p', nameOf(1)), new Date('2020-01-01'), new Date('2020-01-01'));
    const { seen, watcher } = await startWatcher({ claude, changedSince: Date.parse('2025-01-01') });
    await watcher.check();
    expect(seen).toEqual([]);
  });

  it('goes on after its listener failed', async () => {
    const claude = createTemporaryFolder('claude');
    writeFiles(claude, { [`projects/p/${nameOf(1)}`]: line('u1', 'x') });
    const { seen, errors, watcher } = await startWatcher({ claude, fail: true });
    await watcher.check();
    fs.appendFileSync(path.join(claude, 'projects/p', nameOf(1)), line('u2', 'y'));
    await watcher.check();
    expect(errors.length).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(2);
  });
});
