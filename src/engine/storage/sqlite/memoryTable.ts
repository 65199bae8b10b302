/**
 * The mapper of the table memory (with its tags and anchors): the one column list, row to
 * Memory and Memory to row.
 */
import { createHash } from 'node:crypto';
import type { Anchor, Memory, Provenance } from '../../model/memory.ts';
import type { Scope } from '../../model/scope.ts';
import { normalizeText } from '../../text/normalize.ts';
import type { SqlRow, SqlValue } from './sqliteDatabase.ts';
import { bit, flag, json, number, optionalNumber, optionalText, optionalWord, orNull, present, text, word } from './sqlValues.ts';

/** Every column that a Memory fills, without row_id, epoch and what is derived from the text. */
const COLUMNS = [
  'id', 'text', 'kind', 'importance', 'confidence', 'pinned', 'scope_level', 'scope_value', 'status', 'created_at', 'updated_at', 'valid_from', 'valid_until', 'expires_at',
  'last_recalled_at', 'recall_count', 'not_relevant_count', 'repeat_count', 'version', 'external_id', 'supersedes', 'superseded_by', 'untrusted', 'suspicious',
  'via', 'session_id', 'turn_key', 'transcript_path', 'quote', 'speaker', 'context', 'said_at', 'rule', 'model', 'prompt_template', 'client_id', 'author', 'branch', 'commit_hash',
  'episode_id', 'observation_id', 'imported_from',
] as const;

const WRITTEN = [...COLUMNS, 'epoch', 'normalized_hash', 'token_version'] as const;

const TAGS = '(SELECT json_group_array(t.tag ORDER BY t.ordinal) FROM memory_tag t WHERE t.row_id = m.row_id) AS tags';
const ANCHOR_COLUMNS = ['path', 'symbol', 'start_line', 'end_line', 'content_hash', 'commit_hash', 'snippet'] as const;
const ANCHORS = `(SELECT json_group_array(json_array(${ANCHOR_COLUMNS.map((column) => `a.${column}`).join(', ')}) ORDER BY a.ordinal) FROM anchor a WHERE a.row_id = m.row_id) AS anchors`;

/** `SELECT ...` of whole memories from `memory m`; append conditions. */
export const SELECT_MEMORY = `SELECT m.row_id, ${COLUMNS.map((column) => `m.${column}`).join(', ')}, ${TAGS}, ${ANCHORS} FROM memory m`;
export const INSERT_MEMORY = `INSERT INTO memory (${WRITTEN.join(', ')}) VALUES (${WRITTEN.map(() => '?').join(', ')})`;
export const UPDATE_MEMORY = `UPDATE memory SET ${WRITTEN.map((column) => `${column} = ?`).join(', ')} WHERE row_id = ?`;
export const INSERT_TAG = 'INSERT INTO memory_tag (row_id, ordinal, tag) VALUES (?, ?, ?)';
export const INSERT_ANCHOR = `INSERT INTO anchor (row_id, ordinal, ${ANCHOR_COLUMNS.join(', ')}) VALUES (?, ?, ${ANCHOR_COLUMNS.map(() => '?').join(', ')})`;

/** What equality of statements is asked by: SHA-256 of the normal form. Holds no words, so it may outlive a rejected text. */
export const hashOfNormalized = (normalized: string): Uint8Array => createHash('sha256').update(normalized, 'utf8').digest();

function scopeOf(row: SqlRow): Scope {
  const level = word<Scope['level']>(row, 'scope_level');
  if (level === 'branch') return { level, branch: text(row, 'scope_value') };
  if (level === 'path') return { level, glob: text(row, 'scope_value') };
  return { level };
}

function scopeValue(scope: Scope): SqlValue {
  if (scope.level === 'branch') return scope.branch;
  return scope.level === 'path' ? scope.glob : null;
}

type AnchorTuple = [string, string | null, number | null, number | null, string | null, string | null, string | null];

function toAnchor([path, symbol, startLine, endLine, contentHash, commit, snippet]: AnchorTuple): Anchor {
  return present<Anchor>({
    path, symbol: symbol ?? undefined, startLine: startLine ?? undefined, endLine: endLine ?? undefined,
    contentHash: contentHash ?? undefined, commit: commit ?? undefined, snippet: snippet ?? undefined,
  });
}

export const anchorParams = (anchor: Anchor): SqlValue[] => [
  anchor.path, orNull(anchor.symbol), orNull(anchor.startLine), orNull(anchor.endLine), orNull(anchor.contentHash), orNull(anchor.commit), orNull(anchor.snippet),
];

function toProvenance(row: SqlRow): Provenance {
  return present<Provenance>({
    via: word(row, 'via'),
    sessionId: optionalText(row, 'session_id'),
    turnKey: optionalText(row, 'turn_key'),
    transcriptPath: optionalText(row, 'transcript_path'),
    quote: optionalText(row, 'quote'),
    speaker: optionalWord(row, 'speaker'),
    context: optionalText(row, 'context'),
    saidAt: optionalNumber(row, 'said_at'),
    rule: optionalText(row, 'rule'),
    model: optionalText(row, 'model'),
    promptTemplate: optionalText(row, 'prompt_template'),
    clientId: optionalText(row, 'client_id'),
    author: optionalText(row, 'author'),
    branch: optionalText(row, 'branch'),
    commit: optionalText(row, 'commit_hash'),
    episodeId: optionalText(row, 'episode_id'),
    observationId: optionalText(row, 'observation_id'),
    importedFrom: optionalText(row, 'imported_from'),
  });
}

/** A row of SELECT_MEMORY. */
export function toMemory(row: SqlRow): Memory {
  return present<Memory>({
    id: text(row, 'id'),
    text: text(row, 'text'),
    kind: word(row, 'kind'),
    importance: number(row, 'importance'),
    confidence: number(row, 'confidence'),
    tags: json<string[]>(row, 'tags'),
    pinned: flag(row, 'pinned'),
    scope: scopeOf(row),
    status: word(row, 'status'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
    validFrom: number(row, 'valid_from'),
    validUntil: optionalNumber(row, 'valid_until'),
    expiresAt: optionalNumber(row, 'expires_at'),
    lastRecalledAt: optionalNumber(row, 'last_recalled_at'),
    recallCount: number(row, 'recall_count'),
    notRelevantCount: number(row, 'not_relevant_count'),
    repeatCount: number(row, 'repeat_count'),
    version: number(row, 'version'),
    externalId: optionalText(row, 'external_id'),
    provenance: toProvenance(row),
    anchors: json<AnchorTuple[]>(row, 'anchors').map(toAnchor),
    supersedes: json<string[]>(row, 'supersedes'),
    supersededBy: optionalText(row, 'superseded_by'),
    untrusted: flag(row, 'untrusted'),
    suspicious: flag(row, 'suspicious'),
  });
}

/** Values in the order of INSERT_MEMORY and UPDATE_MEMORY. */
export function memoryParams(memory: Memory, epoch: number, tokenVersion: number): SqlValue[] {
  const { provenance: from } = memory;
  return [
    memory.id, memory.text, memory.kind, memory.importance, memory.confidence, bit(memory.pinned), memory.scope.level, scopeValue(memory.scope), memory.status,
    memory.createdAt, memory.updatedAt, memory.validFrom, orNull(memory.validUntil), orNull(memory.expiresAt), orNull(memory.lastRecalledAt), memory.recallCount, memory.notRelevantCount,
    memory.repeatCount, memory.version, orNull(memory.externalId), JSON.stringify(memory.supersedes), orNull(memory.supersededBy), bit(memory.untrusted), bit(memory.suspicious),
    from.via, orNull(from.sessionId), orNull(from.turnKey), orNull(from.transcriptPath), orNull(from.quote), orNull(from.speaker), orNull(from.context), orNull(from.saidAt), orNull(from.rule),
    orNull(from.model), orNull(from.promptTemplate), orNull(from.clientId), orNull(from.author), orNull(from.branch), orNull(from.commit), orNull(from.episodeId), orNull(from.observationId),
    orNull(from.importedFrom), epoch, hashOfNormalized(normalizeText(memory.text)), tokenVersion,
  ];
}
