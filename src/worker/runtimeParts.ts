/**
 * The parts of a runtime that are chosen here, once for all surfaces: which model is
 * loaded, and who extracts.
 */
import { openEmbedder } from '../engine/index.ts';
import { isAbsolutePath, joinPath, listFolder } from '../runtime/folders.ts';
import type { HostModels } from './hostModel.ts';
import { modelExtractors } from './modelExtractors.ts';
import type { RuntimeOptions } from '../runtime/runtime.ts';

/** `models`: those of a host that has some, such as the editor. */
export function runtimeParts(models?: HostModels): Pick<RuntimeOptions, 'loadEmbedder' | 'extractors'> {
  return {
    loadEmbedder: ({ model, bundledModels, models, baseUrl, apiKey, devices, importTransformers, log }) => openEmbedder({ model, bundledModels, models, baseUrl, apiKey, devices, importTransformers, log, listFolder, joinPath, isAbsolutePath }),
    extractors: async (runtime, repositoryId) => modelExtractors(runtime, repositoryId, models),
  };
}
