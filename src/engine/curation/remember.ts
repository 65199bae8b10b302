/**
 * Remember: the one write path of a new statement. Order matters: validate, redact
 * (invariant 5), then decide and write inside one transaction, so that two processes
 * that remember the same thing at once end with one memory.
 */
import { CairnError } from '../../base/errors.ts';
import type { Id } from '../../base/ids.ts';
import type { ActingFor, RememberInput, RememberResult } from '../engineTypes.ts';
import { checkConfidence, checkImportance, checkText, cleanTags } from '../model/memoryInput.ts';
import { MAX_CONTEXT_LENGTH, MAX_SNIPPET_LENGTH } from '../model/memory.ts';
import type { Anchor, Memory, Provenance } from '../model/memory.ts';
import type { MemoryKind } from '../model/kinds.ts';
import type { Scope } from '../model/scope.ts';
import type { StoreWriter } from '../storage/memoryStore.ts';
import { cutText } from '../text/graphemes.ts';
import { beginAct, changeOf, findMemory, redactScope, redactShort, roleOfScope, storeOfRole } from './curationDeps.ts';
import type { Act, ConsolidationDecision, CurationDeps } from './curationDeps.ts';

/** Importance when nobody gave one: a rule outweighs a fact, a summary is background. */
const DEFAULT_IMPORTANCE: Readonly<Record<MemoryKind, number>> = {
  rule: 8, decision: 7, preference: 7, code_pattern: 6, technical_context: 6, project_context: 6, communication_pattern: 6,
  subtle_signal: 5, identity: 7, fact: 6, observation: 5, entity: 5, relation: 5, session_summary: 5,
};

export const defaultImportance = (kind: MemoryKind): number => DEFAULT_IMPORTANCE[kind];

interface Prepared {
  readonly memory: Memory;
  readonly redactions: RememberResult['redactions'];
}

export async function remember(deps: CurationDeps, input: RememberInput, { actor, reason }: ActingFor): Promise<RememberResult> {
  const { memory, redactions } = prepareMemory(deps, input);
  const role = roleOfScope(memory.scope);
  const store = storeOfRole(deps, role);
  const act = beginAct(deps, actor, reason);
  if (input.supersedes !== undefined && input.supersedes.length > 0) {
    const result = await supersedeNamed(deps, memory, input.supersedes, act);
    deps.onChunksWritten();
    return { ...result, redactions };
  }
  const vector = input.consolidate === false ? undefined : await deps.vectorOf(memory.text);
  const result = await store.write(async (writer): Promise<RememberResult> => {
    const decision: ConsolidationDecision = input.consolidate === false ? { outcome: 'add', why: 'Stored as given.' } : await deps.decide(writer, statementOf(memory, isSaidNow(input)), role, vector);
    return { ...(await apply(deps, writer, memory, decision, act)), redactions };
  });
  if (result.outcome !== 'duplicate') deps.onChunksWritten();
  return result;
}

/** Many statements in one transaction: import. Results are in order; a refused line is its error. */
export async function rememberMany(deps: CurationDeps, inputs: readonly RememberInput[], { actor, reason }: ActingFor): Promise<(RememberResult | CairnError)[]> {
  const results: (RememberResult | CairnError | undefined)[] = inputs.map(() => undefined);
  const prepared = inputs.map((input, i) => {
    try {
      return { i, input, ...prepareMemory(deps, input) };
    } catch (error) {
      // A bad line is an expected outcome of an import: reported, the others go on.
      if (!(error instanceof CairnError)) throw error;
      results[i] = error;
      return undefined;
    }
  });
  const act = beginAct(deps, actor, reason);
  for (const role of ['repository', 'user'] as const) {
    const lines = prepared.filter((line) => line !== undefined && roleOfScope(line.memory.scope) === role).filter((line) => line !== undefined);
    if (lines.length === 0) continue;
    await storeOfRole(deps, role).write(async (writer) => {
      for (const { i, input, memory, redactions } of lines) {
        const decision: ConsolidationDecision = input.consolidate === false ? { outcome: 'add', why: 'Stored as given.' } : await deps.decide(writer, statementOf(memory), role, undefined);
        // What is archived already changes nothing of what holds.
        const changesNothing = memory.status === 'archived' && decision.outcome !== 'duplicate';
        results[i] = { ...(await apply(deps, writer, memory, changesNothing ? { outcome: 'add', why: 'Stored as archived.' } : decision, act)), redactions };
      }
    });
  }
  deps.onChunksWritten();
  return results.filter((result) => result !== undefined);
}

/** Checks and redacts what is to be stored, whether at once or after a review. Throws the model's codes and SECRET_REFUSED. */
export function prepareMemory(deps: CurationDeps, input: RememberInput): Prepared {
  const text = checkText(input.text);
  const redacted = deps.redact(text);
  const left = redacted.text.replaceAll(/\[redacted:[^\]]*\]/g, '').replaceAll(/[\s\p{P}]/gu, '');
  if (redacted.redactions.length > 0 && left.length < 3) throw new CairnError('SECRET_REFUSED', 'Nothing but a secret would be left to remember. Describe what it is for instead.');
  const now = deps.clock.now();
  const kind = input.kind ?? 'fact';
  const provenance = redactProvenance(deps, input.provenance);
  const createdAt = input.createdAt ?? now;
  const memory: Memory = {
    id: deps.ids.next(),
    text: checkText(redacted.text),
    kind,
    importance: checkImportance(input.importance ?? defaultImportance(kind)),
    confidence: checkConfidence(input.confidence ?? 1),
    tags: cleanTags((input.tags ?? []).map((tag) => deps.redact(tag).text)),
    pinned: input.pinned ?? false,
    scope: redactScope(deps, input.scope ?? defaultScope(deps)),
    status: input.archived === true ? 'archived' : 'active',
    createdAt,
    updatedAt: createdAt,
    validFrom: input.validFrom ?? provenance.saidAt ?? createdAt,
    expiresAt: input.expiresAt,
    recallCount: 0,
    notRelevantCount: 0,
    repeatCount: 0,
    version: 1,
    externalId: redactShort(deps, input.externalId),
    provenance,
    anchors: (input.anchors ?? []).map((anchor) => redactAnchor(deps, anchor)),
    supersedes: [],
    untrusted: input.untrusted ?? false,
    suspicious: deps.isSuspicious?.(redacted.text) ?? false,
  };
  return { memory, redactions: redacted.redactions };
}

const defaultScope = (deps: CurationDeps): Scope => (deps.stores.some(({ role }) => role === 'repository') ? { level: 'repository' } : { level: 'user' });

function redactProvenance(deps: CurationDeps, provenance: Provenance): Provenance {
  return {
    ...provenance,
    branch: redactShort(deps, provenance.branch),
    author: redactShort(deps, provenance.author),
    commit: hashOf(provenance.commit),
    importedFrom: redactShort(deps, provenance.importedFrom),
    quote: provenance.quote === undefined ? undefined : cutText(deps.redact(provenance.quote).text, MAX_CONTEXT_LENGTH),
    context: provenance.context === undefined ? undefined : cutText(deps.redact(provenance.context).text, MAX_CONTEXT_LENGTH),
  };
}

/** A file to import may have anything in these fields. */
const hashOf = (text: string | undefined): string | undefined => (text !== undefined && /^[0-9a-f]{2,64}$/i.test(text) ? text : undefined);
const optionalHash = <K extends string>(key: K, text: string | undefined): Partial<Record<K, string>> => {
  const hash = hashOf(text);
  return hash === undefined ? {} : ({ [key]: hash } as Record<K, string>);
};

export function redactAnchor(deps: Pick<CurationDeps, 'redact'>, anchor: Anchor): Anchor {
  const { contentHash, commit, ...rest } = anchor;
  return { ...rest, ...optionalHash('contentHash', contentHash), ...optionalHash('commit', commit), ...(anchor.symbol === undefined ? {} : { symbol: redactShort(deps, anchor.symbol) }), ...(anchor.snippet === undefined ? {} : { snippet: cutText(deps.redact(anchor.snippet).text, MAX_SNIPPET_LENGTH) }) };
}

const isSaidNow = ({ createdAt, validFrom, provenance }: RememberInput): boolean => createdAt === undefined && validFrom === undefined && provenance.saidAt === undefined;

const statementOf = (memory: Memory, saidNow = false): Parameters<CurationDeps['decide']>[1] => ({
  text: memory.text, kind: memory.kind, importance: memory.importance, confidence: memory.confidence, tags: memory.tags, scope: memory.scope,
  expiresAt: memory.expiresAt, anchors: memory.anchors, provenance: { ...memory.provenance, saidAt: saidNow ? undefined : memory.validFrom }, untrusted: memory.untrusted,
});

async function apply(deps: CurationDeps, writer: StoreWriter, memory: Memory, decision: ConsolidationDecision, act: Act): Promise<Omit<RememberResult, 'redactions'>> {
  const target = decision.targetId === undefined ? undefined : await writer.getMemory(decision.targetId);
  const why = decision.why;
  // The target may have gone since the decision was made from an index: then the statement is simply new.
  if (target === undefined || decision.outcome === 'add' || decision.outcome === 'conflict') {
    await writer.insertMemory(memory, deps.chunk(memory.text), changeOf(deps, act, 'add'));
    return { id: memory.id, outcome: 'added', memory, relatedIds: target === undefined ? [] : [target.id], why };
  }
  switch (decision.outcome) {
    case 'duplicate': {
      // Said again: it holds from now on against whatever was said in between.
      const counted: Memory = { ...target, repeatCount: target.repeatCount + 1, validFrom: Math.max(target.validFrom, memory.validFrom), ...(isWantedBack(target, memory) ? { status: 'active', updatedAt: act.at, version: target.version + 1 } : {}) };
      await writer.replaceMemory(counted, undefined, changeOf(deps, act, 'merge'));
      return { id: target.id, outcome: 'duplicate', memory: counted, relatedIds: [target.id], why: counted.status === target.status ? why : `${why} They were archived and are active again.` };
    }
    case 'merge':
    case 'revise': {
      const merged = mergeInto(target, memory, decision.mergedText, act.at);
      await writer.replaceMemory(merged, merged.text === target.text ? undefined : deps.chunk(merged.text), changeOf(deps, act, 'merge'));
      return { id: target.id, outcome: 'merged', memory: merged, relatedIds: [target.id], why };
    }
    case 'archive': {
      // Said before what replaced it, but heard only now: history, never current.
      const older: Memory = { ...memory, status: 'superseded', supersededBy: target.id, validUntil: Math.max(memory.validFrom, target.validFrom) };
      await writer.insertMemory(older, deps.chunk(older.text), changeOf(deps, act, 'add'));
      const newest: Memory = { ...target, supersedes: [...target.supersedes, older.id], updatedAt: act.at, version: target.version + 1 };
      await writer.replaceMemory(newest, undefined, changeOf(deps, act, 'supersede'));
      return { id: target.id, outcome: 'superseded', memory: newest, relatedIds: [older.id], why };
    }
    default: {
      // It takes the older one's place: what starts every session goes on doing so, with the new value.
      const placed: Memory = { ...memory, validFrom: Math.max(memory.validFrom, target.validFrom), pinned: memory.pinned || target.pinned, importance: Math.max(memory.importance, target.importance), tags: memory.tags.length > 0 ? memory.tags : target.tags };
      const worded: Memory = decision.mergedText === undefined ? placed : { ...placed, text: checkText(decision.mergedText) };
      const newer = await writeSuperseding(deps, writer, worded, [target], act);
      return { id: newer.id, outcome: 'superseded', memory: newer, relatedIds: [target.id], why };
    }
  }
}

/** Said again after it was archived: it matters after all. What was said before that (an old session, an import) brings nothing back. */
const isWantedBack = (target: Memory, memory: Memory): boolean => target.status === 'archived' && memory.status === 'active' && memory.validFrom >= target.updatedAt;

/** The older row keeps its id and provenance; what the newer statement adds is taken over. */
function mergeInto(target: Memory, memory: Memory, mergedText: string | undefined, at: number): Memory {
  const anchors = [...target.anchors, ...memory.anchors.filter((anchor) => !target.anchors.some((known) => known.path === anchor.path && known.startLine === anchor.startLine))];
  return {
    ...target,
    status: isWantedBack(target, memory) ? 'active' : target.status,
    text: mergedText === undefined ? target.text : checkText(mergedText),
    importance: Math.max(target.importance, memory.importance),
    confidence: Math.max(target.confidence, memory.confidence),
    tags: cleanTags([...target.tags, ...memory.tags]),
    pinned: target.pinned || memory.pinned,
    anchors,
    repeatCount: target.repeatCount + 1,
    validFrom: Math.max(target.validFrom, memory.validFrom),
    updatedAt: at,
    version: target.version + 1,
  };
}

/** Writes `memory` and links it both ways to what it replaces (invariant 3). A statement that became true earlier than its target does not replace it. */
export async function writeSuperseding(deps: CurationDeps, writer: StoreWriter, memory: Memory, targets: readonly Memory[], act: Act): Promise<Memory> {
  const newer: Memory = { ...memory, supersedes: targets.map(({ id }) => id) };
  await writer.insertMemory(newer, deps.chunk(newer.text), changeOf(deps, act, 'add'));
  for (const target of targets) {
    const older: Memory = { ...target, status: 'superseded', supersededBy: newer.id, validUntil: Math.max(target.validFrom, newer.validFrom), updatedAt: act.at, version: target.version + 1 };
    await writer.replaceMemory(older, undefined, changeOf(deps, act, 'supersede'));
  }
  return newer;
}

async function supersedeNamed(deps: CurationDeps, memory: Memory, ids: readonly Id[], act: Act): Promise<Omit<RememberResult, 'redactions'>> {
  const found = await Promise.all([...new Set(ids)].map(async (id) => findMemory(deps, id)));
  const role = roleOfScope(memory.scope);
  const foreign = found.find((target) => target.role !== role);
  if (foreign !== undefined) throw new CairnError('SCOPE_INVALID', `Memory ${foreign.memory.id} lives in the ${foreign.role} store; give the new one the same scope.`, { data: { id: foreign.memory.id } });
  const newer = await storeOfRole(deps, role).write(async (writer) => {
    const targets: Memory[] = [];
    for (const { memory: seen } of found) {
      const target = await writer.getMemory(seen.id);
      if (target === undefined || (target.status !== 'active' && target.status !== 'archived' && target.status !== 'inbox')) {
        throw new CairnError('MEMORY_NOT_ACTIVE', `Memory ${seen.id} is ${target?.status ?? 'gone'}; only a current memory can be superseded.`, { data: { id: seen.id } });
      }
      targets.push(target);
    }
    return writeSuperseding(deps, writer, memory, targets, act);
  });
  return { id: newer.id, outcome: 'superseded', memory: newer, relatedIds: newer.supersedes, why: 'Replaces what you named.' };
}
