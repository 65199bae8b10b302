/**
 * Exports memories page by page, so that a large store does not have to fit into memory
 * twice, in the order they were made, so that equal stores export equal bytes.
 */
import { CairnError } from '../base/errors.ts';
import type { RecallFilters } from './engineTypes.ts';
import type { Engine } from './engineFacade.ts';
import { exportLine } from './transfer/jsonl.ts';

/** One JSONL line per memory that passes. Throws CANCELLED. */
export async function* exportLines(engine: Engine, filters: RecallFilters, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { memory } of engine.everyMemory(filters)) {
    if (signal.aborted) throw new CairnError('CANCELLED', 'Cancelled.');
    yield exportLine(memory);
  }
}
