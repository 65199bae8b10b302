/**
 * What curation is given: the stores, and the policies it must not import (redaction and
 * consolidation belong to extraction). engine.ts wires them.
 */
import type { Clock } from '../../base/clock.ts';
import { CairnError } from '../../base/errors.ts';
import type { Id, IdSource } from '../../base/ids.ts';
import type { StoreRole } from '../engineTypes.ts';
import type { Actor, ChangeVerb, Memory } from '../model/memory.ts';
import type { ExtractedStatement } from '../model/observation.ts';
import type { Scope } from '../model/scope.ts';
import type { MemoryStore, StoreReader } from '../storage/memoryStore.ts';
import { oneLine } from '../model/oneLine.ts';

export interface CurationStore {
  readonly role: StoreRole;
  readonly store: MemoryStore;
}

export interface RedactionReport {
  readonly text: string;
  readonly redactions: readonly { readonly kind: string; readonly count: number }[];
}

/** What consolidation decided for one statement; `targetId` is set for all but `add`. */
export interface ConsolidationDecision {
  readonly outcome: 'add' | 'merge' | 'revise' | 'supersede' | 'conflict' | 'duplicate' | 'archive';
  readonly targetId?: Id;
  readonly why: string;
  readonly mergedText?: string;
}

export interface CurationDeps {
  readonly stores: readonly CurationStore[];
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly redact: (text: string) => RedactionReport;
  /** Does the text try to instruct a model? Such memories are flagged, whoever brought them. */
  readonly isSuspicious?: (text: string) => boolean;
  /** Splits a text into the chunks that get one vector each. */
  readonly chunk: (text: string) => readonly string[];
  /** Runs inside the write transaction: must only await methods of `reader`. */
  readonly decide: (reader: StoreReader, statement: ExtractedStatement, role: StoreRole, vector: Float32Array | undefined) => Promise<ConsolidationDecision>;
  /** The statement's vector when a warm embedder gives it quickly; else undefined. Called before the transaction. */
  readonly vectorOf: (text: string) => Promise<Float32Array | undefined>;
  /** After a commit that made chunks without vectors. */
  readonly onChunksWritten: () => void;
}

export const roleOfScope = (scope: Scope): StoreRole => (scope.level === 'user' ? 'user' : 'repository');

export function storeOfRole(deps: Pick<CurationDeps, 'stores'>, role: StoreRole): MemoryStore {
  const found = deps.stores.find((candidate) => candidate.role === role);
  if (found === undefined) throw new CairnError('REPOSITORY_REQUIRED', role === 'repository' ? 'There is no repository here. Open a folder, give -C DIR, or use --user for the user store.' : 'The user store is not open.');
  return found.store;
}

/** Where the memory lives. Throws ID_UNKNOWN with a hint when it was forgotten for good. */
export async function findMemory(deps: Pick<CurationDeps, 'stores'>, id: Id): Promise<{ role: StoreRole; store: MemoryStore; memory: Memory }> {
  for (const { role, store } of deps.stores) {
    const memory = await store.getMemory(id);
    if (memory !== undefined) return { role, store, memory };
  }
  for (const { store } of deps.stores) {
    const tombstone = await store.tombstone(id);
    if (tombstone?.reason === 'purged') throw new CairnError('ID_UNKNOWN', `Memory ${id} was purged; its text is gone.`, { data: { id } });
  }
  throw new CairnError('ID_UNKNOWN', `There is no memory ${id} here. List them with \`cairn list\`; for another repository add --project NAME.`, { data: { id } });
}

export interface Act {
  readonly actId: Id;
  readonly at: number;
  readonly actor: Actor;
  readonly reason?: string;
}

export const beginAct = (deps: Pick<CurationDeps, 'ids' | 'clock' | 'redact'>, actor: Actor, reason?: string): Act => ({ actId: deps.ids.next(), at: deps.clock.now(), actor: actor.author === undefined ? actor : { ...actor, author: oneLine(deps.redact(actor.author).text) }, ...(reason === undefined ? {} : { reason: deps.redact(reason).text }) });

/** For the short texts beside the statement: an id, a branch, a symbol. */
export const redactShort = (deps: Pick<CurationDeps, 'redact'>, text: string | undefined): string | undefined => (text === undefined ? undefined : oneLine(deps.redact(text).text));

/** A branch or a glob is typed, so that anything may stand there. */
export function redactScope(deps: Pick<CurationDeps, 'redact'>, scope: Scope): Scope {
  if (scope.level === 'branch') return { ...scope, branch: deps.redact(scope.branch).text };
  return scope.level === 'path' ? { ...scope, glob: deps.redact(scope.glob).text } : scope;
}

export const changeOf = (deps: Pick<CurationDeps, 'ids'>, act: Act, verb: ChangeVerb): { changeId: Id; verb: ChangeVerb; at: number; actor: Actor; actId: Id; reason?: string } => ({
  changeId: deps.ids.next(), verb, at: act.at, actor: act.actor, actId: act.actId, ...(act.reason === undefined ? {} : { reason: act.reason }),
});
