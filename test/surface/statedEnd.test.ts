/**
 * A statement that names its own end gets it [F2], by whatever door it comes in, and the answer says so: the command line
 * in three time zones, and the MCP server. Runs the built program.
 */
import { describe, expect, it } from 'vitest';
import { openSdkMcpClient, toolText } from '../support/mcpClient.ts';
import { runCairn, type CairnRun } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';

/** The last millisecond of 15 June 2040 there, by UTC. */
const END_OF_DAY = { UTC: '2040-06-15T23:59:59.999Z', 'Asia/Shanghai': '2040-06-15T15:59:59.999Z', 'America/Los_Angeles': '2040-06-16T06:59:59.999Z' } as const;

function open(env: Record<string, string> = {}) {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', ...env } });
  const { directory: cwd } = createTemporaryRepository();
  return { home, cwd, cairn: async (...args: string[]): Promise<CairnRun> => runCairn(args, { home, cwd }) };
}

const expiryOf = (run: CairnRun): string | undefined => {
  const { expiresAt } = run.json<{ expiresAt?: number }>();
  return expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
};

describe('a statement with an end of its own', () => {
  it.each(Object.entries(END_OF_DAY))('added at a command line in %s holds to the end of that day there', async (zone, end) => {
    const { cairn } = open({ TZ: zone });
    for (const text of ['Use port 3001 until 2040-06-15', '2040年6月15日之前不要合并到 main']) expect(expiryOf(await cairn('add', text, '--json')), text).toBe(end);
    expect(expiryOf(await cairn('add', 'The mock server answers on port 9000', '--expires', '2040-06-15', '--json'))).toBe(end);
  });

  it('is answered with the day, the words and the way back, and the way back works', async () => {
    const { cairn } = open();
    const { stdout } = await cairn('add', 'Use port 3001 until 2040-06-15.');
    expect(stdout).toMatch(/Expires 2040-06-15, as it says "until 2040-06-15"\. If that is wrong: cairn edit \w+ --expires never/);
    const [, id = ''] = /cairn edit (\w+)/.exec(stdout) ?? [];
    expect((await cairn('list')).stdout).toContain('until 2040-06-15 ·');
    expect((await cairn('edit', id, '--expires', 'never')).code).toBe(0);
    expect((await cairn('show', id, '--json')).json<{ expiresAt?: number }>().expiresAt).toBeUndefined();
  });

  it('that is no date is named, and nothing ends by itself; what is given wins over what is said', async () => {
    const { cairn } = open();
    const run = await cairn('add', 'Stay on Node 22 until the 2.0 release');
    expect(run.stdout).toContain('It says "until the 2.0 release"; to let it end by itself: cairn edit');
    expect(expiryOf(await cairn('add', 'Use port 4001 until 2040-06-15', '--expires', '2041-01-01', '--json'))).toBe('2041-01-01T23:59:59.999Z');
    expect(expiryOf(await cairn('add', 'The certificate is valid until 2040-06-15', '--json'))).toBeUndefined();
    expect(expiryOf(await cairn('add', 'We used MySQL until 2040-06-15', '--json'))).toBeUndefined();
  });

  it('kept by Claude through MCP has it too, and Claude is told', async () => {
    const { home, cwd, cairn } = open();
    await cairn('init', '--no-register');
    const client = await openSdkMcpClient({ home, cwd });
    const answer = toolText(await client.callTool({ name: 'remember', arguments: { text: 'Use port 3001 until 2040-06-15' } }));
    expect(answer).toContain('It expires at 2040-06-15T23:59:59.999Z, as it says "until 2040-06-15"; tell the person.');
    expect(toolText(await client.callTool({ name: 'remember', arguments: { text: 'We use pnpm' } }))).not.toContain('expires');
    await client.close();
  });
});
