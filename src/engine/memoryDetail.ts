/**
 * Everything that is known of one memory: its past, what it replaced, what is said around it, whether
 * its code still says so.
 */
import type { Id } from '../base/ids.ts';
import { findMemory, type CurationDeps } from './curation/curationDeps.ts';
import type { AnchorCheck, ListedMemory } from './engineTypes.ts';
import { readSessionTitles } from './extraction/sessionTitle.ts';
import type { Memory, MemoryChange, Relation } from './model/memory.ts';

export interface MemoryDetail extends ListedMemory {
  readonly history: readonly MemoryChange[];
  readonly supersededBy?: Memory;
  readonly superseded: readonly Memory[];
  readonly relations: readonly Relation[];
  readonly anchorChecks: readonly AnchorCheck[];
  /** How often and why it was given to Claude. */
  readonly given: number;
  /** What the session it comes from is called. */
  readonly sessionTitle?: string;
}

/** Throws ID_UNKNOWN. */
export async function readMemoryDetail(deps: CurationDeps, checkAnchors: (memory: Memory) => Promise<readonly AnchorCheck[]>, id: Id): Promise<MemoryDetail> {
  const { role, store, memory } = await findMemory(deps, id);
  const { sessionId } = memory.provenance;
  const sessions = (deps.stores.find((entry) => entry.role === 'repository') ?? deps.stores[0])?.store ?? store;
  const [history, superseded, supersededBy, relations, anchorChecks, receipts, titles] = await Promise.all([
    store.history(id),
    store.getMemories(memory.supersedes),
    memory.supersededBy === undefined ? undefined : store.getMemory(memory.supersededBy),
    store.relations({ memoryId: id }, 50),
    checkAnchors(memory),
    store.receipts({ memoryId: id }, { limit: 1_000, offset: 0 }),
    readSessionTitles(sessions, sessionId === undefined ? [] : [sessionId], (text) => deps.redact(text).text),
  ]);
  return { memory, store: role, history, superseded, supersededBy, relations, anchorChecks, given: receipts.length, ...(sessionId === undefined ? {} : { sessionTitle: titles[sessionId] }) };
}
