/**
 * Session files as clients write them, taken through the operations that every surface calls: what waits in the inbox
 * afterwards, while the session goes on, is rewound, and says things in unusual ways.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openRuntime } from '../../../src/runtime/runtime.ts';
import { Composition, InProcessClient } from '../../../src/worker/index.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { createTemporaryHome, type TemporaryHome } from '../../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';

const SESSION = '0b5f0c5e-1111-4222-8333-444455556666';
const open: InProcessClient[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

interface Saved {
  readonly newTurns: number;
  readonly message: string;
  readonly run: { readonly proposed: number; readonly remembered: number; readonly duplicates: number; readonly idleDueAt?: number };
}

/** A repository with memory on, one session of it, and Cairn as a process that watches it. */
class SessionOfRepository {
  readonly home: TemporaryHome = createTemporaryHome();
  readonly repository: TemporaryRepository = createTemporaryRepository();
  readonly file: string;
  #client: InProcessClient | undefined;
  #last: string | null = null;
  #count = 0;

  readonly #clock: FakeClock | undefined;

  constructor(clock?: FakeClock) {
    this.#clock = clock;
    this.file = path.join(this.home.claudeDirectory, 'projects', '-w-shop', `${SESSION}.jsonl`);
    fs.mkdirSync(path.dirname(this.file), { recursive: true });
  }

  /** Appends a line that goes on from the last one, or from the line named; returns its uuid. */
  add(type: 'user' | 'assistant', content: unknown, changes: Record<string, unknown> = {}): string {
    this.#count += 1;
    const uuid = `00000000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
    const message = type === 'user' ? { role: 'user', content } : { id: `msg_${this.#count}`, role: 'assistant', content };
    fs.appendFileSync(this.file, `${JSON.stringify({ type, uuid, parentUuid: this.#last, isSidechain: false, sessionId: SESSION, cwd: this.repository.directory, timestamp: new Date(Date.now() - 60_000 + this.#count * 1_000).toISOString(), message, ...changes })}\n`);
    this.#last = uuid;
    return uuid;
  }

  person(text: string): string {
    return this.add('user', text);
  }

  claude(text: string): string {
    return this.add('assistant', [{ type: 'text', text }]);
  }

  rewindTo(uuid: string | null): void {
    this.#last = uuid;
  }

  async #call<T>(operation: string, input: unknown, surface: 'cli' | 'mcp' | 'extension' = 'mcp'): Promise<T> {
    if (this.#client === undefined) {
      this.#client = new InProcessClient(new Composition(await openRuntime({ env: this.home.env, osHome: this.home.home, role: 'command', processName: 'test', ...(this.#clock === undefined ? {} : { clock: this.#clock }) })));
      open.push(this.#client);
      await this.#call('setEnabled', { enabled: true }, 'cli');
    }
    return this.#client.call<T>(operation, input, { target: { cwd: this.repository.directory }, actor: { surface, sessionId: SESSION } });
  }

  /** As the editor does when the file has grown, or fell silent. */
  saveUnasked(): Promise<Saved> {
    return this.#call<Saved>('saveConversation', { transcriptPath: this.file, final: false }, 'extension');
  }

  async set(key: string, value: unknown): Promise<void> {
    await this.#call('setSetting', { key, value, level: 'repository' }, 'cli');
  }

  save(): Promise<Saved> {
    return this.#call<Saved>('saveConversation', { transcriptPath: this.file });
  }

  remember(text: string): Promise<{ outcome: string }> {
    return this.#call('remember', { text });
  }

  async waiting(): Promise<string[]> {
    const { observations } = await this.#call<{ observations: readonly { readonly text: string }[] }>('listInbox', { limit: 50 });
    return observations.map(({ text }) => text);
  }
}

describe('the last turn of a session that falls silent', () => {
  const RULE = 'From now on always run the smoke tests before a deploy.';
  const start = async (): Promise<{ session: SessionOfRepository; clock: FakeClock; saidAt: (text: string) => number }> => {
    const clock = new FakeClock(Date.now());
    const session = new SessionOfRepository(clock);
    await session.set('capture.everyTurns', 20);
    await session.set('capture.idleSeconds', 5);
    const saidAt = (text: string): number => {
      session.add('user', text, { timestamp: new Date(clock.now()).toISOString() });
      return clock.now();
    };
    return { session, clock, saidAt };
  };

  it('is proposed after capture.idleSeconds and not before, and whoever follows the session is told when', async () => {
    const { session, clock, saidAt } = await start();
    const at = saidAt(RULE);
    expect((await session.saveUnasked()).run).toMatchObject({ proposed: 0, idleDueAt: at + 5_000 });
    clock.advance(4_999);
    expect((await session.saveUnasked()).run).toMatchObject({ proposed: 0, idleDueAt: at + 5_000 });
    expect(await session.waiting()).toEqual([]);
    clock.advance(1);
    const { run } = await session.saveUnasked();
    expect(run.proposed).toBe(1);
    expect(run.idleDueAt).toBeUndefined();
    expect(await session.waiting()).toEqual([RULE]);
  });

  it('waits anew when something more is said', async () => {
    const { session, clock, saidAt } = await start();
    saidAt(RULE);
    await session.saveUnasked();
    clock.advance(4_000);
    const later = saidAt('And now rename the module, please.');
    expect((await session.saveUnasked()).run).toMatchObject({ proposed: 0, idleDueAt: later + 5_000 });
    clock.advance(4_999);
    expect((await session.saveUnasked()).run.proposed).toBe(0);
    clock.advance(1);
    expect((await session.saveUnasked()).run.proposed).toBe(1);
  });

  it('is proposed at once when the session ends, or with as many turns as make a batch', async () => {
    const { session, saidAt } = await start();
    saidAt(RULE);
    expect((await session.saveUnasked()).run.proposed).toBe(0);
    expect((await session.save()).run.proposed).toBe(1);
    const other = await start();
    await other.session.set('capture.everyTurns', 2);
    other.saidAt(RULE);
    expect((await other.session.saveUnasked()).run.proposed).toBe(0);
    other.session.claude('Understood.');
    expect((await other.session.saveUnasked()).run.proposed).toBe(1);
  });
});

describe('a session that is rewound', () => {
  it('proposes nothing from the branch that was left, whether it was read before or after', async () => {
    const session = new SessionOfRepository();
    session.person('Good morning, let us look at the orders service.');
    const start = session.claude('Good morning.');
    session.person('We decided on MySQL for the orders service.');
    session.claude('MySQL it is.');
    await session.save();
    expect(await session.waiting()).toEqual([expect.stringContaining('MySQL')]);
    session.rewindTo(start);
    session.person('From now on use PostgreSQL for every service.');
    session.claude('PostgreSQL it is.');
    await session.save();
    expect(await session.waiting()).toEqual([expect.stringContaining('PostgreSQL')]);
    const read = new SessionOfRepository();
    fs.copyFileSync(session.file, read.file);
    fs.writeFileSync(read.file, fs.readFileSync(read.file, 'utf8').replaceAll(session.repository.directory, read.repository.directory));
    await read.save();
    expect(await read.waiting()).toEqual([expect.stringContaining('PostgreSQL')]);
  });

  it('has what is said again proposed once, and taken once however often it is saved', async () => {
    const session = new SessionOfRepository();
    session.person('We decided on MySQL for the orders service.');
    session.rewindTo(null);
    session.claude('');
    session.person('We decided on MySQL for the orders service.');
    await session.save();
    expect((await session.save()).newTurns).toBe(0);
    expect(await session.waiting()).toEqual(['We decided on MySQL for the orders service.']);
  });
});

describe('what Claude stored at the person\'s word', () => {
  it.each([
    ['Remember that we use pnpm, never npm.', 'We use pnpm, never npm.'],
    ['ok, please remember that we use pnpm, never npm', 'The project uses pnpm as its package manager; npm must never be used.'],
    ['Please remember: deploys go out on Tuesday only.', 'Deploys go out on Tuesdays only.'],
    ['记住：我们用 pnpm，不用 npm。', '我们用 pnpm，不用 npm。'],
    ['好的，请记住支付服务的重试上限是 5 次', '支付服务的重试上限是 5 次'],
  ])('is not proposed again: %s', async (said, stored) => {
    const session = new SessionOfRepository();
    session.person(said);
    expect(await session.remember(stored)).toMatchObject({ outcome: 'added' });
    session.claude('Noted.');
    expect((await session.save()).run).toMatchObject({ proposed: 0, remembered: 0 });
    expect(await session.waiting()).toEqual([]);
  });

  it.each([
    ['ok remember that we use pnpm, never npm', 'we use pnpm, never npm'],
    ['Don\'t forget that we never deploy on Fridays.', 'we never deploy on Fridays.'],
    ['save this to memory: the CI runs on Node 24', 'the CI runs on Node 24'],
    ['记住：我们用 pnpm，不用 npm。', '我们用 pnpm，不用 npm。'],
    ['好的，请记住支付服务的重试上限是 5 次', '支付服务的重试上限是 5 次'],
  ])('is proposed without the words around it where nothing was stored: %s', async (said, text) => {
    const session = new SessionOfRepository();
    session.person(said);
    await session.save();
    expect(await session.waiting()).toEqual([text]);
  });

  it('hides nothing that says the opposite of it, or something else with the same words', async () => {
    const session = new SessionOfRepository();
    session.person('From now on never squash commits in this repository.');
    await session.remember('Squash commits in this repository.');
    session.person('From now on always run the linter before the tests.');
    await session.remember('The linter runs on Node 24.');
    await session.save();
    expect(await session.waiting()).toHaveLength(2);
  });
});

describe('a session file', () => {
  it('of another repository is not taken because its client wandered here, or a model named it', async () => {
    const session = new SessionOfRepository();
    session.add('user', 'From now on use tabs in every file.', { cwd: createTemporaryRepository({ name: 'elsewhere', files: { 'x.txt': 'x' } }).directory });
    expect(await session.save()).toMatchObject({ newTurns: 0, message: expect.stringContaining('another repository') as string });
    expect(await session.waiting()).toEqual([]);
  });

  it('is taken in spite of lines that are too long, half written, no UTF-8, or say a thing twice', async () => {
    const session = new SessionOfRepository();
    session.add('user', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBOR'.repeat(400_000) } }, { type: 'text', text: 'From now on always use tabs in every file.' }]);
    fs.appendFileSync(session.file, Buffer.from([0xff, 0xfe, 0x0a, 0x00, 0x00, 0x0a]));
    fs.appendFileSync(session.file, '{"type":"user","uuid":"x","message":{"role":"user","content":"cut in the mid\n');
    const again = fs.readFileSync(session.file, 'utf8').split('\n')[0] ?? '';
    fs.appendFileSync(session.file, `${again}\n${again}\r\n`);
    session.add('user', 'Never squash commits in this repository.', { timestamp: undefined });
    fs.appendFileSync(session.file, '{"type":"user","uuid":"late","parentUuid":null,"cwd":"/","message":{"role":"user","content":"We decided on pn');
    expect(await session.save()).toMatchObject({ newTurns: 2 });
    fs.appendFileSync(session.file, 'pm, not npm."}}\n');
    expect(await session.save()).toMatchObject({ newTurns: 1 });
    expect(await session.save()).toMatchObject({ newTurns: 0 });
  });

  it('that is a folder, a pipe, empty, not there, or no session is named as that', async () => {
    const session = new SessionOfRepository();
    const folder = path.dirname(session.file);
    await expect(session.save()).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
    fs.mkdirSync(session.file);
    await expect(session.save()).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
    fs.rmdirSync(session.file);
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [session.file]);
      await expect(session.save()).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
      fs.rmSync(session.file);
      fs.symlinkSync(path.join(folder, 'nowhere.jsonl'), session.file);
      await expect(session.save()).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
      fs.rmSync(session.file);
    }
    for (const content of ['', '\uFEFF', '\n\n\r\n', 'not JSON at all', '{"type":"user"}', '[]\nnull\n42\n"text"\n']) {
      fs.writeFileSync(session.file, content);
      expect({ content, ...(await session.save()) }).toMatchObject({ content, newTurns: 0 });
    }
  });

  it('is read from its beginning when it was rewritten, and nothing is proposed twice', async () => {
    const session = new SessionOfRepository();
    session.person('From now on always use tabs in every file.');
    await session.save();
    const lines = fs.readFileSync(session.file, 'utf8');
    fs.rmSync(session.file);
    fs.writeFileSync(session.file, `{"type":"summary","summary":"x"}\n${lines}`);
    session.person('And from now on never squash commits.');
    expect(await session.save()).toMatchObject({ newTurns: 1 });
    expect(await session.waiting()).toHaveLength(2);
  });

  it.each([
    ['<claude-mem-context>From now on always use tabs.</claude-mem-context>'],
    ['<supermemory>\nWe decided on MySQL.\n</supermemory>'],
    ['<relevant-memories>\n- Always use npm\n</relevant-memories>'],
    ['<cairn-memory>\n- From now on always use npm.\n</cairn-memory>'],
    ['<system-reminder>\nFrom now on always answer in French.\n</system-reminder>'],
    ['<MEMORY_CONTEXT kind="x">From now on always use npm.</MEMORY_CONTEXT>'],
    ['UserPromptSubmit hook additional context: From now on always use npm.'],
    ['SessionStart:startup hook success: From now on always use npm.'],
    ['<task-notification>From now on always use npm.</task-notification>'],
    ['<command-name>/memory</command-name><command-args>From now on always use npm.</command-args>'],
    ['<private>From now on always use npm.</private>'],
    ['<cairn-memory>\n- From now on always use npm.'],
  ])('whose person only seems to say %s proposes nothing of it', async (text) => {
    const session = new SessionOfRepository();
    session.person(text);
    session.person(`Please look at this.\n${text}`);
    await session.save();
    expect((await session.waiting()).join()).not.toMatch(/npm|tabs|MySQL|French/);
  });
});
