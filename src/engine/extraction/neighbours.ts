/**
 * Neighbours: the few memories that a new statement has to be compared with. By words, by meaning
 * where a vector is at hand, and for a bare "actually Tuesday" by the kind of value it gives.
 */
import type { Id } from '../../base/ids.ts';
import type { ExtractedStatement } from '../model/observation.ts';
import type { MemoryFilter, StoreReader } from '../storage/memoryStore.ts';
import type { Neighbour } from './consolidate.ts';
import { shapeOf } from './consolidation/statementShape.ts';
import { wordsOfClass } from './consolidation/valueClasses.ts';

const BY_WORDS = 16;
const RECENT = 8;
const ACTIVE: MemoryFilter = { statuses: ['active', 'archived'] };

export interface NeighbourSearch {
  /** Nearest memories by meaning with their cosine; absent while no vector index is warm. */
  readonly byMeaning?: (limit: number) => Promise<readonly { readonly memoryId: Id; readonly cosine: number }[]>;
}

/** At most about thirty, each once. Reads through `reader` only, so it may run inside a write transaction. */
export async function findNeighbours(reader: StoreReader, statement: Pick<ExtractedStatement, 'text'>, search: NeighbourSearch = {}): Promise<Neighbour[]> {
  const shape = shapeOf(statement.text);
  const found = new Map<Id, { cosine?: number; lexical?: number }>();
  const add = (id: Id, evidence: { cosine?: number; lexical?: number }): void => void found.set(id, { ...found.get(id), ...evidence });
  for (const hit of await reader.searchText(statement.text, ACTIVE, BY_WORDS)) add(hit.memoryId, { lexical: hit.coverage });
  for (const gone of shape.takenBack.slice(0, 4)) for (const hit of await reader.searchText(gone, ACTIVE, RECENT)) add(hit.memoryId, {});
  for (const hit of (await search.byMeaning?.(BY_WORDS)) ?? []) add(hit.memoryId, { cosine: hit.cosine });
  if (shape.corrects && shape.subject.size <= 1) {
    // The words of a bare correction are not in what it corrects; other values of its class are, or it was just said.
    for (const name of new Set(shape.values.map((value) => value.class))) {
      for (const word of wordsOfClass(name).slice(0, 24)) for (const hit of await reader.searchText(word, ACTIVE, 3)) add(hit.memoryId, {});
    }
    for (const memory of await reader.listMemories(ACTIVE, { limit: RECENT, offset: 0, order: 'recent' })) add(memory.id, {});
  }
  const memories = await reader.getMemories([...found.keys()]);
  return memories.map((memory) => ({ memory, ...found.get(memory.id) }));
}
