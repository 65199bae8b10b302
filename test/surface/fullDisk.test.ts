/** A real disk without room under the stores: the command line says so, hooks stay silent, nothing acknowledged is lost. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSdkMcpClient, toolText } from '../support/mcpClient.ts';
import { notRunHere } from '../support/notRunHere.ts';
import { runCairn } from '../support/runCairn.ts';
import { layOver } from '../support/smallDisk.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

describe('a full disk', () => {
  it('is named with what to do, keeps what was acknowledged, lets recall and hooks go on, and is over when there is room', async () => {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', CAIRN_HOOK_DEADLINE_MS: '20000' } });
    const cwd = createTemporaryRepository().directory;
    const cairn = async (args: readonly string[], stdin?: string) => runCairn(args, { home, cwd, ...(stdin === undefined ? {} : { stdin }) });
    await cairn(['init', '--no-register']);
    await cairn(['add', 'We deploy on Tuesdays.']);
    const disk = layOver(path.join(home.cairnHome, 'repos'), 12);
    if (typeof disk === 'string') return notRunHere('a full disk under the stores', disk);
    try {
      disk.fill();
      const refused = await cairn(['add', `Something long: ${'word '.repeat(1_500)}`, '--json']);
      expect(refused.code).toBe(1);
      expect(refused.json<{ error: { code: string; message: string } }>().error).toMatchObject({ code: 'STORE_FULL', message: expect.stringContaining('Free some space') as string });
      expect((await cairn(['search', 'when do we deploy', '--json'])).json<{ results: { text: string }[] }>().results.map(({ text }) => text)).toEqual(['We deploy on Tuesdays.']);
      const hook = await cairn(['hook', 'UserPromptSubmit'], JSON.stringify({ session_id: 'full', cwd, hook_event_name: 'UserPromptSubmit', prompt: 'when do we deploy?' }));
      expect(hook.code).toBe(0);
      disk.free();
      expect((await cairn(['add', 'There is room again.', '--json'])).json()).toMatchObject({ outcome: 'added' });
      const listed = (await cairn(['list', '--json'])).json<{ memories: { text: string }[] }>().memories.map(({ text }) => text);
      expect(listed.sort()).toEqual(['There is room again.', 'We deploy on Tuesdays.']);
      expect((await cairn(['doctor', '--json'])).json<{ checks: { id: string; state: string }[] }>().checks.filter(({ id, state }) => id.startsWith('integrity') && state !== 'ok')).toEqual([]);
    } finally {
      disk.remove();
    }
    expect(fs.existsSync(path.join(home.cairnHome, 'repos'))).toBe(true);
  });

  it('is over for a server that was started while it was full', async () => {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
    const cwd = createTemporaryRepository().directory;
    await runCairn(['init', '--no-register'], { home, cwd });
    await runCairn(['add', 'We deploy on Tuesdays.'], { home, cwd });
    const disk = layOver(path.join(home.cairnHome, 'repos'), 12);
    if (typeof disk === 'string') return notRunHere('a server started on a full disk', disk);
    disk.fill();
    const client = await openSdkMcpClient({ home, cwd });
    try {
      const remember = async (text: string) => toolText(await client.callTool({ name: 'remember', arguments: { text } }));
      expect(toolText(await client.callTool({ name: 'recall', arguments: { query: 'deploy' } }))).toContain('We deploy on Tuesdays.');
      expect(await remember('Nothing fits.')).toContain('STORE_FULL');
      disk.free();
      expect(await remember('There is room again.')).not.toContain('STORE_FULL');
    } finally {
      await client.close();
      disk.remove();
    }
  });
});
