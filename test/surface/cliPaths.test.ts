/**
 * Paths at a terminal mean what they mean to every other program there: from the folder one stands in, whole, with
 * dots, through links. Runs the built program.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';

interface Bench {
  readonly repository: TemporaryRepository;
  readonly cairn: (args: string[], cwd?: string) => Promise<CairnRun>;
  /** Where a memory added with this path is anchored. */
  readonly anchored: (given: string, cwd?: string) => Promise<string | undefined>;
  readonly listed: (given: string, cwd?: string) => Promise<string[]>;
}

function open(): Bench {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
  const repository = createTemporaryRepository({ files: { 'README.md': '# Root\n', 'src/支付 now/charge.ts': 'export {};\n', 'src/支付 now/README.md': '# Pay\n' } });
  const cairn: Bench['cairn'] = async (args, cwd) => runCairn(args, { home, cwd: cwd ?? repository.directory });
  let count = 0;
  return {
    repository, cairn,
    anchored: async (given, cwd) => {
      const { id } = (await cairn(['add', `Statement ${(count += 1)}`, '--path', given, '--no-consolidate', '--json'], cwd)).json<{ id: string }>();
      return (await cairn(['list', '--json'])).json<{ memories: { id: string; anchors: { path: string }[] }[] }>().memories.find((memory) => memory.id === id)?.anchors[0]?.path;
    },
    listed: async (given, cwd) => (await cairn(['list', '--path', given, '--json'], cwd)).json<{ memories: { text: string }[] }>().memories.map(({ text }) => text).sort(),
  };
}

describe('a path', () => {
  it('counts from the folder one stands in, then from the root, and may be whole', async () => {
    const { repository, anchored } = open();
    const folder = repository.path('src', '支付 now');
    const wanted = 'src/支付 now/charge.ts';
    for (const given of ['charge.ts', './charge.ts', '../支付 now/charge.ts', wanted, path.join(folder, 'charge.ts'), `${folder}/../支付 now/charge.ts`]) expect(await anchored(given, folder), given).toBe(wanted);
    expect(await anchored('README.md', folder)).toBe('src/支付 now/README.md');
    expect(await anchored('README.md')).toBe('README.md');
    expect(await anchored('not/there yet.ts', folder)).toBe('not/there yet.ts');
  });

  it('is the same through a link to the repository', async () => {
    const { repository, anchored } = open();
    const link = path.join(path.dirname(repository.directory), 'linked');
    fs.symlinkSync(repository.directory, link);
    expect(await anchored(path.join(link, 'README.md'))).toBe('README.md');
    expect(await anchored(path.join(link, 'new.md'), link)).toBe('new.md');
    expect(await anchored(path.join(repository.directory, 'README.md'), link)).toBe('README.md');
  });

  it('filters by file, by folder, by everything below, and by the whole tree', async () => {
    const { repository, anchored, listed, cairn } = open();
    await anchored('README.md');
    await anchored('src/支付 now/charge.ts');
    await cairn(['add', 'About nothing in particular']);
    for (const given of ['src', 'src/', './src', 'src/**', 'src/*', repository.path('src'), 'src/支付 now/charge.ts']) expect(await listed(given), given).toEqual(['Statement 2']);
    for (const given of ['.', repository.directory, './']) expect(await listed(given), given).toEqual(['Statement 1', 'Statement 2']);
    expect(await listed('.', repository.path('src'))).toEqual(['Statement 2']);
    expect(await listed('elsewhere')).toEqual([]);
  });

  it('that is outside, empty or a pattern is named, and nothing is listed, stored or cleared by it', async () => {
    const { repository, cairn, anchored } = open();
    await anchored('README.md');
    const cases: [string, string][] = [['/etc', 'PATH_OUTSIDE_REPOSITORY'], ['..', 'PATH_OUTSIDE_REPOSITORY'], ['C:\\work', 'PATH_OUTSIDE_REPOSITORY'], ['', 'INPUT_INVALID'], ['  ', 'INPUT_INVALID'], ['**/*.md', 'INPUT_INVALID']];
    for (const [given, code] of cases) {
      for (const args of [['list'], ['search', 'Statement'], ['export'], ['clear', '--yes']]) {
        const run = await cairn([...args, '--path', given, '--json']);
        expect({ given, args, error: run.json<{ error?: { code: string } }>().error?.code }).toEqual({ given, args, error: code });
        expect(run.code).not.toBe(0);
      }
    }
    expect((await cairn(['add', 'x', '--path', '.', '--json'])).json()).toMatchObject({ error: { code: 'INPUT_INVALID' } });
    expect((await cairn(['list', '--json'], repository.directory)).json()).toMatchObject({ total: 1 });
  });
});

describe('a day that no calendar has', () => {
  it('is named wherever a date is taken', async () => {
    const { cairn } = open();
    for (const args of [['list', '--since', '2026-02-30'], ['search', 'x', '--until', '2026-11-31T10:00'], ['add', 'x', '--expires', '2027-02-29'], ['add', 'x', '--created-at', '2026-04-31']]) {
      expect((await cairn([...args, '--json'])).json(), args.join(' ')).toMatchObject({ error: { code: 'TIME_INVALID' } });
    }
    expect((await cairn(['add', 'It holds until a leap day', '--expires', '2028-02-29', '--json'])).code).toBe(0);
  });
});
