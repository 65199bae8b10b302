/**
 * What a host gives the engine: where its stores are, the clock, settings as plain values,
 * and the few things that only a host can have (working tree, model calls, .env values).
 */
import type { Clock } from '../base/clock.ts';
import type { IdSource } from '../base/ids.ts';
import type { EmbedderSource } from './embedding/embedderSource.ts';
import type { StoreRole, WorkingTree } from './engineTypes.ts';
import type { Extractor } from './extraction/extractor.ts';
import type { MemoryStore } from './storage/memoryStore.ts';

export interface StoreLocation {
  /** Absolute path of the database file. */
  readonly storePath: string;
  /** Folder for index files; anything in it may be removed at any time. */
  readonly indexFolder: string;
  /** Where copies go; default: `backups` beside the store. */
  readonly backupFolder?: string;
}

export interface EngineStore {
  readonly role: StoreRole;
  readonly store: MemoryStore;
  readonly location: StoreLocation;
}

export interface RecallConfig {
  /** Least cosine of a hit that was found by meaning alone. */
  readonly threshold: number;
  readonly limit: number;
  readonly isolateBranches: boolean;
}

export interface InjectionConfig {
  readonly enabled: boolean;
  readonly startTokens: number;
  readonly promptTokens: number;
  readonly fileTokens: number;
  readonly sessionTokens: number;
}

export interface ExtractionConfig {
  readonly captureMode: 'off' | 'manual' | 'rules' | 'model';
  readonly everyTurns: number;
  readonly idleSeconds: number;
  readonly maxOutputTokens: number;
  /** Least importance that is proposed at all. */
  readonly gate: number;
  readonly review: 'all' | 'below-0.8' | 'none';
  readonly dailyCapUsd: number;
}

export interface ArchiveConfig {
  readonly automatic: boolean;
  readonly afterDays: number;
  readonly belowImportance: number;
}

export interface EngineConfig {
  readonly indexMode: 'auto' | 'exact' | 'hnsw';
  readonly recall: RecallConfig;
  readonly injection: InjectionConfig;
  readonly extraction: ExtractionConfig;
  /** Fingerprints of texts that a person declared to be no secrets [P1]. */
  readonly allowedSecrets: readonly string[];
  readonly archive: ArchiveConfig;
}

export const DEFAULT_ENGINE_CONFIG: EngineConfig = {
  indexMode: 'auto',
  recall: { threshold: 0.3, limit: 20, isolateBranches: false },
  injection: { enabled: true, startTokens: 1_500, promptTokens: 400, fileTokens: 300, sessionTokens: 6_000 },
  extraction: { captureMode: 'rules', everyTurns: 2, idleSeconds: 60, maxOutputTokens: 1_024, gate: 5, review: 'all', dailyCapUsd: 1 },
  allowedSecrets: [],
  archive: { automatic: false, afterDays: 90, belowImportance: 4 },
};

export interface EngineOptions {
  readonly repository?: StoreLocation & { readonly id: string; readonly name: string };
  readonly user?: StoreLocation;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly embedder: EmbedderSource;
  /** How long a recall may wait for a model that is still loading: 0 in hooks, long at the command line. */
  readonly embedderWaitMs: number;
  /** True where the process lives on: new texts are embedded and old ones indexed without being asked. */
  readonly background: boolean;
  /** Asked at each use, so that a changed setting is obeyed within a second. */
  readonly config: () => EngineConfig;
  readonly workingTree?: WorkingTree;
  /** Values of the repository's `.env*` files, never stored. */
  readonly envValues?: () => readonly string[];
  /** Model extractors the person chose, best first; empty means rules only. */
  readonly extractors?: () => Promise<readonly Extractor[]>;
  /** [J8] Names of other repositories that Cairn knows. */
  readonly otherProjects?: () => Promise<readonly string[]>;
  readonly busyTimeoutMs?: number;
  /** The person insists on a network or sync folder. */
  readonly allowNetworkFileSystem?: boolean;
  readonly readOnly?: boolean;
  /** False in a process that lives for a moment: it does not bring an old text index up to date. */
  readonly upkeep?: boolean;
  /** Counts and codes, never memory text. */
  readonly log?: (line: string) => void;
}
