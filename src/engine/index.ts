/**
 * The engine's only door: what operations, runtime and surfaces may know of it.
 */
export { openEngine, openSqliteDatabase, repairStore, restoreBackup, summarizeStoreFile, type SqliteDatabase, type StoreRepair, type StoreSummary } from './engine.ts';
export { openEmbedder } from './openEmbedder.ts';
export { Engine } from './engineFacade.ts';
export type { HealthCheck } from './engineHealth.ts';
export type { MemoryDetail } from './memoryDetail.ts';
export { DEFAULT_ENGINE_CONFIG, type ArchiveConfig, type EngineConfig, type EngineOptions, type ExtractionConfig, type InjectionConfig, type RecallConfig, type StoreLocation } from './engineOptions.ts';
export type {
  ActingFor, AnchorCheck, Boost, BranchFacts, Explanation, ListedMemory, ListQuery, RecalledMemory, RecallFilters, RecallMode, RecallQuery, RecallResult, RememberInput, RememberOutcome,
  RememberResult, StoreRole, WorkingTree,
} from './engineTypes.ts';
export type { Extraction, ExtractionRun, Inbox, InboxDecision, InboxOffer, InboxPage, InboxQuery, InboxSelection, InboxStatistics, RunRequest } from './reviewTypes.ts';
export type { EditResult, StatusResult } from './curation/edit.ts';
export type { UndoResult } from './curation/undo.ts';
export { defaultImportance } from './curation/remember.ts';
export type { RelatedMemory, RelatedReason } from './retrieval/related.ts';
export { mergeRecallResults } from './mergeResults.ts';
export { replay, type ReplayedPrompt, type ReplayResult } from './replay.ts';

export { DEGRADATIONS, type Degradation } from './model/degradation.ts';
export { turnKey, type Episode, type Speaker, type Turn } from './model/episode.ts';
export { KIND_ALIASES, MEMORY_KINDS, parseKind, type MemoryKind } from './model/kinds.ts';
export {
  MAX_SNIPPET_LENGTH, MAX_TEXT_LENGTH, MEMORY_STATUSES, VIAS, type Actor, type Anchor, type AnchorState, type ChangeVerb, type Memory, type MemoryChange, type MemoryPatch,
  type MemoryStatus, type ProfileValue, type Provenance, type Relation, type Tombstone, type Via,
} from './model/memory.ts';
export { checkLimit, checkText, cleanTags, DEFAULT_LIMIT, MAX_LIMIT, parseExpiry, parseInstant } from './model/memoryInput.ts';
export { OBSERVATION_STATES, REJECT_REASONS, type ExtractedStatement, type Observation, type ObservationState, type ProposedOutcome, type RejectReason } from './model/observation.ts';
export type { RepoFacts, ViewContext } from './model/repoFacts.ts';
export { formatScope, parseScope, SCOPE_LEVELS, type Scope, type ScopeLevel } from './model/scope.ts';

export type { Extractor, ExtractionRequest, ExtractionUsage } from './extraction/extractor.ts';
export {
  ANSWER_SCHEMA, converse, createAnthropicExtractor, createClaudeCodeExtractor, createOpenAiExtractor, createPatience, DEFAULT_ANTHROPIC_MODEL, estimatePromptTokens, failureOfCall, failureOfStatus, promptOf,
  type AnthropicOptions, type ClaudeCodeOptions, type Exchange, type OpenAiOptions, type Piece, type RunClaude,
} from './extraction/providers/index.ts';
export { createRedactor, type EnvValue, type Finding, type Redactor } from './extraction/redaction/redactor.ts';
export { statedEnd, type StatedEnd } from './extraction/rules/statedEnd.ts';
export { personAsked, personDecides, personSaid } from './extraction/trust.ts';
export { PRICES_AS_OF } from './extraction/prices.ts';
export type { Embedder, EmbeddingRole } from './embedding/embedder.ts';
export { createLazyEmbedderSource, noEmbedderSource, type EmbedderSource, type EmbedderState } from './embedding/embedderSource.ts';
export type { AuditEntry, InjectionReceipt, Job, MemoryOrder, MemoryStore, SpendEntry, StoreInfo } from './storage/memoryStore.ts';
export { exportLine, parseImportRecord, parseJsonLine, TRANSFER_VERSION, type ImportedInput } from './transfer/jsonl.ts';
export { recordsIn } from './transfer/records.ts';
export { exportLines } from './exporting.ts';
export { matchesGlob } from './scope/pathGlob.ts';
export { beginningOf, cutText } from './text/graphemes.ts';
export { countTokens } from './text/countTokens.ts';
export { neutralizeText } from './injection/block.ts';
export { oneLine } from './model/oneLine.ts';
export { turnContext } from './turnContext.ts';
export { FENCE, MAX_BLOCK_CHARACTERS, type InjectedBlock, type InjectedItem, type Injection } from './injection/index.ts';
