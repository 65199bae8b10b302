/**
 * The parts of a runtime that are chosen here, once for all surfaces: which model is
 * loaded, and who extracts.
 */
import { openEmbedder } from '../engine/index.ts';
import { isAbsolutePath, joinPath, listFolder } from '../runtime/folders.ts';
import { modelExtractors } from './modelExtractors.ts';
import type { RuntimeOptions } from '../runtime/runtime.ts';

export function runtimeParts(): Pick<RuntimeOptions, 'loadEmbedder' | 'extractors'> {
  return {
    loadEmbedder: ({ model, bundledModels, models, baseUrl, apiKey, log }) => openEmbedder({ model, bundledModels, models, baseUrl, apiKey, log, listFolder, joinPath, isAbsolutePath }),
    extractors: modelExtractors,
  };
}
