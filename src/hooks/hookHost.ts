/**
 * HookHost over the runtime: opens the stores of the session's repository in this very process, since a hook lives for
 * one moment. No model is loaded here; the resident embedder answers when it is alive, else words alone do.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { blockForMoment } from '../operations/blockForMoment.ts';
import { launcherPath } from '../runtime/programHome.ts';
import { openRuntime, relativeTo, type Runtime } from '../runtime/runtime.ts';
import { isWorkerAlive, leaveWorkNote, REENTRANCY_VARIABLE } from '../runtime/workQueue.ts';
import type { LocatedRepository } from '../runtime/repositories.ts';
import type { HookHost } from './handleEvent.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Place {
  readonly located: LocatedRepository;
  readonly repository: { readonly id: string; readonly name: string };
}

export interface OpenHookHost extends HookHost {
  readonly home: string;
  close(): Promise<void>;
}

/** `execPath` and `script` are how this hook itself was started; the worker is started the same way. */
export async function openHookHost(env: Environment, execPath: string, script: string): Promise<OpenHookHost> {
  const runtime = await openRuntime({ env, role: 'hook', processName: 'hook' });
  const places = new Map<string, Promise<Place | undefined>>();
  const placeOf = (cwd: string, sessionId: string): Promise<Place | undefined> => {
    const known = places.get(cwd);
    if (known !== undefined) return known;
    const asked = findPlace(runtime, cwd, sessionId);
    places.set(cwd, asked);
    return asked;
  };
  return {
    home: runtime.paths.home,
    async give(moment, cwd, file) {
      const place = await placeOf(cwd, moment.sessionId);
      if (place === undefined) return undefined;
      const { facts } = place.located;
      const relative = file === undefined ? undefined : relativeTo(facts.root, path.resolve(cwd, file));
      if (file !== undefined && relative === undefined) return undefined;
      const hold = await runtime.holdEngine({ repository: place.repository, root: facts.root });
      try {
        return await blockForMoment(hold.engine.injection, { ...moment, ...(relative === undefined ? {} : { path: relative }) }, {
          ...(facts.branch === undefined ? {} : { branch: facts.branch }),
          ...(facts.defaultBranch === undefined ? {} : { defaultBranch: facts.defaultBranch }),
          isolateBranches: runtime.settings.get('recall.isolateBranches', place.repository.id),
        });
      } finally {
        hold.release();
      }
    },
    async mayCapture(cwd, sessionId) {
      const place = await placeOf(cwd, sessionId);
      if (place === undefined) return false;
      const mode = runtime.settings.get('capture.mode', place.repository.id);
      return mode === 'rules' || mode === 'model';
    },
    capture(request) {
      leaveWorkNote(runtime.paths.home, request);
      if (!isWorkerAlive(runtime.paths.home)) startWorker(runtime, env, execPath, script);
    },
    close: () => runtime.close(),
  };
}

/** Undefined without the repository's yes, or while it or the session is paused. */
async function findPlace(runtime: Runtime, cwd: string, sessionId: string): Promise<Place | undefined> {
  const located = await runtime.repositoryFor(cwd);
  const repository = located.identity;
  if (repository === undefined || !runtime.isEnabled(repository.id) || (await runtime.isPaused(repository.id, sessionId))) return undefined;
  return { located, repository };
}

/**
 * Detached and with nothing of the hook's: it survives the hook and the client. The guard keeps a Claude Code that it
 * may start for extraction from firing hooks of ours.
 */
function startWorker(runtime: Runtime, env: Environment, execPath: string, script: string): void {
  const launcher = runtime.program.isBuilt ? launcherOf(runtime) : script;
  // Loaded here and not above: most hooks start nothing, and it brings Node's network code along.
  const { spawn } = createRequire(import.meta.url)('node:child_process') as typeof import('node:child_process');
  const child = spawn(execPath, [launcher, 'work'], {
    cwd: runtime.paths.home, detached: true, stdio: 'ignore', windowsHide: true,
    env: { ...env, [REENTRANCY_VARIABLE]: '1', CAIRN_HOME: runtime.paths.home, ELECTRON_RUN_AS_NODE: '1' },
  });
  child.on('error', () => undefined); // the note stays, and the next hook tries again
  child.unref();
}

/** The launcher of the home where the program runs from there, else the one beside the program. */
function launcherOf(runtime: Runtime): string {
  const { folder } = runtime.program;
  return path.dirname(folder) === runtime.paths.app ? launcherPath(runtime.paths) : path.join(folder, 'launcher.cjs');
}
