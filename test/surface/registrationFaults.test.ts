/**
 * Registration beside settings that are odd, broken, shared or in use: whatever is there, it is either edited so that
 * everything of others stays, or left alone and named; and the way back leaves the bytes that were there.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isCairnError } from '../../src/base/errors.ts';
import { inspect, register, registerDesktop, registrationHealth, unregister, unregisterDesktop, type RegistrationOptions } from '../../src/registration/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';

let home: TemporaryHome;
let options: RegistrationOptions;

beforeEach(() => {
  home = createTemporaryHome();
  options = {
    env: home.env, osHome: home.home, cairnHome: home.cairnHome, version: '1.0.0', now: () => Date.parse('2026-03-01T09:00:00Z'),
    command: (args) => ({ command: '/opt/node/bin/node', args: [path.join(home.cairnHome, 'bin', 'cairn.cjs'), ...args], env: {} }),
  };
});

const settings = (): string => path.join(home.claudeDirectory, 'settings.json');
function put(content: string | Buffer): Buffer {
  fs.mkdirSync(home.claudeDirectory, { recursive: true });
  fs.writeFileSync(settings(), content);
  return Buffer.from(content);
}

const UTF16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{"model":"opus"}', 'utf16le')]);
/** Content -> whether Claude Code reads such a file, so that our keys may go into it. */
const FILES: readonly [string, string | Buffer, boolean][] = [
  ['nothing at all', '', true],
  ['white space', ' \n\t\r\n', true],
  ['an empty object', '{}', true],
  ['an object on one line', '{"model":"opus","env":{"A":"1"}}', true],
  ['tabs and CRLF', '{\r\n\t"model": "opus",\r\n\t"hooks": {}\r\n}\r\n', true],
  ['a byte-order mark and no final newline', '\uFEFF{\n  "model": "opus"\n}', true],
  ['letters of many scripts', '{\n  "model": "opus",\n  "备注": "ключ 🔑 \\u00e9 \u2028"\n}\n', true],
  ['numbers as others write them', '{\n  "cleanupPeriodDays": 1e2,\n  "x": -0.0,\n  "y": 12345678901234567890\n}\n', true],
  ['a key twice', '{\n  "model": "opus",\n  "model": "sonnet"\n}\n', true],
  ['a megabyte of somebody\'s own', `{\n  "notes": "${'x'.repeat(1_000_000)}"\n}\n`, true],
  ['other plugins switched off', '{\n  "enabledPlugins": { "a@b": false }\n}\n', true],
  ['enabledPlugins as a list', '{\n  "enabledPlugins": ["a@b"]\n}\n', false],
  ['enabledPlugins as text', '{\n  "enabledPlugins": "a@b"\n}\n', false],
  ['marketplaces as null', '{\n  "extraKnownMarketplaces": null\n}\n', false],
  ['hooks as text', '{\n  "hooks": "none"\n}\n', true],
  ['a comment', '{\n  // mine\n  "model": "opus"\n}\n', false],
  ['a trailing comma', '{ "model": "opus", }', false],
  ['single quotes', "{ 'model': 'opus' }", false],
  ['a list', '[]', false],
  ['a number', '42', false],
  ['null', 'null', false],
  ['an object cut off', '{"model": "opus", "hooks": {"Stop": [', false],
  ['two objects', '{}{}', false],
  ['a merge conflict', '{\n<<<<<<< HEAD\n  "model": "opus"\n=======\n  "model": "sonnet"\n>>>>>>> b\n}\n', false],
  ['UTF-16', UTF16, false],
  ['zero bytes of a crash', '\0'.repeat(4_096), false],
  ['bytes that are no UTF-8', Buffer.concat([Buffer.from('{"model": "'), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('"}')]), false],
];

describe.each(FILES)('settings that hold %s', (_, content, isRead) => {
  it('keep every byte of others, and get every byte back', () => {
    const before = put(content);
    const report = register(options);
    expect(report.way).toBe(isRead ? 'settings' : 'skills');
    const after = fs.readFileSync(settings());
    if (isRead) {
      const known = before.toString('utf8').replace(/^\uFEFF/, '').trim();
      const ours = JSON.parse(after.toString('utf8').replace(/^\uFEFF/, '')) as Record<string, unknown>;
      expect(ours).toMatchObject(known === '' ? {} : (JSON.parse(known) as object));
    } else {
      expect(after.equals(before)).toBe(true);
      expect(report.notes.join(' ')).toContain('settings.json');
    }
    expect(inspect(options)).toMatchObject({ state: 'registered', way: report.way });
    try {
      unregister(options);
    } catch (error) {
      expect(isCairnError(error) && error.code).toBe('FOREIGN_FILE_UNPARSABLE');
    }
    expect(fs.readFileSync(settings()).equals(before)).toBe(true);
    expect(fs.existsSync(path.join(home.claudeDirectory, 'skills'))).toBe(false);
  });
});

describe('a settings file that is', () => {
  it('a folder is left alone, and the skills folder serves', () => {
    fs.mkdirSync(settings(), { recursive: true });
    expect(register(options).way).toBe('skills');
    expect(fs.statSync(settings()).isDirectory()).toBe(true);
  });

  it('a link into nothing is left alone', () => {
    fs.mkdirSync(home.claudeDirectory, { recursive: true });
    fs.symlinkSync(path.join(home.root, 'dotfiles', 'settings.json'), settings());
    expect(register(options)).toMatchObject({ way: 'skills', notes: [expect.stringContaining('a link to a file that is not there') as string] });
    expect(inspect(options)).toMatchObject({ state: 'registered', way: 'skills' });
    expect(fs.lstatSync(settings()).isSymbolicLink()).toBe(true);
  });

  it('a link in a circle is left alone', () => {
    fs.mkdirSync(home.claudeDirectory, { recursive: true });
    fs.symlinkSync(settings(), settings());
    expect(register(options).way).toBe('skills');
    expect(fs.lstatSync(settings()).isSymbolicLink()).toBe(true);
  });

  it('shared through a link keeps the link, its target\'s mode, and the target\'s bytes at the end', () => {
    const target = path.join(home.root, 'dotfiles.json');
    fs.writeFileSync(target, '{\n  "model": "opus"\n}\n', { mode: 0o600 });
    fs.mkdirSync(home.claudeDirectory, { recursive: true });
    fs.symlinkSync(target, settings());
    register(options);
    expect(fs.statSync(target).mode & 0o777).toBe(0o600);
    unregister(options);
    expect(fs.lstatSync(settings()).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(target, 'utf8')).toBe('{\n  "model": "opus"\n}\n');
  });
});

describe('a client that writes its settings all the time', () => {
  it('finds its file whole after any number of registrations, and nothing of ours stays behind', async () => {
    put('{}');
    // As clients do: read, change, write in one step, without any lock; 200 keys.
    const script = `const fs = require('node:fs'); const file = ${JSON.stringify(settings())};
      let at = 0; const step = () => { const now = JSON.parse(fs.readFileSync(file, 'utf8')); now['key' + at] = at; fs.writeFileSync(file + '.tmp', JSON.stringify(now)); fs.renameSync(file + '.tmp', file); at += 1; if (at < 200) setTimeout(step, 2); };
      step();`;
    const client = spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
    const ended = new Promise<number | null>((resolve) => client.on('close', resolve));
    let isRunning = true;
    void ended.then(() => (isRunning = false));
    while (isRunning) {
      for (const act of [register, unregister]) {
        try {
          act(options);
        } catch (error) {
          // The file changed between reading and writing: said, and nothing was written.
          expect(isCairnError(error) && ['FOREIGN_FILE_CHANGED', 'REGISTRATION_FAILED'].includes(error.code), String(error)).toBe(true);
        }
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    expect(await ended).toBe(0);
    const last = JSON.parse(fs.readFileSync(settings(), 'utf8')) as Record<string, unknown>;
    // Between our last look and the exchange of the file lie some microseconds that nobody can lock the client out of.
    expect(Object.keys(last).filter((key) => key.startsWith('key')).length).toBeGreaterThan(180);
    register(options);
    unregister(options);
    expect(fs.readFileSync(settings(), 'utf8')).not.toContain('cairn');
  });
});

describe('the registration check of doctor', () => {
  it.each([
    ['nothing', () => undefined, 'warning', true],
    ['a whole registration', () => register(options), 'ok', undefined],
    ['a plugin folder that lost a file', () => { register(options); fs.rmSync(path.join(home.cairnHome, 'claude-plugin', 'cairn', '.mcp.json')); }, 'failed', true],
    ['a plugin that was switched off', () => { register(options); put(fs.readFileSync(settings(), 'utf8').replace('"cairn@cairn-local": true', '"cairn@cairn-local": false')); }, 'warning', undefined],
    ['settings that were broken since', () => { register(options); put('{ broken'); }, 'failed', undefined],
  ] as [string, () => unknown, string, boolean | undefined][])('finds %s', (_, prepare, state, fixable) => {
    prepare();
    const [check] = registrationHealth(options);
    expect({ state: check?.state, fixable: check?.fixable }).toEqual({ state, fixable });
    if (state !== 'ok') expect(check?.cure).toBeTruthy();
  });
});

describe('Claude Desktop', () => {
  it.each([['{ broken', 'FOREIGN_FILE_UNPARSABLE'], ['[]', 'FOREIGN_FILE_UNPARSABLE']])('with the configuration %s is left alone', (content, code) => {
    const file = path.join(home.home, '.config', 'Claude', 'claude_desktop_config.json');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    expect(() => registerDesktop({ ...options, platform: 'linux', claudeHome: home.home })).toThrow(expect.objectContaining({ code }));
    expect(fs.readFileSync(file, 'utf8')).toBe(content);
  });

  it.each([['a byte-order mark and CRLF', '\uFEFF{\r\n  "globalShortcut": "x"\r\n}\r\n'], ['comments', '{\n  // mine\n  "globalShortcut": "x",\n}\n'], ['nothing', undefined]])('with %s gets its bytes back', (_, content) => {
    const file = path.join(home.home, '.config', 'Claude', 'claude_desktop_config.json');
    if (content !== undefined) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, content);
    }
    const desktop = { ...options, platform: 'linux', claudeHome: home.home };
    registerDesktop(desktop);
    expect(fs.readFileSync(file, 'utf8')).toContain('cairn.cjs');
    expect(registerDesktop(desktop).changedFiles).toEqual([]);
    unregisterDesktop(desktop);
    expect(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined).toBe(content);
  });
});
