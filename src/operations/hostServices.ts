/**
 * HostServices: what an operation needs of the process around it. Operations may not
 * import runtime, transcripts or registration; whoever composes (worker/) hands these in.
 */
import type { Engine, Episode, HealthCheck, StoreSummary, Turn } from '../engine/index.ts';

export interface RepositoryIdentity {
  readonly id: string;
  readonly name: string;
  /** Absolute path of the working tree in use; absent when the repository was named, not visited. */
  readonly root?: string;
}

export interface OpenedRepository {
  readonly repository: RepositoryIdentity;
  readonly engine: Engine;
}

export interface RegistryEntry {
  readonly id: string;
  readonly name: string;
  readonly paths: readonly string[];
  readonly remotes: readonly string[];
  readonly rootCommits: readonly string[];
  readonly enabled: boolean;
  readonly lastUsedAt: number;
}

export type SettingLevel = 'user' | 'repository';

export interface SettingValue {
  readonly key: string;
  readonly value: unknown;
  readonly from: 'flag' | 'environment' | 'repository' | 'user' | 'keys file' | 'default';
  readonly description: string;
}

/** One session file as transcripts/ sees it. */
export interface SessionFile {
  readonly sessionId: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAt: number;
  readonly cwd?: string;
}

export interface SessionReading {
  readonly episode: Episode;
  readonly turns: AsyncIterable<Turn>;
  /** Messages that the person took back by rewinding; undefined when nothing changed. Valid when `turns` has ended. */
  abandoned(): Promise<ReadonlySet<string> | undefined>;
  /** Where the next reading continues; valid when `turns` has ended. */
  cursor(): string;
}

export interface Kin {
  readonly id: string;
  readonly name: string;
  readonly path?: string;
  readonly by: 'history' | 'folder';
}

export interface HostServices {
  /** Stable id of this machine. */
  readonly clientId: string;
  readonly programVersion: string;
  readonly home: string;

  // Repositories
  listRepositories(): Promise<RegistryEntry[]>;
  /** By id, name or path. Throws REPOSITORY_UNKNOWN, REPOSITORY_AMBIGUOUS. The caller does not close it. */
  openRepository(nameOrId: string): Promise<OpenedRepository>;
  /** Repositories that this folder may be meant by beside its own: a fork's origin, or what was in the folder before. */
  kin(): Promise<Kin[]>;
  relink(fromId: string, toId: string): Promise<{ movedMemories: number }>;

  // Consent and pause
  isEnabled(): Promise<boolean>;
  setEnabled(enabled: boolean): Promise<void>;
  isPaused(): Promise<boolean>;
  setPaused(paused: boolean, sessionId?: string): Promise<void>;

  // Settings
  settings(): Promise<SettingValue[]>;
  setting(key: string): Promise<SettingValue>;
  /** `undefined` removes it. Throws CONFIG_INVALID, CONFIG_UNPARSABLE. */
  setSetting(key: string, value: unknown, level: SettingLevel): Promise<void>;

  // Health
  healthChecks(): Promise<HealthCheck[]>;
  fixHealth(ids: readonly string[]): Promise<HealthCheck[]>;

  // Transcripts
  sessionFiles(): Promise<SessionFile[]>;
  /** The session file at this path; refused unless it lies in Claude Code's projects folder or is a .jsonl file the person named. */
  sessionFileAt(path: string): Promise<SessionFile>;
  /** Whether the session was started inside this repository, as its own lines say; true while they say nothing. */
  isSessionHere(file: SessionFile): Promise<boolean>;
  /** The session's sub-agents' files, read like sessions; nobody in them is the person. */
  subagentFiles(file: SessionFile): Promise<SessionFile[]>;
  /** `cursor` is what an earlier reading gave back: then only what is new is read. Copies of another session's lines are left out. */
  readSession(file: SessionFile, signal: AbortSignal, cursor?: string): Promise<SessionReading>;
  /** The last turns of a session, oldest first; empty when there is no transcript. */
  recentTurns(sessionId: string, count: number): Promise<Turn[]>;
  /** Claude's last answer in the newest session of this repository. */
  lastAnswer(): Promise<{ text: string; sessionId: string } | undefined>;
  /** Days until Claude Code itself removes transcripts. */
  transcriptRetentionDays(): Promise<number>;

  // Files
  /** A path as it was typed or sent, relative to the repository's root with `/`, empty for the root; undefined for what lies outside, and where no working tree is at hand. */
  pathInRepository(given: string): string | undefined;
  /** Line by line; `undefined` for one that is not UTF-8. */
  readTextFile(path: string): AsyncIterable<string | undefined>;
  writeTextFile(path: string, lines: AsyncIterable<string> | Iterable<string>): Promise<void>;
  backup(label: string): Promise<{ path: string }>;
  listBackups(): Promise<{ path: string; createdAt: number; sizeBytes: number }[]>;
  planRestore(path: string): Promise<{ role: 'repository' | 'user'; backup: StoreSummary; present?: StoreSummary }>;
  restoreBackup(path: string): Promise<void>;
  /** Brings a damaged store back from what is left of it or from a copy; the damaged file is kept. */
  repairStore(role: 'repository' | 'user'): Promise<{ how: 'salvaged' | 'backup' | 'empty'; memories: number; from?: string }>;
}
