/**
 * Paths: where everything of one user lies below CAIRN_HOME. The only place that
 * knows the layout of that folder, and the rule that nobody else may read it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';

/** Variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Files of one store: the rows, and the disposable index beside them. */
export interface StorePaths {
  readonly folder: string;
  readonly store: string;
  readonly index: string;
  readonly config: string;
}

export interface HomePaths {
  readonly home: string;
  readonly config: string;
  readonly configSchema: string;
  /** Keys only; the last resort before a default. */
  readonly keys: string;
  readonly registry: string;
  readonly user: StorePaths;
  readonly repositories: string;
  readonly models: string;
  /** Packages that a choice of the person asked for: what runs models from the hub. */
  readonly packages: string;
  readonly logs: string;
  readonly backups: string;
  /** Copies of the program, one folder per version and content. */
  readonly app: string;
  /** The launcher, the only path of ours that others write down. */
  readonly bin: string;
  /** A Node of our own, where the machine had none that fits. */
  readonly node: string;
  readonly leases: string;
  readonly clientId: string;
  readonly runtimes: string;
  repository(id: string): StorePaths;
}

/** CAIRN_HOME, else `.cairn` in the user's home folder; relative values count from there, wherever a process was started. */
export function resolveHome(env: Environment, osHome: string): string {
  const given = env.CAIRN_HOME?.trim();
  return given === undefined || given === '' ? path.join(osHome, '.cairn') : fromHome(given, osHome);
}

const fromHome = (given: string, osHome: string): string => path.resolve(osHome, withoutTilde(given));

/** `~/x` as a settings file hands it over, where no shell has read it; counted from the home folder it is `x`. */
const withoutTilde = (given: string): string => given.replace(/^~(?=$|[\\/])[\\/]*/, './');

export function homePaths(home: string, env: Environment = {}, osHome: string = os.homedir()): HomePaths {
  const storePaths = (folder: string, config: string): StorePaths => ({ folder, store: path.join(folder, 'memory.db'), index: path.join(folder, 'vectors'), config });
  const repositories = path.join(home, 'repos');
  const config = path.join(home, 'config.json');
  const models = env.CAIRN_MODELS_DIR?.trim();
  return {
    home, config, repositories,
    configSchema: path.join(home, 'config.schema.json'),
    keys: path.join(home, '.env'),
    registry: path.join(home, 'registry.db'),
    user: storePaths(path.join(home, 'user'), config),
    packages: path.join(home, 'packages'),
    models: models === undefined || models === '' ? path.join(home, 'models') : fromHome(models, osHome),
    logs: path.join(home, 'logs'),
    backups: path.join(home, 'backups'),
    app: path.join(home, 'app'),
    bin: path.join(home, 'bin'),
    node: path.join(home, 'runtime'),
    leases: path.join(home, 'leases'),
    clientId: path.join(home, 'client-id'),
    runtimes: path.join(home, 'runtimes.json'),
    repository: (id) => {
      const folder = path.join(repositories, id);
      return storePaths(folder, path.join(folder, 'config.json'));
    },
  };
}

/**
 * Makes the folder and its parents below the home readable for their owner only.
 * Throws STORE_UNREADABLE where that cannot be, naming folder and cure.
 */
export function ensurePrivateFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

/** One by one: `recursive` never comes back where a parent exists and takes no folders (/proc). */
function makeFolders(folder: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at);
  if (missing.length === 0) fs.mkdirSync(folder, { recursive: true }); // says what is wrong with a file in its place
  for (const each of missing) {
    try {
      fs.mkdirSync(each, { mode: FOLDER_MODE });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || !fs.statSync(each).isDirectory()) throw error; // made by another process a moment ago
    }
  }
}

/**
 * Makes the home if need be and proves that it can be read. A home that may only be
 * read is fine (recall works there); one that cannot be read is not.
 */
export function ensureHome(home: string): void {
  if (!fs.existsSync(home)) ensurePrivateFolder(home);
  try {
    fs.readdirSync(home);
    fs.accessSync(home, fs.constants.R_OK | fs.constants.X_OK);
  } catch (cause) {
    throw unreadable(home, cause);
  }
}

function unreadable(folder: string, cause: unknown): CairnError {
  const code = errorCode(cause);
  const reason = code === 'ENOTDIR' || code === 'EEXIST' ? 'is not a folder' : `cannot be used (${code ?? 'unknown reason'})`;
  return new CairnError('STORE_UNREADABLE', `Cairn's folder ${folder} ${reason}. Make it readable for your user (chmod 700), or set CAIRN_HOME to a folder of yours.`, { cause, data: { folder, reason: code } });
}

/** `ENOENT` and the like; undefined for anything that is no system error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Writes a whole file so that a reader sees the old bytes or the new, never a part:
 * a file beside it, synced, renamed over it. Follows a symbolic link to its target.
 * `beforeExchange` is asked last of all; when it throws, nothing is changed.
 */
export function writeFileAtomically(file: string, content: string | Uint8Array, mode = FILE_MODE, beforeExchange: () => void = () => undefined): void {
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
  const temporary = `${target}.${process.pid}.${nextTemporary++}.tmp`;
  const handle = fs.openSync(temporary, 'wx', mode);
  try {
    fs.writeFileSync(handle, content);
    fs.fsyncSync(handle);
  } catch (error) {
    fs.closeSync(handle);
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  fs.closeSync(handle);
  try {
    beforeExchange();
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

let nextTemporary = 0;

/** The file's text, or undefined where there is none. Other failures are thrown. */
export function readFileIfPresent(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
