/**
 * What no well-behaved client sends, and ends that nobody wished for: the server answers by the protocol, goes on, and
 * leaves no process, lock or half-written memory behind.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { holdWriteLock } from '../support/lockHolder.ts';
import { openRawMcpClient, toolText, type JsonRpcMessage, type RawMcpClient } from '../support/mcpClient.ts';
import { runCairn } from '../support/runCairn.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitUntil } from '../support/waitUntil.ts';

let home: TemporaryHome;
let repository: TemporaryRepository;
let client: RawMcpClient;

beforeAll(async () => {
  home = createTemporaryHome({ env: { CAIRN_EMBEDDING_MODEL: 'off', CAIRN_HOOK_DEADLINE_MS: '60000' } });
  repository = createTemporaryRepository();
  expect((await runCairn(['init', '--no-register'], { home, cwd: repository.directory })).code).toBe(0);
  expect((await runCairn(['add', 'The deploy command is make ship.'], { home, cwd: repository.directory })).code).toBe(0);
  client = openRawMcpClient({ home, cwd: repository.directory });
});
afterAll(async () => {
  expect(await client.close()).toMatchObject({ code: 0 });
});
/** Whatever was sent: the next good call is answered, and stdout holds protocol only. */
afterEach(async () => {
  expect(toolText((await client.request('tools/call', { name: 'recall', arguments: { query: 'deploy command' } })).result)).toContain('make ship');
  expect(client.garbage).toEqual([]);
});

/** Sends a line and waits for the answer with this id. */
async function send(line: string, id: number | string | null): Promise<JsonRpcMessage> {
  const known = client.messages.length;
  client.write(line);
  return client.waitFor((message) => message.id === id && message.method === undefined && client.messages.indexOf(message) >= known, `an answer to ${line.slice(0, 80)}`);
}

const call = (name: unknown, args: unknown, id: number | string): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
const isRefused = (message: JsonRpcMessage): boolean => message.error !== undefined || message.result?.['isError'] === true;

describe('before and around initialize', () => {
  it('pings are answered and unknown methods refused before it, whatever their parameters', async () => {
    expect((await send('{"jsonrpc":"2.0","id":"p","method":"ping"}', 'p')).result).toEqual({});
    for (const [at, params] of ['null', '[]', '"text"', '{"_meta":null}', '{"_meta":{"progressToken":{}}}'].entries()) {
      expect((await send(`{"jsonrpc":"2.0","id":"u${at}","method":"server/discover","params":${params}}`, `u${at}`)).error).toBeDefined();
    }
  });

  it('a protocol version that nobody knows is answered with one that we speak, and a second initialize does no harm', async () => {
    const versions = ['1999-01-01', '2026-07-28', '2025-11-25', '2024-11-05'];
    for (const [at, protocolVersion] of versions.entries()) {
      const answer = await send(JSON.stringify({ jsonrpc: '2.0', id: `i${at}`, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '' } } }), `i${at}`);
      expect(String(answer.result?.['protocolVersion'])).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
    expect((await send('{"jsonrpc":"2.0","id":"i9","method":"initialize","params":{}}', 'i9')).error).toBeDefined();
    client.notify('notifications/initialized');
    client.notify('notifications/initialized', {});
  });
});

describe('lines that are no message', () => {
  it.each([
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]', null, -32600],
    ['an empty batch', '[]', null, -32600],
    ['a number', '42', null, -32600],
    ['null', 'null', null, -32600],
    ['a request without a version', '{"id":"v1","method":"ping"}', 'v1', -32600],
    ['a request of version 1.0', '{"jsonrpc":"1.0","id":"v2","method":"ping"}', 'v2', -32600],
    ['a request whose method is a number', '{"jsonrpc":"2.0","id":"v3","method":7}', 'v3', -32600],
    ['a request whose id is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
    ['a request whose id is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
    ['deep nesting', `{"jsonrpc":"2.0","id":"deep","method":"ping","params":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, null, undefined],
  ])('%s is refused', async (_, line, id, code) => {
    const known = client.messages.length;
    client.write(line);
    const answer = await client.waitFor((message) => client.messages.indexOf(message) >= known && message.method === undefined, 'the refusal');
    expect(answer.error).toBeDefined();
    if (code !== undefined) expect(answer).toMatchObject({ id, error: { code } });
  });

  it('blank lines, carriage returns and a byte-order mark are no reason to refuse what they surround', async () => {
    client.writeBytes('\n\r\n   \n');
    expect((await send('{"jsonrpc":"2.0","id":"cr","method":"ping"}\r', 'cr')).result).toEqual({});
    expect((await send('\uFEFF{"jsonrpc":"2.0","id":"bom","method":"ping"}', 'bom')).result).toEqual({});
  });

  it('a message in many small pieces, cut inside a letter, is one message', async () => {
    const line = Buffer.from(`${call('remember', { text: '数据库是 PostgreSQL 16。' }, 'pieces')}\n`);
    for (let at = 0; at < line.length; at += 7) client.writeBytes(line.subarray(at, at + 7));
    await client.waitFor(({ id }) => id === 'pieces', 'the answer');
    expect(toolText((await client.request('tools/call', { name: 'recall', arguments: { query: '数据库' } })).result)).toContain('数据库是 PostgreSQL 16。');
  });

  it('two messages in one piece are two', async () => {
    client.writeBytes('{"jsonrpc":"2.0","id":"one","method":"ping"}\n{"jsonrpc":"2.0","id":"two","method":"ping"}\n');
    await client.waitFor(({ id }) => id === 'one', 'the first');
    await client.waitFor(({ id }) => id === 'two', 'the second');
  });

  it('bytes that are no UTF-8 become replacement marks or a refusal, never a crash', async () => {
    client.writeBytes(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":{"name":"recall","arguments":{"query":"deploy '), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}}}\n')]));
    await client.waitFor(({ id }) => id === 'bad', 'an answer');
  });

  it('a line of more than 16 MB is refused without being kept', async () => {
    const known = client.messages.length;
    for (let at = 0; at < 18; at += 1) client.writeBytes('x'.repeat(1_048_576));
    client.writeBytes('\n');
    expect(await client.waitFor((message) => client.messages.indexOf(message) >= known, 'the refusal')).toMatchObject({ id: null, error: { code: -32700 } });
  });
});

describe('requests of wrong shape', () => {
  it('a notification that carries an id is a request of an unknown method', async () => {
    expect((await send('{"jsonrpc":"2.0","id":"n","method":"notifications/initialized"}', 'n')).error?.code).toBe(-32601);
  });

  it('notifications that nobody knows, or about calls that are over, are passed over', async () => {
    client.notify('notifications/nonsense', { x: 1 });
    client.notify('notifications/cancelled');
    client.notify('notifications/cancelled', { requestId: 'never sent' });
    client.notify('notifications/cancelled', { requestId: null });
    const done = await client.request('ping');
    client.notify('notifications/cancelled', { requestId: done.id, reason: 'too late' });
    client.notify('notifications/progress', { progressToken: 'nobody', progress: 1 });
    client.write('{"jsonrpc":"2.0","id":9999,"result":{}}');
    client.write('{"jsonrpc":"2.0","id":9998,"error":{"code":1,"message":"no"}}');
  });

  it.each([
    ['no name', undefined, {}], ['a number as name', 5, {}], ['an unknown name', 'drop_table', {}],
    ['text as arguments', 'recall', 'deploy'], ['a list as arguments', 'recall', ['deploy']],
    ['an object as query', 'recall', { query: {} }], ['a list as text', 'remember', { text: ['a'] }],
    ['an unknown kind', 'remember', { text: 'We use tabs here.', kind: 'poem' }], ['an importance of 11', 'remember', { text: 'We use tabs here.', importance: 11 }],
    ['an importance that is a word', 'remember', { text: 'We use tabs here.', importance: 'high' }], ['blank text', 'remember', { text: ' \n\t ' }],
    ['text of 9,000 characters', 'remember', { text: 'word '.repeat(1_800) }], ['ids that are a text', 'forget', { ids: 'x' }], ['ids that nobody has', 'forget', { ids: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }],
    ['no ids', 'forget', { ids: [] }], ['an unknown memory', 'get_memory', { id: '../../etc/passwd' }], ['both targets', 'update_memory', { observation_id: 'x', profile_key: 'y' }],
    ['a query of a megabyte', 'recall', { query: 'deploy '.repeat(150_000) }], ['half a letter', 'remember', { text: 'We use tabs \ud800 here.' }],
    ['an unknown action', 'review_inbox', { action: 'burn' }], ['a transcript that is no transcript', 'save_conversation', { transcript_path: '/etc/passwd' }],
  ])('a call with %s is refused with a sentence, without a stack', async (what, name, args) => {
    const answer = await send(call(name, args, `shape ${what}`), `shape ${what}`);
    expect(isRefused(answer), JSON.stringify(answer)).toBe(true);
    if (answer.error !== undefined) expect(answer.error.code).toBe(-32602);
    const text = answer.error?.message ?? toolText(answer.result);
    expect(text).not.toMatch(/\n\s+at |node_modules|\(INTERNAL\)/);
    expect(text.length).toBeGreaterThan(10);
  });

  it.each([['null arguments', 'list_memories', null], ['no arguments', 'list_memories', undefined], ['fields that nobody knows', 'recall', { query: 'deploy command', colour: 'red', __proto__: { limit: 1 } }], ['a query of 90,000 characters', 'recall', { query: 'deploy '.repeat(13_000) }], ['a query of signs only', 'recall', { query: '"*)(-- ; NEAR/2 ^ \\ \u0000' }]])('a call with %s is answered', async (what, name, args) => {
    const answer = await send(call(name, args, `fine ${what}`), `fine ${what}`);
    expect(isRefused(answer), JSON.stringify(answer).slice(0, 400)).toBe(false);
  });

  it('letters that break lines and control characters come back', async () => {
    const answer = await send(call('remember', { text: 'Separators\u2028are\u2029kept\u0085here, and \u0007 bell.' }, 'odd'), 'odd');
    expect(isRefused(answer), JSON.stringify(answer)).toBe(false);
    const back = await client.request('tools/call', { name: 'recall', arguments: { query: 'Separators bell' } });
    expect(toolText(back.result)).toContain('Separators');
    expect(JSON.stringify(back).isWellFormed()).toBe(true);
  });

  it('the same id twice is answered twice', async () => {
    client.write(call('recall', { query: 'deploy' }, 'twin'));
    client.write(call('recall', { query: 'deploy' }, 'twin'));
    await waitUntil(() => client.messages.filter(({ id }) => id === 'twin').length === 2, 'both answers');
  });

  it.each(['memory://', 'memory://memory/', 'memory://memory/%2e%2e', 'file:///etc/passwd', '', 'memory://memory/01ARZ3NDEKTSV4RRFFQ69G5FAV'])('resource %j is refused', async (uri) => {
    expect((await client.request('resources/read', { uri })).error?.code).toBe(-32002);
  });

  it('a call whose progress token is null is a call without one, and another wrong part is named', async () => {
    const args = { name: 'recall', arguments: { query: 'deploy' } };
    expect((await client.request('tools/call', { ...args, _meta: { progressToken: null } })).result).toBeDefined();
    expect((await client.request('tools/call', { ...args, _meta: { progressToken: {} } })).error).toMatchObject({ code: -32600, message: expect.stringContaining('progress token') as string });
  });

  it('prompts without their argument, unknown ones, and capabilities that were not declared are refused', async () => {
    expect((await client.request('prompts/get', { name: 'nothing' })).error?.code).toBe(-32602);
    for (const args of [undefined, {}]) expect((await client.request('prompts/get', { name: 'recall', ...(args === undefined ? {} : { arguments: args }) })).error).toMatchObject({ code: -32602, message: expect.stringContaining('"about"') as string });
    expect(JSON.stringify((await client.request('prompts/get', { name: 'recall', arguments: { about: '' } })).result)).toContain('was remembered last');
    expect((await client.request('prompts/get', { name: 'recall', arguments: { about: 7 } as object })).error).toBeDefined();
    for (const method of ['logging/setLevel', 'completion/complete', 'sampling/createMessage', 'tasks/list']) expect((await client.request(method, { level: 'debug' })).error?.code).toBe(-32601);
  });
});

describe('the tool behind hooks', () => {
  const hook = async (args: object): Promise<string> => toolText((await client.request('tools/call', { name: 'hook', arguments: args })).result);

  it('gives its contract or an empty object, whatever it is called with', async () => {
    const good = { event: 'UserPromptSubmit', session_id: 'h1', cwd: repository.directory, prompt: 'what is the deploy command?' };
    expect(JSON.parse(await hook(good))).toMatchObject({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: expect.stringContaining('make ship') as string } });
    const odd: object[] = [
      {}, { event: 'Nonsense' }, { ...good, event: 'SessionStart', session_id: 'h2' }, { ...good, session_id: '' }, { ...good, session_id: 'x'.repeat(10_000) }, { ...good, session_id: 'h3', prompt: '' },
      { ...good, session_id: 'h4', prompt: 7 }, { ...good, session_id: 'h5', cwd: 'relative' }, { ...good, session_id: 'h6', cwd: '/nowhere/at/all' }, 
      { ...good, session_id: '${session_id}', prompt: '<task-notification>deploy command</task-notification>' }, { event: 'PostToolUse', session_id: 'h8', cwd: repository.directory, file_path: '../../../etc/passwd' }, { event: 'PreToolUse', session_id: 'h9', cwd: repository.directory },
    ];
    for (const args of odd) expect({ args, text: await hook(args) }).toEqual({ args, text: '{}' });
    // A client that does not fill in its variables means the folder it works in.
    expect(await hook({ ...good, session_id: 'h12', cwd: '${cwd}', agent_id: '${agent_id}' })).toContain('make ship');
  });

  it('knows a file by whatever link it is named, and one that is about to be created', async () => {
    await runCairn(['add', 'Migrations are only ever added.', '--scope', 'path:migrations/**'], { home, cwd: repository.directory });
    const link = `${repository.directory}-link`;
    fs.symlinkSync(repository.directory, link, 'junction');
    for (const folder of [repository.directory, link]) expect(await hook({ event: 'PreToolUse', session_id: folder, cwd: folder, file_path: path.join(folder, 'migrations', '0008.sql') })).toContain('only ever added');
    fs.rmSync(link);
  });

  it('gives a notebook its memories, which its tool calls by another name', async () => {
    fs.writeFileSync(repository.path('tides.ipynb'), '{}');
    await runCairn(['add', 'Cell three needs the station list.', '--path', 'tides.ipynb'], { home, cwd: repository.directory });
    expect(await hook({ event: 'PreToolUse', session_id: 'h13', cwd: repository.directory, file_path: '${tool_input.file_path}', notebook_path: repository.path('tides.ipynb') })).toContain('Cell three');
  });

  it('is answered with a session that has no transcript yet, and with a prompt of a megabyte', async () => {
    expect(await hook({ event: 'UserPromptSubmit', session_id: 'h10', cwd: repository.directory, prompt: 'what is the deploy command?', transcript_path: path.join(home.home, 'none.jsonl') })).toContain('make ship');
    expect(JSON.parse(await hook({ event: 'UserPromptSubmit', session_id: 'h11', cwd: repository.directory, prompt: `deploy command? ${'lorem '.repeat(170_000)}` }))).toBeTypeOf('object');
  });
});

describe('long calls', () => {
  const SESSION = '0b5f0c5e-1111-4222-8333-444455557777';

  it('report progress to who asked for it, and to nobody else', async () => {
    const file = path.join(home.claudeDirectory, 'projects', '-w', `${SESSION}.jsonl`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify({ type: 'user', uuid: 'p1', cwd: repository.directory, timestamp: new Date().toISOString(), message: { role: 'user', content: 'From now on always use tabs.' } })}\n`);
    for (const [token, id] of [['save-1', 'with token'], [undefined, 'without token']] as const) {
      const known = client.messages.length;
      const answer = await send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'save_conversation', arguments: { transcript_path: file }, ...(token === undefined ? {} : { _meta: { progressToken: token } }) } }), id);
      expect(isRefused(answer), JSON.stringify(answer)).toBe(false);
      const progress = client.messages.slice(known).filter(({ method }) => method === 'notifications/progress');
      expect(progress.map(({ params }) => params?.['progressToken'])).toEqual(token === undefined ? [] : [token]);
    }
  });

  it('leave ping answered while another process holds the store, and are not answered once they are cancelled', async () => {
    const folder = path.join(home.cairnHome, 'repos');
    const lock = await holdWriteLock(path.join(folder, fs.readdirSync(folder)[0] ?? '', 'memory.db'));
    client.write(call('remember', { text: 'This waits for another process.' }, 'waiting'));
    expect((await client.request('ping')).result).toEqual({});
    client.notify('notifications/cancelled', { requestId: 'waiting', reason: 'the person pressed Escape' });
    expect((await client.request('ping')).result).toEqual({});
    await lock.release();
    // A later call that has to write has been answered; the cancelled one has not.
    expect(isRefused(await send(call('remember', { text: 'Written once the store was free again.' }, 'after'), 'after'))).toBe(false);
    expect(client.messages.some(({ id }) => id === 'waiting')).toBe(false);
  });
});

describe('an end in the middle', () => {
  const texts = async (): Promise<string[]> => (await runCairn(['list', '--limit', '200', '--json'], { home, cwd: repository.directory })).json<{ memories: { text: string }[] }>().memories.map(({ text }) => text);

  it.each(['end of input', 'SIGTERM', 'SIGINT', 'SIGKILL'])('by %s during calls leaves no process and no lock, and everything that was acknowledged', async (how) => {
    const other = openRawMcpClient({ home, cwd: repository.directory });
    await other.initialize();
    for (let at = 0; at < 20; at += 1) other.write(call('remember', { text: `Service ${how.replaceAll(' ', '-')} number ${at} listens on port ${4_000 + at}.`, kind: 'fact' }, at + 100));
    await other.waitFor(({ id }) => id === 103, 'the fourth answer');
    const ended = other.close.bind(other);
    if (how !== 'end of input') other.kill(how as NodeJS.Signals);
    const { code, signal } = await ended();
    expect(how === 'SIGKILL' ? signal : code).toBe(how === 'SIGKILL' ? 'SIGKILL' : 0);
    expect(other.garbage).toEqual([]);
    const acknowledged = other.messages.filter(({ id, result }) => typeof id === 'number' && id >= 100 && result?.['isError'] !== true).map(({ id }) => Number(id) - 100);
    const stored = await texts();
    for (const at of acknowledged) expect(stored).toContain(`Service ${how.replaceAll(' ', '-')} number ${at} listens on port ${4_000 + at}.`);
    expect((await runCairn(['add', `After ${how} the store takes memories.`], { home, cwd: repository.directory })).code).toBe(0);
  });

  it('with half a line says nothing about it and ends', async () => {
    const other = openRawMcpClient({ home, cwd: repository.directory });
    await other.initialize();
    other.writeBytes('{"jsonrpc":"2.0","id":77,"method":"pi');
    expect(await other.close()).toMatchObject({ code: 0 });
    expect(other.messages.some(({ id }) => id === 77)).toBe(false);
  });

  it('before anything was said ends at once and leaves nothing in the home', async () => {
    const fresh = createTemporaryHome();
    const other = openRawMcpClient({ home: fresh, cwd: repository.directory });
    expect(await other.close()).toMatchObject({ code: 0 });
    expect(fs.existsSync(path.join(fresh.cairnHome, 'repos'))).toBe(false);
  });
});
