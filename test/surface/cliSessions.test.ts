/**
 * The commands about sessions and clients as a person or a hook runs them: save, backfill, context --session, register
 * and unregister, with what they print and what they leave.
 */
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';

let home: TemporaryHome;
let repository: TemporaryRepository;
beforeEach(() => {
  home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  repository = createTemporaryRepository();
});

const run = (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd: repository.directory });
const save = (stdin: string): Promise<CairnRun> => runCairn(['save', '--json'], { home, cwd: repository.directory, stdin });

/** A session of this repository that ended `daysAgo`, one prompt a text. */
function writeSession(number: number, texts: readonly string[], daysAgo = 1, cwd = repository.directory): string {
  const session = `0b5f0c5e-1111-4222-8333-44445555${String(number).padStart(4, '0')}`;
  const file = path.join(home.claudeDirectory, 'projects', '-w-shop', `${session}.jsonl`);
  const at = Date.now() - daysAgo * 86_400_000;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, texts.map((text, index) => `${JSON.stringify({ type: 'user', uuid: `${session}-${index}`, parentUuid: index === 0 ? null : `${session}-${index - 1}`, cwd, sessionId: session, timestamp: new Date(at + index * 1_000).toISOString(), message: { role: 'user', content: text } })}\n`).join(''));
  fs.utimesSync(file, at / 1_000, at / 1_000);
  return file;
}

describe('save', () => {
  it('takes a hook\'s JSON, or a path alone, from stdin, once, and only where memory is on', async () => {
    const file = writeSession(1, ['From now on always use tabs in every file.', 'Thank you.']);
    const refused = await save(JSON.stringify({ transcript_path: file }));
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain('CONSENT_REQUIRED');
    await run('init', '--no-register');
    expect((await save(JSON.stringify({ transcript_path: file }))).json()).toMatchObject({ newTurns: 2 });
    expect((await save(JSON.stringify({ session_id: path.basename(file, '.jsonl'), transcript_path: file, hook_event_name: 'Stop', cwd: repository.directory, stop_hook_active: false }))).json()).toMatchObject({ newTurns: 0 });
  });

  it('proposes what a copied transcript says, whatever the copy is called', async () => {
    const copy = path.join(home.claudeDirectory, 'monday.jsonl');
    fs.copyFileSync(writeSession(1, ['From now on always use tabs in every file.']), copy);
    await run('init', '--no-register');
    expect((await save(JSON.stringify({ transcript_path: copy }))).json()).toMatchObject({ newTurns: 1, run: { proposed: 1 } });
  });

  it.each([['no JSON', 'garbage'], ['a list', '[]'], ['nothing', ''], ['a path of another type', '{"transcript_path":7}'], ['a file that is not there', '{"transcript_path":"/nowhere.jsonl"}'], ['a file that is no session', '{"transcript_path":"/etc/hostname"}']])('says what is wrong with %s, with a code of its own', async (_, stdin) => {
    await run('init', '--no-register');
    const { code, stdout, stderr } = await save(stdin);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).toMatch(/INPUT_INVALID|TRANSCRIPT_UNREADABLE/);
    expect(stdout + stderr).not.toMatch(/\n\s+at /);
  });
});

describe('a decision about a proposal', () => {
  it('can be taken back, whether it was a yes or a no', async () => {
    await run('init', '--no-register');
    await save(JSON.stringify({ transcript_path: writeSession(1, ['From now on always use tabs in every file.', 'We decided to use pnpm.']) }));
    const waiting = async (): Promise<string[]> => (await run('inbox', '--json')).json<{ observations: { id: string }[] }>().observations.map(({ id }) => id).sort();
    const [one = '', two = ''] = await waiting();
    await run('accept', one);
    await run('reject', two);
    expect(await waiting()).toEqual([]);
    expect((await run('inbox', '--take-back', `${one},${two.toLowerCase()}`)).stdout).toMatch(/^Taken back 2; 2 left\./);
    expect(await waiting()).toEqual([one, two]);
    expect((await run('accept', '--all')).stdout).toMatch(/^Accepted 2; 0 left\./);
    for (const wrong of ['nope', '']) expect((await run('inbox', '--take-back', wrong)).code).not.toBe(0);
  });
});

describe('a session', () => {
  const password = ['hunter', 'Zq8', '!xW'].join('');
  const line = (of: string, extra: object): string => `${JSON.stringify({ sessionId: of, ...extra })}\n`;

  it('is named by the first words typed in it, wherever it is named, and by its own name once it has one', async () => {
    const file = writeSession(1, [`<system-reminder>Be brief.</system-reminder>\n# Move the orders service to Postgres, its url is postgres://app:${password}@db.internal/app and it should be done before the release`, 'We decided on PostgreSQL, not MySQL, for orders.']);
    const id = path.basename(file, '.jsonl');
    await run('init', '--no-register');
    await save(JSON.stringify({ transcript_path: file }));
    const inbox = await run('inbox');
    expect(inbox.stdout).toMatch(new RegExp(`^Session "Move the orders service to Postgres, its url is postgres://[^"\\n]{1,60}…" yesterday · 1 · ${id}$`, 'm'));
    expect(inbox.stdout).not.toContain(password);
    const [observation] = (await run('inbox', '--json')).json<{ observations: { id: string }[] }>().observations;
    await run('accept', observation?.id ?? '');
    fs.appendFileSync(file, line(id, { type: 'ai-title', aiTitle: `The client's name for it ${password}` }) + line(id, { type: 'custom-title', customTitle: `orders service postgres://app:${password}@db.internal/app` }) + line(id, { type: 'ai-title', aiTitle: 'A later name of the client' })
      + line(id, { type: 'user', uuid: `${id}-9`, parentUuid: `${id}-1`, cwd: repository.directory, timestamp: new Date().toISOString(), message: { role: 'user', content: 'From now on never deploy on Friday.' } }));
    await save(JSON.stringify({ transcript_path: file }));
    const renamed = await run('inbox');
    expect(renamed.stdout).toMatch(/^Session "orders service postgres:\/\/[^"]*" just now · 1 · /m);
    expect(renamed.stdout).not.toContain(password);
    const stored = fs.readdirSync(home.cairnHome, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1')).join('\n');
    expect(stored).toContain('orders service postgres://');
    expect(stored).not.toContain(password);
    const [memory] = (await run('list', '--json')).json<{ memories: { id: string }[] }>().memories;
    expect((await run('show', memory?.id ?? '')).stdout).toMatch(new RegExp(`Session +"orders service .*" ${id}`));
  });

  it('is not named by what was private', async () => {
    await run('init', '--no-register');
    await save(JSON.stringify({ transcript_path: writeSession(2, ['<private>my salary</private>', 'From now on always use tabs in every file.']) }));
    expect((await run('inbox')).stdout).toContain('Session "From now on always use tabs in every file."');
  });
});

describe('backfill', () => {
  it('reads sessions of worktrees that Cairn never saw, of folders inside, and of links to the repository', async () => {
    const worktree = repository.addWorktree('beside 旁边', 'topic/one');
    const link = path.join(path.dirname(repository.directory), 'linked');
    fs.symlinkSync(repository.directory, link);
    await run('init', '--no-register');
    writeSession(1, ['From now on always use tabs in every file.'], 3, worktree.directory);
    writeSession(2, ['We decided to use pnpm.'], 2, repository.path('src'));
    writeSession(3, ['Remember that errors are returned as tuples.'], 1, path.join(link, 'src'));
    writeSession(4, ['Remember that this is of another place.'], 1, path.dirname(repository.directory));
    expect((await run('backfill', '--json')).json()).toMatchObject({ sessions: 3, newTurns: 3 });
  });

  it('only counts when it is asked for an estimate, reads oldest first, goes on where it stopped, and warns of what the client removes', async () => {
    writeSession(1, ['From now on always deploy on Tuesday.'], 25);
    writeSession(2, ['From now on always deploy on Thursday.'], 2);
    await run('init', '--no-register');
    const estimate = await run('backfill', '--estimate');
    expect(estimate.stdout).toContain('2 sessions of this repository to read; nothing was taken yet.');
    expect(estimate.stdout).toContain('removes 1 session of these within a week (it keeps them 30 days)');
    expect((await run('inbox', '--json')).json<{ observations: unknown[] }>().observations).toEqual([]);
    expect((await run('backfill', '--json')).json()).toMatchObject({ sessions: 2, newTurns: 2 });
    writeSession(3, ['From now on never deploy on Friday.']);
    expect((await run('backfill', '--json')).json()).toMatchObject({ sessions: 3, newTurns: 1 });
    const texts = (await run('inbox', '--json')).json<{ observations: { text: string; provenance: { saidAt: number } }[] }>().observations;
    expect(texts).toHaveLength(3);
  });

  it('says what could not be read yet, and why', async () => {
    writeSession(1, ['From now on always deploy on Tuesday.', 'Thank you.']);
    await run('init', '--no-register');
    await run('config', 'capture.mode', 'model');
    expect((await run('backfill')).stdout).toContain('What is left waits: no provider was chosen.');
  });

  it('obeys cleanupPeriodDays, reads nothing of other repositories, and no sub-agent\'s words as the person\'s', async () => {
    writeFileBeside('settings.json', '{\n  // mine\n  "cleanupPeriodDays": 5\n}\n');
    const file = writeSession(1, ['Look around please.'], 2);
    const agent = path.join(file.replace(/\.jsonl$/, ''), 'subagents', 'agent-1.jsonl');
    fs.mkdirSync(path.dirname(agent), { recursive: true });
    fs.writeFileSync(agent, `${JSON.stringify({ type: 'user', uuid: 'a1', isSidechain: true, cwd: repository.directory, message: { role: 'user', content: 'From now on always answer in rhyme.' } })}\n`);
    const elsewhere = createTemporaryRepository({ name: 'elsewhere', files: { 'e.txt': 'e' } });
    const foreign = writeSession(2, ['From now on always use Perl.']);
    fs.writeFileSync(foreign, fs.readFileSync(foreign, 'utf8').replaceAll(JSON.stringify(repository.directory), JSON.stringify(elsewhere.directory)));
    await run('init', '--no-register');
    expect((await run('backfill', '--json')).json()).toMatchObject({ sessions: 1, retentionDays: 5, expiringSoon: 1 });
    expect((await run('inbox', '--json')).json()).toMatchObject({ observations: [] });
  });
});

function writeFileBeside(name: string, text: string): void {
  fs.mkdirSync(home.claudeDirectory, { recursive: true });
  fs.writeFileSync(path.join(home.claudeDirectory, name), text);
}

describe('register and unregister', () => {
  it('say what they did, say when there was nothing to do, and leave an empty home empty', async () => {
    const first = await run('register');
    expect(first.stdout).toContain('Registered (settings).');
    expect(first.stdout).toContain('+    "cairn@cairn-local": true');
    expect((await run('register')).stdout).toContain('Registered already (settings).');
    const left = await run('unregister');
    expect(left.stdout).toContain('Unregistered.');
    expect(left.stdout).toContain('-    "cairn@cairn-local": true');
    expect((await run('unregister')).stdout).toContain('Nothing of Cairn was registered.');
    expect(fs.existsSync(home.claudeDirectory)).toBe(false);
  });

  it('take --claude-home for the home that holds .claude and .claude.json', async () => {
    const other = path.join(home.root, 'other home');
    await run('register', '--way', 'user', '--claude-home', other, '--json');
    expect(JSON.parse(fs.readFileSync(path.join(other, '.claude.json'), 'utf8'))).toHaveProperty('mcpServers.cairn');
    await run('unregister', '--claude-home', other, '--json');
    expect(fs.existsSync(path.join(other, '.claude.json'))).toBe(false);
    expect(fs.existsSync(home.claudeDirectory)).toBe(false);
  });

  it('exit with a failure and leave the file where it cannot be parsed by the way that was asked for', async () => {
    writeFileBeside('settings.json', '{ broken');
    const { code, stderr, stdout } = await run('register', '--way', 'settings', '--json');
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('FOREIGN_FILE_UNPARSABLE');
    expect(fs.readFileSync(path.join(home.claudeDirectory, 'settings.json'), 'utf8')).toBe('{ broken');
  });
});

describe('context --session', () => {
  it('shows what a session was given and why, and nothing of one that got nothing', async () => {
    await run('init', '--no-register');
    await run('add', 'Never push to main.', '--kind', 'rule');
    await runCairn(['hook', 'SessionStart'], { home, cwd: repository.directory, env: { CAIRN_HOOK_DEADLINE_MS: '60000' }, stdin: JSON.stringify({ session_id: 'given', cwd: repository.directory, hook_event_name: 'SessionStart', source: 'startup' }) });
    expect((await run('context', '--session', 'given')).stdout).toContain('Never push to main.');
    expect((await run('context', '--session', 'given', '--json')).json()).toMatchObject({ receipts: [{ sessionId: 'given', moment: 'start' }] });
    expect((await run('context', '--session', 'other')).stdout).toContain('given nothing');
  });
});
