/**
 * The parts of a runtime that are chosen here, once for all surfaces: which model is
 * loaded, and who extracts.
 */
import type { RuntimeOptions } from '../runtime/runtime.ts';
import type { Ask } from './workerHost.ts';

export function runtimeParts(_ask?: Ask): Pick<RuntimeOptions, 'loadEmbedder' | 'extractors'> {
  return {};
}
