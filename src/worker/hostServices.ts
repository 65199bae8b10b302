/**
 * HostServices as the runtime gives them: one object per operation call, bound to the
 * repository that the call is about.
 */
import type { HealthCheck, HostServices, RegistryEntry, SessionFile, SettingLevel, SettingValue } from '../operations/index.ts';
import { CairnError } from '../base/errors.ts';
import { backupStores, listStoreBackups, planRestore, repairStoreOf, restoreStore } from '../runtime/backups.ts';
import type { EngineHold } from '../runtime/engineCache.ts';
import { fixHealth, readHealth } from '../runtime/health.ts';
import type { RegisteredRepository } from '../runtime/registry.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isSettingKey } from '../runtime/settingsTable.ts';
import { relinkRepositories } from '../runtime/relink.ts';
import { readLines, writeLines } from '../runtime/textFiles.ts';
import { pathInTree, readWorktrees } from '../workingTree/index.ts';
import { belongsTo, findSessionFile, formatCursor, lastAnswer, parseCursor, readRetentionDays, readSessionCwd, readTranscript, recentTurns, replayedUuids, sessionFilesOf, subagentFilesOf } from '../transcripts/index.ts';

/** Who reads sessions here, by the settings in force. */
export interface ChosenModel {
  readonly provider: string;
  readonly model?: string;
}

/** What only the surface that started us can tell; asked over the thread boundary where there is one. */
export interface HostParts {
  /** Registration with clients, hooks that fired lately. */
  readonly healthChecks?: (chosen: ChosenModel) => Promise<readonly HealthCheck[]>;
  readonly fixHealth?: (ids: readonly string[]) => Promise<readonly HealthCheck[]>;
  /** Says a setting that could not be obeyed to whoever set it; the log has it if absent. */
  readonly onSettingProblem?: (message: string) => void;
}

export interface CallPlace {
  readonly repository?: { readonly id: string; readonly name: string; readonly root?: string };
  readonly cwd?: string;
  readonly surface?: string;
  readonly sessionId?: string;
  /** Registers the folder when an act of consent needs an id. */
  readonly register: () => Promise<{ readonly id: string; readonly name: string } | undefined>;
}

/** A session without a line for so long has ended, or its client was killed. */
const FINISHED_AFTER_MS = 60 * 60_000;

/** `holds` collects the engines that this call opened; the caller releases them. */
export function createHostServices(runtime: Runtime, place: CallPlace, holds: EngineHold[], parts: HostParts, claudeFolder: string): HostServices {
  const repositoryId = place.repository?.id;
  const toValue = (key: string): SettingValue => {
    if (!isSettingKey(key)) throw new CairnError('CONFIG_INVALID', `There is no setting "${key}".`, { data: { key } });
    return runtime.settings.effective(key, repositoryId);
  };
  const rootsHere = async (): Promise<string[]> => {
    const known = repositoryId === undefined ? undefined : (await runtime.registry()).get(repositoryId);
    const root = place.repository?.root;
    return [...new Set([...(root === undefined ? [] : [root, ...readWorktrees(root)]), ...(known?.paths ?? [])])];
  };
  const sessionFiles = async (): Promise<SessionFile[]> => sessionFilesOf(claudeFolder, await rootsHere());

  return {
    clientId: runtime.clientId,
    programVersion: runtime.program.version,
    home: runtime.paths.home,

    listRepositories: async () => (await runtime.registry()).list().map((entry) => toEntry(entry, runtime)),
    openRepository: async (nameOrId) => {
      const { repository, located } = await runtime.repositories.find(nameOrId, place.cwd);
      const root = located?.facts.root ?? (repository.id === repositoryId ? place.repository?.root : undefined);
      const identity = { id: repository.id, name: repository.name };
      const hold = await runtime.holdEngine({ repository: identity, ...(root === undefined ? {} : { root }) });
      holds.push(hold);
      return { engine: hold.engine, repository: { ...identity, ...(root === undefined ? {} : { root }) } };
    },
    kin: async () => {
      const root = place.repository?.root;
      const kin = root === undefined ? [] : await runtime.repositories.kinOf(root);
      return kin.map(({ repository, by }) => ({ id: repository.id, name: repository.name, by, ...(repository.paths[0] === undefined ? {} : { path: repository.paths[0] }) }));
    },
    relink: (fromId, toId) => relinkRepositories(runtime, fromId, toId, place.cwd),

    isEnabled: async () => runtime.isEnabled(repositoryId),
    setEnabled: async (enabled) => {
      const target = place.repository ?? (await place.register());
      if (target === undefined) throw new CairnError('REPOSITORY_REQUIRED', 'Memory is switched on for a repository or folder; give -C DIR.');
      runtime.setEnabled(target.id, enabled);
    },
    isPaused: async () => runtime.isPaused(repositoryId, place.sessionId),
    setPaused: async (paused, sessionId) => runtime.setPaused(paused, repositoryId, sessionId),

    settings: async () => runtime.settings.all(repositoryId),
    setting: async (key) => toValue(key),
    setSetting: async (key, value, level: SettingLevel) => {
      const target = level === 'repository' ? (place.repository ?? (await place.register())) : undefined;
      runtime.settings.set(key, value, level, target?.id);
      runtime.settings.publishSchema();
    },

    healthChecks: async () => [...(await readHealth(runtime, repositoryId)), ...((await parts.healthChecks?.({ provider: runtime.settings.get('extraction.provider', repositoryId), model: runtime.settings.get('extraction.model', repositoryId) })) ?? [])],
    fixHealth: async (ids) => [...(await fixHealth(runtime, ids)), ...((await parts.fixHealth?.(ids)) ?? [])],

    sessionFiles,
    sessionFileAt: async (file) => {
      const described = await runtime.describeSessionFile(file);
      const cwd = await readSessionCwd(described.path);
      const sessionId = /([^\\/]+)\.jsonl$/.exec(described.path)?.[1] ?? described.path;
      return { sessionId, ...described, ...(cwd === undefined ? {} : { cwd }) };
    },
    isSessionHere: async ({ cwd }) => cwd === undefined || belongsTo(cwd, await rootsHere()),
    subagentFiles: async (file) => {
      const described = await Promise.all((await subagentFilesOf(file.path)).map(async (agentFile) => runtime.describeSessionFile(agentFile)));
      return described.map((agent) => ({ sessionId: file.sessionId, ...agent }));
    },
    readSession: async (file, signal, cursorText) => {
      const from = parseCursor(cursorText);
      // A file that nobody writes any more ends where it ends; one in use may end inside a line.
      const finished = runtime.clock.now() - file.modifiedAt > FINISHED_AFTER_MS;
      const { episode, turns, abandoned, cursor } = await readTranscript(file.path, { finished, signal, skipUuids: () => replayedUuids(file.path, signal), ...(from === undefined ? {} : { from }) });
      return { episode, turns, abandoned, cursor: () => formatCursor(cursor()) };
    },
    recentTurns: async (sessionId, count) => {
      const file = await findSessionFile(claudeFolder, sessionId);
      if (file === undefined) return [];
      // The session must be of this repository: another one's words say nothing here (invariant 12).
      const cwd = await readSessionCwd(file);
      return cwd !== undefined && (await belongsTo(cwd, await rootsHere())) ? recentTurns(file, count) : [];
    },
    lastAnswer: async () => {
      const newest = (await sessionFiles()).at(-1);
      const answer = newest === undefined ? undefined : await lastAnswer(newest.path);
      return answer === undefined ? undefined : { text: answer.text, sessionId: answer.sessionId };
    },
    transcriptRetentionDays: () => readRetentionDays(claudeFolder),

    pathInRepository: (given) => (place.repository?.root === undefined ? undefined : pathInTree(place.repository.root, given, foldersMeant(place))),
    readTextFile: (file) => readLines(file),
    writeTextFile: (file, lines) => writeLines(file, lines),
    backup: (label) => backupStores(runtime, place.repository, label),
    listBackups: async () => listStoreBackups(runtime, repositoryId),
    planRestore: (file) => planRestore(runtime, repositoryId, file),
    restoreBackup: (file) => restoreStore(runtime, repositoryId, file),
    repairStore: (role) => repairStoreOf(runtime, role === 'user' ? undefined : repositoryId),
  };
}

function toEntry(repository: RegisteredRepository, runtime: Runtime): RegistryEntry {
  const valuesOf = (kind: string): string[] => repository.aliases.filter((alias) => alias.kind === kind).map(({ value }) => value);
  return { id: repository.id, name: repository.name, paths: repository.paths, remotes: valuesOf('remote'), rootCommits: valuesOf('root-commit'), enabled: runtime.isEnabled(repository.id), lastUsedAt: repository.lastUsedAt };
}

/**
 * At a terminal a name means first what lies beside one, as everywhere there. Claude is shown paths from the root, and the
 * editor knows no others.
 */
function foldersMeant({ cwd, surface, repository }: CallPlace): string[] {
  const root = repository?.root;
  if (surface === 'cli') return [cwd, root].filter((folder) => folder !== undefined);
  return [root, surface === 'mcp' ? cwd : undefined].filter((folder) => folder !== undefined);
}
