/**
 * The command line as scripts see it: what `--json` prints, exit codes, and that nothing is
 * lost on bad input. Runs the built program.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCairn } from '../support/runCairn.ts';
import type { CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

interface Found {
  readonly id: string;
  readonly text: string;
  readonly externalId?: string;
  readonly kind: string;
  readonly importance: number;
  readonly tags: string[];
  readonly createdAt: string;
  readonly repository?: { name: string };
  readonly explain: { lexicalRank?: number; rrfScore: number; boosts: { name: string; factor: number }[]; visibleBecause: string; index: string };
}

function open(): { cairn: (args: string[], stdin?: string | Uint8Array, cwd?: string) => Promise<CairnRun>; home: ReturnType<typeof createTemporaryHome>; repository: ReturnType<typeof createTemporaryRepository> } {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  const repository = createTemporaryRepository();
  return { home, repository, cairn: async (args, stdin, cwd) => runCairn(args, { home, cwd: cwd ?? repository.directory, ...(stdin === undefined ? {} : { stdin }) }) };
}

const found = async (run: Promise<CairnRun>): Promise<Found[]> => (await run).json<{ results: Found[] }>().results;

describe('the command line contract', () => {
  it('shows with a memory what stands near it, and why, to a person and to a script', async () => {
    const { cairn } = open();
    const add = async (text: string): Promise<string> => (await cairn(['add', text, '--no-consolidate', '--json'])).json<{ id: string }>().id;
    const id = await add('The orders service stores its orders in PostgreSQL 16');
    const near = await add('Back up the PostgreSQL of the orders service every night');
    await add('Commit messages are written in English');
    expect((await cairn(['show', id])).stdout).toMatch(new RegExp(`^Near +Back up the PostgreSQL of the orders service every night ${near} \\(words in common[^)]*\\)$`, 'm'));
    expect((await cairn(['show', id, '--json'])).json<{ related: object[] }>().related).toEqual([expect.objectContaining({ id: near, reasons: expect.arrayContaining([{ by: 'words' }]) })]);
  });

  it('adds, finds, shows, edits, forgets and undoes a memory', async () => {
    const { cairn } = open();
    const added = (await cairn(['add', 'We decided on PostgreSQL 16 for orders', '--kind', 'decision', '--importance', '8', '--tags', 'db,orders', '--json'])).json<{ id: string; outcome: string }>();
    expect(added.outcome).toBe('added');
    const [first] = await found(cairn(['search', 'postgresql', '--json']));
    expect(first).toMatchObject({ id: added.id, text: 'We decided on PostgreSQL 16 for orders', kind: 'decision', importance: 8, tags: ['db', 'orders'] });
    expect(first?.explain).toMatchObject({ lexicalRank: 1, index: 'none' });
    expect(first?.explain.visibleBecause).toContain('repository memory');
    expect(Number.isNaN(Date.parse(first?.createdAt ?? ''))).toBe(false);

    expect((await cairn(['edit', added.id, '--text', 'We decided on PostgreSQL 17 for orders', '--json'])).json()).toMatchObject({ id: added.id, version: 2 });
    expect((await cairn(['show', added.id, '--json'])).json()).toMatchObject({ text: 'We decided on PostgreSQL 17 for orders', version: 2, store: 'repository' });
    expect((await cairn(['history', added.id, '--json'])).json<{ changes: { verb: string }[] }>().changes.map(({ verb }) => verb)).toEqual(['add', 'edit']);

    expect((await cairn(['forget', added.id, '--json'])).json()).toMatchObject({ changed: [added.id] });
    expect(await found(cairn(['search', 'postgresql', '--json']))).toEqual([]);
    expect((await cairn(['undo'])).code).toBe(0);
    expect((await found(cairn(['search', 'postgresql', '--json']))).map(({ id }) => id)).toEqual([added.id]);
  });

  it('shows a memory of one letter only to who asks for that letter', async () => {
    const { home, repository } = open();
    const run = async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd: repository.directory, env: { CAIRN_EMBEDDING_MODEL: 'bundled' } });
    for (const text of ['x', '?', '好', 'ok', 'Orders are kept in PostgreSQL', '部署在周二']) await run('add', text);
    for (const query of ['what is it', 'hello there', 'database', '数据库', 'when do we deploy']) {
      expect((await found(run('search', query, '--json'))).map(({ text }) => text).filter((text) => ['x', '?', '好', 'ok'].includes(text)), query).toEqual([]);
    }
    expect((await found(run('search', 'x', '--json')))[0]?.text).toBe('x');
    expect((await found(run('search', '好', '--json')))[0]?.text).toBe('好');
    expect((await found(run('search', 'where are orders stored', '--json')))[0]?.text).toBe('Orders are kept in PostgreSQL');
  });

  it('counts what is remembered as the list does, says what it undid, and names what is wrong with a file in words', async () => {
    const { cairn, repository } = open();
    await cairn(['add', 'Orders live in PostgreSQL']);
    expect((await cairn(['context'])).stdout).toContain('Nothing to start a session with yet');
    const [first] = (await cairn(['list', '--json'])).json<{ memories: { id: string }[] }>().memories;
    await cairn(['pin', first?.id ?? '']);
    expect((await cairn(['context'])).stdout).toContain('tokens, 1 memory');
    await cairn(['add', 'A slip of the pen']);
    expect((await cairn(['undo'])).stdout).toMatch(/1 memory is as before[^]*A slip of the pen \(forgotten\)/);
    expect((await cairn(['stats'])).stdout).toMatch(/^1 memory \(.*\); besides 1 forgotten/);
    expect((await cairn(['stats', '--global', '--json'])).json()).toMatchObject({ total: 1, repositories: [{ memories: 1 }] });
    expect((await cairn(['import', 'nowhere.jsonl'])).stderr).toContain('nowhere.jsonl cannot be read: there is no such file or folder.');
    expect((await cairn(['import', repository.directory])).stderr).toContain('cannot be read: it is a folder.');
    expect((await cairn(['export', 'no/such/folder.jsonl'])).stderr).toContain('cannot be written: there is no such file or folder.');
  });

  it('says when the place of a memory is not there, and never calls lines beyond the end of a file fresh', async () => {
    const { cairn, repository } = open();
    repository.write('src/port.ts', 'export const port = 1;\nexport const host = 2;\n');
    const added = async (...args: string[]): Promise<CairnRun> => cairn(['add', ...args, '--json']);
    expect((await added('The port is fixed', '--path', 'src/port.ts', '--lines', '1-2')).stderr).toBe('');
    for (const args of [['Beyond the end', '--path', 'src/port.ts', '--lines', '400-500'], ['No such file', '--path', 'src/none.ts'], ['No such lines', '--path', 'src/none.ts', '--lines', '3-4']]) {
      const run = await added(...args);
      expect(run.stderr, args.join(' ')).toContain('is not there now');
      expect((await cairn(['show', run.json<{ id: string }>().id, '--json'])).json()).toMatchObject({ anchorChecks: [{ state: 'missing' }] });
    }
    const { id } = (await added('A memory that goes twice')).json<{ id: string }>();
    expect((await cairn(['forget', id])).stdout).toContain('Forgotten 1. Undo: cairn undo');
    expect((await cairn(['forget', id])).stdout).toBe('Forgotten 0.\n1 was so already.\n');
  });

  it('tells an empty store from filters that nothing passes', async () => {
    const { cairn } = open();
    expect((await cairn(['list'])).stdout).toContain('Nothing is remembered here yet');
    await cairn(['add', 'Orders live in PostgreSQL']);
    for (const args of [['list', '--tags', 'none'], ['recent', '--kind', 'rule'], ['search', '--path', 'src/none.ts'], ['list', '--since', '3d', '--until', '2020-01-01']]) expect((await cairn(args)).stdout, args.join(' ')).toBe('No memory passes these filters.\n');
    expect((await cairn(['list', '--offset', '5'])).stdout).toBe('There are 1; none is left after the first 5.\n');
  });

  it('keeps what a person typed, and takes a request to remember the same statement for the same', async () => {
    const { cairn } = open();
    for (const [typed, again] of [['Please remember that we deploy on Tuesdays', 'We deploy on Tuesdays.'], ['日志统一用 pino', '从现在开始请记住：日志统一用 pino。']] as const) {
      const first = (await cairn(['add', typed, '--json'])).json<{ id: string; text: string }>();
      expect(first.text).toBe(typed);
      expect((await cairn(['add', again, '--json'])).json()).toMatchObject({ id: first.id, outcome: 'duplicate', text: typed });
    }
    expect((await cairn(['add', 'Remember to run the tests before pushing', '--json'])).json()).toMatchObject({ outcome: 'added' });
  });

  it('refuses the same statement in other case and spacing as a duplicate, and counts it', async () => {
    const { cairn } = open();
    const first = (await cairn(['add', 'Use pnpm, not npm.', '--json'])).json<{ id: string }>();
    expect((await cairn(['add', '  use  PNPM, not npm ', '--json'])).json()).toMatchObject({ id: first.id, outcome: 'duplicate' });
    expect((await cairn(['stats', '--json'])).json()).toMatchObject({ total: 1 });
    expect((await cairn(['show', first.id, '--json'])).json()).toMatchObject({ repeatCount: 1 });
  });

  it('keeps thirty numbered things, said in the same words', async () => {
    const { home, repository } = open();
    const lines = Array.from({ length: 30 }, (_, i) => JSON.stringify({ text: `Server ${i + 1} runs in the ${i % 2 === 0 ? 'left' : 'right'} rack` }));
    expect((await runCairn(['import', '-', '--json'], { home, cwd: repository.directory, stdin: lines.join('\n') })).json()).toMatchObject({ added: 30 });
    for (const number of [1, 17, 30]) {
      const { results } = (await runCairn(['search', `server ${number}`, '--limit', '1', '--json'], { home, cwd: repository.directory })).json<{ results: { text: string }[] }>();
      expect(results[0]?.text).toMatch(new RegExp(`^Server ${number} runs`));
    }
  });

  it('links both ways when --supersedes replaces a memory', async () => {
    const { cairn } = open();
    const older = (await cairn(['add', 'Orders use MySQL 8', '--json'])).json<{ id: string }>();
    const newer = (await cairn(['add', 'Orders use PostgreSQL 16', '--supersedes', older.id, '--json'])).json<{ id: string; outcome: string }>();
    expect(newer.outcome).toBe('superseded');
    expect((await cairn(['show', older.id, '--json'])).json()).toMatchObject({ status: 'superseded', supersededBy: newer.id });
    expect((await cairn(['show', newer.id, '--json'])).json()).toMatchObject({ supersedes: [older.id] });
    expect((await found(cairn(['search', 'orders', '--json']))).map(({ id }) => id)).toEqual([newer.id]);
  });

  it('answers one JSON line per query line, in order, in one process', async () => {
    const { cairn } = open();
    await cairn(['add', 'Deploys go out on Tuesday']);
    await cairn(['add', '数据库连接池最大值设为二十']);
    const run = await cairn(['query', '--stdin', '--json', '--limit', '3'], '连接池\n{"query":"deploys","limit":1}\n{"query":"x","limit":0}\n{"question":"deploys"}\n{"query":5}\n{torn\nnothing of the kind zzz\n');
    expect(run.code).toBe(0);
    const lines = run.jsonLines<{ query?: string; results?: Found[]; error?: { code: string } }>();
    expect(lines.map((line) => line.results?.map(({ text }) => text) ?? line.error?.code)).toEqual([['数据库连接池最大值设为二十'], ['Deploys go out on Tuesday'], 'LIMIT_RANGE', 'INPUT_INVALID', 'INPUT_INVALID', 'INPUT_INVALID', []]);
  });

  it('imports good lines, refuses bad ones by line and code, adds nothing the second time, and exports the same fields', async () => {
    const { cairn, home } = open();
    const file = path.join(home.root, 'memories.jsonl');
    writeFileSync(file, [
      '\uFEFF{"text":"Lint with eslint flat config","kind":"rule","importance":7,"tags":["lint"],"externalId":"x1","createdAt":"2026-01-02T03:04:05Z"}',
      '{"text":"Lint with eslint flat config"}',
      '{"kind":"rule"}',
      'not json',
      '{"text":"bad kind","kind":"nonsense"}',
      '{"text":"bad importance","importance":11}',
      '{"text":"Pinned and mine","scope":"user","pinned":true}',
      '{"text":"Old name for the kind","category":"coding_preference","anchor":{"path":"src/greeting.ts","startLine":1,"endLine":2}}',
      '{"text":"Outside","anchor":"../secret.txt"}',
    ].join('\n'));
    const first = (await cairn(['import', file, '--json'])).json<{ refused: { line: number; code: string }[] }>();
    expect(first).toMatchObject({ added: 3, merged: 0, superseded: 0, duplicate: 1 });
    expect(first.refused.map(({ line, code }) => [line, code]).sort()).toEqual([[3, 'IMPORT_LINE_INVALID'], [4, 'IMPORT_LINE_INVALID'], [5, 'KIND_UNKNOWN'], [6, 'IMPORTANCE_RANGE'], [9, 'PATH_OUTSIDE_REPOSITORY']]);
    expect((await cairn(['import', file, '--json'])).json()).toMatchObject({ added: 0, duplicate: 4 });

    const lines = (await cairn(['export', '--format', 'jsonl'])).jsonLines<Record<string, unknown>>();
    expect(lines).toHaveLength(3);
    expect(lines.find((line) => line['externalId'] === 'x1')).toMatchObject({ text: 'Lint with eslint flat config', kind: 'rule', importance: 7, tags: ['lint'], createdAt: '2026-01-02T03:04:05.000Z', scope: 'repository' });
    expect(lines.find((line) => line['scope'] === 'user')).toMatchObject({ pinned: true });
  });

  it('takes the good lines of a file whose others are in another encoding, and nothing of one in a later format', async () => {
    const { cairn, repository } = open();
    const file = path.join(repository.directory, 'mixed.jsonl');
    const line = (text: string): Buffer => Buffer.from(`${JSON.stringify({ text })}\r\n`);
    writeFileSync(file, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), line('the first'), Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x0a]), line('the third 数据'), Buffer.from(JSON.stringify({ text: 'without an end' }))]));
    expect((await cairn(['import', file, '--json'])).json()).toMatchObject({ added: 3, refused: [{ line: 2, code: 'TEXT_MALFORMED' }] });
    writeFileSync(file, `${JSON.stringify({ cairn: 99 })}\n${JSON.stringify({ text: 'of the future' })}\n`);
    const later = await cairn(['import', file, '--json']);
    expect(later.code).toBe(1);
    expect(later.json()).toMatchObject({ error: { code: 'FORMAT_TOO_NEW' } });
    writeFileSync(file, Buffer.from(`\uFEFF${JSON.stringify({ text: 'wide' })}\n`, 'utf16le'));
    expect((await cairn(['import', file, '--json'])).json()).toMatchObject({ error: { code: 'TEXT_MALFORMED' } });
    expect((await cairn(['stats', '--json'])).json()).toMatchObject({ total: 3 });
  });

  it('keeps two records apart when the import file lost its last newline', async () => {
    const { cairn, home } = open();
    const file = path.join(home.root, 'cut.jsonl');
    writeFileSync(file, '{"text":"first of two"}\n{"text":"second of two"}');
    expect((await cairn(['import', file, '--json'])).json()).toMatchObject({ added: 2 });
  });

  it('splits an imported text that is longer than one memory, and finds its last sentence', async () => {
    const { cairn, home } = open();
    const file = path.join(home.root, 'long.jsonl');
    const notes = Array.from({ length: 300 }, (_, i) => `Build step ${i} compiles module number ${i} with flags.`).join(' ');
    writeFileSync(file, `${JSON.stringify({ text: `${notes} The staging bucket is named quartz-otter.` })}\n`);
    expect((await cairn(['import', file, '--json'])).json<{ added: number }>().added).toBeGreaterThan(1);
    expect((await found(cairn(['search', 'name of the staging bucket', '--json']))).slice(0, 3).map(({ text }) => text).join('\n')).toContain('quartz-otter');
  });

  it('never shows a memory of another repository unless asked, and then names it', async () => {
    const { cairn } = open();
    const other = createTemporaryRepository({ name: 'other app', files: { 'README.md': '# Another\n' } });
    await cairn(['add', 'The deploy command is make ship']);
    const foreign = (await cairn(['add', 'The deploy command is ./release.sh', '--json'], undefined, other.directory)).json<{ id: string }>();
    expect((await found(cairn(['search', 'deploy command', '--json']))).map(({ text }) => text)).toEqual(['The deploy command is make ship']);
    const everywhere = await found(cairn(['search', 'deploy command', '--global', '--json']));
    expect(everywhere).toHaveLength(2);
    expect(everywhere.find(({ id }) => id === foreign.id)?.repository?.name).toBe('other app');
    const named = await cairn(['search', 'deploy command', '--project', 'other app', '--json']);
    expect((await found(Promise.resolve(named))).map(({ id }) => id)).toEqual([foreign.id]);
    const show = await cairn(['show', foreign.id, '--json']);
    expect(show.code).toBe(1);
    expect(show.json()).toMatchObject({ error: { code: 'ID_OF_OTHER_REPOSITORY' } });
    expect(show.stdout + show.stderr).not.toContain('release.sh');
  });

  it('keeps user memories in every repository', async () => {
    const { cairn } = open();
    const other = createTemporaryRepository({ name: 'second', files: { 'README.md': '# Second\n' } });
    await cairn(['add', 'I prefer short answers', '--kind', 'preference', '--user']);
    expect((await found(cairn(['search', 'short answers', '--json'], undefined, other.directory))).map(({ text }) => text)).toEqual(['I prefer short answers']);
  });

  it('purges so completely that no file of the home holds the text', async () => {
    const { cairn, home } = open();
    await cairn(['add', 'The sentinel is zyxwvutsrq-sentinel-9911']);
    expect((await cairn(['purge', '--yes', '--json'])).json()).toMatchObject({ purged: 1 });
    const { execFileSync } = await import('node:child_process');
    const hits = execFileSync('sh', ['-c', 'grep -rl zyxwvutsrq-sentinel-9911 "$1" || true', 'sh', home.cairnHome]).toString();
    expect(hits).toBe('');
    expect(await found(cairn(['search', 'sentinel', '--json']))).toEqual([]);
  });

  it('masks a secret before anything is written, in every file of the home', async () => {
    const { cairn, home } = open();
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const added = (await cairn(['add', `The CI token is ${token}, rotate it monthly`, '--json'])).json<{ redactions: unknown[] }>();
    expect(added.redactions).toHaveLength(1);
    const { execFileSync } = await import('node:child_process');
    expect(execFileSync('sh', ['-c', `grep -rl ${token} "$1" || true`, 'sh', home.cairnHome]).toString()).toBe('');
    expect((await found(cairn(['search', 'CI token', '--json'])))[0]?.text).toContain('[redacted:');
  });
});

describe('what must not be kept', () => {
  it('is masked in every field of a memory, of its history and of an import', async () => {
    const { cairn, home, repository } = open();
    const token = ['sk', 'live', '4eC39HqLyjWDarjtT1zdp7dc'].join('_');
    const { id } = (await cairn(['add', 'rotate the key monthly', '--tags', token, '--external-id', token, '--branch', token, '--path', 'a.ts', '--symbol', token, '--json'])).json<{ id: string }>();
    await cairn(['edit', id, '--tags', `x,${token}`, '--reason', `because ${token} leaked`]);
    await cairn(['edit', id, '--scope', `path:${token}/**`, '--author', token]);
    await cairn(['add', 'said by somebody', '--author', token, '--scope', `branch:${token}`]);
    await cairn(['forget', id, '--reason', token]);
    const file = path.join(repository.directory, 'in.jsonl');
    writeFileSync(file, `${JSON.stringify({ text: 'the deploy key', tags: [token], externalId: token, quote: token, branch: token, scope: `branch:${token}`, anchor: { path: 'a.ts', symbol: token, snippet: token, contentHash: token, commit: token } })}\n`);
    expect((await cairn(['import', file, '--json'])).json()).toMatchObject({ added: 1 });
    const { execFileSync } = await import('node:child_process');
    expect(execFileSync('sh', ['-c', `grep -rl ${token} "$1" || true`, 'sh', home.cairnHome]).toString()).toBe('');
  });

  it('is left out where a person called it private, and nothing is stored where all was', async () => {
    const { cairn } = open();
    const { id } = (await cairn(['add', 'The build is green <private>my salary is a secret</private> since Monday', '--json'])).json<{ id: string }>();
    expect((await cairn(['show', id, '--json'])).json()).toMatchObject({ text: 'The build is green  since Monday' });
    expect((await cairn(['add', '<private>all of it', '--json'])).json()).toMatchObject({ error: { code: 'TEXT_EMPTY' } });
  });
});

describe('bad input at the command line', () => {
  const cases: readonly [string, string[], number, string][] = [
    ['an empty text', ['add', '   ', '--json'], 2, 'TEXT_EMPTY'],
    ['a text of 8,001 characters', ['add', 'x'.repeat(8_001), '--json'], 1, 'TEXT_TOO_LONG'],
    ['an unknown kind', ['add', 'x y', '--kind', 'opinion', '--json'], 2, 'KIND_UNKNOWN'],
    ['importance 11', ['add', 'x y', '--importance', '11', '--json'], 2, 'IMPORTANCE_RANGE'],
    ['importance as a word', ['add', 'x y', '--importance', 'high', '--json'], 2, 'INPUT_INVALID'],
    ['an anchor outside the repository', ['add', 'x y', '--path', '../../etc/passwd', '--json'], 1, 'PATH_OUTSIDE_REPOSITORY'],
    ['a malformed scope', ['add', 'x y', '--scope', 'galaxy', '--json'], 2, 'SCOPE_INVALID'],
    ['limit 0', ['search', 'x', '--limit', '0', '--json'], 2, 'LIMIT_RANGE'],
    ['limit -1', ['search', 'x', '--limit', '-1', '--json'], 2, 'LIMIT_RANGE'],
    ['limit 1.5', ['list', '--limit', '1.5', '--json'], 2, 'LIMIT_RANGE'],
    ['a date that is none', ['list', '--since', 'soon', '--json'], 2, 'TIME_INVALID'],
    ['an id that does not exist', ['show', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--json'], 1, 'ID_UNKNOWN'],
    ['nothing to undo', ['undo', '--json'], 1, 'NOTHING_TO_UNDO'],
    ['purge without a yes', ['purge', '--json'], 2, 'INPUT_INVALID'],
    ['an unknown project', ['list', '--project', 'nowhere', '--json'], 1, 'REPOSITORY_UNKNOWN'],
    ['an import file that is not there', ['import', 'nowhere.jsonl', '--json'], 1, 'FILE_UNREADABLE'],
    ['an unknown setting', ['config', 'no.such', 'x', '--json'], 1, 'CONFIG_INVALID'],
    ['a setting out of range', ['config', 'extraction.gate', '11', '--json'], 1, 'CONFIG_INVALID'],
  ];
  it.each(cases)('%s is refused with its code and exit status', async (_name, args, code, errorCode) => {
    const { cairn } = open();
    const run = await cairn(args);
    expect({ code: run.code, error: run.json<{ error: { code: string } }>().error.code }).toEqual({ code, error: errorCode });
    expect(run.stderr).toMatch(/^cairn: .+\(/);
  });

  it('caps an enormous limit and says so', async () => {
    const { cairn } = open();
    await cairn(['add', 'one memory']);
    const run = (await cairn(['search', 'memory', '--limit', '1000000000', '--json'])).json<{ limit: number; degradations: { part: string }[] }>();
    expect(run.limit).toBe(200);
    expect(run.degradations.map(({ part }) => part)).toContain('limit_capped');
  });

  it('refuses stdin that is not UTF-8 and stores nothing', async () => {
    const { cairn } = open();
    const run = await cairn(['add', '-', '--json'], Uint8Array.from([0xff, 0xfe, 0x41, 0xc3]));
    expect(run.json()).toMatchObject({ error: { code: 'TEXT_MALFORMED' } });
    expect((await cairn(['stats', '--json'])).json()).toMatchObject({ total: 0 });
  });

  it('takes common flags before the verb as well', async () => {
    const { cairn, repository, home } = open();
    await cairn(['add', 'said inside the repository']);
    const run = await runCairn(['-C', repository.directory, '--json', 'stats'], { home, cwd: home.root });
    expect(run.json()).toMatchObject({ total: 1 });
  });

  it('says of a statement that a newer one takes it back, and shows the newer one first', async () => {
    const { cairn } = open();
    await cairn(['add', '--created-at', '2025-03-01', 'Orders of the shop are stored in MySQL 8.']);
    await cairn(['add', '--no-consolidate', '--created-at', '2026-03-01', 'We moved orders of the shop from MySQL to PostgreSQL.']);
    const { stdout } = await cairn(['search', 'which database holds the orders of the shop']);
    expect(stdout.indexOf('PostgreSQL')).toBeLessThan(stdout.indexOf('MySQL 8'));
    expect(stdout).toMatch(/MySQL 8\.[^]*which is newer, takes it back/);
  });

  it('takes the verbs that Claude\'s tools have for the same', async () => {
    const { cairn } = open();
    expect((await cairn(['remember', 'Deploy on Tuesdays'])).code).toBe(0);
    expect((await cairn(['recall', 'deploy'])).stdout).toContain('Deploy on Tuesdays');
  });

  it('exits 2 for an unknown command or flag', async () => {
    const { cairn } = open();
    expect((await cairn(['frobnicate'])).code).toBe(2);
    expect((await cairn(['list', '--frobnicate'])).code).toBe(2);
    expect((await cairn(['--help'])).code).toBe(0);
  });
});
