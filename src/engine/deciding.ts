/**
 * What a new statement means for what is stored: wires neighbours and consolidation to the
 * write path. Runs inside the write transaction, so two processes cannot both decide "new".
 */
import type { Clock } from '../base/clock.ts';
import type { CurationDeps } from './curation/curationDeps.ts';
import type { EngineStore } from './engineOptions.ts';
import type { StoreRole } from './engineTypes.ts';
import { consolidate, isPast } from './extraction/consolidate.ts';
import { findNeighbours } from './extraction/neighbours.ts';
import { formatScope } from './model/scope.ts';
import { normalizeText } from './text/normalize.ts';
import type { VectorSide } from './vectorSide.ts';

export function createDecide(stores: readonly EngineStore[], vectors: VectorSide, clock: Clock): CurationDeps['decide'] {
  return async (reader, statement, role, vector) => {
    const now = clock.now();
    const equal = (await reader.findByNormalizedText(normalizeText(statement.text))).find((memory) => formatScope(memory.scope) === formatScope(statement.scope) && memory.status === 'active' && isPast(memory, now) === isPast(statement, now));
    if (equal !== undefined) return consolidate(statement, [{ memory: equal }], now);
    const byMeaning = vector === undefined ? undefined : async (limit: number): Promise<{ memoryId: string; cosine: number }[]> => nearest(stores, vectors, role, vector, limit);
    return consolidate(statement, await findNeighbours(reader, statement, { byMeaning }), now);
  };
}

/** Best chunk of each memory. The index reads through its own connection, so it may be asked during a write. */
async function nearest(stores: readonly EngineStore[], vectors: VectorSide, role: StoreRole, vector: Float32Array, limit: number): Promise<{ memoryId: string; cosine: number }[]> {
  const keeper = vectors.keeper(role);
  const store = stores.find((entry) => entry.role === role)?.store;
  if (keeper === undefined || store === undefined) return [];
  const { hits } = await keeper.search(vector, limit * 2);
  const owners = await store.memoryIdsOfChunks(hits.map(({ chunkId }) => chunkId));
  const best = new Map<string, number>();
  for (const { chunkId, cosine } of hits) {
    const memoryId = owners.get(chunkId);
    if (memoryId !== undefined && !best.has(memoryId)) best.set(memoryId, cosine);
  }
  return [...best].slice(0, limit).map(([memoryId, cosine]) => ({ memoryId, cosine }));
}
