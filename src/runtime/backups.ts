/**
 * Backups that a person asks for: consistent copies of the stores below CAIRN_HOME/backups,
 * listed together with those that the stores make by themselves before a migration.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError, isCairnError } from '../base/errors.ts';
import { repairStore, restoreBackup, type StoreRepair, summarizeStoreFile, type StoreSummary } from '../engine/index.ts';
import type { Runtime } from './runtime.ts';
import type { StorePaths } from './paths.ts';

export interface StoreBackup {
  readonly path: string;
  readonly createdAt: number;
  readonly sizeBytes: number;
}

const KEPT = 10;

/** Copies the repository's store (if any) and the user's; the path returned is the former's, else the latter's. */
export async function backupStores(runtime: Runtime, repository: { readonly id: string; readonly name: string } | undefined, label: string): Promise<{ path: string }> {
  const name = backupName(runtime, label);
  const hold = await runtime.holdEngine(repository === undefined ? {} : { repository });
  const made: string[] = [];
  try {
    for (const role of ['repository', 'user'] as const) {
      const store = hold.engine.store(role);
      if (store === undefined) continue;
      const folder = path.join(runtime.paths.backups, role === 'user' ? 'user' : (repository?.id ?? 'user'));
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = path.join(folder, name);
      await store.backup(file);
      made.push(file);
      for (const old of listFolder(folder).slice(KEPT)) fs.rmSync(old.path, { force: true });
    }
  } finally {
    hold.release();
  }
  const [first] = made;
  if (first === undefined) throw new CairnError('STORE_UNREADABLE', 'There is no store to back up.');
  return { path: first };
}

/** `memory.20261130T120000Z.why.db`: sorts by time and is a file name everywhere. */
export function backupName(runtime: Runtime, why: string): string {
  const stamp = new Date(runtime.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `memory.${stamp}.${why.replaceAll(/[^\w-]+/g, '-').slice(0, 40)}.db`;
}

/** Newest first; also those of repositories that were made one with this, and stores that a restore or a repair set aside. */
export async function listStoreBackups(runtime: Runtime, repositoryId: string | undefined): Promise<StoreBackup[]> {
  const { paths } = runtime;
  const ids = repositoryId === undefined ? [] : [repositoryId, ...(await runtime.registry()).formerIds(repositoryId)];
  const folders = [path.join(paths.backups, 'user'), path.join(paths.user.folder, 'backups'), ...ids.flatMap((id) => [path.join(paths.backups, id), path.join(paths.repository(id).folder, 'backups')])];
  const stores = [paths.user.folder, ...ids.map((id) => paths.repository(id).folder)];
  return [...folders.flatMap((folder) => listFolder(folder)), ...stores.flatMap((folder) => listFolder(folder, SET_ASIDE))].sort((a, b) => b.createdAt - a.createdAt || a.path.localeCompare(b.path));
}

export interface RestorePlan {
  readonly role: 'repository' | 'user';
  readonly backup: StoreSummary;
  /** Undefined where the store is gone or damaged. */
  readonly present?: StoreSummary;
}

/** What `restoreStore` would replace and by what. Throws the same. */
export async function planRestore(runtime: Runtime, repositoryId: string | undefined, file: string): Promise<RestorePlan> {
  const { role, real, target } = restoreTarget(runtime, repositoryId, file);
  const present = fs.existsSync(target.store) ? await summarizeStoreFile(target.store, 'read').catch(ifDamaged) : undefined;
  return { role, backup: await summarizeStoreFile(real), ...(present === undefined ? {} : { present }) };
}

/** A damaged store is a reason to go back, not to fail. */
function ifDamaged(error: unknown): undefined {
  if (!isCairnError(error) || error.code !== 'STORE_CORRUPT') throw error;
}

/** Brings one of the listed backups back; what is there now is set aside. Throws FILE_UNREADABLE, ID_OF_OTHER_REPOSITORY, STORE_CORRUPT, SCHEMA_TOO_NEW. */
export async function restoreStore(runtime: Runtime, repositoryId: string | undefined, file: string): Promise<void> {
  const { role, real, target } = restoreTarget(runtime, repositoryId, file);
  await runtime.dropEngines(role === 'user' ? undefined : repositoryId);
  await restoreBackup(real, target.store, { clock: runtime.clock });
  fs.rmSync(target.index, { recursive: true, force: true });
}

/** Whose store a backup is of: its folder says so. */
function restoreTarget(runtime: Runtime, repositoryId: string | undefined, file: string): { role: RestorePlan['role']; real: string; target: StorePaths } {
  const { paths } = runtime;
  const real = path.resolve(file);
  if (!fs.existsSync(real)) throw new CairnError('FILE_UNREADABLE', `There is no backup ${file}.`, { data: { file } });
  const isUsers = [path.join(paths.backups, 'user'), path.join(paths.user.folder, 'backups')].includes(path.dirname(real));
  const ofOther = path.dirname(real) === path.join(paths.backups, path.basename(path.dirname(real))) && !isUsers ? path.basename(path.dirname(real)) : undefined;
  if (ofOther !== undefined && ofOther !== repositoryId) throw new CairnError('ID_OF_OTHER_REPOSITORY', `This backup belongs to the repository ${ofOther}. Name it with --project.`, { data: { file, repository: ofOther } });
  return isUsers || repositoryId === undefined ? { role: 'user', real, target: paths.user } : { role: 'repository', real, target: paths.repository(repositoryId) };
}

/** Brings a damaged store back from what is left of it or from its newest whole copy; see repairStore. */
export async function repairStoreOf(runtime: Runtime, repositoryId: string | undefined): Promise<StoreRepair> {
  const { paths } = runtime;
  const target = repositoryId === undefined ? paths.user : paths.repository(repositoryId);
  await runtime.dropEngines(repositoryId);
  const repair = await repairStore(target.store, { clock: runtime.clock, backupFolder: path.join(paths.backups, repositoryId ?? 'user') });
  fs.rmSync(target.index, { recursive: true, force: true });
  return repair;
}

const SET_ASIDE = /^memory\.db\.(?:replaced|damaged)-\d{8}T\d{6}Z(?:-\d+)?$/;

function listFolder(folder: string, wanted = /\.db$/): StoreBackup[] {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => wanted.test(name)).map((name) => {
    const file = path.join(folder, name);
    const stat = fs.statSync(file);
    const stamp = /[.-](\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name)?.slice(1).map(Number);
    const createdAt = stamp === undefined ? Math.trunc(stat.mtimeMs) : Date.UTC(stamp[0] ?? 0, (stamp[1] ?? 1) - 1, stamp[2], stamp[3], stamp[4], stamp[5]);
    return { path: file, createdAt, sizeBytes: stat.size };
  }).sort((a, b) => b.createdAt - a.createdAt);
}
