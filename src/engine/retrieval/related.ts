/**
 * Related memories: what stands near one memory, each with the reasons. By meaning and words, as recall finds them with
 * the memory's own text as the question and itself left out: beside itself, everything else would stay far behind the
 * best answer and be held back by the relevance gate. Then what points at the same files, and what says something of
 * the same entities. What it replaced and what replaced it are told elsewhere.
 */
import type { Clock } from '../../base/clock.ts';
import type { Id } from '../../base/ids.ts';
import type { ListedMemory, RecalledMemory, RecallQuery, RecallResult } from '../engineTypes.ts';
import type { Memory } from '../model/memory.ts';
import type { ViewContext } from '../model/repoFacts.ts';
import { recallFilter } from '../scope/storeFilter.ts';
import { visibilityOf } from '../scope/visibility.ts';
import type { MemoryStore } from '../storage/memoryStore.ts';
import { indexTokens, queryTerms } from '../text/tokenize.ts';
import type { RecallStore } from './candidates.ts';

export interface RelatedReason {
  readonly by: 'meaning' | 'words' | 'file' | 'entity';
  /** The file or the entity. */
  readonly about?: string;
}

export interface RelatedMemory extends ListedMemory {
  readonly reasons: readonly RelatedReason[];
}

export interface RelatedDeps {
  readonly stores: readonly Pick<RecallStore, 'role' | 'store'>[];
  readonly recall: (query: RecallQuery) => Promise<RecallResult>;
  readonly clock: Clock;
  /** Least cosine, as the setting has it, at which two statements are called alike in meaning. */
  readonly threshold: () => number;
}

/** As many as are read at a glance; what lies in the same file or is about the same thing keeps room beside what is alike. */
const MOST_ALIKE = 5;
const MOST_OF_FILE = 3;
const MOST_OF_ENTITY = 3;
/** A statement says what it is about in its first sentences. */
const QUESTION_LENGTH = 400;
/** Two statements share words when at least two, and this share of the first one's, are the same. */
const LEAST_SHARED = 2;
const LEAST_SHARE = 0.25;

export async function relatedTo(deps: RelatedDeps, memory: Memory, view: ViewContext | undefined, signal?: AbortSignal): Promise<RelatedMemory[]> {
  const told = new Set<Id>([memory.id, ...memory.supersedes, ...(memory.supersededBy === undefined ? [] : [memory.supersededBy])]);
  // Where the person is now says nothing about what stands near the memory.
  const { activePath: _elsewhere, ...place } = view ?? {};
  const found = new Map<Id, RelatedMemory>();
  const add = ({ memory: other, store }: ListedMemory, reasons: readonly RelatedReason[]): void => {
    const known = found.get(other.id)?.reasons ?? [];
    if (!told.has(other.id) && reasons.length > 0) found.set(other.id, { memory: other, store, reasons: [...known, ...reasons] });
  };
  const { results } = await deps.recall({ query: memory.text.slice(0, QUESTION_LENGTH).toWellFormed(), limit: MOST_ALIKE * 2, exclude: told, countUse: false, view: place, ...(signal === undefined ? {} : { signal }) });
  const alike = likenessTo(memory, deps.threshold());
  for (const result of results) if (found.size < MOST_ALIKE) add(result, alike(result));
  for (const { role, store } of deps.stores) {
    const seen = async (ids: readonly Id[], most: number): Promise<Memory[]> => (await visible(deps, store, ids, place)).filter(({ id }) => !told.has(id)).slice(0, most);
    for (const path of new Set(memory.anchors.map((anchor) => anchor.path))) {
      const filter = recallFilter({ path }, place, ['active'], deps.clock.now());
      const memories = await store.listMemories(filter, { limit: MOST_OF_FILE * 4, offset: 0, order: 'recent' });
      for (const other of await seen(memories.map(({ id }) => id), MOST_OF_FILE)) add({ memory: other, store: role }, [{ by: 'file', about: path }]);
    }
    for (const [entity, ids] of await sharedEntities(store, memory)) for (const other of await seen(ids, MOST_OF_ENTITY)) add({ memory: other, store: role }, [{ by: 'entity', about: entity }]);
  }
  return [...found.values()];
}

/** Why two statements are alike; empty when recall brought what only stands near in rank. */
function likenessTo(memory: Memory, threshold: number): (result: RecalledMemory) => RelatedReason[] {
  const terms = queryTerms(memory.text.slice(0, QUESTION_LENGTH));
  return ({ memory: other, explain }) => {
    const tokens = new Set(indexTokens(other.text));
    const shared = terms.filter(({ term, alternatives }) => tokens.has(term) || alternatives.some((alternative) => tokens.has(alternative.term))).length;
    return [
      ...((explain.calibratedCosine ?? 0) >= threshold ? [{ by: 'meaning' as const }] : []),
      ...(shared >= Math.min(LEAST_SHARED, terms.length) && shared >= LEAST_SHARE * terms.length ? [{ by: 'words' as const }] : []),
    ];
  };
}

async function visible(deps: RelatedDeps, store: MemoryStore, ids: readonly Id[], place: ViewContext): Promise<Memory[]> {
  const passing = await store.passing(ids, recallFilter({}, place, ['active'], deps.clock.now()));
  return (await store.getMemories(ids.filter((id) => passing.has(id)))).filter((memory) => visibilityOf(memory, place).visible);
}

/** Entities that the memory says something of, with the other memories that do. */
async function sharedEntities(store: MemoryStore, memory: Memory): Promise<Map<string, Id[]>> {
  const entities = new Set((await store.relations({ memoryId: memory.id }, 50)).flatMap(({ subject, object }) => [subject, object]));
  const shared = new Map<string, Id[]>();
  for (const entity of entities) {
    const ids = (await store.relations({ entity }, 50)).flatMap(({ memoryId }) => (memoryId === undefined || memoryId === memory.id ? [] : [memoryId]));
    if (ids.length > 0) shared.set(entity, [...new Set(ids)]);
  }
  return shared;
}
