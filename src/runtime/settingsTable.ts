/**
 * The table of settings: each one with its meaning, where it may be set, its default
 * and its range. Command line, editor, JSON schema and documentation are made from it.
 *
 * Adding a setting? Also: package.json (contributes.configuration, a test compares),
 * and the reader that obeys it.
 */
import { checkShape, type SettingShape, shapeToJsonSchema } from './settingShapes.ts';

/** `user` settings make no sense per repository; `repository` ones make none for all. */
export type SettingScope = 'user' | 'repository' | 'both';

export interface SettingDefinition {
  readonly description: string;
  readonly scope: SettingScope;
  readonly shape: SettingShape;
  /** Undefined means "not chosen". */
  readonly default: unknown;
}

interface Typed<T> extends SettingDefinition {
  readonly default: T;
}

const define = <T>(scope: SettingScope, shape: SettingShape, fallback: T, description: string): Typed<T> => ({ description, scope, shape, default: fallback });

const flag: SettingShape = { type: 'boolean' };
const text: SettingShape = { type: 'text' };
const whole = (min: number, max: number): SettingShape => ({ type: 'whole', min, max });
const number = (min: number, max: number): SettingShape => ({ type: 'number', min, max });
const choice = (values: readonly string[]): SettingShape => ({ type: 'choice', values });

const CAPTURE_MODES = ['off', 'manual', 'rules', 'model'] as const;
const PROVIDERS = ['none', 'anthropic', 'openai', 'vscode', 'claude-code'] as const;
const REVIEWS = ['all', 'below-0.8', 'none'] as const;
const DEVICES = ['auto', 'cpu', 'cuda', 'directml', 'coreml'] as const;
const INDEX_MODES = ['auto', 'exact', 'hnsw'] as const;
const LOG_LEVELS = ['error', 'warning', 'info', 'debug'] as const;
type Provider = (typeof PROVIDERS)[number];

export const SETTINGS = {
  enabled: define<boolean | undefined>('repository', flag, undefined, 'Cairn remembers in this repository. Set by `cairn init` or by the question in the editor.'),
  enabledEverywhere: define<boolean>('user', flag, false, 'Cairn remembers in every repository that has not said no.'),
  paused: define<boolean>('both', flag, false, 'Nothing is captured or injected while this is on; searching still works.'),

  'capture.mode': define<(typeof CAPTURE_MODES)[number]>('both', choice(CAPTURE_MODES), 'rules', 'How conversations are captured: off, manual (only what is asked for), rules (explicit statements, no model), model (a model reads them as well).'),
  'capture.everyTurns': define<number>('both', whole(1, 100), 2, 'A batch is extracted after this many turns.'),
  'capture.idleSeconds': define<number>('both', whole(5, 3_600), 60, 'A smaller batch is extracted after this many seconds without a turn.'),
  'capture.maxOutputTokens': define<number>('both', whole(128, 8_192), 1_024, 'Upper limit of tokens that one extraction may write.'),
  'capture.excludedRepositories': define<readonly string[]>('user', { type: 'list' }, [], 'Repositories (name, id, path or glob) in which nothing is ever captured.'),

  'privacy.allowedSecrets': define<readonly string[]>('user', { type: 'list' }, [], 'Fingerprints of texts that look like secrets and are none; they are not masked. `cairn doctor --scan-secrets` names them, `--allow-secret` adds one.'),

  'extraction.provider': define<Provider>('both', choice(PROVIDERS), 'none', 'Who reads conversations in capture mode "model". A key found in the environment is not used until a provider is chosen here.'),
  'extraction.model': define<string | undefined>('both', text, undefined, 'Model of the provider; its own default if empty.'),
  'extraction.baseUrl': define<string | undefined>('both', text, undefined, 'Address of an OpenAI-compatible endpoint, for example Ollama at http://localhost:11434/v1.'),
  'extraction.heavyProvider': define<Provider | undefined>('both', choice(PROVIDERS), undefined, 'Another provider for summaries and backfill; the same one if empty.'),
  'extraction.heavyModel': define<string | undefined>('both', text, undefined, 'Model of the heavy provider.'),
  'extraction.gate': define<number>('both', whole(1, 10), 5, 'Statements of lower importance are not proposed.'),
  'extraction.review': define<(typeof REVIEWS)[number]>('both', choice(REVIEWS), 'all', 'What waits in the inbox: all, only what is less certain than 0.8, or none.'),

  'spend.dailyCapUsd': define<number>('user', number(0, 1_000), 1, 'No more than this is spent with API keys in one day; batches beyond it wait.'),

  'embedding.model': define<string>('user', { type: 'text', minLength: 1 }, 'bundled', 'bundled, off (keywords only), hashing, a model id, the path of a model folder, or remote.'),
  'embedding.baseUrl': define<string | undefined>('user', text, undefined, 'Address of an OpenAI-compatible embedding endpoint, or of a mirror for downloads.'),
  'embedding.device': define<(typeof DEVICES)[number]>('user', choice(DEVICES), 'auto', 'Where a downloaded model runs: auto takes the graphics device where one loads, else the processor. The bundled models always use the processor.'),
  'embedding.deviceLeastFreeGb': define<number>('user', number(0, 1_024), 4, 'Gigabytes of memory that must be free before auto tries a graphics device.'),
  'index.mode': define<(typeof INDEX_MODES)[number]>('both', choice(INDEX_MODES), 'auto', 'Vector index: exact search, HNSW, or HNSW from the size on where it is faster.'),

  'recall.threshold': define<number>('both', number(0, 1), 0.3, 'Lowest cosine of a memory that is found by meaning alone.'),
  'recall.limit': define<number>('both', whole(1, 200), 20, 'Results of a search when no limit is given.'),
  'recall.isolateBranches': define<boolean>('both', flag, false, 'Memories made on another branch are hidden instead of being shown with its name.'),

  'injection.enabled': define<boolean>('both', flag, true, 'Memories are given to Claude at a session\'s start and with prompts.'),
  'injection.startTokens': define<number>('both', whole(0, 3_000), 1_500, 'Tokens at a session\'s start.'),
  'injection.promptTokens': define<number>('both', whole(0, 3_000), 400, 'Tokens with a prompt.'),
  'injection.fileTokens': define<number>('both', whole(0, 3_000), 300, 'Tokens when Claude reads or edits a file.'),
  'injection.sessionTokens': define<number>('both', whole(0, 50_000), 6_000, 'Tokens of a session in all, until the next compaction.'),

  'mcp.legacyToolNames': define<boolean>('user', flag, false, 'Older tool names are listed as well; they are always accepted.'),

  'archive.automatic': define<boolean>('both', flag, false, 'Archive proposals are carried out without asking.'),
  'archive.afterDays': define<number>('both', whole(7, 3_650), 90, 'Days without use after which a memory may be proposed for the archive.'),
  'archive.belowImportance': define<number>('both', whole(1, 10), 4, 'Only memories of lower importance are proposed for the archive.'),

  'log.level': define<(typeof LOG_LEVELS)[number]>('user', choice(LOG_LEVELS), 'info', 'How much is logged. Memory text is logged at "debug" only.'),
} as const satisfies Record<string, SettingDefinition>;

export type SettingKey = keyof typeof SETTINGS;
export type SettingsValues = { readonly [K in SettingKey]: (typeof SETTINGS)[K]['default'] };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** `null` in a file means "not chosen". */
export const checkSetting = (key: SettingKey, value: unknown): ReturnType<typeof checkShape> => checkShape((SETTINGS[key] as SettingDefinition).shape, value);

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

/** `capture.everyTurns` -> `CAIRN_CAPTURE_EVERY_TURNS`. */
export const environmentName = (key: SettingKey): string => `CAIRN_${key.replaceAll(/([a-z])([A-Z])/g, '$1_$2').replaceAll('.', '_').toUpperCase()}`;

/** The JSON schema of both files, nested as they are written. */
export function settingsJsonSchema(): Record<string, unknown> {
  const root: { properties: Record<string, Record<string, unknown>> } = { properties: {} };
  for (const key of SETTING_KEYS) {
    const definition: SettingDefinition = SETTINGS[key];
    const property: Record<string, unknown> = { ...shapeToJsonSchema(definition.shape), description: `${definition.description}${definition.scope === 'both' ? '' : ` (${definition.scope} level only)`}`, ...(definition.default === undefined ? {} : { default: definition.default }) };
    const parts = key.split('.');
    let properties = root.properties;
    for (const part of parts.slice(0, -1)) {
      properties[part] ??= { type: 'object', additionalProperties: false, properties: {} };
      properties = properties[part]['properties'] as Record<string, Record<string, unknown>>;
    }
    properties[parts.at(-1) ?? key] = property;
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Cairn settings', type: 'object', additionalProperties: false, properties: { $schema: { type: 'string' }, ...root.properties } };
}
