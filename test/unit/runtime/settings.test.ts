/**
 * Settings: one truth in files, obeyed in order, written without harm.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { homePaths, type HomePaths } from '../../../src/runtime/paths.ts';
import { parseKeysFile, Settings } from '../../../src/runtime/settings.ts';
import { checkSetting, environmentName, SETTING_KEYS, SETTINGS, settingsJsonSchema } from '../../../src/runtime/settingsTable.ts';
import { createTemporaryFolder, writeFiles } from '../../support/temporaryFolder.ts';

const ID = '01JNA000000000000000000001';

function open(files: Record<string, string> = {}, env: Record<string, string> = {}, flags?: Record<string, unknown>): { settings: Settings; paths: HomePaths } {
  const home = createTemporaryFolder('settings');
  writeFiles(home, files);
  const paths = homePaths(home);
  return { paths, settings: new Settings({ paths, env, ...(flags === undefined ? {} : { flags }) }) };
}

describe('order of settings', () => {
  const user = { 'config.json': '{ "recall": { "limit": 5 } }' };
  const both = { ...user, [`repos/${ID}/config.json`]: '{ "recall": { "limit": 6 } }' };

  it('is flag, environment, repository, user, default', () => {
    expect(open().settings.effective('recall.limit', ID)).toMatchObject({ value: 20, from: 'default' });
    expect(open(user).settings.effective('recall.limit', ID)).toMatchObject({ value: 5, from: 'user' });
    expect(open(both).settings.effective('recall.limit', ID)).toMatchObject({ value: 6, from: 'repository' });
    expect(open(both, { CAIRN_RECALL_LIMIT: '7' }).settings.effective('recall.limit', ID)).toMatchObject({ value: 7, from: 'environment' });
    expect(open(both, { CAIRN_RECALL_LIMIT: '7' }, { 'recall.limit': 8 }).settings.effective('recall.limit', ID)).toMatchObject({ value: 8, from: 'flag' });
  });

  it('sees what another process writes, without being told', () => {
    const { settings, paths } = open();
    expect(settings.get('recall.limit')).toBe(20);
    new Settings({ paths, env: {} }).set('recall.limit', 33, 'user');
    expect(settings.get('recall.limit')).toBe(33);
  });

  it('takes keys, and only keys, from the .env file', () => {
    const { settings } = open({ '.env': 'ANTHROPIC_API_KEY="sk-1"\nCAIRN_RECALL_LIMIT=9\n' });
    expect(settings.secret('ANTHROPIC_API_KEY')).toEqual({ value: 'sk-1', from: 'keys file' });
    expect(settings.get('recall.limit')).toBe(20);
  });

  it('prefers a key of the environment', () => {
    expect(open({ '.env': 'ANTHROPIC_API_KEY=kept' }, { ANTHROPIC_API_KEY: 'given' }).settings.secret('ANTHROPIC_API_KEY')).toEqual({ value: 'given', from: 'environment' });
  });
});

describe('reading', () => {
  it('understands comments, trailing commas, a byte-order mark, CRLF, and dotted names', () => {
    const { settings } = open({ 'config.json': '\uFEFF{\r\n  // mine\r\n  "recall.limit": 11, /* here */\r\n  "capture": { "mode": "off", },\r\n}\r\n' });
    expect(settings.problems()).toEqual([]);
    expect(settings.get('recall.limit')).toBe(11);
    expect(settings.get('capture.mode')).toBe('off');
  });

  it('serves defaults where a file cannot be parsed, says so, and leaves the file alone', () => {
    const broken = '{ "recall": { "limit": ';
    const { settings, paths } = open({ 'config.json': broken });
    expect(settings.get('recall.limit')).toBe(20);
    expect(settings.problems()).toMatchObject([{ code: 'CONFIG_UNPARSABLE', where: paths.config }]);
    expect(() => settings.set('recall.limit', 3, 'user')).toThrow(expect.objectContaining({ code: 'CONFIG_UNPARSABLE' }));
    expect(fs.readFileSync(paths.config, 'utf8')).toBe(broken);
  });

  it('skips what is out of range or unknown, names it, and obeys the rest', () => {
    const { settings } = open({ 'config.json': '{ "recall": { "limit": 0, "threshold": 0.5 }, "colour": 1, "enabled": true }' }, { CAIRN_LOG_LEVEL: 'loud' });
    expect(settings.get('recall.limit')).toBe(20);
    expect(settings.get('recall.threshold')).toBe(0.5);
    expect(settings.problems().map(({ message }) => message).join('\n')).toMatch(/CAIRN_LOG_LEVEL[\s\S]*recall\.limit[\s\S]*colour[\s\S]*enabled/);
  });
});

describe('writing', () => {
  it('keeps comments, order, byte-order mark and line ends', () => {
    const { settings, paths } = open({ 'config.json': '\uFEFF{\r\n  // why five\r\n  "recall": { "limit": 5 },\r\n  "log": { "level": "debug" }\r\n}\r\n' });
    settings.set('recall.limit', 6, 'user');
    expect(fs.readFileSync(paths.config, 'utf8')).toBe('\uFEFF{\r\n  // why five\r\n  "recall": { "limit": 6 },\r\n  "log": { "level": "debug" }\r\n}\r\n');
  });

  it('removes a value, and reads text as the setting\'s own type', () => {
    const { settings, paths } = open();
    settings.set('recall.isolateBranches', 'yes', 'user');
    settings.set('capture.excludedRepositories', 'a, b', 'user');
    expect(JSON.parse(fs.readFileSync(paths.config, 'utf8'))).toEqual({ recall: { isolateBranches: true }, capture: { excludedRepositories: ['a', 'b'] } });
    settings.set('recall.isolateBranches', undefined, 'user');
    expect(settings.effective('recall.isolateBranches')).toMatchObject({ value: false, from: 'default' });
  });

  it.each([
    ['an unknown name', 'recall.limits', 3, 'user'], ['a value out of range', 'recall.limit', 0, 'user'], ['a word for a number', 'recall.limit', 'many', 'user'],
    ['a repository\'s switch for the user', 'enabled', true, 'user'], ['the user\'s switch for a repository', 'spend.dailyCapUsd', 2, 'repository'],
  ] as const)('refuses %s', (_, key, value, level) => {
    expect(() => open().settings.set(key, value, level, ID)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it('makes files that only their owner can read', () => {
    const { settings, paths } = open();
    settings.set('enabled', true, 'repository', ID);
    expect(fs.statSync(paths.repository(ID).config).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(paths.repository(ID).config)).mode & 0o777).toBe(0o700);
  });

  it('keeps the link and the mode of a linked file', () => {
    const { settings, paths } = open({ 'elsewhere.json': '{}' });
    const target = path.join(paths.home, 'elsewhere.json');
    fs.chmodSync(target, 0o640);
    fs.symlinkSync(target, paths.config);
    settings.set('recall.limit', 4, 'user');
    expect(fs.lstatSync(paths.config).isSymbolicLink()).toBe(true);
    expect(JSON.parse(fs.readFileSync(target, 'utf8'))).toEqual({ recall: { limit: 4 } });
    expect(fs.statSync(target).mode & 0o777).toBe(0o640);
  });
});

describe('the table of settings', () => {
  it('has a default inside its own range for every key', () => {
    for (const key of SETTING_KEYS) if (SETTINGS[key].default !== undefined) expect(checkSetting(key, SETTINGS[key].default).ok, key).toBe(true);
  });

  it('gives every key a variable of its own', () => {
    expect(environmentName('capture.everyTurns')).toBe('CAIRN_CAPTURE_EVERY_TURNS');
    expect(new Set(SETTING_KEYS.map(environmentName)).size).toBe(SETTING_KEYS.length);
  });

  it('is published as a schema with every key and its description', () => {
    const { settings, paths } = open();
    settings.publishSchema();
    expect(JSON.parse(fs.readFileSync(paths.configSchema, 'utf8'))).toEqual(JSON.parse(JSON.stringify(settingsJsonSchema())));
    const { properties } = settingsJsonSchema() as { properties: { recall: { properties: { limit: unknown } } } };
    expect(properties.recall.properties.limit).toMatchObject({ minimum: 1, maximum: 200, default: 20 });
  });
});

describe('the keys file', () => {
  it('understands export, quotes and comments', () => {
    expect(Object.fromEntries(parseKeysFile('# keys\nexport A=one # first\nB="two # words"\nC=\'three\'\n\nnonsense\n'))).toEqual({ A: 'one', B: 'two # words', C: 'three' });
  });
});
