/**
 * What a new statement means for what is stored: wires neighbours and consolidation to the
 * write path. Runs inside the write transaction, so two processes cannot both decide "new".
 */
import type { Clock } from '../base/clock.ts';
import type { ConsolidationDecision, CurationDeps } from './curation/curationDeps.ts';
import type { EngineStore } from './engineOptions.ts';
import { normalizeText } from './text/normalize.ts';
import type { VectorSide } from './vectorSide.ts';

export function createDecide(_stores: readonly EngineStore[], _vectors: VectorSide, _clock: Clock): CurationDeps['decide'] {
  return async (reader, statement): Promise<ConsolidationDecision> => {
    const equal = (await reader.findByNormalizedText(normalizeText(statement.text))).find((memory) => memory.scope.level === statement.scope.level);
    return equal === undefined ? { outcome: 'add', why: 'New.' } : { outcome: 'duplicate', targetId: equal.id, why: 'The same words are remembered already.' };
  };
}
