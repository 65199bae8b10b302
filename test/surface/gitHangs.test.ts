/**
 * A git that never ends, first on the PATH (a credential prompt, a network drive, a broken wrapper): nothing that Cairn
 * does waits for it. The test would run into its own time-out otherwise. Runs the built program.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openSdkMcpClient, toolText } from '../support/mcpClient.ts';
import { notRunHere } from '../support/notRunHere.ts';
import { findLauncher } from '../support/program.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

/** Each writes down the process that has to be ended by force when the test is through. */
const WAYS_TO_HANG = {
  'sleeps': 'echo $$ >> "$0.pids"; exec sleep 3600',
  'ignores the signals that end a process': 'trap "" INT TERM HUP; echo $$ >> "$0.pids"; while :; do sleep 1; done',
  'leaves a child that holds its output': 'sleep 3600 & echo $! >> "$0.pids"; echo $$ >> "$0.pids"; wait',
} as const;

const pidFiles: string[] = [];
afterAll(() => {
  for (const pid of pidFiles.flatMap((file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : []))) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // ended already
    }
  }
});

function open(script: string) {
  const folder = createTemporaryFolder('hanging-git');
  const git = path.join(folder, 'git');
  fs.writeFileSync(git, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  pidFiles.push(`${git}.pids`);
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', CAIRN_HOOK_DEADLINE_MS: '60000', PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}` } });
  const { directory: cwd } = createTemporaryRepository();
  return { home, cwd, wasAsked: () => fs.existsSync(`${git}.pids`), cairn: async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd, timeoutMs: 60_000 }) };
}

if (process.platform === 'win32') notRunHere('a git that hangs', 'the stand-in is a shell script');
else {
  describe('a git that never ends', () => {
    it.each(Object.entries(WAYS_TO_HANG))('because it %s keeps no command', async (_how, script) => {
      const { wasAsked, cairn } = open(script);
      expect((await cairn('add', 'Releases leave on Tuesdays')).code).toBe(0);
      expect(wasAsked()).toBe(true);
    });

    it('keeps neither what follows, nor a server, nor a hook', async () => {
      const { home, cwd, cairn } = open(WAYS_TO_HANG.sleeps);
      for (const args of [['init', '--no-register'], ['add', 'Releases leave on Tuesdays', '--kind', 'rule', '--pin'], ['list'], ['search', 'releases'], ['tidy']]) expect((await cairn(...args)).code, args.join(' ')).toBe(0);

      const client = await openSdkMcpClient({ home, cwd });
      expect(toolText(await client.callTool({ name: 'recall', arguments: { query: 'releases' } }))).toContain('Tuesdays');
      await client.close();

      const hook = spawn(process.execPath, [findLauncher(), 'hook', 'SessionStart'], { cwd, env: { ...home.env }, stdio: ['pipe', 'pipe', 'ignore'] });
      let output = '';
      hook.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      hook.stdin.end(JSON.stringify({ session_id: 's1', cwd, transcript_path: path.join(home.home, 'none.jsonl'), hook_event_name: 'SessionStart', source: 'startup' }));
      expect(await new Promise((resolve) => hook.on('close', resolve))).toBe(0);
      expect(output).toContain('Tuesdays');
    });
  });
}
