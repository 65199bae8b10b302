/**
 * Door of the operations: the table of verbs by name, and their output shapes.
 */
import { archiveOperation, forgetOperation, pinOperation, restoreOperation } from './changeStatus.ts';
import { consentOperation, correctOperation, personAskedOperation, personDecidesOperation } from './consent.ts';
import { getContextOperation, injectedOperation, previewContextOperation } from './context.ts';
import { doctorOperation } from './doctor.ts';
import { notRelevantOperation, stillTrueOperation } from './feedback.ts';
import { getMemoryOperation, relatedMemoriesOperation } from './getMemory.ts';
import { hookMomentOperation } from './hookMoment.ts';
import { acceptObservationOperation, listInboxOperation, mergeObservationOperation, rejectObservationOperation, trustRuleOperation, undoDecisionOperation } from './inbox.ts';
import { insightsOperation } from './insights.ts';
import { listMemoriesOperation } from './listMemories.ts';
import type { Operation } from './operation.ts';
import { editProfileOperation, profileOperation, relateOperation, relationsOperation } from './profile.ts';
import { purgeOperation } from './purge.ts';
import { readWaitingOperation } from './readWaiting.ts';
import { recallOperation } from './recall.ts';
import { replayOperation } from './replay.ts';
import { rememberOperation } from './remember.ts';
import { backfillOperation, jobsOperation, lastAnswerOperation, saveConversationOperation, tidyOperation } from './sessions.ts';
import { setEnabledOperation, setPausedOperation, setSettingOperation, allowSecretOperation, settingsOperation } from './settings.ts';
import { projectOperation, statsOperation, statusOperation, tagsOperation } from './status.ts';
import { exportMemoriesOperation, importMemoriesOperation } from './transfer.ts';
import { historyOperation, undoOperation } from './undo.ts';
import { updateMemoryOperation } from './updateMemory.ts';
import { backupOperation, embeddingsOperation, relinkOperation, restoreBackupOperation } from './upkeep.ts';

// Each operation checks its own input by its schema; the table forgets the types on purpose.
const ALL = [
  rememberOperation, recallOperation, listMemoriesOperation, getMemoryOperation, relatedMemoriesOperation, updateMemoryOperation, forgetOperation, archiveOperation, restoreOperation, pinOperation,
  undoOperation, historyOperation, notRelevantOperation, stillTrueOperation, purgeOperation, statusOperation, statsOperation, projectOperation, tagsOperation, profileOperation,
  editProfileOperation, relateOperation, relationsOperation, settingsOperation, setSettingOperation, allowSecretOperation, setEnabledOperation, setPausedOperation, doctorOperation, importMemoriesOperation,
  exportMemoriesOperation, consentOperation, personAskedOperation, personDecidesOperation, correctOperation, listInboxOperation, acceptObservationOperation, rejectObservationOperation,
  mergeObservationOperation, undoDecisionOperation, getContextOperation, previewContextOperation, injectedOperation, saveConversationOperation, readWaitingOperation, backfillOperation, tidyOperation,
  jobsOperation, lastAnswerOperation, embeddingsOperation, backupOperation, restoreBackupOperation, relinkOperation, insightsOperation, replayOperation, trustRuleOperation, hookMomentOperation,
] as unknown as readonly Operation[];

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(ALL.map((operation) => [operation.name, operation]));

export { placeOf, relatedReason, staleNote } from './agentTexts.ts';
export type { BackupOutput, EmbeddingsOutput, RestoreOutput } from './upkeep.ts';
export type { ContextOutput, InjectedOutput } from './context.ts';
export type { DoctorOutput } from './doctor.ts';
export type { RelatedOutput } from './getMemory.ts';
export type { HealthCheck } from '../engine/index.ts';
export type { HostServices, OpenedRepository, RegistryEntry, RepositoryIdentity, SessionFile, SettingLevel, SettingValue } from './hostServices.ts';
export { blockForMoment, type SessionMoment } from './blockForMoment.ts';
export type { HookMomentOutput } from './hookMoment.ts';
export type { ImportOutput } from './transfer.ts';
export type { InsightsOutput } from './insights.ts';
export type { ListMemoriesOutput } from './listMemories.ts';
export { isHistoryOnly } from './agentTexts.ts';
export type { RememberOutput } from './remember.ts';
export type { Operation, OperationContext, Progress } from './operation.ts';
export type { BackfillOutput, SaveOutput } from './sessions.ts';
export type { ProjectOutput, StatsOutput, StatusOutput } from './status.ts';
export type { PurgeOutput } from './purge.ts';
