/**
 * Session files as clients write them, taken through the operations that every surface calls: what waits in the inbox
 * afterwards, while the session goes on, is rewound, and says things in unusual ways.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openRuntime } from '../../../src/runtime/runtime.ts';
import { Composition, InProcessClient } from '../../../src/worker/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../../support/temporaryRepository.ts';

const SESSION = '0b5f0c5e-1111-4222-8333-444455556666';
const open: InProcessClient[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

interface Saved {
  readonly newTurns: number;
  readonly run: { readonly proposed: number; readonly remembered: number; readonly duplicates: number };
}

/** A repository with memory on, one session of it, and Cairn as a process that watches it. */
class SessionOfRepository {
  readonly home: TemporaryHome = createTemporaryHome();
  readonly repository: TemporaryRepository = createTemporaryRepository();
  readonly file: string;
  #client: InProcessClient | undefined;
  #last: string | null = null;
  #count = 0;

  constructor() {
    this.file = path.join(this.home.claudeDirectory, 'projects', '-w-shop', `${SESSION}.jsonl`);
    fs.mkdirSync(path.dirname(this.file), { recursive: true });
  }

  /** Appends a line that goes on from the last one, or from the line named; returns its uuid. */
  #add(type: 'user' | 'assistant', content: unknown, changes: Record<string, unknown> = {}): string {
    this.#count += 1;
    const uuid = `00000000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
    const message = type === 'user' ? { role: 'user', content } : { id: `msg_${this.#count}`, role: 'assistant', content };
    fs.appendFileSync(this.file, `${JSON.stringify({ type, uuid, parentUuid: this.#last, isSidechain: false, sessionId: SESSION, cwd: this.repository.directory, timestamp: new Date(Date.now() - 60_000 + this.#count * 1_000).toISOString(), message, ...changes })}\n`);
    this.#last = uuid;
    return uuid;
  }

  person(text: string): string {
    return this.#add('user', text);
  }

  claude(text: string): string {
    return this.#add('assistant', [{ type: 'text', text }]);
  }

  rewindTo(uuid: string | null): void {
    this.#last = uuid;
  }

  async #call<T>(operation: string, input: unknown, surface: 'cli' | 'mcp' = 'mcp'): Promise<T> {
    if (this.#client === undefined) {
      this.#client = new InProcessClient(new Composition(await openRuntime({ env: this.home.env, osHome: this.home.home, role: 'command', processName: 'test' })));
      open.push(this.#client);
      await this.#call('setEnabled', { enabled: true }, 'cli');
    }
    return this.#client.call<T>(operation, input, { target: { cwd: this.repository.directory }, actor: { surface, sessionId: SESSION } });
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
