/**
 * From the engine's shapes to those of the protocol, by hand. Pure.
 */
import { beginningOf } from '../../engine/index.ts';
import type { AnchorCheck, Explanation, ListedMemory, Memory, MemoryChange, MemoryDetail as EngineDetail, RecalledMemory, RelatedMemory } from '../../engine/index.ts';
import { ROW_TEXT_LENGTH } from '../../protocol/index.ts';
import type { AnchorRow, ExplanationRow, HistoryRow, MemoryDetail, MemoryRow } from '../../protocol/index.ts';

export function scopeText(scope: Memory['scope']): string {
  if (scope.level === 'branch') return `branch:${scope.branch}`;
  if (scope.level === 'path') return `path:${scope.glob}`;
  return scope.level;
}

/** Stale anchors first: the row shows one, and it should be the one that needs a look. */
export function anchorRows(memory: Memory, checks: readonly AnchorCheck[]): AnchorRow[] {
  return memory.anchors.map((anchor, index) => {
    const check = checks[index];
    const now = check?.now ?? anchor;
    return {
      path: now.path,
      state: check?.state ?? 'unchecked',
      ...(now.symbol === undefined ? {} : { symbol: now.symbol }),
      ...(now.startLine === undefined ? {} : { startLine: now.startLine }),
      ...(now.endLine === undefined ? {} : { endLine: now.endLine }),
      ...(anchor.snippet === undefined ? {} : { snippet: anchor.snippet }),
    };
  });
}

const isStale = (anchor: AnchorRow): boolean => anchor.state === 'changed' || anchor.state === 'missing';

export function explanationRow(explain: Explanation): ExplanationRow {
  return {
    finalScore: explain.finalScore,
    boosts: explain.boosts.map(({ name, factor }) => ({ name, factor })),
    visibleBecause: explain.visibleBecause,
    ...(explain.lexicalRank === undefined ? {} : { lexicalRank: explain.lexicalRank }),
    ...(explain.vectorRank === undefined ? {} : { vectorRank: explain.vectorRank }),
    ...(explain.recencyRank === undefined ? {} : { recencyRank: explain.recencyRank }),
    ...(explain.pathRank === undefined ? {} : { pathRank: explain.pathRank }),
    ...(explain.cosine === undefined ? {} : { cosine: explain.cosine }),
  };
}

export function memoryRow(memory: Memory, checks: readonly AnchorCheck[] = [], explain?: Explanation, excerpt?: string): MemoryRow {
  const anchors = anchorRows(memory, checks);
  const shown = anchors.find(isStale) ?? anchors[0];
  const source = excerpt ?? memory.text;
  const text = beginningOf(source, ROW_TEXT_LENGTH);
  const branch = memory.scope.level === 'branch' ? memory.scope.branch : memory.provenance.branch;
  return {
    id: memory.id, text, cut: text.length < memory.text.length, kind: memory.kind, importance: memory.importance, tags: [...memory.tags], pinned: memory.pinned,
    scope: scopeText(memory.scope), status: memory.status, createdAt: memory.createdAt, updatedAt: memory.updatedAt, anchorCount: anchors.length, untrusted: memory.untrusted,
    ...(memory.expiresAt === undefined ? {} : { expiresAt: memory.expiresAt }),
    ...(branch === undefined ? {} : { branch }),
    ...(shown === undefined ? {} : { anchor: withoutSnippet(shown) }),
    ...(explain === undefined ? {} : { explain: explanationRow(explain) }),
  };
}

function withoutSnippet({ path, symbol, startLine, endLine, state }: AnchorRow): Omit<AnchorRow, 'snippet'> {
  return { path, state, ...(symbol === undefined ? {} : { symbol }), ...(startLine === undefined ? {} : { startLine }), ...(endLine === undefined ? {} : { endLine }) };
}

export const listedRow = (listed: ListedMemory & { readonly anchorChecks?: readonly AnchorCheck[] }): MemoryRow => memoryRow(listed.memory, listed.anchorChecks);
export const recalledRow = (recalled: RecalledMemory): MemoryRow => memoryRow(recalled.memory, recalled.anchorChecks, recalled.explain, recalled.excerpt);

function historyRow(change: MemoryChange): HistoryRow {
  const { actor } = change;
  return {
    changeId: change.changeId, version: change.version, verb: change.verb, at: change.at, who: actor.author ?? actor.surface, text: change.after.text, undone: change.undoneBy !== undefined,
    ...(change.reason === undefined ? {} : { reason: change.reason }),
  };
}

export function detailOf(detail: EngineDetail, related: readonly RelatedMemory[]): MemoryDetail {
  const { memory } = detail;
  const from = memory.provenance;
  return {
    row: memoryRow(memory, detail.anchorChecks),
    text: memory.text, confidence: memory.confidence, version: memory.version, recallCount: memory.recallCount,
    notRelevantCount: memory.notRelevantCount, repeatCount: memory.repeatCount,
    ...(memory.lastRecalledAt === undefined ? {} : { lastRecalledAt: memory.lastRecalledAt }),
    anchors: anchorRows(memory, detail.anchorChecks),
    provenance: {
      via: from.via, hasTranscript: from.transcriptPath !== undefined || from.sessionId !== undefined,
      ...(from.sessionId === undefined ? {} : { sessionId: from.sessionId }), ...(detail.sessionTitle === undefined ? {} : { sessionTitle: detail.sessionTitle }), ...(from.quote === undefined ? {} : { quote: from.quote }),
      ...(from.speaker === undefined ? {} : { speaker: from.speaker }), ...(from.context === undefined ? {} : { context: from.context }),
      ...(from.saidAt === undefined ? {} : { saidAt: from.saidAt }), ...(from.model === undefined ? {} : { model: from.model }),
      ...(from.promptTemplate === undefined ? {} : { promptTemplate: from.promptTemplate }), ...(from.rule === undefined ? {} : { rule: from.rule }),
      ...(from.author === undefined ? {} : { author: from.author }), ...(from.branch === undefined ? {} : { branch: from.branch }),
      ...(from.commit === undefined ? {} : { commit: from.commit }), ...(from.importedFrom === undefined ? {} : { importedFrom: from.importedFrom }),
    },
    history: detail.history.map(historyRow),
    superseded: detail.superseded.map((other) => memoryRow(other)),
    superseding: detail.supersededBy === undefined ? [] : [memoryRow(detail.supersededBy)],
    related: related.map(({ memory: other, reasons }) => ({ row: memoryRow(other), reasons: reasons.map((reason) => ({ ...reason })) })),
    relations: detail.relations.map(({ subject, predicate, object }) => ({ subject, predicate, object })),
    given: detail.given,
  };
}
