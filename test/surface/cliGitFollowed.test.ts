/**
 * What git does to branches and files, and what becomes of the memories made there [F4, F5]: real repositories, the built
 * command line, and the hook that answers when a file is read.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLauncher } from '../support/program.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';

async function open() {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', CAIRN_HOOK_DEADLINE_MS: '60000' } });
  const repository = createTemporaryRepository({ branch: 'main' });
  const cairn = async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd: repository.directory });
  await cairn('init', '--no-register');
  return { home, repository, cairn };
}

/** A branch with a commit of its own, seen by a tidying, and two memories made on it. */
async function openWithBranch() {
  const { home, repository, cairn } = await open();
  repository.git('checkout', '-q', '-b', 'fix');
  commit(repository, 'src/cache.ts', 'export const cache = 1;\n');
  await cairn('add', 'The cache is keyed by tenant');
  await cairn('add', 'Cache entries live for ten minutes', '--scope', 'branch:fix');
  await cairn('tidy');
  return { home, repository, cairn };
}

function commit(repository: TemporaryRepository, file: string, text: string): void {
  fs.mkdirSync(path.dirname(repository.path(file)), { recursive: true });
  fs.writeFileSync(repository.path(file), text);
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', `change ${file}`);
}

const found = async (run: Promise<CairnRun>): Promise<Record<string, string>> => Object.fromEntries((await run).json<{ results: { text: string; explain: { visibleBecause: string } }[] }>().results.map(({ text, explain }) => [text, explain.visibleBecause]));

describe('memories of a branch', () => {
  it.each<[string, (repository: TemporaryRepository) => void]>([
    ['merged with a merge commit', (repository) => repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'fix')],
    ['merged by fast-forward', (repository) => repository.git('merge', '-q', '--ff-only', 'fix')],
    ['merged and removed', (repository) => { repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'fix'); repository.git('branch', '-q', '-d', 'fix'); }],
    ['squashed and removed', (repository) => { repository.git('merge', '-q', '--squash', 'fix'); repository.git('commit', '-q', '-m', 'squashed'); repository.git('branch', '-q', '-D', 'fix'); }],
    ['rebased onto newer work', (repository) => { commit(repository, 'docs/other.md', 'other\n'); repository.git('cherry-pick', 'fix'); }],
  ])('%s become the repository\'s', async (_how, merge) => {
    const { repository, cairn } = await openWithBranch();
    repository.git('checkout', '-q', 'main');
    expect(await found(cairn('search', 'cache', '--json'))).toEqual({ 'The cache is keyed by tenant': expect.stringContaining('made on branch fix') as string });
    merge(repository);
    expect((await cairn('tidy')).stdout).toContain('2 of merged branches made the repository\'s');
    expect(await found(cairn('search', 'cache', '--json'))).toEqual({ 'The cache is keyed by tenant': 'repository memory', 'Cache entries live for ten minutes': 'repository memory' });
    const [first] = (await cairn('search', 'cache tenant', '--json')).json<{ results: { id: string }[] }>().results;
    expect((await cairn('history', first?.id ?? '')).stdout).toContain('The branch fix was merged into main.');
    expect((await cairn('tidy')).stdout).not.toContain('merged');
  });

  it.each<[string, (repository: TemporaryRepository) => void]>([
    ['merged with a merge commit', (repository) => repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'fix')],
    ['merged by fast-forward', (repository) => repository.git('merge', '-q', '--ff-only', 'fix')],
    ['merged elsewhere and removed', (repository) => { repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'fix'); repository.git('branch', '-q', '-D', 'fix'); fs.rmSync(repository.path('.git', 'logs'), { recursive: true }); }],
    ['squashed and removed', (repository) => { repository.git('merge', '-q', '--squash', 'fix'); repository.git('commit', '-q', '-m', 'squashed'); repository.git('branch', '-q', '-D', 'fix'); }],
  ])('%s before anybody looked become the repository\'s as well', async (_how, merge) => {
    const { repository, cairn } = await open();
    repository.git('checkout', '-q', '-b', 'fix');
    commit(repository, 'src/cache.ts', 'export const cache = 1;\n');
    await cairn('add', 'The cache is keyed by tenant');
    await cairn('add', 'Cache entries live for ten minutes', '--scope', 'branch:fix');
    repository.git('checkout', '-q', 'main');
    merge(repository);
    expect((await cairn('tidy')).stdout).toContain('2 of merged branches made the repository\'s');
    expect(await found(cairn('search', 'cache', '--json'))).toEqual({ 'The cache is keyed by tenant': 'repository memory', 'Cache entries live for ten minutes': 'repository memory' });
  });

  it('stay the branch\'s where a new one has the name of one that was merged', async () => {
    const { repository, cairn } = await open();
    repository.git('checkout', '-q', '-b', 'fix');
    commit(repository, 'src/cache.ts', 'export const cache = 1;\n');
    repository.git('checkout', '-q', 'main');
    repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'fix');
    repository.git('branch', '-q', '-D', 'fix');
    repository.git('checkout', '-q', '-b', 'fix');
    await waitUntil(() => Date.now() > fs.statSync(repository.path('.git', 'logs', 'refs', 'heads', 'main')).mtimeMs + 1_100, 'another second than that of the merge');
    await cairn('add', 'The queue is drained at night');
    expect((await cairn('tidy')).stdout).not.toContain('merged');
  });

  it('stay the branch\'s while it goes on, and when it has no commit of its own yet', async () => {
    const { repository, cairn } = await openWithBranch();
    repository.git('checkout', '-q', 'main');
    commit(repository, 'docs/other.md', 'other\n');
    repository.git('checkout', '-q', '-b', 'fresh');
    await cairn('add', 'The queue is drained at night');
    for (let i = 0; i < 2; i += 1) expect((await cairn('tidy')).stdout).not.toContain('merged');
    repository.git('checkout', '-q', 'main');
    expect(await found(cairn('search', 'cache queue', '--json'))).toEqual({ 'The cache is keyed by tenant': expect.stringContaining('branch fix') as string, 'The queue is drained at night': expect.stringContaining('branch fresh') as string });
  });

  it('are proposed for archive, once, when it is removed unmerged; nothing is archived by itself', async () => {
    const { repository, cairn } = await openWithBranch();
    repository.git('checkout', '-q', 'main');
    repository.git('branch', '-q', '-D', 'fix');
    expect((await cairn('tidy')).stdout).toContain('2 proposed for the inbox, 0 archived');
    const waiting = (await cairn('inbox', '--json')).json<{ observations: { id: string; why: string; outcome: { verb: string } }[] }>().observations;
    expect(waiting.map(({ outcome, why }) => [outcome.verb, why])).toEqual(Array.from({ length: 2 }, () => ['archive', expect.stringContaining('The branch fix is gone and was never merged into main.')]));
    expect((await cairn('tidy')).stdout).toContain('0 proposed');
    expect((await cairn('list', '--json')).json<{ total: number }>().total).toBe(1);
    expect((await cairn('accept', '--all')).stdout).toMatch(/^Accepted 2; 0 left\.\n {2}archived \w+\n {2}archived \w+\n$/);
    expect((await cairn('list', '--status', 'archived', '--json')).json<{ memories: unknown[] }>().memories.length).toBeGreaterThan(0);
  });

  it('are not proposed for archive where the branch only got another name', async () => {
    const { repository, cairn } = await openWithBranch();
    repository.git('branch', '-m', 'fix', 'fix-2');
    repository.git('checkout', '-q', 'main');
    expect((await cairn('tidy')).stdout).toContain('0 proposed');
  });

  it('are left alone by another clone that never had the branch', async () => {
    const { home, repository, cairn } = await openWithBranch();
    repository.git('checkout', '-q', 'main');
    repository.git('config', 'remote.origin.url', 'https://git.example.test/team/app.git');
    await cairn('list');
    const other = repository.clone('other', '--branch=main', '--single-branch');
    other.git('remote', 'set-url', 'origin', 'https://git.example.test/team/app.git');
    const there = async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd: other.directory });
    expect((await there('search', 'cache tenant', '--json')).json<{ results: unknown[] }>().results).toHaveLength(1);
    expect((await there('tidy')).stdout).toContain('0 proposed');
    repository.git('merge', '-q', '--ff-only', 'fix');
    expect((await cairn('tidy')).stdout).toContain('2 of merged branches');
  });
});

describe('the anchor of a memory', () => {
  const TEXT = 'export function readPort(): number {\n  return 8080;\n}\n\nexport const host = \'localhost\';\n\nexport const retries = 3;\n';

  async function openWithAnchor() {
    const bench = await open();
    commit(bench.repository, 'src/port.ts', TEXT);
    const { id } = (await bench.cairn('add', 'The port is fixed on purpose', '--path', 'src/port.ts', '--lines', '1-3', '--json')).json<{ id: string }>();
    const anchorOf = async (): Promise<unknown> => (await bench.cairn('show', id, '--json')).json<{ anchors: { path: string; startLine: number }[] }>().anchors[0];
    const states = async (): Promise<string[]> => (await bench.cairn('show', id, '--json')).json<{ anchorChecks: { state: string }[] }>().anchorChecks.map(({ state }) => state);
    return { ...bench, id, anchorOf, states };
  }

  it('is seen to have moved at once when its file was renamed, and follows it for good at the next tidying', async () => {
    const { home, repository, cairn, anchorOf, states } = await openWithAnchor();
    repository.git('mv', 'src/port.ts', 'src/server.ts');
    expect(await states()).toEqual(['moved']);
    repository.git('commit', '-q', '-m', 'rename');
    fs.mkdirSync(repository.path('lib'));
    repository.git('mv', 'src/server.ts', 'lib/listen.ts');
    repository.git('commit', '-q', '-m', 'rename again');
    expect(await states()).toEqual(['moved']);
    expect((await cairn('tidy')).stdout).toContain('1 followed a renamed file');
    expect(await anchorOf()).toMatchObject({ path: 'lib/listen.ts', startLine: 1 });
    expect(await states()).toEqual(['fresh']);

    // Whoever reads the file under its new name is given the memory.
    const hook = spawn(process.execPath, [findLauncher(), 'hook', 'PostToolUse'], { cwd: repository.directory, env: { ...home.env }, stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    hook.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    hook.stdin.end(JSON.stringify({ session_id: 's1', cwd: repository.directory, transcript_path: path.join(home.home, 'none.jsonl'), hook_event_name: 'PostToolUse', tool_name: 'Read', tool_input: { file_path: repository.path('lib/listen.ts') } }));
    await new Promise((resolve) => hook.on('close', resolve));
    expect(output).toContain('The port is fixed on purpose');

    expect((await cairn('undo')).code).toBe(0);
    expect(await anchorOf()).toMatchObject({ path: 'src/port.ts' });
  });

  it('goes on saying that its lines changed when they were changed on the way', async () => {
    const { repository, cairn, anchorOf, states } = await openWithAnchor();
    repository.git('mv', 'src/port.ts', 'src/server.ts');
    fs.writeFileSync(repository.path('src/server.ts'), TEXT.replace('8080', '9090'));
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'rename and change');
    await cairn('tidy');
    expect(await anchorOf()).toMatchObject({ path: 'src/server.ts' });
    expect(await states()).toEqual(['changed']);
  });

  it('is missing when its file is gone, and stays where it was', async () => {
    const { repository, cairn, anchorOf, states } = await openWithAnchor();
    repository.git('rm', '-q', 'src/port.ts');
    repository.git('commit', '-q', '-m', 'gone');
    await cairn('tidy');
    expect(await anchorOf()).toMatchObject({ path: 'src/port.ts' });
    expect(await states()).toEqual(['missing']);
  });

  it('is told where its lines are now, and what is gone from a file that is there', async () => {
    const { repository, cairn } = await openWithAnchor();
    await cairn('add', 'Retries are few because the gateway retries too', '--path', 'src/port.ts', '--symbol', 'retries');
    fs.writeFileSync(repository.path('src/port.ts'), `// one\n// two\n${TEXT.replace('export const retries = 3;\n', '')}`);
    const port = (await cairn('search', 'port fixed on purpose')).stdout;
    expect(port).toContain('src/port.ts:3-5');
    expect(port).not.toContain('changed');
    const retries = (await cairn('search', 'gateway retries')).stdout;
    expect(retries).toContain('retries is gone from src/port.ts');
    fs.rmSync(repository.path('src/port.ts'));
    expect((await cairn('search', 'gateway retries')).stdout).toContain('! src/port.ts is gone');
  });
});
