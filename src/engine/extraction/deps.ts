/**
 * What the extraction pipeline and the inbox are given: stores, the write path, judgement and
 * settings. They import no policy but their own; review.ts wires them.
 */
import type { Clock, EpochMs } from '../../base/clock.ts';
import type { Id, IdSource } from '../../base/ids.ts';
import type { ExtractionConfig } from '../engineOptions.ts';
import type { ActingFor, RememberInput, RememberResult, StoreRole } from '../engineTypes.ts';
import type { MemoryPatch } from '../model/memory.ts';
import type { ExtractedStatement } from '../model/observation.ts';
import type { MemoryStore } from '../storage/memoryStore.ts';
import type { Decision } from './consolidate.ts';
import type { Extractor } from './extractor.ts';
import type { Redactor } from './redaction/redactor.ts';

export interface ExtractionDeps {
  /** Where turns, observations, jobs and spend live: the repository's store, or the user's where there is no repository. */
  readonly store: MemoryStore;
  readonly storeOf: (role: StoreRole) => MemoryStore | undefined;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: () => ExtractionConfig;
  /** Model extractors the person chose, best first; asked for in capture mode `model` only. */
  readonly extractors: () => Promise<readonly Extractor[]>;
  /** The write path: redacts, consolidates, writes. */
  readonly remember: (input: RememberInput, acting: ActingFor) => Promise<RememberResult>;
  readonly edit: (id: Id, patch: MemoryPatch, acting: ActingFor) => Promise<{ readonly actId: Id }>;
  /** Takes back one act. Throws NOTHING_TO_UNDO, VERSION_CONFLICT. */
  readonly undoAct: (actId: Id, acting: ActingFor) => Promise<unknown>;
  /** What the statement means for what is stored, read-only. */
  readonly decide: (statement: ExtractedStatement) => Promise<Decision>;
  readonly clientId?: string;
  readonly localDay?: (at: EpochMs) => string;
  readonly log?: (line: string) => void;
}
