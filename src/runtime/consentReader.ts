/**
 * readConsent: whether a folder's repository said yes, for a server that must know it
 * before it may answer its first request. Opens the registry only, and no engine: some
 * milliseconds on a host's own thread instead of the start of a worker.
 */
import fs from 'node:fs';
import os from 'node:os';
import { systemClock } from '../base/clock.ts';
import { createIdSource } from '../base/ids.ts';
import { type Environment, homePaths, resolveHome } from './paths.ts';
import { readPathSystem } from './pathKeys.ts';
import { openRegistry } from './registry.ts';
import { Repositories } from './repositories.ts';
import { Settings } from './settings.ts';

/** False where there is no home yet. Throws what the registry throws. */
export async function readConsent(env: Environment, cwd: string, osHome = os.homedir()): Promise<boolean> {
  const paths = homePaths(resolveHome(env, osHome), env);
  const settings = new Settings({ paths, env });
  if (!fs.existsSync(paths.registry)) return settings.get('enabledEverywhere');
  const system = readPathSystem(env);
  const registry = await openRegistry({ file: paths.registry, repositories: paths.repositories, clock: systemClock, ids: createIdSource(systemClock), system });
  try {
    const { identity } = await new Repositories({ registry: async () => registry, env, system, osHome }).locate(cwd, { register: false, mayRunGit: false });
    if (settings.get('paused') || settings.get('paused', identity?.id)) return false;
    return (identity === undefined ? undefined : settings.get('enabled', identity.id)) ?? settings.get('enabledEverywhere');
  } finally {
    registry.close();
  }
}
