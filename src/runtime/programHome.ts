/**
 * Program home [O8]: copies of the program below CAIRN_HOME/app, one folder per version
 * and content. Registered commands start from here, so removing or updating an editor or
 * its extension never pulls the ground from under a running server.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import type { Lease } from './lease.ts';
import { readHolders, shareLease } from './lease.ts';
import { installedNode, isNewEnough, readRecordedRuntimes, type RecordedRuntime } from './launcher/runtimes.ts';
import { ensurePrivateFolder, type HomePaths, readFileIfPresent, resolveHome, writeFileAtomically } from './paths.ts';

export interface ProgramManifest {
  readonly version: string;
  readonly contentHash: string;
  readonly platform: string;
}

export interface InstalledProgram extends ProgramManifest {
  /** Absolute path of the copy. */
  readonly folder: string;
}

interface CurrentPointer extends ProgramManifest {
  readonly folder: string;
  readonly switchedAt: number;
}

/** A process that has read `current` and not yet taken its lease is at most this old. */
const GRACE_MS = 60_000;
const KEPT_RUNTIMES = 8;

/** `program.json` of a built program; undefined in a source tree. */
export function readProgramManifest(folder: string): ProgramManifest | undefined {
  const text = readFileIfPresent(path.join(folder, 'program.json'));
  if (text === undefined) return undefined;
  try {
    const parsed = JSON.parse(text) as Partial<ProgramManifest>;
    return typeof parsed.version === 'string' && typeof parsed.contentHash === 'string' ? { version: parsed.version, contentHash: parsed.contentHash, platform: parsed.platform ?? '' } : undefined;
  } catch {
    return undefined; // half a copy: it counts as absent and is made again
  }
}

/**
 * Copies the program into the home unless it is there, makes it current unless a newer
 * version is, writes the launcher, and removes copies that nobody runs. Idempotent and
 * safe when two editors do it at once.
 */
export function installProgram(source: string, paths: HomePaths, now: number): InstalledProgram {
  const manifest = readProgramManifest(source);
  if (manifest === undefined) throw new CairnError('RUNTIME_UNSUPPORTED', `${source} is no built program (program.json is missing). Build it with \`npm run build\`.`, { data: { folder: source } });
  const name = `${manifest.version}-${manifest.contentHash}`;
  const folder = path.join(paths.app, name);
  ensurePrivateFolder(paths.app);
  if (readProgramManifest(folder)?.contentHash !== manifest.contentHash) copyProgram(source, folder);
  writeLauncher(folder, paths);
  const current = readCurrent(paths);
  if (current === undefined || readProgramManifest(current.folder) === undefined || compareVersions(manifest.version, current.version) >= 0) {
    if (current?.folder !== folder) writeFileAtomically(currentFile(paths), `${JSON.stringify({ ...manifest, folder: name, switchedAt: now } satisfies CurrentPointer)}\n`);
  }
  removeUnusedPrograms(paths, now);
  return { ...manifest, folder };
}

function copyProgram(source: string, folder: string): void {
  const incoming = `${folder}.${process.pid}.incoming`;
  fs.rmSync(incoming, { recursive: true, force: true });
  // program.json last: a folder that has it is whole.
  fs.cpSync(source, incoming, { recursive: true, dereference: true, filter: (file) => path.basename(file) !== 'program.json' });
  fs.copyFileSync(path.join(source, 'program.json'), path.join(incoming, 'program.json'));
  fs.chmodSync(incoming, 0o700);
  try {
    if (fs.existsSync(folder) && readProgramManifest(folder) === undefined) fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(incoming, folder);
  } catch (error) {
    fs.rmSync(incoming, { recursive: true, force: true });
    // Another editor was faster: its copy has the same content.
    if (readProgramManifest(folder) === undefined) throw error;
  }
}

const currentFile = (paths: HomePaths): string => path.join(paths.app, 'current.json');

/** The program that the launcher starts; undefined when none is installed. */
export function readCurrent(paths: HomePaths): (InstalledProgram & { readonly switchedAt: number }) | undefined {
  const text = readFileIfPresent(currentFile(paths));
  if (text === undefined) return undefined;
  try {
    const pointer = JSON.parse(text) as CurrentPointer;
    return { ...pointer, folder: path.join(paths.app, path.basename(pointer.folder)) };
  } catch {
    return undefined; // damaged: the next activation writes it anew
  }
}

export const launcherPath = (paths: HomePaths): string => path.join(paths.bin, 'cairn.cjs');

function writeLauncher(folder: string, paths: HomePaths): void {
  ensurePrivateFolder(paths.bin);
  writeIfOther(launcherPath(paths), fs.readFileSync(path.join(folder, 'launcher.cjs'), 'utf8'), 0o600);
  writeShellLauncher(paths);
}

/**
 * `bin/cairn` for terminals, and for commands that can give no environment while only an
 * editor's runtime is there; `bin/cairn.cmd` for a person's terminal on Windows.
 */
export function writeShellLauncher(paths: HomePaths): void {
  const launcher = launcherPath(paths);
  const runtimes = readRecordedRuntimes(paths.runtimes).filter(({ version }) => isNewEnough(version));
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  if (process.platform === 'win32') {
    const line = runtimes[0] === undefined ? 'node' : `"${runtimes[0].path}"`;
    writeIfOther(path.join(paths.bin, 'cairn.cmd'), `@echo off\r\nset ELECTRON_RUN_AS_NODE=1\r\n${line} "${launcher}" %*\r\n`, 0o700);
    return;
  }
  const own = installedNode(paths.node, process.platform, process.arch);
  const tried = [...runtimes.map((runtime) => runtime.path), ...(own === undefined ? [] : [own])];
  const lines = [
    '#!/bin/sh',
    '# Written by Cairn: starts the launcher with the first runtime that is there.',
    'ELECTRON_RUN_AS_NODE=1; export ELECTRON_RUN_AS_NODE',
    ...tried.map((file) => `[ -x ${quote(file)} ] && exec ${quote(file)} ${quote(launcher)} "$@"`),
    `command -v node >/dev/null 2>&1 && exec node ${quote(launcher)} "$@"`,
    '[ "$1" = hook ] && exit 0',
    'echo "cairn: no Node was found. Install Node 24, or open your editor once with the Cairn extension." >&2',
    'exit 1',
  ];
  writeIfOther(path.join(paths.bin, 'cairn'), `${lines.join('\n')}\n`, 0o700);
}

function writeIfOther(file: string, content: string, mode: number): void {
  if (readFileIfPresent(file) !== content) writeFileAtomically(file, content, mode);
}

/** Keeps the program alive for as long as this process runs. */
export function holdProgram(folder: string, paths: HomePaths, note: string): Lease | undefined {
  return path.dirname(folder) === paths.app ? shareLease(programLeases(paths, path.basename(folder)), note) : undefined;
}

const programLeases = (paths: HomePaths, name: string): string => path.join(paths.leases, 'app', name);

/** Removes copies that are not current, that nobody holds, and from which nobody can be just starting. */
export function removeUnusedPrograms(paths: HomePaths, now: number): string[] {
  const current = readCurrent(paths);
  const removed: string[] = [];
  if (current === undefined || now - current.switchedAt < GRACE_MS) return removed;
  for (const name of fs.readdirSync(paths.app)) {
    const folder = path.join(paths.app, name);
    if (name === 'current.json' || name.endsWith('.tmp') || folder === current.folder || readHolders(programLeases(paths, name), now).length > 0) continue;
    const stat = fs.statSync(folder, { throwIfNoEntry: false });
    // Somebody may be copying just now.
    if (stat === undefined || Math.abs(now - stat.mtimeMs) < GRACE_MS) continue;
    fs.rmSync(folder, { recursive: true, force: true });
    fs.rmSync(programLeases(paths, name), { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
}

/** Notes the runtime of this process as one that can run Cairn; newest first. Says whether something changed. */
export function recordRuntime(paths: HomePaths, runtime: { path: string; version: string; isElectron: boolean }, now: number): boolean {
  const known = readRecordedRuntimes(paths.runtimes);
  const kind: RecordedRuntime['kind'] = runtime.isElectron ? 'electron' : 'node';
  if (known[0]?.path === runtime.path && known[0].version === runtime.version && known[0].kind === kind) return false;
  const others = known.filter((entry) => entry.path !== runtime.path && fs.existsSync(entry.path));
  const entries: RecordedRuntime[] = [{ path: runtime.path, kind, version: runtime.version, recordedAt: now }, ...others].slice(0, KEPT_RUNTIMES);
  ensurePrivateFolder(paths.home);
  writeFileAtomically(paths.runtimes, `${JSON.stringify(entries, undefined, 2)}\n`);
  return true;
}

export interface ProgramCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What registration writes down to start `cairn ARGS`. A plain Node runs the launcher
 * directly. Where only an editor's runtime is known, POSIX systems start `bin/cairn`,
 * which sets ELECTRON_RUN_AS_NODE; on Windows the caller has to pass `env` on.
 */
export function programCommand(paths: HomePaths, args: readonly string[], osHome: string, platform: string = process.platform): ProgramCommand {
  // By where the home is, not by a variable: the launcher sets it for what it starts, and everybody has to name the same command.
  const home: Record<string, string> = paths.home === resolveHome({}, osHome) ? {} : { CAIRN_HOME: paths.home };
  const usable = readRecordedRuntimes(paths.runtimes).filter((runtime) => isNewEnough(runtime.version) && fs.existsSync(runtime.path));
  const node = usable.find(({ kind }) => kind === 'node');
  if (node !== undefined) return { command: node.path, args: [launcherPath(paths), ...args], env: home };
  const electron = usable[0];
  if (platform !== 'win32') return { command: path.join(paths.bin, 'cairn'), args, env: home };
  return { command: electron?.path ?? 'node', args: [launcherPath(paths), ...args], env: { ...home, ELECTRON_RUN_AS_NODE: '1' } };
}

/** Orders `1.2.10` after `1.2.9`; pre-releases before their release. */
export function compareVersions(a: string, b: string): number {
  const split = (version: string): [number[], string] => {
    const [core = '', pre = ''] = version.split('-', 2);
    return [core.split('.').map((part) => Number.parseInt(part, 10) || 0), pre];
  };
  const [[coreA, preA], [coreB, preB]] = [split(a), split(b)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (coreA[i] ?? 0) - (coreB[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  if (preA === preB) return 0;
  if (preA === '' || preB === '') return preA === '' ? 1 : -1;
  return preA < preB ? -1 : 1;
}
