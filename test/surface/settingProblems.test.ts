/**
 * A setting that cannot be obeyed is said where a person looks, and nowhere where a protocol would be disturbed.
 * Runs the built program.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRawMcpClient } from '../support/mcpClient.ts';
import { findLauncher } from '../support/program.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

const WRONG = { CAIRN_EMBEDDING_MODEL: 'off', CAIRN_CAPTURE_MODE: 'sometimes', CAIRN_RECALL_LIMIT: 'many' };
const count = (text: string, part: string): number => text.split(part).length - 1;

describe('a setting that cannot be obeyed', () => {
  it('is said once on stderr with what would be, and stdout stays as it is', async () => {
    const home = createTemporaryHome({ env: WRONG });
    const { directory: cwd } = createTemporaryRepository();
    for (const args of [['add', 'We use pnpm.'], ['search', 'pnpm'], ['list'], ['status'], ['stats'], ['inbox'], ['config', 'capture.mode']]) {
      const run = await runCairn([...args, '--json'], { home, cwd });
      expect(run.code, run.stderr).toBe(0);
      run.json();
      expect(count(run.stderr, 'CAIRN_CAPTURE_MODE: expected one of: off, manual, rules, model'), args.join(' ')).toBe(1);
      expect(count(run.stderr, 'CAIRN_RECALL_LIMIT: expected a whole number from 1 to'), args.join(' ')).toBe(1);
    }
    expect((await runCairn(['config', 'capture.mode'], { home, cwd })).stdout).toContain('rules');
  });

  it('in a file of the user or of the repository is said as well, and a file that was corrected is silent', async () => {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
    const { directory: cwd } = createTemporaryRepository();
    await runCairn(['add', 'We use pnpm.'], { home, cwd });
    const [id = ''] = fs.readdirSync(path.join(home.cairnHome, 'repos'));
    const [ofUser, ofRepository] = [path.join(home.cairnHome, 'config.json'), path.join(home.cairnHome, 'repos', id, 'config.json')];
    fs.writeFileSync(ofUser, '{ "recall": { "limit": 20, }, oops');
    fs.writeFileSync(ofRepository, '{ "capture": { "mode": "sometimes" } }');
    const { stderr } = await runCairn(['list'], { home, cwd });
    expect(count(stderr, `${ofUser} cannot be parsed`)).toBe(1);
    expect(count(stderr, `${ofRepository}: "capture.mode": expected one of`)).toBe(1);
    for (const file of [ofUser, ofRepository]) fs.writeFileSync(file, '{}');
    expect((await runCairn(['list'], { home, cwd })).stderr).toBe('');
  });

  it('is in the log of the MCP server, and neither in its protocol nor in a hook\'s output', async () => {
    const home = createTemporaryHome({ env: WRONG });
    const { directory: cwd } = createTemporaryRepository();
    expect((await runCairn(['init', '--no-register'], { home, cwd })).code).toBe(0);
    const client = openRawMcpClient({ home, cwd });
    await client.initialize();
    expect((await client.request('tools/call', { name: 'list_memories', arguments: {} })).result).toBeDefined();
    expect((await client.request('tools/call', { name: 'recall', arguments: { query: 'pnpm' } })).result).toBeDefined();
    expect(client.garbage).toEqual([]);
    await client.close();
    const logs = fs.readdirSync(path.join(home.cairnHome, 'logs')).map((name) => fs.readFileSync(path.join(home.cairnHome, 'logs', name), 'utf8')).join('');
    expect(count(logs, 'CAIRN_CAPTURE_MODE: expected one of')).toBe(1);

    const hook = spawn(process.execPath, [findLauncher(), 'hook', 'SessionStart'], { cwd, env: { ...home.env, CAIRN_HOOK_DEADLINE_MS: '60000' }, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [hook.stdout, hook.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    hook.stdin.end(JSON.stringify({ session_id: 's1', cwd, transcript_path: path.join(home.home, 'none.jsonl'), hook_event_name: 'SessionStart', source: 'startup' }));
    expect(await new Promise((resolve) => hook.on('close', resolve))).toBe(0);
    expect(output).not.toContain('CAIRN_CAPTURE_MODE');
  });
});

describe('settings that several processes write at once', () => {
  it('are all kept', async () => {
    const home = createTemporaryHome({ env: {} });
    const { directory: cwd } = createTemporaryRepository();
    const wanted = { 'capture.everyTurns': 3, 'capture.idleSeconds': 77, 'injection.startTokens': 1200, 'injection.promptTokens': 333, 'injection.fileTokens': 222, 'recall.limit': 15 };
    const runs = await Promise.all(Object.entries(wanted).map(async ([key, value]) => runCairn(['config', key, String(value)], { home, cwd })));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    for (const [key, value] of Object.entries(wanted)) expect((await runCairn(['config', key, '--json'], { home, cwd })).json(), key).toMatchObject({ value });
  });
});
