/**
 * Puts the program this extension brings along into the program home, without holding
 * up the editor's thread, and says where it lies. Where the home cannot be written the
 * program runs from the extension's own folder; what is registered then is not changed.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Log } from './log.ts';

export interface ProgramFacts {
  /** `dist/program` of the extension. */
  readonly source: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly osHome: string;
  readonly execPath: string;
  readonly nodeVersion: string;
  readonly isElectron: boolean;
  readonly log: Log;
}

export interface RunningProgram {
  readonly folder: string;
  /** CAIRN_HOME. */
  readonly home: string;
  readonly inHome: boolean;
}

// Loaded on first use: these reach `node:sqlite`, which may be absent.
const loadProgramHome = async (): Promise<typeof import('../runtime/programHome.ts')> => import('../runtime/programHome.ts');
const loadPaths = async (): Promise<typeof import('../runtime/paths.ts')> => import('../runtime/paths.ts');

export async function installHere(facts: ProgramFacts, now: number): Promise<RunningProgram> {
  const [{ holdProgram, installProgram, readProgramManifest, recordRuntime, writeShellLauncher }, { ensureHome, homePaths, resolveHome }] = await Promise.all([loadProgramHome(), loadPaths()]);
  const home = resolveHome(facts.env, facts.osHome);
  const paths = homePaths(home, facts.env);
  try {
    ensureHome(home);
    const manifest = readProgramManifest(facts.source);
    const folder = manifest === undefined ? undefined : path.join(paths.app, `${manifest.version}-${manifest.contentHash}`);
    // The copy is made here, in small steps; installProgram then finds it whole and only switches the pointer.
    if (folder !== undefined && readProgramManifest(folder) === undefined) await copyGently(facts.source, folder);
    const installed = installProgram(facts.source, paths, now);
    recordRuntime(paths, { path: facts.execPath, version: facts.nodeVersion, isElectron: facts.isElectron }, now);
    writeShellLauncher(paths);
    holdProgram(installed.folder, paths, 'editor');
    return { folder: installed.folder, home, inHome: true };
  } catch (error) {
    facts.log.failed('program home', error);
    return { folder: facts.source, home, inHome: false };
  }
}

async function copyGently(source: string, folder: string): Promise<void> {
  const incoming = `${folder}.editor.incoming`;
  await fs.promises.rm(incoming, { recursive: true, force: true });
  await fs.promises.mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  await fs.promises.cp(source, incoming, { recursive: true, dereference: true, filter: (file) => path.basename(file) !== 'program.json' });
  await fs.promises.copyFile(path.join(source, 'program.json'), path.join(incoming, 'program.json'));
  await fs.promises.chmod(incoming, 0o700);
  try {
    await fs.promises.rename(incoming, folder);
  } catch {
    // Another window was faster; installProgram checks what lies there and copies anew if it is not whole.
    await fs.promises.rm(incoming, { recursive: true, force: true });
  }
}
