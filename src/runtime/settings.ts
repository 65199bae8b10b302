/**
 * Settings: one truth in files, read by every process of ours.
 *
 * Order: flag > `CAIRN_*` > repository's config.json > user's config.json > default;
 * secrets alone may also come from CAIRN_HOME/.env. A file that cannot be parsed is
 * left as it is and reported, and the levels below it serve. A value outside its range
 * is reported and skipped, the rest of the file is obeyed. Files are looked at (one
 * `stat` each) on every read, so a change is seen by all processes at once.
 */
import fs from 'node:fs';
import { applyEdits, modify, parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { CairnError } from '../base/errors.ts';
import { withLease } from './lease.ts';
import { type Environment, ensurePrivateFolder, errorCode, FILE_MODE, type HomePaths, writeFileAtomically } from './paths.ts';
import path from 'node:path';
import { checkSetting, environmentName, isSettingKey, SETTING_KEYS, SETTINGS, type SettingDefinition, type SettingKey, settingsJsonSchema, type SettingsValues } from './settingsTable.ts';

/** Another process's write takes a few milliseconds. */
const LONGEST_WAIT_MS = 2_000;

export type SettingOrigin = 'flag' | 'environment' | 'repository' | 'user' | 'keys file' | 'default';

export interface EffectiveSetting {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly from: SettingOrigin;
  readonly description: string;
}

/** Something in a file or variable that could not be obeyed; for doctor and stderr. */
export interface SettingProblem {
  readonly code: 'CONFIG_INVALID' | 'CONFIG_UNPARSABLE';
  readonly where: string;
  readonly message: string;
}

/** Secrets that a provider needs; never part of config.json. */
export const KEY_NAMES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'CAIRN_API_KEY', 'CAIRN_EMBEDDING_API_KEY'] as const;
export type KeyName = (typeof KEY_NAMES)[number];
export type HostKeys = Readonly<Partial<Record<KeyName, string>>>;

interface ReadFile {
  readonly stamp: string;
  readonly values: ReadonlyMap<SettingKey, unknown>;
  readonly problems: readonly SettingProblem[];
}

export interface SettingsOptions {
  readonly paths: HomePaths;
  readonly env: Environment;
  /** From command-line flags; checked when given. */
  readonly flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Keys that the host keeps in a store of its own; they win, and no child process inherits them. */
  readonly keys?: HostKeys;
}

export class Settings {
  readonly #options: SettingsOptions;
  readonly #files = new Map<string, ReadFile>();
  #environment: { values: ReadonlyMap<SettingKey, unknown>; problems: readonly SettingProblem[] } | undefined;
  #keys: { stamp: string; values: ReadonlyMap<string, string> } | undefined;

  constructor(options: SettingsOptions) {
    this.#options = options;
    for (const [key, value] of Object.entries(options.flags ?? {})) checkValue(key, value);
  }

  get<K extends SettingKey>(key: K, repositoryId?: string): SettingsValues[K] {
    return this.effective(key, repositoryId).value as SettingsValues[K];
  }

  effective(key: SettingKey, repositoryId?: string): EffectiveSetting {
    const { description, default: fallback } = SETTINGS[key] as SettingDefinition;
    for (const [from, values] of this.#levels(repositoryId)) {
      if (!values.has(key)) continue;
      return { key, value: values.get(key), from, description };
    }
    return { key, value: fallback, from: 'default', description };
  }

  all(repositoryId?: string): EffectiveSetting[] {
    return SETTING_KEYS.map((key) => this.effective(key, repositoryId));
  }

  /** Everything that could not be obeyed just now. */
  problems(repositoryId?: string): SettingProblem[] {
    return [
      ...this.#readEnvironment().problems,
      ...(repositoryId === undefined ? [] : this.#read(this.#options.paths.repository(repositoryId).config, 'repository').problems),
      ...this.#read(this.#options.paths.config, 'user').problems,
    ];
  }

  /** Changes whenever a file did; equal stamps mean equal values. */
  stamp(repositoryId?: string): string {
    const { paths } = this.#options;
    return [paths.config, ...(repositoryId === undefined ? [] : [paths.repository(repositoryId).config]), paths.keys].map(fileStamp).join('|');
  }

  /**
   * A secret: from the host, else the process's environment, else CAIRN_HOME/.env. Callers ask only
   * after the person chose the provider that needs it.
   */
  secret(name: KeyName): { value: string; from: 'host' | 'environment' | 'keys file' } | undefined {
    const hosted = this.#options.keys?.[name];
    if (hosted !== undefined) return { value: hosted, from: 'host' };
    const given = this.#options.env[name]?.trim();
    if (given !== undefined && given !== '') return { value: given, from: 'environment' };
    const stamp = fileStamp(this.#options.paths.keys);
    if (this.#keys?.stamp !== stamp) this.#keys = { stamp, values: parseKeysFile(readOrEmpty(this.#options.paths.keys)) };
    const kept = this.#keys.values.get(name);
    return kept === undefined || kept === '' ? undefined : { value: kept, from: 'keys file' };
  }

  /**
   * Writes one value, keeping comments, order, byte-order mark and line ends of the file;
   * `undefined` removes it. Throws CONFIG_INVALID for a wrong name, level or value, and
   * CONFIG_UNPARSABLE where the file cannot be parsed (it is then untouched).
   */
  set(key: string, value: unknown, level: 'user' | 'repository', repositoryId?: string): void {
    if (!isSettingKey(key)) throw new CairnError('CONFIG_INVALID', `There is no setting "${key}". ${suggestion(key)}`, { data: { key } });
    const definition: SettingDefinition = SETTINGS[key];
    if (definition.scope !== 'both' && definition.scope !== level) throw new CairnError('CONFIG_INVALID', `"${key}" is set for ${definition.scope === 'user' ? 'the user' : 'one repository'}, not for ${level === 'user' ? 'the user' : 'a repository'}.`, { data: { key, level } });
    if (level === 'repository' && repositoryId === undefined) throw new CairnError('REPOSITORY_REQUIRED', `"${key}" can only be set inside a repository.`, { data: { key } });
    const checked = value === undefined ? undefined : checkValue(key, value);
    const file = level === 'user' || repositoryId === undefined ? this.#options.paths.config : this.#options.paths.repository(repositoryId).config;
    try {
      // Reading and writing are one act: of two windows that set two values at once, one lost its own.
      if (withLease(`${file}.lock`, LONGEST_WAIT_MS, () => { this.#edit(file, key, checked); }) === undefined) throw new CairnError('STORE_LOCKED', `Another process is writing ${file}. Try again.`, { data: { file } });
    } catch (error) {
      throw unwritable(file, error);
    }
  }

  #edit(file: string, key: SettingKey, checked: unknown): void {
    ensurePrivateFolder(path.dirname(file));
    const raw = readOrEmpty(file);
    const mark = raw.startsWith('\uFEFF') ? '\uFEFF' : '';
    const text = raw.slice(mark.length);
    const { errors, value: tree } = parseText(text);
    if (errors.length > 0) throw new CairnError('CONFIG_UNPARSABLE', `${file} cannot be parsed (${errors[0]}). Correct it by hand; it was left as it is.`, { data: { file } });
    const jsonPath = Object.hasOwn(tree ?? {}, key) ? [key] : key.split('.');
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const before = text.trim() === '' ? '{}' : text;
    const edited = applyEdits(before, modify(before, jsonPath, checked, { formattingOptions: { insertSpaces: true, tabSize: 2, eol } }));
    writeFileAtomically(file, mark + (edited.endsWith('\n') ? edited : edited + eol), existingMode(file) ?? FILE_MODE);
    this.#files.delete(file);
  }

  /** Publishes the schema beside the user's file, so that editors can check both. */
  publishSchema(): void {
    const content = `${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`;
    try {
      if (readOrEmpty(this.#options.paths.configSchema) !== content) writeFileAtomically(this.#options.paths.configSchema, content);
    } catch {
      return; // it only helps an editor to check the file; what was set is set
    }
  }

  *#levels(repositoryId: string | undefined): Generator<[SettingOrigin, ReadonlyMap<SettingKey, unknown>]> {
    yield ['flag', new Map(Object.entries(this.#options.flags ?? {}) as [SettingKey, unknown][])];
    yield ['environment', this.#readEnvironment().values];
    if (repositoryId !== undefined) yield ['repository', this.#read(this.#options.paths.repository(repositoryId).config, 'repository').values];
    yield ['user', this.#read(this.#options.paths.config, 'user').values];
  }

  #readEnvironment(): { values: ReadonlyMap<SettingKey, unknown>; problems: readonly SettingProblem[] } {
    if (this.#environment !== undefined) return this.#environment;
    const values = new Map<SettingKey, unknown>();
    const problems: SettingProblem[] = [];
    for (const key of SETTING_KEYS) {
      const name = environmentName(key);
      const given = this.#options.env[name];
      if (given === undefined || given === '') continue;
      const checked = checkSetting(key, parseSettingText(key, given));
      if (checked.ok) values.set(key, checked.value);
      else problems.push({ code: 'CONFIG_INVALID', where: name, message: `${name}: ${checked.message}` });
    }
    this.#environment = { values, problems };
    return this.#environment;
  }

  #read(file: string, level: 'user' | 'repository'): ReadFile {
    const stamp = fileStamp(file);
    const known = this.#files.get(file);
    if (known?.stamp === stamp) return known;
    const read = readSettingsFile(file, level, stamp);
    this.#files.set(file, read);
    return read;
  }
}

/** A system's error as one with a cure; others as they are. */
function unwritable(file: string, error: unknown): unknown {
  const code = error instanceof CairnError ? undefined : errorCode(error);
  if (code === undefined) return error;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new CairnError(isFull ? 'STORE_FULL' : 'STORE_READ_ONLY', `The settings file ${file} cannot be written (${code}). ${isFull ? 'Free some space and repeat.' : 'Check its permissions, or set CAIRN_HOME to another folder.'}`, { cause: error, data: { file } });
}

function readSettingsFile(file: string, level: 'user' | 'repository', stamp: string): ReadFile {
  const values = new Map<SettingKey, unknown>();
  const problems: SettingProblem[] = [];
  let text: string;
  try {
    text = readOrEmpty(file);
  } catch (error) {
    return { stamp, values, problems: [{ code: 'CONFIG_UNPARSABLE', where: file, message: `${file} cannot be read (${errorCode(error) ?? 'unknown reason'}); defaults serve.` }] };
  }
  const { errors, value: tree } = parseText(text.replace(/^\uFEFF/, ''));
  if (errors.length > 0) return { stamp, values, problems: [{ code: 'CONFIG_UNPARSABLE', where: file, message: `${file} cannot be parsed (${errors[0]}); defaults serve and the file is untouched.` }] };
  for (const [key, value] of flatten(tree ?? {})) {
    if (key === '$schema' || value === null) continue;
    const definition: SettingDefinition | undefined = isSettingKey(key) ? SETTINGS[key] : undefined;
    if (definition === undefined) {
      problems.push({ code: 'CONFIG_INVALID', where: file, message: `${file}: there is no setting "${key}". ${suggestion(key)}` });
    } else if (definition.scope !== 'both' && definition.scope !== level) {
      problems.push({ code: 'CONFIG_INVALID', where: file, message: `${file}: "${key}" belongs into the ${definition.scope === 'user' ? 'user\'s' : 'repository\'s'} file.` });
    } else {
      const checked = checkSetting(key as SettingKey, value);
      if (checked.ok) values.set(key as SettingKey, checked.value);
      else problems.push({ code: 'CONFIG_INVALID', where: file, message: `${file}: "${key}": ${checked.message}` });
    }
  }
  return { stamp, values, problems };
}

/** Throws CONFIG_INVALID naming the setting and what it takes. */
export function checkValue(key: string, value: unknown): unknown {
  if (!isSettingKey(key)) throw new CairnError('CONFIG_INVALID', `There is no setting "${key}". ${suggestion(key)}`, { data: { key } });
  const checked = checkSetting(key, typeof value === 'string' ? parseSettingText(key, value) : value);
  if (checked.ok) return checked.value;
  throw new CairnError('CONFIG_INVALID', `"${key}": ${checked.message}`, { data: { key } });
}

/** What a person types on a command line or into a variable, read as the setting's own type. */
export function parseSettingText(key: SettingKey, given: string): unknown {
  const fits = (value: unknown): boolean => checkSetting(key, value).ok;
  if (fits(given)) return given;
  const trimmed = given.trim();
  if (/^(true|on|yes|1)$/i.test(trimmed) && fits(true)) return true;
  if (/^(false|off|no|0)$/i.test(trimmed) && fits(false)) return false;
  if (fits([])) return trimmed.startsWith('[') ? (parse(trimmed) as unknown) : trimmed.split(',').map((part) => part.trim()).filter((part) => part !== '');
  return /^-?\d/.test(trimmed) && Number.isFinite(Number(trimmed)) ? Number(trimmed) : given;
}

/** `NAME=value` lines; `#` comments, `export `, and quotes are understood. */
export function parseKeysFile(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^#]*?))\s*(?:#.*)?$/.exec(line);
    if (match?.[1] !== undefined) values.set(match[1], (match[2] ?? match[3] ?? match[4] ?? '').trim());
  }
  return values;
}

function parseText(text: string): { errors: string[]; value: Record<string, unknown> | undefined } {
  if (text.trim() === '') return { errors: [], value: {} };
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first !== undefined) return { errors: [`${printParseErrorCode(first.error)} at line ${text.slice(0, first.offset).split('\n').length}`], value: undefined };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { errors: ['the file holds no JSON object'], value: undefined };
  return { errors: [], value: value as Record<string, unknown> };
}

function* flatten(tree: Record<string, unknown>, prefix = ''): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(tree)) {
    const key = `${prefix}${name}`;
    if (!isSettingKey(key) && typeof value === 'object' && value !== null && !Array.isArray(value)) yield* flatten(value as Record<string, unknown>, `${key}.`);
    else yield [key, value];
  }
}

function suggestion(key: string): string {
  const last = key.split('.').at(-1)?.toLowerCase() ?? '';
  const near = SETTING_KEYS.filter((known) => known.toLowerCase() === key.toLowerCase() || known.toLowerCase().includes(last) || (known.split('.').at(-1) ?? '').toLowerCase().startsWith(last.slice(0, 4)));
  const same = near.find((known) => known.toLowerCase() === key.toLowerCase());
  if (same !== undefined) return `Did you mean ${same}?`;
  return near.length > 0 && last !== '' ? `Did you mean ${near.slice(0, 3).join(', ')}?` : 'See `cairn config` for the list.';
}

/** Size, time and inode: a rewritten file never has the stamp of the old one. */
function fileStamp(file: string): string {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? 'absent' : `${stat.mtimeMs}:${stat.size}:${stat.ino}`;
  } catch (error) {
    return `unreadable:${errorCode(error) ?? ''}`; // the read that follows reports it with its file
  }
}

function existingMode(file: string): number | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? undefined : stat.mode & 0o777;
}

function readOrEmpty(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
