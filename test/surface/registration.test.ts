/**
 * Registration in scratch homes: what is written, what is left alone, and that the way back leaves every byte.
 */
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { allowReadingTools, CLAUDE_MD_TEXT, inspect, putSection, register, registerDesktop, registrationHealth, removeDuplicates, removeSection, restoreRegistration, unregister, unregisterDesktop, type RegistrationOptions } from '../../src/registration/index.ts';
import { noteHookFired } from '../../src/runtime/workQueue.ts';
import { createTemporaryHome, type TemporaryHome } from '../support/temporaryHome.ts';
import { writeFiles } from '../support/temporaryFolder.ts';

const NOW = Date.parse('2026-03-01T09:00:00Z');
let home: TemporaryHome;
let options: RegistrationOptions;

function optionsFor(scratch: TemporaryHome, changes: Partial<RegistrationOptions> = {}): RegistrationOptions {
  return {
    env: scratch.env, osHome: scratch.home, cairnHome: scratch.cairnHome, version: '1.0.0', now: () => NOW,
    command: (args) => ({ command: '/opt/node 24/bin/node', args: [path.join(scratch.cairnHome, 'bin', 'cairn.cjs'), ...args], env: {} }),
    ...changes,
  };
}

beforeEach(() => {
  home = createTemporaryHome();
  options = optionsFor(home);
});

const inClaude = (name: string): string => path.join(home.claudeDirectory, name);
const read = (file: string): string => fs.readFileSync(file, 'utf8');
const json = (file: string): Record<string, never> => JSON.parse(read(file)) as Record<string, never>;
const putSettings = (text: string | Buffer): void => {
  fs.mkdirSync(home.claudeDirectory, { recursive: true });
  fs.writeFileSync(inClaude('settings.json'), text);
};

/** Every file below the home except Cairn's own, with its bytes. */
function snapshot(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of fs.readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(root, name);
    if (fs.statSync(file).isFile() && !file.startsWith(home.cairnHome)) files[name] = fs.readFileSync(file).toString('base64');
  }
  return files;
}

const OTHER_PEOPLES = `{
  "permissions": { "allow": ["Bash(ls:*)"] },
  "model": "opus",
  "hooks": {
    "SessionStart": [
      { "hooks": [{ "type": "command", "command": "other-tool start" }] }
    ],
    "Stop": [{ "matcher": "", "hooks": [{ "type": "command", "command": "beep" }] }]
  },
  "enabledPlugins": { "linter@market": true },
  "extraKnownMarketplaces": { "market": { "source": { "source": "github", "repo": "a/b" } } },
  "cleanupPeriodDays": 90
}
`;
const WITH_COMMENTS = OTHER_PEOPLES.replace('"model": "opus",', '// mine\n  "model": "opus", /* keep */').replace('90\n', '90,\n');

describe('register', () => {
  it('enables one plugin folder by two keys and starts programs without a shell', () => {
    const report = register(options);
    expect(report).toMatchObject({ ok: true, way: 'settings' });
    const settings = json(inClaude('settings.json'));
    expect(settings).toEqual({ extraKnownMarketplaces: { 'cairn-local': { source: { source: 'directory', path: path.join(home.cairnHome, 'claude-plugin') } } }, enabledPlugins: { 'cairn@cairn-local': true } });
    const plugin = path.join(home.cairnHome, 'claude-plugin', 'cairn');
    expect(json(path.join(plugin, '.mcp.json'))).toMatchObject({ mcpServers: { memory: { type: 'stdio', command: '/opt/node 24/bin/node', args: [path.join(home.cairnHome, 'bin', 'cairn.cjs'), 'mcp'] } } });
    const { hooks } = json(path.join(plugin, 'hooks', 'hooks.json')) as unknown as { hooks: Record<string, { matcher?: string; hooks: { type: string; command?: string; args?: string[]; tool?: string }[] }[]> };
    expect(Object.keys(hooks).sort()).toEqual(['PostCompact', 'PostToolUse', 'PreCompact', 'PreToolUse', 'SessionEnd', 'SessionStart', 'Stop', 'SubagentStop', 'UserPromptSubmit']);
    expect(hooks['SessionStart']?.[0]?.matcher).toBeUndefined();
    expect(hooks['SessionStart']?.[0]?.hooks[0]).toMatchObject({ type: 'command', args: [path.join(home.cairnHome, 'bin', 'cairn.cjs'), 'hook', 'SessionStart'] });
    expect([hooks['PostToolUse']?.[0]?.matcher, hooks['PreToolUse']?.[0]?.matcher]).toEqual(['Read', 'Edit|Write|MultiEdit|NotebookEdit']);
    expect(hooks['PreToolUse']?.[0]?.hooks[0]).toMatchObject({ input: { file_path: '${tool_input.file_path}', notebook_path: '${tool_input.notebook_path}' } });
    expect(inspect(options)).toMatchObject({ state: 'registered', way: 'settings', duplicates: [], problems: [] });
  });

  it('says the second time that it is there already, and changes nothing', () => {
    register(options);
    const before = snapshot(home.home);
    expect(register(options)).toMatchObject({ changedFiles: [], diff: '', way: 'settings' });
    expect(snapshot(home.home)).toEqual(before);
  });

  it('keeps order, layout, other plugins and other people\'s hooks', () => {
    putSettings(OTHER_PEOPLES);
    const { diff } = register(options);
    const text = read(inClaude('settings.json'));
    for (const line of OTHER_PEOPLES.split('\n').filter((candidate) => !/arket/.test(candidate))) expect(text).toContain(line);
    expect(diff.split('\n').filter((line) => line.startsWith('-') && !line.startsWith('---')).every((line) => /market/.test(line))).toBe(true);
    expect(inspect(options).state).toBe('registered');
  });

  it('leaves settings with comments or trailing commas byte for byte, since the client does not read them, and takes the next way', () => {
    putSettings(WITH_COMMENTS);
    const report = register(options);
    expect(read(inClaude('settings.json'))).toBe(WITH_COMMENTS);
    expect(report).toMatchObject({ way: 'skills', notes: [expect.stringContaining('does not read such a file') as string] });
    expect(() => register({ ...options, way: 'settings' })).toThrow(expect.objectContaining({ code: 'REGISTRATION_FAILED' }));
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe(WITH_COMMENTS);
  });

  it('keeps a byte-order mark and CRLF line ends', () => {
    putSettings(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{\r\n  "model": "opus"\r\n}\r\n')]));
    register(options);
    const bytes = fs.readFileSync(inClaude('settings.json'));
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const text = bytes.toString('utf8');
    expect(text.replaceAll('\r\n', '').includes('\n')).toBe(false);
    expect(text).toContain('"model": "opus"');
  });

  it('keeps the mode of the file and writes through a symbolic link', () => {
    fs.mkdirSync(home.claudeDirectory, { recursive: true });
    const target = path.join(home.root, 'dotfiles.json');
    fs.writeFileSync(target, '{}', { mode: 0o640 });
    fs.symlinkSync(target, inClaude('settings.json'));
    register(options);
    expect(fs.lstatSync(inClaude('settings.json')).isSymbolicLink()).toBe(true);
    expect(fs.statSync(target).mode & 0o777).toBe(0o640);
    expect(read(target)).toContain('cairn@cairn-local');
  });

  it('leaves a file that cannot be parsed byte for byte, says so, and takes the next way', () => {
    const broken = '{"model": "opus", "hooks": {"x": [';
    putSettings(broken);
    const report = register(options);
    expect(read(inClaude('settings.json'))).toBe(broken);
    expect(report.way).toBe('skills');
    expect(report.notes.join(' ')).toMatch(/settings\.json cannot be parsed \(line 1/);
    expect(inspect(options)).toMatchObject({ state: 'registered', way: 'skills' });
    expect(() => register({ ...options, way: 'settings' })).toThrow(expect.objectContaining({ code: 'FOREIGN_FILE_UNPARSABLE' }));
    expect(read(inClaude('settings.json'))).toBe(broken);
  });

  it('does not replace a file that its owner made read-only', () => {
    putSettings('{"model":"opus"}');
    fs.chmodSync(inClaude('settings.json'), 0o444);
    expect(register(options).way).toBe('skills');
    expect(read(inClaude('settings.json'))).toBe('{"model":"opus"}');
  });

  it('honours CLAUDE_CONFIG_DIR, and --claude-home before it', () => {
    home = createTemporaryHome({ withClaudeConfigDirectory: true });
    options = optionsFor(home);
    register({ ...options, way: 'user' });
    expect(json(path.join(home.claudeDirectory, '.claude.json'))).toHaveProperty('mcpServers.cairn');
    expect(fs.existsSync(path.join(home.home, '.claude.json'))).toBe(false);
    const other = path.join(home.root, 'other home');
    register({ ...options, claudeHome: other });
    expect(read(path.join(other, '.claude', 'settings.json'))).toContain('cairn@cairn-local');
  });

  it('never leaves two ways at once', () => {
    for (const way of ['skills', 'user', 'settings', 'user', 'skills', 'settings']) {
      expect(register({ ...options, way }).way).toBe(way);
      expect(inspect(options)).toMatchObject({ state: 'registered', way, duplicates: [] });
    }
  });

  it('by user scope puts our hooks behind those that are there', () => {
    putSettings(OTHER_PEOPLES);
    register({ ...options, way: 'user' });
    const text = read(inClaude('settings.json'));
    expect(text.indexOf('other-tool start')).toBeLessThan(text.indexOf('cairn.cjs'));
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe(OTHER_PEOPLES);
  });

  it('by user scope sends prompts and files to the server, notices hooks that a running client stripped, and puts back only those', () => {
    putSettings(OTHER_PEOPLES);
    register({ ...options, way: 'user' });
    const whole = read(inClaude('settings.json'));
    expect(json(inClaude('settings.json'))).toMatchObject({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'mcp_tool', server: 'cairn', tool: 'hook' }] }] } });
    const { hooks, ...rest } = json(inClaude('settings.json')) as unknown as { hooks: Record<string, unknown[]> };
    putSettings(JSON.stringify({ ...rest, hooks: { ...hooks, UserPromptSubmit: [], Stop: hooks['Stop']?.slice(0, 1) } }, undefined, 2));
    expect(inspect(options)).toMatchObject({ way: 'user', state: 'incomplete' });
    expect(restoreRegistration(options)).not.toBe(undefined);
    expect(inspect(options)).toMatchObject({ way: 'user', state: 'registered' });
    expect(JSON.parse(read(inClaude('settings.json')))).toEqual(JSON.parse(whole));
    unregister(options);
    expect(JSON.parse(read(inClaude('settings.json')))).toEqual(JSON.parse(OTHER_PEOPLES));
  });

  it('by user scope replaces the hooks that an older version wrote, and works without hooks where settings cannot take them', () => {
    putSettings(OTHER_PEOPLES);
    register({ ...options, way: 'user', command: (args) => ({ command: '/opt/node 22/bin/node', args: [path.join(home.cairnHome, 'bin', 'cairn.cjs'), ...args], env: {} }) });
    register({ ...options, way: 'user' });
    expect(read(inClaude('settings.json'))).not.toContain('/opt/node 22/');
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe(OTHER_PEOPLES);
    putSettings(WITH_COMMENTS);
    expect(register({ ...options, way: 'user' })).toMatchObject({ way: 'user', notes: [expect.stringContaining('hooks are not set') as string] });
    expect(inspect(options)).toMatchObject({ way: 'user', state: 'registered' });
    putSettings('{"hooks": {');
    expect(register({ ...options, way: 'user' })).toMatchObject({ way: 'user', notes: [expect.stringContaining('cannot be parsed') as string] });
  });

  it('reports a plugin that the person switched off, without switching it on', () => {
    register(options);
    putSettings(read(inClaude('settings.json')).replace('"cairn@cairn-local": true', '"cairn@cairn-local": false'));
    expect(inspect(options).state).toBe('disabled');
  });

  it('finds servers of ours added by hand in user, local and project scope, and removes them when asked', () => {
    const project = path.join(home.root, 'project');
    const entry = { command: 'npx', args: ['-y', 'cairn-memory', 'mcp'] };
    writeFiles(home.home, { '.claude.json': { numStartups: 3, mcpServers: { mine: entry, other: { command: 'x' } }, projects: { '/w/app': { mcpServers: { again: entry } } } } });
    writeFiles(project, { '.mcp.json': { mcpServers: { shared: { command: 'cairn', args: ['mcp'] } } } });
    const report = register({ ...options, projectRoot: project });
    expect(report.duplicates.map(({ keys }) => keys.join('.'))).toEqual(['mcpServers.mine', 'projects./w/app.mcpServers.again', 'mcpServers.shared']);
    expect(report.notes).toHaveLength(3);
    removeDuplicates({ ...options, projectRoot: project }, report.duplicates);
    expect(inspect({ ...options, projectRoot: project }).duplicates).toEqual([]);
    expect(json(path.join(home.home, '.claude.json'))).toEqual({ numStartups: 3, mcpServers: { other: { command: 'x' } }, projects: { '/w/app': { mcpServers: {} } } });
  });

  it('leaves a cut-off .mcp.json alone and names it', () => {
    const project = path.join(home.root, 'project');
    writeFiles(project, { '.mcp.json': '{"mcpServers": {"x": {"command":"y",' });
    register({ ...options, projectRoot: project });
    expect(inspect({ ...options, projectRoot: project }).problems[0]).toContain('.mcp.json cannot be parsed');
    expect(read(path.join(project, '.mcp.json'))).toBe('{"mcpServers": {"x": {"command":"y",');
  });

  it('leaves hooks that need an environment to the server where only an editor\'s runtime is there', () => {
    register({ ...options, command: (args) => ({ command: 'C:\\Code.exe', args: ['cairn.cjs', ...args], env: { ELECTRON_RUN_AS_NODE: '1' } }) });
    const { hooks } = json(path.join(home.cairnHome, 'claude-plugin', 'cairn', 'hooks', 'hooks.json')) as unknown as { hooks: Record<string, unknown> };
    expect(Object.keys(hooks).sort()).toEqual(['PostToolUse', 'PreToolUse', 'UserPromptSubmit']);
  });
});

describe('unregister', () => {
  const cases: Record<string, () => void> = {
    'an empty home': () => undefined,
    'settings of other people': () => putSettings(OTHER_PEOPLES),
    'a byte-order mark and CRLF': () => putSettings('\uFEFF{\r\n\t"model": "opus"\r\n}\r\n'),
    'an empty settings file': () => putSettings(''),
    'a settings file without a final newline': () => putSettings('{"a":1}'),
    'other servers and plugins': () => writeFiles(home.home, { '.claude.json': { mcpServers: { other: { command: 'x' } } }, '.claude/plugins/known_marketplaces.json': { market: { installLocation: '/m' } } }),
  };
  for (const [name, prepare] of Object.entries(cases)) {
    for (const way of ['settings', 'skills', 'user']) {
      it(`by way ${way} leaves ${name} as it was, byte for byte`, () => {
        prepare();
        const before = snapshot(home.home);
        register({ ...options, way });
        const { diff } = unregister(options);
        expect(snapshot(home.home)).toEqual(before);
        expect(diff).not.toBe('');
        expect(inspect(options).state).toBe('absent');
      });
    }
  }

  it('takes only our entries out of files that others changed meanwhile', () => {
    putSettings(OTHER_PEOPLES);
    register(options);
    putSettings(read(inClaude('settings.json')).replace('"model": "opus",', '// mine\n  "model": "opus", /* keep */').replace('90\n', '91,\n'));
    // What a client makes of the two keys.
    writeFiles(home.claudeDirectory, {
      'plugins/installed_plugins.json': { version: 2, plugins: { 'cairn@cairn-local': [{ scope: 'user' }], 'linter@market': [] } },
      'plugins/data/cairn-cairn-local/x': 'y',
    });
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe(WITH_COMMENTS.replace('90', '91'));
    expect(json(inClaude('plugins/installed_plugins.json'))).toEqual({ version: 2, plugins: { 'linter@market': [] } });
    expect(fs.existsSync(inClaude('plugins/data'))).toBe(false);
  });

  it('works where the ledger is lost', () => {
    putSettings(OTHER_PEOPLES);
    register(options);
    fs.rmSync(path.join(home.cairnHome, 'registration'), { recursive: true });
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe(OTHER_PEOPLES);
  });

  it('prints the difference', () => {
    putSettings(OTHER_PEOPLES);
    register(options);
    expect(unregister(options).diff).toMatch(/^-.*cairn@cairn-local/m);
  });

  it('fails with a code where a file became unreadable, after taking back all else', () => {
    register(options);
    putSettings('{ broken');
    expect(() => unregister(options)).toThrow(expect.objectContaining({ code: 'FOREIGN_FILE_UNPARSABLE' }));
    expect(read(inClaude('settings.json'))).toBe('{ broken');
    expect(fs.existsSync(inClaude('plugins'))).toBe(false);
  });

  it('twice does nothing the second time', () => {
    register(options);
    unregister(options);
    expect(unregister(options).changedFiles).toEqual([]);
  });
});

describe('Claude Desktop', () => {
  it('gets one server in its configuration file, and back', () => {
    const desktop = { ...options, platform: 'linux', claudeHome: home.home };
    const file = path.join(home.home, '.config', 'Claude', 'claude_desktop_config.json');
    writeFiles(path.dirname(file), { 'claude_desktop_config.json': '{ "mcpServers": { "other": { "command": "x" } } }' });
    registerDesktop(desktop);
    expect(json(file)).toMatchObject({ mcpServers: { other: { command: 'x' }, cairn: { command: '/opt/node 24/bin/node' } } });
    unregisterDesktop(desktop);
    expect(read(file)).toBe('{ "mcpServers": { "other": { "command": "x" } } }');
  });
});

describe('what is only offered', () => {
  it('is a section in CLAUDE.md between markers, which comes and goes without a trace', () => {
    const file = path.join(home.root, 'CLAUDE.md');
    for (const old of ['# Project\n\nUse tabs.\n', '# Project\r\nno newline at the end', undefined]) {
      if (old === undefined) fs.rmSync(file, { force: true });
      else fs.writeFileSync(file, old);
      expect(putSection(file, CLAUDE_MD_TEXT, home.cairnHome)).toBe(true);
      expect(putSection(file, CLAUDE_MD_TEXT, home.cairnHome)).toBe(false);
      expect(read(file)).toContain('Call `recall`');
      expect(removeSection(file, home.cairnHome)).toBe(true);
      expect(fs.existsSync(file) ? read(file) : undefined).toBe(old);
    }
  });

  it('lets tools through by the names that they have in user scope', () => {
    putSettings('{}');
    register({ ...options, way: 'user' });
    expect(allowReadingTools(options)).toBe(true);
    expect((json(inClaude('settings.json')) as unknown as { permissions: { allow: string[] } }).permissions.allow[0]).toBe('mcp__cairn__recall');
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe('{}');
  });

  it('is to let the reading tools through, in the person\'s own settings', () => {
    putSettings('{ "permissions": { "allow": ["Bash(ls:*)"] } }');
    expect(allowReadingTools(options)).toBe(true);
    expect((json(inClaude('settings.json')) as unknown as { permissions: { allow: string[] } }).permissions.allow).toEqual(['Bash(ls:*)', 'mcp__plugin_cairn_memory__recall', 'mcp__plugin_cairn_memory__get_context', 'mcp__plugin_cairn_memory__get_memory', 'mcp__plugin_cairn_memory__list_memories']);
    expect(allowReadingTools(options)).toBe(false);
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe('{ "permissions": { "allow": ["Bash(ls:*)"] } }');
  });
});

describe('doctor', () => {
  it('says whether Claude Code knows Cairn and whether hooks fired lately, each with a cure', () => {
    expect(registrationHealth(options).map(({ id, state }) => `${id} ${state}`)).toEqual(['claude-code warning', 'hooks unknown']);
    register(options);
    noteHookFired(home.cairnHome, 'SessionStart', NOW);
    fs.utimesSync(path.join(home.cairnHome, 'hooks', 'SessionStart'), NOW / 1000, NOW / 1000);
    expect(registrationHealth({ ...options, now: () => NOW + 1000 }).map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(registrationHealth({ ...options, now: () => NOW + 30 * 86_400_000 })[1]).toMatchObject({ state: 'warning', cure: expect.any(String) as string });
    fs.rmSync(path.join(home.cairnHome, 'claude-plugin', 'cairn', '.mcp.json'));
    expect(registrationHealth(options)[0]).toMatchObject({ state: 'failed', fixable: true });
  });
});

describe('a registration that a running client stripped', () => {
  it('is put back, and the way back still leaves the client\'s own bytes', () => {
    putSettings(OTHER_PEOPLES);
    register(options);
    const asClientKnewIt = OTHER_PEOPLES.replace('"opus"', '"sonnet"');
    putSettings(asClientKnewIt);
    expect(inspect(options).state).toBe('absent');
    expect(restoreRegistration(options)).toMatchObject({ state: 'absent', report: { way: 'settings' } });
    expect(inspect(options).state).toBe('registered');
    expect(restoreRegistration(options)).toBeUndefined();
    unregister(options);
    expect(read(inClaude('settings.json'))).toBe(asClientKnewIt);
  });

  it('is completed where a part is missing or of another version', () => {
    register(options);
    expect(restoreRegistration({ ...options, version: '1.0.1' })).toMatchObject({ state: 'incomplete' });
    expect(inspect({ ...options, version: '1.0.1' }).state).toBe('registered');
  });

  it('stays away where nobody registered, where it was taken out, and where a person switched it off', () => {
    putSettings(OTHER_PEOPLES);
    expect(restoreRegistration(options)).toBeUndefined();
    register(options);
    unregister(options);
    expect(restoreRegistration(options)).toBeUndefined();
    expect(read(inClaude('settings.json'))).toBe(OTHER_PEOPLES);
    register(options);
    const off = read(inClaude('settings.json')).replace('"cairn@cairn-local": true', '"cairn@cairn-local": false');
    expect(off).not.toBe(read(inClaude('settings.json')));
    putSettings(off);
    expect(restoreRegistration(options)).toBeUndefined();
    expect(read(inClaude('settings.json'))).toBe(off);
  });

  it('is left to the person where a file cannot be read', () => {
    putSettings(OTHER_PEOPLES);
    register(options);
    putSettings('{ "model": "opus" ');
    expect(restoreRegistration(options)).toBeUndefined();
    expect(read(inClaude('settings.json'))).toBe('{ "model": "opus" ');
  });
});
