/**
 * Registration as the command line offers it: the program is put into its home first, because what is registered must
 * never point into a checkout or an editor's folder.
 */
import os from 'node:os';
import { CairnError } from '../base/errors.ts';
import type { RegistrationReport } from '../cli/index.ts';
import { register, registerDesktop, unregister, unregisterDesktop, type RegistrationOptions } from '../registration/index.ts';
import { ensureHome, homePaths, resolveHome } from '../runtime/paths.ts';
import { findProgramFolder } from '../runtime/programFolder.ts';
import { installProgram, programCommand, recordRuntime } from '../runtime/programHome.ts';

export interface RegisteringOptions {
  readonly claudeHome?: string;
  readonly way?: string;
  readonly desktop?: boolean;
}

/** Throws FOREIGN_FILE_UNPARSABLE, FOREIGN_FILE_CHANGED, REGISTRATION_FAILED, RUNTIME_UNSUPPORTED. */
export async function registerClients(given: RegisteringOptions): Promise<RegistrationReport> {
  const options = registrationOptions(given);
  installHere(options);
  return given.desktop === true ? registerDesktop({ ...options, platform: process.platform }) : register(options);
}

export async function unregisterClients(given: RegisteringOptions): Promise<RegistrationReport> {
  const options = registrationOptions(given);
  return given.desktop === true ? unregisterDesktop({ ...options, platform: process.platform }) : unregister(options);
}

/** What registration needs of this process. */
export function registrationOptions({ claudeHome, way }: RegisteringOptions = {}): RegistrationOptions {
  const osHome = os.homedir();
  const cairnHome = resolveHome(process.env, osHome);
  const paths = homePaths(cairnHome, process.env);
  return {
    env: process.env, osHome, cairnHome,
    version: findProgramFolder(import.meta.url).version,
    command: (args) => programCommand(paths, args, osHome),
    now: () => Date.now(),
    ...(Number(process.env['CAIRN_HOOK_DEADLINE_MS']) > 0 ? { hookDeadlineMs: Number(process.env['CAIRN_HOOK_DEADLINE_MS']) } : {}),
    ...(claudeHome === undefined ? {} : { claudeHome }),
    ...(way === undefined ? {} : { way }),
  };
}

function installHere({ cairnHome, now }: RegistrationOptions): void {
  const program = findProgramFolder(import.meta.url);
  if (!program.isBuilt) throw new CairnError('REGISTRATION_FAILED', 'This program runs from its source. Build it first (`npm run build`) and run the built one.', { data: { folder: program.folder } });
  ensureHome(cairnHome);
  const paths = homePaths(cairnHome, process.env);
  recordRuntime(paths, { path: process.execPath, version: process.versions.node, isElectron: process.versions['electron'] !== undefined }, now());
  installProgram(program.folder, paths, now());
}
