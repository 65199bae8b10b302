/**
 * Settings as the engine wants them: plain values, read anew when a file changed.
 */
import type { EngineConfig } from '../engine/index.ts';
import type { Settings } from './settings.ts';

/** Returns the same object until a settings file changes. */
export function createEngineConfigReader(settings: Settings, repositoryId: string | undefined): () => EngineConfig {
  let stamp: string | undefined;
  let config: EngineConfig | undefined;
  return () => {
    const now = settings.stamp(repositoryId);
    if (config === undefined || stamp !== now) {
      stamp = now;
      config = readEngineConfig(settings, repositoryId);
    }
    return config;
  };
}

function readEngineConfig(settings: Settings, id: string | undefined): EngineConfig {
  return {
    indexMode: settings.get('index.mode', id),
    recall: { threshold: settings.get('recall.threshold', id), limit: settings.get('recall.limit', id), isolateBranches: settings.get('recall.isolateBranches', id) },
    injection: {
      enabled: settings.get('injection.enabled', id), startTokens: settings.get('injection.startTokens', id), promptTokens: settings.get('injection.promptTokens', id),
      fileTokens: settings.get('injection.fileTokens', id), sessionTokens: settings.get('injection.sessionTokens', id),
    },
    extraction: {
      captureMode: settings.get('capture.mode', id), everyTurns: settings.get('capture.everyTurns', id), idleSeconds: settings.get('capture.idleSeconds', id), maxOutputTokens: settings.get('capture.maxOutputTokens', id),
      gate: settings.get('extraction.gate', id), review: settings.get('extraction.review', id), dailyCapUsd: settings.get('spend.dailyCapUsd', id),
    },
    allowedSecrets: settings.get('privacy.allowedSecrets', id),
    archive: { automatic: settings.get('archive.automatic', id), afterDays: settings.get('archive.afterDays', id), belowImportance: settings.get('archive.belowImportance', id) },
  };
}
