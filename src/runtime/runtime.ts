/**
 * openRuntime: one process's view of Cairn: its home, settings, registry, engines, and the
 * switches that say whether and where it may remember. The boundary between a process
 * (environment, folders, disks) and everything that knows none.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { CairnError } from '../base/errors.ts';
import { createIdSource, type IdSource } from '../base/ids.ts';
import { type Embedder, type EmbedderSource, type Engine, type EngineOptions, type Extractor, openEngine } from '../engine/index.ts';
import { createWorkingTree, pathInTree } from '../workingTree/index.ts';
import { readClientId } from './clientId.ts';
import { EngineCache, type EngineHold } from './engineCache.ts';
import { type Device, devicesToTry } from './devices.ts';
import { createEngineConfigReader } from './engineConfig.ts';
import { createEnvValuesReader } from './envValues.ts';
import { assertSafePlace } from './fileSystems.ts';
import { createGitQuestions } from './gitQuestions.ts';
import { createLogSink, type LogSink } from './logSink.ts';
import { ensureHome, type Environment, homePaths, type HomePaths, resolveHome } from './paths.ts';
import { type PathSystem, readPathSystem, toNativePath } from './pathKeys.ts';
import { findProgramFolder, type ProgramFolder } from './programFolder.ts';
import { openRegistry, type Registry } from './registry.ts';
import { type LocatedRepository, type LocateOptions, Repositories } from './repositories.ts';
import { createResidentSource, type ProcessRole } from './residentEmbedder/residentSource.ts';
import { type HostKeys, Settings } from './settings.ts';
import type { SettingKey } from './settingsTable.ts';
import { silenceSqliteWarning } from './silenceWarnings.ts';
import { importTransformersPackage } from './transformersPackage.ts';

export interface RuntimeOptions {
  /** `process.env` of a main file. */
  readonly env: Environment;
  readonly role: ProcessRole;
  /** For the log: cli, mcp, hook, extension. */
  readonly processName: string;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  readonly flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly keys?: HostKeys;
  /** Loads the model of the setting into this process; `undefined` means there is none. */
  readonly loadEmbedder?: (request: EmbedderRequest) => Promise<Embedder | undefined>;
  /** Model extractors that the person chose; rules alone when absent. */
  readonly extractors?: (runtime: Runtime, repositoryId: string | undefined) => Promise<readonly Extractor[]>;
  /** How long a recall waits for the model; see DEADLINES. */
  readonly embedderWaitMs?: number;
  readonly osHome?: string;
  readonly program?: ProgramFolder;
}

export interface EmbedderRequest {
  /** `embedding.model`: bundled, hashing, a model id, a path, remote. */
  readonly model: string;
  readonly bundledModels: string;
  readonly models: string;
  readonly baseUrl: string | undefined;
  /** Where a downloaded model runs, tried in order. */
  readonly devices: readonly Device[];
  readonly importTransformers: () => Promise<unknown>;
  readonly apiKey: () => string | undefined;
  readonly log: (line: string) => void;
}

/** What to open: a located repository, or the user's store alone. */
export interface EngineTarget {
  readonly repository?: { readonly id: string; readonly name: string };
  readonly root?: string;
}

/** How long a recall may wait for the model: a person at a prompt waits, a hook does not. */
const EMBEDDER_WAIT_MS: Readonly<Record<ProcessRole, number>> = { host: 1_500, command: 30_000, hook: 150 };

export class Runtime {
  readonly env: Environment;
  readonly role: ProcessRole;
  readonly paths: HomePaths;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly system: PathSystem;
  readonly program: ProgramFolder;
  readonly log: LogSink;
  readonly repositories: Repositories;
  readonly embedder: EmbedderSource;
  readonly osHome: string;
  readonly #options: RuntimeOptions;
  readonly #engines = new EngineCache();
  #registry: Promise<Registry> | undefined;
  #clientId: string | undefined;

  constructor(options: RuntimeOptions, paths: HomePaths) {
    this.#options = options;
    this.env = options.env;
    this.role = options.role;
    this.paths = paths;
    this.osHome = options.osHome ?? os.homedir();
    this.clock = options.clock ?? systemClock;
    this.ids = options.ids ?? createIdSource(this.clock);
    this.program = options.program ?? findProgramFolder(import.meta.url);
    this.settings = new Settings({ paths, env: options.env, ...(options.flags === undefined ? {} : { flags: options.flags }), ...(options.keys === undefined ? {} : { keys: options.keys }) });
    this.system = readPathSystem(options.env);
    this.log = createLogSink({ folder: paths.logs, clock: this.clock, process: options.processName, level: () => this.settings.get('log.level') });
    this.repositories = new Repositories({ registry: () => this.registry(), env: options.env, system: this.system, osHome: this.osHome });
    this.embedder = createResidentSource({
      role: options.role, paths, clock: this.clock, version: this.program.version,
      // A hook loads nothing, but uses what somebody else has loaded.
      model: () => (options.loadEmbedder === undefined && options.role !== 'hook' ? 'off' : this.settings.get('embedding.model')),
      load: (model) => this.#loadEmbedder(model),
      log: (line) => this.log.write('warning', line),
    });
  }

  get clientId(): string {
    this.#clientId ??= readClientId(this.paths, this.env);
    return this.#clientId;
  }

  registry(): Promise<Registry> {
    this.#registry ??= openRegistry({ file: this.paths.registry, repositories: this.paths.repositories, clock: this.clock, ids: this.ids, system: this.system }).catch((error: unknown) => {
      this.#registry = undefined;
      throw error;
    });
    return this.#registry;
  }

  /** Facts and id of the working tree around `cwd`; hooks never start git. */
  async repositoryFor(cwd: string, options: Partial<LocateOptions> = {}): Promise<LocatedRepository> {
    return this.repositories.locate(cwd, { register: options.register ?? false, mayRunGit: options.mayRunGit ?? this.role !== 'hook' });
  }

  /** The engine stays open until it is released, and for a while after. */
  async holdEngine(target: EngineTarget): Promise<EngineHold> {
    const files = [...(target.repository === undefined ? [] : [this.paths.repository(target.repository.id).store]), this.paths.user.store];
    return this.#engines.hold(engineKey(target), { open: () => openEngine(this.#engineOptions(target)), filesNow: () => files.map(readFileId).join() });
  }

  async openEngines(): Promise<{ repositoryId: string | undefined; engine: Engine }[]> {
    return (await this.#engines.open()).map(({ engine }) => ({ repositoryId: engine.repository?.id, engine }));
  }

  /** Closes what is open of these repositories (`undefined`: of all), before their files are replaced. */
  async dropEngines(repositoryId?: string): Promise<void> {
    await this.#engines.drop((key) => repositoryId === undefined || key.startsWith(`${repositoryId}|`));
  }

  // Consent and pause

  isEnabled(repositoryId: string | undefined): boolean {
    const here = repositoryId === undefined ? undefined : this.settings.get('enabled', repositoryId);
    return here ?? this.settings.get('enabledEverywhere');
  }

  setEnabled(repositoryId: string, enabled: boolean): void {
    this.settings.set('enabled', enabled, 'repository', repositoryId);
  }

  /** Paused for this session, for this repository, or everywhere. */
  async isPaused(repositoryId: string | undefined, sessionId?: string): Promise<boolean> {
    if (this.settings.get('paused', repositoryId) || this.settings.get('paused')) return true;
    return sessionId !== undefined && (await this.registry()).isSessionPaused(sessionId);
  }

  async setPaused(paused: boolean, repositoryId: string | undefined, sessionId?: string): Promise<void> {
    if (sessionId !== undefined) return (await this.registry()).setSessionPaused(sessionId, paused);
    // Resuming takes the switch away again, so that the other level is obeyed.
    this.settings.set('paused', paused ? true : undefined, repositoryId === undefined ? 'user' : 'repository', repositoryId);
  }

  /** A session file that a person or a hook named. Throws TRANSCRIPT_UNREADABLE for anything that is no `.jsonl` file. */
  async describeSessionFile(file: string): Promise<{ path: string; sizeBytes: number; modifiedAt: number }> {
    const native = path.resolve(toNativePath(file, this.system));
    try {
      const stat = await fs.promises.stat(native);
      if (stat.isFile() && native.endsWith('.jsonl')) return { path: native, sizeBytes: stat.size, modifiedAt: Math.trunc(stat.mtimeMs) };
    } catch (cause) {
      throw new CairnError('TRANSCRIPT_UNREADABLE', `The session file ${file} cannot be read.`, { cause, data: { path: file } });
    }
    throw new CairnError('TRANSCRIPT_UNREADABLE', `${file} is no session file (.jsonl).`, { data: { path: file } });
  }

  async close(): Promise<void> {
    await this.#engines.close();
    await this.embedder.close();
    (await this.#registry?.catch(() => undefined))?.close(); // a registry that never opened needs no closing
  }

  #engineOptions({ repository, root }: EngineTarget): EngineOptions {
    const { user } = this.paths;
    const store = repository === undefined ? undefined : this.paths.repository(repository.id);
    const { extractors, embedderWaitMs } = this.#options;
    return {
      ...(repository === undefined || store === undefined ? {} : { repository: { id: repository.id, name: repository.name, storePath: store.store, indexFolder: store.index, backupFolder: path.join(this.paths.backups, repository.id) } }),
      user: { storePath: user.store, indexFolder: user.index, backupFolder: path.join(this.paths.backups, 'user') },
      clock: this.clock,
      ids: this.ids,
      embedder: this.embedder,
      embedderWaitMs: embedderWaitMs ?? EMBEDDER_WAIT_MS[this.role],
      background: this.role === 'host',
      config: createEngineConfigReader(this.settings, repository?.id),
      ...(root === undefined ? {} : { workingTree: createWorkingTree(root, this.role === 'hook' ? {} : createGitQuestions(root, this.env, { isCommand: this.role === 'command' })), envValues: createEnvValuesReader(root, () => this.clock.now()) }),
      ...(extractors === undefined ? {} : { extractors: () => extractors(this, repository?.id) }),
      ...(this.role === 'hook' ? { busyTimeoutMs: 400, upkeep: false } : {}),
      log: (line) => this.log.write('info', line),
    };
  }

  async #loadEmbedder(model: string): Promise<Embedder | undefined> {
    return this.#options.loadEmbedder?.({
      model, bundledModels: this.program.models, models: this.paths.models, baseUrl: this.settings.get('embedding.baseUrl'),
      importTransformers: async () => importTransformersPackage({ folder: this.paths.packages, env: this.env, log: (line) => this.log.write('info', line) }),
      devices: devicesToTry(this.settings.get('embedding.device'), process.platform, os.freemem(), this.settings.get('embedding.deviceLeastFreeGb')),
      apiKey: () => this.settings.secret('CAIRN_EMBEDDING_API_KEY')?.value ?? this.settings.secret('OPENAI_API_KEY')?.value,
      log: (line) => this.log.write('info', line),
    });
  }
}

/** Another file at the same place has another id; one that is gone is doctor's to tell. */
function readFileId(file: string): string {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.dev}:${stat.ino}`;
}

const engineKey = ({ repository, root }: EngineTarget): string => (repository === undefined ? 'user|' : `${repository.id}|${root ?? ''}`);

/**
 * Cheap: no database, no model is opened before it is needed. Throws STORE_UNREADABLE for
 * a home that cannot be used and STORE_NETWORK_FILE_SYSTEM for one that must not be.
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  silenceSqliteWarning();
  const osHome = options.osHome ?? os.homedir();
  const home = resolveHome(options.env, osHome);
  assertSafePlace(home, options.env);
  ensureHome(home);
  return new Runtime(options, homePaths(home, options.env, osHome));
}

/** Proves that this Node can run the store, before anything else is tried. Throws RUNTIME_UNSUPPORTED. */
export async function assertRuntime(): Promise<void> {
  silenceSqliteWarning();
  try {
    await import('node:sqlite');
  } catch (cause) {
    throw new CairnError('RUNTIME_UNSUPPORTED', `This runtime (Node ${process.versions.node}${process.versions['electron'] === undefined ? '' : `, Electron ${process.versions['electron']}`}) has no usable node:sqlite. Cairn needs Node 22.16 or newer; update the editor, or start it with a newer Node.`, { cause, data: { node: process.versions.node } });
  }
}

/** `file` relative to `root`, with `/`, through whatever links it is named; undefined when it is not below it. */
export function relativeTo(root: string, file: string): string | undefined {
  return pathInTree(root, file, []) || undefined;
}
