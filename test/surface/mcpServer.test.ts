/**
 * The MCP server over stdio, driven raw (what no well-behaved client sends) and by the
 * official client (what everybody sends). Runs the built program.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../support/program.ts';
import { openRawMcpClient, openSdkMcpClient, toolText } from '../support/mcpClient.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';

const DAMAGED_TEXT = 'there is no file here';

async function openEnabled(env: Record<string, string> = {}): Promise<{ home: ReturnType<typeof createTemporaryHome>; repository: ReturnType<typeof createTemporaryRepository>; cwd: string }> {
  const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', ...env } });
  const repository = createTemporaryRepository();
  const run = await runCairn(['init', '--no-register'], { home, cwd: repository.directory });
  expect(run.code).toBe(0);
  return { home, repository, cwd: repository.directory };
}

describe('the MCP protocol', () => {
  it('answers an unknown request before initialize with an error and goes on', async () => {
    const { home, cwd } = await openEnabled();
    const client = openRawMcpClient({ home, cwd });
    const probe = await client.request('server/discover', { _meta: {} });
    expect(probe.error?.code).toBe(-32601);
    const initialized = await client.initialize();
    expect(initialized.result).toMatchObject({ serverInfo: { name: 'cairn' } });
    expect(String((initialized.result as { instructions?: string }).instructions).length).toBeLessThan(2_000);
    await client.close();
  });

  it('answers bad JSON, unknown methods and null params by the protocol and then serves a good call', async () => {
    const { home, cwd } = await openEnabled();
    const client = openRawMcpClient({ home, cwd });
    await client.initialize();
    client.write('{bad');
    await client.waitFor((message) => message.error?.code === -32700, 'the parse error');
    expect((await client.request('nope')).error?.code).toBe(-32601);
    client.write('{"jsonrpc":"2.0","id":"n1","method":"tools/list","params":null}');
    const listed = await client.waitFor((message) => message.id === 'n1', 'tools/list');
    expect((listed.result as { tools: { name: string }[] }).tools.map(({ name }) => name)).toContain('recall');
    const call = await client.request('tools/call', { name: 'list_memories', arguments: {} });
    expect(call.result).toBeDefined();
    expect(client.garbage).toEqual([]);
    await client.close();
  });

  it('writes only JSON-RPC to stdout, also with debug logging', async () => {
    const { home, cwd } = await openEnabled({ CAIRN_LOG_LEVEL: 'debug', CAIRN_EMBEDDING_MODEL: 'hashing' });
    const client = openRawMcpClient({ home, cwd, env: { NODE_DEBUG: 'worker', CAIRN_NO_SUCH_SETTING: DAMAGED_TEXT } });
    await client.initialize();
    await client.request('tools/call', { name: 'remember', arguments: { text: 'We lint with biome' } });
    await client.request('tools/call', { name: 'recall', arguments: { query: 'lint' } });
    expect(client.garbage).toEqual([]);
    for (const message of client.messages) expect(message.jsonrpc).toBe('2.0');
    await client.close();
  });

  it.each([[{}], [{ query: 123 }], [{ query: null }]])('refuses recall with arguments %j and names the field', async (args) => {
    const { home, cwd } = await openEnabled();
    const client = openRawMcpClient({ home, cwd });
    await client.initialize();
    const answer = await client.request('tools/call', { name: 'recall', arguments: args });
    expect((answer.result as { isError?: boolean }).isError).toBe(true);
    expect(toolText(answer.result)).toContain('"query"');
    expect(toolText(answer.result)).not.toContain('at ');
    await client.close();
  });

  it.each([[0], [-1], [-5], [1.5], ['3'], [1e9]])('treats limit %s as every other surface does', async (limit) => {
    const { home, cwd } = await openEnabled();
    const client = openRawMcpClient({ home, cwd });
    await client.initialize();
    for (const name of ['recall', 'list_memories']) {
      const answer = await client.request('tools/call', { name, arguments: { query: 'x', limit } });
      expect({ name, isError: (answer.result as { isError?: boolean }).isError === true }).toEqual({ name, isError: limit !== 1e9 });
    }
    await client.close();
  });

  it('exits when its input ends', async () => {
    const { home, cwd } = await openEnabled();
    const client = openRawMcpClient({ home, cwd });
    await client.initialize();
    expect(await client.close()).toMatchObject({ code: 0 });
  });

  it('exits when its parent is killed', async () => {
    const { home, cwd } = await openEnabled();
    const script = `const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, [${JSON.stringify(findProgram())}, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\\n');
      child.stdout.once('data', () => console.log(child.pid));
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['-e', script], { cwd, env: { ...home.env }, stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) => parent.stdout.on('data', (data: Buffer) => resolve(Number(data.toString().trim()))));
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await waitUntil(() => !isAlive(pid), 'the server to end');
  });
});

describe('roots', () => {
  it('that the client names, and changes, decide which repository is served; a strange one changes nothing', async () => {
    const { home, cwd } = await openEnabled();
    await runCairn(['add', 'The first one deploys with make.'], { home, cwd });
    const second = createTemporaryRepository({ name: 'second 二', files: { 's.txt': 's' } });
    await runCairn(['init', '--no-register'], { home, cwd: second.directory });
    await runCairn(['add', 'The second one deploys with just.'], { home, cwd: second.directory });
    const client = openRawMcpClient({ home, cwd });
    await client.request('initialize', { protocolVersion: '2025-06-18', capabilities: { roots: { listChanged: true } }, clientInfo: { name: 'roots', version: '1' } });
    let asked = 0;
    const answerRoots = async (roots: unknown): Promise<void> => {
      const question = await client.waitFor((message) => message.method === 'roots/list' && Number(message.id) >= asked, 'roots/list');
      asked = Number(question.id) + 1;
      client.write(JSON.stringify({ jsonrpc: '2.0', id: question.id, ...(roots === undefined ? { error: { code: -32603, message: 'no' } } : { result: { roots } }) }));
    };
    const recalls = async (text: string): Promise<void> => {
      await waitUntil(async () => (toolText((await client.request('tools/call', { name: 'recall', arguments: { query: 'how is it deployed' } })).result).includes(text) ? true : undefined), text);
    };
    client.notify('notifications/initialized');
    await answerRoots([{ uri: pathToFileURL(second.directory).href, name: 'second' }]);
    await recalls('deploys with just');
    for (const strange of [[{ uri: 'https://example.test/repo' }], [{ uri: 'file://%zz' }], [], null, [null, {}, { uri: 7 }], undefined]) {
      client.notify('notifications/roots/list_changed');
      await answerRoots(strange);
      await recalls('deploys with just');
    }
    client.notify('notifications/roots/list_changed');
    await answerRoots([{ uri: 'https://example.test/repo' }, { uri: pathToFileURL(cwd).href }]);
    await recalls('deploys with make');
    await client.close();
  });
});

describe('consent', () => {
  it('lists no tools and no instructions without the yes, and announces them when it comes', async () => {
    const home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off' } });
    const repository = createTemporaryRepository();
    const client = openRawMcpClient({ home, cwd: repository.directory });
    const initialized = await client.initialize();
    expect(initialized.result).not.toHaveProperty('instructions');
    expect((await client.request('tools/list')).result).toEqual({ tools: [] });
    expect((await client.request('tools/call', { name: 'remember', arguments: { text: 'We use tabs' } })).error?.message).toContain('switched on');
    await runCairn(['init', '--no-register'], { home, cwd: repository.directory });
    await client.waitFor((message) => message.method === 'notifications/tools/list_changed', 'tools/list_changed');
    const { tools } = (await client.request('tools/list')).result as { tools: unknown[] };
    expect(tools.length).toBeGreaterThanOrEqual(7);
    await client.close();
  });
});

describe('a pause', () => {
  it('is called a pause, with the way back, and ends without a restart', async () => {
    const { home, cwd } = await openEnabled();
    const client = openRawMcpClient({ home, cwd });
    await client.initialize();
    await runCairn(['pause'], { home, cwd });
    expect((await client.request('tools/call', { name: 'recall', arguments: { query: 'x' } })).error?.message).toMatch(/paused.*cairn resume/);
    expect((await client.request('tools/list')).result).toEqual({ tools: [] });
    await runCairn(['resume'], { home, cwd });
    expect((await client.request('tools/call', { name: 'recall', arguments: { query: 'x' } })).result).toBeDefined();
    await client.close();
  });
});

describe('what a model wants and the person did not say', () => {
  it('replaces nothing, changes no profile, and is not accepted by the model itself, until the person says so', async () => {
    const { home, cwd } = await openEnabled();
    const session = '0b5f0c5e-1111-4222-8333-444455558888';
    const transcript = path.join(home.claudeDirectory, 'projects', '-w', `${session}.jsonl`);
    fs.mkdirSync(path.dirname(transcript), { recursive: true });
    let last: string | null = null;
    const person = (text: string): void => {
      const uuid = `u-${text.length}-${text.slice(0, 4)}`;
      fs.appendFileSync(transcript, `${JSON.stringify({ type: 'user', uuid, parentUuid: last, cwd, sessionId: session, timestamp: new Date().toISOString(), message: { role: 'user', content: text } })}\n`);
      last = uuid;
    };
    const { id } = (await runCairn(['add', 'The staging port is 5433.', '--json'], { home, cwd })).json<{ id: string }>();
    const client = openRawMcpClient({ home, cwd, env: { CLAUDE_CODE_SESSION_ID: session } });
    await client.initialize();
    const tool = async (name: string, args: object): Promise<string> => toolText((await client.request('tools/call', { name, arguments: args })).result);

    person('Summarise this web page for me.');
    expect(await tool('update_memory', { observation_id: id, new_value: 'The staging port is 6666.', reason: 'the page says so' })).toContain('inbox');
    expect(await tool('update_memory', { profile_key: 'python.formatter', new_value: 'evil' })).toContain('Nothing was changed');
    await runCairn(['profile', 'python.formatter', 'ruff'], { home, cwd });
    expect(await tool('update_memory', { profile_key: 'python.formatter', delete: true, reason: 'the page says so' })).toContain('Nothing was changed');
    expect((await runCairn(['profile', 'python.formatter'], { home, cwd })).stdout).toContain('ruff');
    expect(await tool('recall', { query: 'staging port' })).toContain('5433');
    const waiting = (await runCairn(['inbox', '--json'], { home, cwd })).json<{ observations: { id: string; untrusted: boolean; outcome: { verb: string; targetId: string } }[] }>().observations;
    expect(waiting).toMatchObject([{ untrusted: true, outcome: { verb: 'conflict', targetId: id } }]);
    const proposal = { action: 'accept', ids: [waiting[0]?.id] };
    expect(await tool('review_inbox', proposal)).toContain('Nothing was decided');
    expect(await tool('review_inbox', { action: 'list' })).toContain('6666');

    person('ok, accept the first one');
    expect(await tool('review_inbox', proposal)).not.toContain('Nothing was decided');
    expect(await tool('recall', { query: 'staging port' })).toContain('6666');
    person('No, that is wrong: from now on the staging port is 7777.');
    const now = /([0-9A-Z]{26})\)/.exec(await tool('recall', { query: 'staging port' }))?.[1] ?? '';
    expect(await tool('update_memory', { observation_id: now, new_value: 'The staging port is 7777.' })).toContain('replaces');
    person('Take the python formatter out of my profile.');
    expect(await tool('update_memory', { profile_key: 'python.formatter', delete: true, reason: 'Take the python formatter out of my profile' })).toContain('Removed');
    expect(await tool('list_memories', { offset: 50 })).toMatch(/^There are \d+; none is left after the first 50\.$/);
    await client.close();
  });
});

describe('what nobody asked for', () => {
  it('is checked and masked like everything else before it waits in the inbox, and all that waits can be accepted', async () => {
    const { home, cwd } = await openEnabled();
    const session = '0b5f0c5e-1111-4222-8333-444455559999';
    const transcript = path.join(home.claudeDirectory, 'projects', '-w', `${session}.jsonl`);
    fs.mkdirSync(path.dirname(transcript), { recursive: true });
    fs.writeFileSync(transcript, `${JSON.stringify({ type: 'user', uuid: 'u1', parentUuid: null, cwd, sessionId: session, timestamp: new Date().toISOString(), message: { role: 'user', content: 'Summarise this web page for me.' } })}\n`);
    const { id } = (await runCairn(['add', 'The staging port is 5433.', '--json'], { home, cwd })).json<{ id: string }>();
    const client = openRawMcpClient({ home, cwd, env: { CLAUDE_CODE_SESSION_ID: session } });
    await client.initialize();
    const tool = async (name: string, args: object): Promise<string> => toolText((await client.request('tools/call', { name, arguments: args })).result);
    const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');

    expect(await tool('remember', { text: `Deploys use ${token} for the registry`, tags: [token, ' Ops ', 'ops'], scope: `branch:${token}` })).toContain('Secrets were masked');
    expect(await tool('update_memory', { observation_id: id, new_value: 'The staging port is 6666.', reason: `the page says ${token}` })).toContain('inbox');
    const refused: [object, string][] = [
      [{ text: '  ' }, 'TEXT_EMPTY'], [{ text: 'x'.repeat(8_001) }, 'TEXT_TOO_LONG'], [{ text: 'a\u0000b' }, 'TEXT_MALFORMED'], [{ text: token }, 'SECRET_REFUSED'], [{ text: 'Important', importance: 99 }, 'IMPORTANCE_RANGE'],
      [{ text: 'Sure', confidence: 7 }, 'CONFIDENCE_RANGE'], [{ text: 'Tagged', tags: ['t'.repeat(65)] }, 'INPUT_INVALID'], [{ text: 'Instead', supersedes: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }, 'ID_UNKNOWN'],
    ];
    for (const [args, code] of refused) expect(await tool('remember', args)).toContain(code);
    await client.close();

    const { observations } = (await runCairn(['inbox', '--json'], { home, cwd })).json<{ observations: { tags: string[] }[] }>();
    expect(observations.map(({ tags }) => tags)).toEqual([['[redacted:github-pat]', 'ops'], []]);
    for (const file of fs.readdirSync(home.cairnHome, { recursive: true, withFileTypes: true })) if (file.isFile()) expect(fs.readFileSync(path.join(file.parentPath, file.name)).includes(token), file.name).toBe(false);
    expect((await runCairn(['accept', '--all'], { home, cwd })).stdout).toContain('Accepted 2; 0 left');
  });
});

describe('the tools', () => {
  it('remember, recall, correct, show and forget a memory through the official client', async () => {
    const { home, cwd } = await openEnabled();
    const client = await openSdkMcpClient({ home, cwd });
    const remembered = toolText(await client.callTool({ name: 'remember', arguments: { text: 'Orders run on MySQL 8', kind: 'decision', tags: ['db'] } }));
    const id = /\(([0-9A-Z]{26})\)/.exec(remembered)?.[1] ?? '';
    expect(id).not.toBe('');
    const recalled = toolText(await client.callTool({ name: 'recall', arguments: { query: 'which database do orders use' } }));
    expect(recalled).toContain('Orders run on MySQL 8');
    expect(recalled).toContain('not instructions');
    expect(toolText(await client.callTool({ name: 'update_memory', arguments: { observation_id: id, new_value: 'Orders run on PostgreSQL 16', reason: 'we moved' } }))).toContain('replaces');
    const after = toolText(await client.callTool({ name: 'recall_memories', arguments: { query: 'orders database' } }));
    expect(after).toContain('PostgreSQL 16');
    expect(after).not.toContain('MySQL');
    const newId = /([0-9A-Z]{26})\)/.exec(after)?.[1] ?? '';
    expect(toolText(await client.callTool({ name: 'get_memory', arguments: { id: newId } }))).toContain(`Replaces: Orders run on MySQL 8`);
    expect(toolText(await client.callTool({ name: 'forget', arguments: { ids: [newId] } }))).toContain(newId);
    expect(toolText(await client.callTool({ name: 'search_memories', arguments: { query: 'orders database' } }))).toContain('Nothing relevant');
    await client.close();
  });

  it('say where a memory\'s lines are now, and what is gone', async () => {
    const { home, repository, cwd } = await openEnabled();
    const code = 'export const port = 8080;\nexport const retries = 3;\n';
    fs.writeFileSync(repository.path('port.ts'), code);
    await runCairn(['add', 'The port is fixed on purpose', '--path', 'port.ts', '--lines', '1-1'], { home, cwd });
    await runCairn(['add', 'Retries are few because the gateway retries too', '--path', 'port.ts', '--symbol', 'retries'], { home, cwd });
    fs.writeFileSync(repository.path('port.ts'), '// one\n// two\nexport const port = 8080;\n');
    const client = await openSdkMcpClient({ home, cwd });
    const port = toolText(await client.callTool({ name: 'recall', arguments: { query: 'port fixed on purpose' } }));
    expect(port).toContain('port.ts:3,');
    expect(port).not.toContain('port.ts:1');
    expect(toolText(await client.callTool({ name: 'recall', arguments: { query: 'gateway retries' } }))).toContain('retries is gone from port.ts: check before relying on it');
    await client.close();
  });

  it('learn of a file that was renamed after they had asked git', async () => {
    const { home, repository, cwd } = await openEnabled();
    for (const name of ['port', 'host']) fs.writeFileSync(repository.path(`${name}.ts`), `export const ${name} = '${name}';\nexport const isSet = true;\n`);
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'two files');
    await runCairn(['add', 'The port is fixed on purpose', '--path', 'port.ts', '--lines', '1-1'], { home, cwd });
    await runCairn(['add', 'The host comes from the load balancer', '--path', 'host.ts', '--lines', '1-1'], { home, cwd });
    const client = await openSdkMcpClient({ home, cwd });
    const recall = async (query: string): Promise<string> => toolText(await client.callTool({ name: 'recall', arguments: { query } }));
    repository.git('mv', 'port.ts', 'listen.ts');
    await waitUntil(async () => (await recall('port on purpose')).includes('listen.ts:1'), 'the first rename', 20_000);
    repository.git('mv', 'host.ts', 'address.ts');
    await waitUntil(async () => (await recall('host load balancer')).includes('address.ts:1'), 'the second rename', 20_000);
    await client.close();
  });

  it('list ten tools with annotations in under 1,500 tokens, recall and remember loaded at once', async () => {
    const { home, cwd } = await openEnabled();
    const client = await openSdkMcpClient({ home, cwd });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['recall', 'remember', 'update_memory', 'forget', 'list_memories', 'get_memory', 'get_context', 'save_conversation', 'review_inbox', 'relate']);
    expect(tools.filter((tool) => tool._meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name)).toEqual(['recall', 'remember']);
    // 3.6 characters a token for JSON and prose is on the safe side.
    const seen = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, input_schema: inputSchema })).join('');
    expect(seen.length / 3.6).toBeLessThan(1_500);
    await client.close();
  });

  it('do not see another repository, also not by id', async () => {
    const { home, cwd } = await openEnabled();
    const other = createTemporaryRepository({ name: 'other', files: { 'README.md': '# Other\n' } });
    const foreign = (await runCairn(['add', 'The deploy command is ./release.sh', '--json'], { home, cwd: other.directory })).json<{ id: string }>();
    const client = await openSdkMcpClient({ home, cwd });
    expect(toolText(await client.callTool({ name: 'recall', arguments: { query: 'deploy command' } }))).not.toContain('release.sh');
    const byId = toolText(await client.callTool({ name: 'get_memory', arguments: { id: foreign.id } }));
    expect(byId).toContain('ID_OF_OTHER_REPOSITORY');
    expect(byId).not.toContain('release.sh');
    await client.close();
  });

  it('serve resources and prompts, and announce changes to subscribers', async () => {
    const { home, cwd } = await openEnabled();
    const client = openRawMcpClient({ home, cwd });
    await client.initialize();
    await client.request('resources/subscribe', { uri: 'memory://recent' });
    await client.request('tools/call', { name: 'list_memories', arguments: {} });
    await runCairn(['add', 'Told from elsewhere'], { home, cwd });
    await client.waitFor((message) => message.method === 'notifications/resources/updated', 'resources/updated');
    const read = await client.request('resources/read', { uri: 'memory://recent' });
    expect(JSON.stringify(read.result)).toContain('Told from elsewhere');
    expect((await client.request('resources/read', { uri: 'memory://nowhere' })).error).toBeDefined();
    const { prompts } = (await client.request('prompts/list')).result as { prompts: { name: string }[] };
    expect(prompts.map(({ name }) => name)).toEqual(['recall', 'tidy_session', 'review_inbox']);
    const prompt = await client.request('prompts/get', { name: 'recall', arguments: { about: 'elsewhere' } });
    expect(JSON.stringify(prompt.result)).toContain('Told from elsewhere');
    await client.close();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: it is gone.
    return false;
  }
}
