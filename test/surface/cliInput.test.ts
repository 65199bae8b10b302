/**
 * What people and scripts get wrong at the command line: every mistake is named, with `--json` in one JSON value,
 * and nothing is stored under a name, folder or date that nobody meant. Runs the built program.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../support/program.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';

interface Bench {
  readonly home: TemporaryHome;
  readonly repository: TemporaryRepository;
  readonly cairn: (args: string[], stdin?: string, cwd?: string) => Promise<CairnRun>;
}

function open(): Bench {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  const repository = createTemporaryRepository();
  return { home, repository, cairn: async (args, stdin, cwd) => runCairn(args, { home, cwd: cwd ?? repository.directory, ...(stdin === undefined ? {} : { stdin }) }) };
}

const failure = (run: CairnRun): { code: number | null; error: string } => ({ code: run.code, error: run.json<{ error: { code: string } }>().error.code });
const idOf = (run: CairnRun): string => run.json<{ id: string }>().id;

describe('wrong use, asked with --json', () => {
  const cases: readonly [string, string[], string][] = [
    ['an unknown flag', ['add', 'x', '--json', '--frobnicate'], 'INPUT_INVALID'],
    ['an unknown flag before --json', ['list', '--frobnicate', '--json'], 'INPUT_INVALID'],
    ['an unknown command', ['frobnicate', '--json'], 'OPERATION_UNKNOWN'],
    ['a missing argument', ['show', '--json'], 'INPUT_INVALID'],
    ['one argument too many', ['show', 'a', 'b', '--json'], 'INPUT_INVALID'],
    ['a flag that swallows the next', ['add', 'x', '--branch', '--json'], 'INPUT_INVALID'],
    ['a number that swallows the next', ['search', 'x', '--limit', '--json'], 'INPUT_INVALID'],
    ['two kinds for one memory', ['add', 'x', '--kind', 'rule,decision', '--json'], 'INPUT_INVALID'],
    ['a scope that leads out', ['add', 'x', '--scope', 'path:../secrets/**', '--json'], 'SCOPE_INVALID'],
    ['an absolute path as a scope', ['add', 'x', '--scope', 'path:C:\\work', '--json'], 'SCOPE_INVALID'],
    ['an end that is past', ['add', 'x', '--expires', '2020-01-01', '--json'], 'TIME_INVALID'],
    ['joiners alone as a text', ['add', '\u200B\u200D\u2060', '--json'], 'TEXT_EMPTY'],
    ['a lonely accent as a text', ['add', '\u0301', '--json'], 'TEXT_EMPTY'],
    ['a folder that is not there', ['add', 'x', '-C', '/nowhere/at/all', '--json'], 'INPUT_INVALID'],
    ['a file as the folder', ['add', 'x', '-C', 'README.md', '--json'], 'INPUT_INVALID'],
    ['one repository and all', ['search', 'x', '--project', 'sample', '--global', '--json'], 'INPUT_INVALID'],
    ['the user store and all repositories', ['list', '--user', '--global', '--json'], 'INPUT_INVALID'],
    ['an import into nowhere', ['import', 'README.md', '--scope', 'galaxy', '--json'], 'INPUT_INVALID'],
    ['pin and unpin', ['edit', 'x', '--pin', '--unpin', '--json'], 'INPUT_INVALID'],
    ['no page of proposals', ['inbox', '--limit', '0', '--json'], 'LIMIT_RANGE'],
    ['half a job', ['jobs', '--limit', '0.5', '--json'], 'LIMIT_RANGE'],
  ];
  it.each(cases)('%s ends with 2 and one JSON value', async (_name, args, error) => {
    const run = await open().cairn(args);
    expect(failure(run)).toEqual({ code: 2, error });
    expect(run.stderr).not.toBe('');
  });

  it('says what is expected as a person would, and that there is no backup where there is none', async () => {
    const { cairn } = open();
    expect((await cairn(['list', '--status', 'frob'])).stderr).toMatch(/^cairn: --status: expected one of/);
    expect((await cairn(['context', '--budget=0'])).stderr).toMatch(/^cairn: --budget: expected at least/);
    expect((await cairn(['list', '--order', 'frob'])).stderr).toBe('cairn: --order: expected one of: recent, created, importance, kind, file, recalled (INPUT_INVALID)\n');
    expect((await cairn(['search', 'x', '--threshold', '2'])).stderr).toBe('cairn: --threshold: expected at most 1 (INPUT_INVALID)\n');
    expect((await cairn(['embeddings', 'frob'])).stderr).toContain('expected one of: status, backfill, switch');
    expect((await cairn(['backup', '--list'])).stdout).toBe('There is no backup yet. Make one: cairn backup\n');
  });

  it('knows a setting whatever its case', async () => {
    expect((await open().cairn(['config', 'Embedding.Model', 'off'])).stderr).toContain('Did you mean embedding.model?');
  });

  it('makes no repository of a folder that is not there', async () => {
    const { cairn } = open();
    await cairn(['add', 'x', '-C', '/nowhere/at/all']);
    expect((await cairn(['project', '--json'])).json<{ known: unknown[] }>().known).toHaveLength(1);
  });
});

describe('a folder that was removed while one stands in it', () => {
  it('is named, and another one can be given', async () => {
    const { home, repository } = open();
    const run = (args: string): { status: number | null; stderr: string; stdout: string } => spawnSync('sh', ['-c', `mkdir gone && cd gone && rmdir ../gone && "${process.execPath}" "${findProgram()}" ${args}`], { cwd: repository.directory, env: { ...home.env }, encoding: 'utf8' });
    const refused = run('add "from nowhere"');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toMatch(/^cairn: .*gone.*INPUT_INVALID/);
    expect(run(`add "from here" -C "${repository.directory}"`)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('a filter that names nothing', () => {
  it('is refused, and clears, exports or lists nothing', async () => {
    const { cairn } = open();
    await cairn(['add', 'stays where it is']);
    for (const flag of ['--tags', '--kind', '--type', '--category', '--status']) {
      for (const empty of ['', ' ', ',']) {
        for (const args of [['clear', '--yes'], ['export'], ['list'], ['search', 'stays']]) expect(failure(await cairn([...args, flag, empty, '--json'])), `${args.join(' ')} ${flag} "${empty}"`).toEqual({ code: 2, error: 'INPUT_INVALID' });
      }
    }
    expect((await cairn(['list', '--json'])).json()).toMatchObject({ total: 1 });
  });

  it('is no limit where all that passes is meant', async () => {
    const { cairn } = open();
    await cairn(['add', 'stays where it is']);
    for (const verb of ['clear', 'export']) expect(failure(await cairn([verb, '--limit', '1', '--json']))).toEqual({ code: 2, error: 'INPUT_INVALID' });
    expect((await cairn(['list', '--json'])).json()).toMatchObject({ total: 1 });
  });
});

describe('what was said at another time', () => {
  it('cannot be said in days to come, and is called history where something newer is known', async () => {
    const { cairn } = open();
    expect(failure(await cairn(['add', 'The port is 3000', '--created-at', '2999-01-01', '--json']))).toEqual({ code: 2, error: 'TIME_INVALID' });
    await cairn(['add', 'The port is 4000']);
    expect((await cairn(['add', 'The port is 3000', '--created-at', '2020-01-01'])).stdout).toMatch(/^Kept as history of \w{26}\n {2}Was said before/);
    expect((await cairn(['list', '--json'])).json()).toMatchObject({ total: 1, memories: [{ text: 'The port is 4000' }] });
    await cairn(['add', 'The port is 5000']);
    expect((await cairn(['add', 'The port is 6000'])).stdout).toMatch(/^Remembered, replacing an older one/);
  });
});

describe('an id', () => {
  it('is the same in small letters', async () => {
    const { cairn } = open();
    const id = idOf(await cairn(['add', 'typed small', '--json']));
    expect((await cairn(['show', id.toLowerCase()])).stdout).toContain('typed small');
    expect((await cairn(['add', 'instead', '--supersedes', id.toLowerCase(), '--json'])).json()).toMatchObject({ outcome: 'superseded' });
    expect((await cairn(['history', id.toLowerCase(), '--json'])).code).toBe(0);
    expect((await cairn(['show', 'nope'])).stderr).toContain('no memory nope here');
  });
});

describe('a key that the profile has not', () => {
  it('is named, and not taken for an empty profile', async () => {
    const { cairn } = open();
    await cairn(['profile', 'python.formatter', 'ruff']);
    expect(failure(await cairn(['profile', 'nope', '--json']))).toEqual({ code: 2, error: 'INPUT_INVALID' });
    expect((await cairn(['profile', 'python'])).stdout).toContain('ruff');
    expect((await cairn(['profile', 'python.formatter', '--unset'])).stdout).toBe('python.formatter is not in the profile any more.\n');
  });
});

describe('purge', () => {
  it('says so when an id is unknown or of another repository, and removes nothing', async () => {
    const { cairn } = open();
    const other = createTemporaryRepository({ name: 'other' });
    const mine = idOf(await cairn(['add', 'stays here', '--json']));
    const theirs = idOf(await cairn(['add', 'stays there', '--json'], undefined, other.directory));
    expect(failure(await cairn(['purge', mine, '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--yes', '--json']))).toEqual({ code: 1, error: 'ID_UNKNOWN' });
    expect(failure(await cairn(['purge', mine, theirs, '--yes', '--json']))).toEqual({ code: 1, error: 'ID_OF_OTHER_REPOSITORY' });
    expect((await cairn(['list', '--json'])).json()).toMatchObject({ total: 1 });
    expect((await cairn(['purge', mine, '--yes', '--json'])).json()).toMatchObject({ purged: 1 });
    expect((await cairn(['purge', mine, '--yes', '--json'])).json()).toMatchObject({ purged: 0 });
  });
});

describe('add --supersedes', () => {
  it('says whose the id is when it belongs to another repository', async () => {
    const { cairn } = open();
    const other = createTemporaryRepository({ name: 'other' });
    const theirs = idOf(await cairn(['add', 'said there', '--json'], undefined, other.directory));
    expect(failure(await cairn(['add', 'said here', '--supersedes', theirs, '--json']))).toEqual({ code: 1, error: 'ID_OF_OTHER_REPOSITORY' });
  });
});

describe('forget', () => {
  it('names the one id of several that belongs to another repository', async () => {
    const { cairn } = open();
    const other = createTemporaryRepository({ name: 'other' });
    const mine = idOf(await cairn(['add', 'stays here', '--json']));
    const theirs = idOf(await cairn(['add', 'stays there', '--json'], undefined, other.directory));
    const run = await cairn(['forget', mine, theirs, '--json']);
    expect(run.json()).toMatchObject({ error: { code: 'ID_OF_OTHER_REPOSITORY', data: { id: theirs } } });
    expect((await cairn(['list', '--json'])).json()).toMatchObject({ total: 1 });
  });
});

describe('an end', () => {
  it('counts an age from now on, and a bare date to the end of its day', async () => {
    const { cairn } = open();
    const untilOf = async (when: string): Promise<number> => Date.parse(await cairn(['show', idOf(await cairn(['add', `holds for ${when}`, '--expires', when, '--json'])), '--json']).then((run) => new Date(run.json<{ expiresAt: number }>().expiresAt).toISOString()));
    expect(await untilOf('3d')).toBeGreaterThan(Date.now() + 2.9 * 86_400_000);
    expect(new Date(await untilOf('2999-12-24')).toISOString()).toBe('2999-12-24T23:59:59.999Z');
  });
});

describe('the terminal', () => {
  it('is not moved, renamed or turned around by what was stored', async () => {
    const { cairn, repository, home } = open();
    const id = idOf(await cairn(['add', '-', '--json'], '\u001B[31mred\u001B[0m tests\u0007 failed at step\r\nthree \u202Eevil\u202C'));
    expect((await cairn(['show', id, '--json'])).json()).toMatchObject({ text: 'red tests failed at step\nthree \u202Eevil\u202C' });
    const shown = (await runCairn(['list'], { home, cwd: repository.directory })).stdout;
    expect(shown).toContain('evil');
    expect(shown).not.toMatch(/[\u001B\u0007\u202E]/);
  });

  it('gets the help from the bare command, on stdout', async () => {
    const run = await open().cairn([]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('Usage: cairn');
  });
});

describe('completion', () => {
  it('for bash is a valid script that offers commands and their flags', async () => {
    const { cairn, home } = open();
    const { stdout } = await cairn(['completion', 'bash']);
    const ask = (words: string[]): string => execFileSync('bash', ['-c', `${stdout}\nCOMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length - 1}; _cairn; echo "\${COMPREPLY[@]}"`], { encoding: 'utf8', env: home.env }).trim();
    expect(ask(['cairn', 'sea'])).toBe('search');
    expect(ask(['cairn', 'search', '--thr'])).toBe('--threshold');
  });

  it('for zsh and fish names every command', async () => {
    const { cairn } = open();
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await cairn(['completion', shell]);
      for (const command of ['search', 'add', 'doctor', 'restore-memory']) expect(stdout).toContain(command);
    }
  });
});

describe('a question', () => {
  it('of a pasted page is answered', async () => {
    const { cairn } = open();
    await cairn(['add', 'the canary host is named basalt-heron']);
    const run = await cairn(['search', '-q', `basalt-heron ${'lorem ipsum dolor '.repeat(1_000)}`, '--json']);
    expect(run.json<{ results: { text: string }[] }>().results[0]?.text).toContain('basalt-heron');
  });
});

describe('-C', () => {
  it('takes a folder relative to where one stands', async () => {
    const { cairn, repository } = open();
    await cairn(['add', 'said in the repository']);
    const run = await cairn(['list', '-C', path.basename(repository.directory), '--json'], undefined, path.dirname(repository.directory));
    expect(run.json()).toMatchObject({ total: 1 });
  });
});
