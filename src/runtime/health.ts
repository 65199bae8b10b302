/**
 * Health of what runtime knows [O1]: runtime, home, place of the home, settings, registry,
 * program home, shared embedder, disk. The engine tells about stores, index and model;
 * registration about its clients.
 */
import fs from 'node:fs';
import type { HealthCheck } from '../engine/index.ts';
import { isContainer, readFreeBytes, readPlace } from './fileSystems.ts';
import { readLivingOwner } from './lease.ts';
import { installedNode, isNewEnough, readRecordedRuntimes } from './launcher/runtimes.ts';
import { errorCode, FOLDER_MODE } from './paths.ts';
import { installProgram, launcherPath, readCurrent, readProgramManifest, removeUnusedPrograms, writeShellLauncher } from './programHome.ts';
import { ownerLock, readAddress } from './residentEmbedder/protocol.ts';
import type { Runtime } from './runtime.ts';

const LOW_DISK_BYTES = 500 * 1024 * 1024;
const FULL_DISK_BYTES = 50 * 1024 * 1024;

export async function readHealth(runtime: Runtime, repositoryId: string | undefined): Promise<HealthCheck[]> {
  return [await checkRuntime(), checkHome(runtime), checkPlace(runtime), checkSettings(runtime, repositoryId), await checkRegistry(runtime), checkProgram(runtime), checkEmbedder(runtime), checkDisk(runtime)];
}

async function checkRuntime(): Promise<HealthCheck> {
  const electron = process.versions['electron'];
  const detail = `Node ${process.versions.node}${electron === undefined ? '' : ` in Electron ${electron}`} at ${process.execPath}`;
  try {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(':memory:');
    const row = database.prepare('SELECT sqlite_version() AS version').get();
    database.exec('CREATE VIRTUAL TABLE probe USING fts5(text)');
    database.close();
    return { id: 'runtime', title: 'Runtime', state: isNewEnough(process.versions.node) ? 'ok' : 'warning', detail: `${detail}, SQLite ${String(row?.['version'])}`, ...(isNewEnough(process.versions.node) ? {} : { cure: 'Use Node 22.16 or newer.' }) };
  } catch (error) {
    return { id: 'runtime', title: 'Runtime', state: 'failed', detail: `${detail}: no usable node:sqlite (${error instanceof Error ? error.message : String(error)})`, cure: 'Use Node 22.16 or newer, or an editor that contains it.' };
  }
}

function checkHome({ paths }: Runtime): HealthCheck {
  const base = { id: 'home', title: 'Home folder' };
  const stat = fs.statSync(paths.home, { throwIfNoEntry: false });
  if (stat === undefined) return { ...base, state: 'unknown', detail: `${paths.home} does not exist yet` };
  try {
    fs.accessSync(paths.home, fs.constants.W_OK);
  } catch {
    return { ...base, state: 'warning', detail: `${paths.home} cannot be written: searching works, remembering does not`, cure: `Make ${paths.home} writable for your user, or set CAIRN_HOME to another folder.` };
  }
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) return { ...base, state: 'warning', detail: `${paths.home} can be entered by other users`, cure: `chmod 700 ${paths.home}`, fixable: true };
  return { ...base, state: 'ok', detail: paths.home };
}

function checkPlace({ paths, env }: Runtime): HealthCheck {
  const base = { id: 'place', title: 'Disk of the home' };
  const place = readPlace(paths.home, env);
  const cure = 'Set CAIRN_HOME to a folder on a local disk.';
  switch (place.kind) {
    case 'network':
    case 'sync': return { ...base, state: 'failed', detail: `${paths.home} lies on ${place.name}, where SQLite is not safe`, cure };
    case 'foreign': return { ...base, state: 'warning', detail: `${paths.home} lies on a drive of another system (${place.name}); locks may not hold there`, cure };
    case 'ephemeral': return { ...base, state: 'warning', detail: `${paths.home} lies on ${place.name}: what is remembered is lost when it is removed or rebuilt`, cure: 'Mount a volume at that folder, or set CAIRN_HOME to one.' };
    case 'local': return isContainer(env) ? { ...base, state: 'ok', detail: `a mounted volume in a container (${place.name})` } : { ...base, state: 'ok', detail: place.name };
  }
}

function checkSettings(runtime: Runtime, repositoryId: string | undefined): HealthCheck {
  const problems = runtime.settings.problems(repositoryId);
  const [first] = problems;
  if (first === undefined) return { id: 'settings', title: 'Settings', state: 'ok', detail: runtime.paths.config };
  return { id: 'settings', title: 'Settings', state: 'warning', detail: problems.map(({ message }) => message).join(' '), cure: `Correct ${first.where} by hand; it is never rewritten where it cannot be parsed.` };
}

async function checkRegistry(runtime: Runtime): Promise<HealthCheck> {
  const base = { id: 'registry', title: 'Registry of repositories' };
  try {
    const count = (await runtime.registry()).list().length;
    return { ...base, state: 'ok', detail: `${count} ${count === 1 ? 'repository' : 'repositories'}` };
  } catch (error) {
    return { ...base, state: 'failed', detail: error instanceof Error ? error.message : String(error), cure: `Move ${runtime.paths.registry} away; repositories are then recognised anew when they are next visited, and their memories stay in ${runtime.paths.repositories}.` };
  }
}

function checkProgram({ paths, program }: Runtime): HealthCheck {
  const base = { id: 'program', title: 'Program home' };
  if (!program.isBuilt) return { ...base, state: 'ok', detail: `runs from the source tree ${program.folder}` };
  const current = readCurrent(paths);
  if (current === undefined) return { ...base, state: 'warning', detail: 'not installed yet', cure: 'Run `cairn register`, or open the editor with the Cairn extension.', fixable: true };
  if (readProgramManifest(current.folder) === undefined || !fs.existsSync(launcherPath(paths))) return { ...base, state: 'failed', detail: `${current.folder} or the launcher is gone`, cure: 'Run `cairn doctor --fix`.', fixable: true };
  const runtimes = readRecordedRuntimes(paths.runtimes).filter((entry) => isNewEnough(entry.version) && fs.existsSync(entry.path));
  const own = installedNode(paths.node, process.platform, process.arch);
  if (runtimes.length === 0 && (own === undefined || !fs.existsSync(own))) return { ...base, state: 'warning', detail: `version ${current.version}; no recorded runtime is left, so \`node\` on the PATH has to do`, cure: 'Open the editor once, or run `cairn register`.' };
  return { ...base, state: 'ok', detail: `version ${current.version} in ${current.folder}` };
}

function checkEmbedder(runtime: Runtime): HealthCheck {
  const base = { id: 'embedder', title: 'Shared embedding model' };
  const failure = runtime.embedder.failure();
  if (failure !== undefined) return { ...base, state: 'warning', detail: `the model could not be loaded: ${failure}`, cure: 'Keyword search serves. Check `embedding.model`, or reinstall Cairn.' };
  const owner = readLivingOwner(ownerLock(runtime.paths));
  if (owner === undefined) return { ...base, state: 'ok', detail: 'nobody holds it now; the next server or editor that needs it will' };
  const address = readAddress(runtime.paths);
  return { ...base, state: 'ok', detail: `held by process ${owner.pid}${address === undefined ? '' : ` (${address.model}, version ${address.version})`}` };
}

function checkDisk({ paths }: Runtime): HealthCheck {
  const base = { id: 'disk', title: 'Free disk space' };
  const free = readFreeBytes(fs.existsSync(paths.home) ? paths.home : '.');
  if (free === undefined) return { ...base, state: 'unknown', detail: 'the system does not tell' };
  const detail = `${Math.round(free / 1024 / 1024).toLocaleString('en')} MB`;
  if (free < FULL_DISK_BYTES) return { ...base, state: 'failed', detail, cure: 'Free some space: nothing new can be remembered otherwise.' };
  return free < LOW_DISK_BYTES ? { ...base, state: 'warning', detail, cure: 'Free some space soon.' } : { ...base, state: 'ok', detail };
}

/** Repairs what can be repaired without asking; returns the checks as they are afterwards. */
export async function fixHealth(runtime: Runtime, ids: readonly string[]): Promise<HealthCheck[]> {
  const { paths, program } = runtime;
  const fixed: HealthCheck[] = [];
  if (ids.includes('home')) {
    try {
      fs.chmodSync(paths.home, FOLDER_MODE);
    } catch (error) {
      runtime.log.write('warning', 'the home folder could not be narrowed', { code: errorCode(error) });
    }
    fixed.push(checkHome(runtime));
  }
  if (ids.includes('program')) {
    if (program.isBuilt) installProgram(program.folder, paths, runtime.clock.now());
    writeShellLauncher(paths);
    removeUnusedPrograms(paths, runtime.clock.now());
    fixed.push(checkProgram(runtime));
  }
  return fixed;
}
