/**
 * Mappers of episode, turn and observation: raw experience and what waits in the inbox.
 */
import type { Id } from '../../../base/ids.ts';
import type { Episode, Turn } from '../../model/episode.ts';
import type { Observation, ObservationState, ProposedOutcome } from '../../model/observation.ts';
import { formatScope, parseScope } from '../../model/scope.ts';
import { normalizeText } from '../../text/normalize.ts';
import { hashOfNormalized } from './memoryTable.ts';
import type { SqliteDatabase, SqlRow, SqlValue } from './sqliteDatabase.ts';
import { bit, flag, json, number, optionalNumber, optionalText, optionalWord, orNull, places, present, text, word } from './sqlValues.ts';

const EPISODE_COLUMNS = ['id', 'session_id', 'transcript_path', 'cwd', 'branch', 'started_at', 'ended_at', 'title', 'client_version'] as const;
const SELECT_EPISODE = `SELECT ${EPISODE_COLUMNS.join(', ')} FROM episode`;

function toEpisode(row: SqlRow): Episode {
  return present<Episode>({
    id: text(row, 'id'),
    sessionId: text(row, 'session_id'),
    transcriptPath: optionalText(row, 'transcript_path'),
    cwd: optionalText(row, 'cwd'),
    branch: optionalText(row, 'branch'),
    startedAt: number(row, 'started_at'),
    endedAt: optionalNumber(row, 'ended_at'),
    title: optionalText(row, 'title'),
    clientVersion: optionalText(row, 'client_version'),
  });
}

export function selectEpisode(database: SqliteDatabase, sessionId: string): Episode | undefined {
  const row = database.get(`${SELECT_EPISODE} WHERE session_id = ?`, [sessionId]);
  return row === undefined ? undefined : toEpisode(row);
}

export function listEpisodes(database: SqliteDatabase, page: { limit: number; offset: number }): Episode[] {
  return database.all(`${SELECT_EPISODE} ORDER BY started_at DESC, episode_number DESC LIMIT ? OFFSET ?`, [page.limit, page.offset]).map(toEpisode);
}

/** One episode per session: a later one replaces what is known of it. */
export function putEpisode(database: SqliteDatabase, episode: Episode): void {
  const replaced = EPISODE_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ');
  database.run(`INSERT INTO episode (${EPISODE_COLUMNS.join(', ')}) VALUES (${places(EPISODE_COLUMNS)}) ON CONFLICT (session_id) DO UPDATE SET ${replaced}`, [
    episode.id, episode.sessionId, orNull(episode.transcriptPath), orNull(episode.cwd), orNull(episode.branch), episode.startedAt, orNull(episode.endedAt), orNull(episode.title), orNull(episode.clientVersion),
  ]);
}

const TURN_COLUMNS = ['session_id', 'message_id', 'block_index', 'speaker', 'text', 'at', 'sidechain', 'tool_name', 'paths'] as const;

export type StoredTurn = Turn & { sequence: number; extracted: boolean };

function toTurn(row: SqlRow): StoredTurn {
  return present<StoredTurn>({
    sequence: number(row, 'sequence'),
    extracted: flag(row, 'extracted'),
    sessionId: text(row, 'session_id'),
    messageId: text(row, 'message_id'),
    blockIndex: number(row, 'block_index'),
    speaker: word(row, 'speaker'),
    text: text(row, 'text'),
    at: number(row, 'at'),
    sidechain: flag(row, 'sidechain'),
    toolName: optionalText(row, 'tool_name'),
    paths: optionalText(row, 'paths') === undefined ? undefined : json<string[]>(row, 'paths'),
  });
}

export function selectTurns(database: SqliteDatabase, sessionId: string, options: { afterSequence?: number; limit?: number } = {}): StoredTurn[] {
  return database
    .all(`SELECT sequence, extracted, ${TURN_COLUMNS.join(', ')} FROM turn WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`, [sessionId, options.afterSequence ?? 0, options.limit ?? -1])
    .map(toTurn);
}

export function putTurns(database: SqliteDatabase, turns: readonly Turn[]): number {
  let added = 0;
  for (const turn of turns) {
    added += database.run(`INSERT INTO turn (${TURN_COLUMNS.join(', ')}) VALUES (${places(TURN_COLUMNS)}) ON CONFLICT (session_id, message_id, block_index) DO NOTHING`, [
      turn.sessionId, turn.messageId, turn.blockIndex, turn.speaker, turn.text, turn.at, bit(turn.sidechain), orNull(turn.toolName), turn.paths === undefined ? null : JSON.stringify(turn.paths),
    ]);
  }
  return added;
}

export function markTurnsExtracted(database: SqliteDatabase, sessionId: string, upToSequence: number): void {
  database.run('UPDATE turn SET extracted = 1 WHERE session_id = ? AND sequence <= ? AND extracted = 0', [sessionId, upToSequence]);
}

const OBSERVATION_COLUMNS = [
  'id', 'text', 'normalized_hash', 'kind', 'importance', 'confidence', 'tags', 'scope', 'expires_at', 'anchors', 'provenance', 'session_id', 'rule', 'untrusted', 'suspicious',
  'outcome_verb', 'target_id', 'why', 'state', 'created_at', 'decided_at', 'reject_reason', 'memory_id',
] as const;
const SELECT_OBSERVATION = `SELECT ${OBSERVATION_COLUMNS.join(', ')} FROM observation`;

function outcomeOf(row: SqlRow): ProposedOutcome {
  const verb = word<ProposedOutcome['verb']>(row, 'outcome_verb');
  return verb === 'add' ? { verb } : { verb, targetId: text(row, 'target_id') };
}

function toObservation(row: SqlRow): Observation {
  return present<Observation>({
    id: text(row, 'id'),
    text: text(row, 'text'),
    kind: word(row, 'kind'),
    importance: number(row, 'importance'),
    confidence: number(row, 'confidence'),
    tags: json<string[]>(row, 'tags'),
    scope: parseScope(text(row, 'scope')),
    expiresAt: optionalNumber(row, 'expires_at'),
    anchors: json<Observation['anchors']>(row, 'anchors'),
    provenance: json<Observation['provenance']>(row, 'provenance'),
    untrusted: flag(row, 'untrusted'),
    suspicious: flag(row, 'suspicious'),
    outcome: outcomeOf(row),
    why: text(row, 'why'),
    state: word(row, 'state'),
    createdAt: number(row, 'created_at'),
    decidedAt: optionalNumber(row, 'decided_at'),
    rejectReason: optionalWord(row, 'reject_reason'),
    memoryId: optionalText(row, 'memory_id'),
  });
}

function observationParams(observation: Observation): SqlValue[] {
  const { outcome, provenance } = observation;
  return [
    observation.id, observation.text, hashOfNormalized(normalizeText(observation.text)), observation.kind, observation.importance, observation.confidence, JSON.stringify(observation.tags),
    formatScope(observation.scope), orNull(observation.expiresAt), JSON.stringify(observation.anchors), JSON.stringify(provenance), orNull(provenance.sessionId), orNull(provenance.rule),
    bit(observation.untrusted), bit(observation.suspicious), outcome.verb, outcome.verb === 'add' ? null : outcome.targetId, observation.why, observation.state, observation.createdAt,
    orNull(observation.decidedAt), orNull(observation.rejectReason), orNull(observation.memoryId),
  ];
}

export function selectObservation(database: SqliteDatabase, id: Id): Observation | undefined {
  const row = database.get(`${SELECT_OBSERVATION} WHERE id = ?`, [id]);
  return row === undefined ? undefined : toObservation(row);
}

export interface ObservationFilter {
  readonly states?: readonly ObservationState[];
  readonly sessionId?: string;
  readonly ids?: readonly Id[];
  readonly rule?: string;
}

export function listObservations(database: SqliteDatabase, filter: ObservationFilter, page: { limit: number; offset: number }): { observations: Observation[]; total: number } {
  const conditions = ['1'];
  const params: SqlValue[] = [];
  const add = (sql: string, ...values: readonly SqlValue[]): void => {
    conditions.push(sql);
    params.push(...values);
  };
  if (filter.states !== undefined) add(`state IN (${places(filter.states)})`, ...filter.states);
  if (filter.sessionId !== undefined) add('session_id = ?', filter.sessionId);
  if (filter.ids !== undefined) add('id IN (SELECT value FROM json_each(?))', JSON.stringify(filter.ids));
  if (filter.rule !== undefined) add('rule = ?', filter.rule);
  const where = conditions.join(' AND ');
  const observations = database.all(`${SELECT_OBSERVATION} WHERE ${where} ORDER BY created_at DESC, observation_number DESC LIMIT ? OFFSET ?`, [...params, page.limit, page.offset]).map(toObservation);
  return { observations, total: Number(database.value(`SELECT count(*) FROM observation WHERE ${where}`, params) ?? 0) };
}

export function wasRejected(database: SqliteDatabase, normalized: string): boolean {
  return database.get('SELECT 1 AS there FROM rejected_text WHERE normalized_hash = ?', [hashOfNormalized(normalized)]) !== undefined;
}

/** Adds or replaces; a rejection is remembered by hash, and taken back when the observation leaves that state. */
export function putObservation(database: SqliteDatabase, observation: Observation): void {
  const replaced = OBSERVATION_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ');
  database.run(`INSERT INTO observation (${OBSERVATION_COLUMNS.join(', ')}) VALUES (${places(OBSERVATION_COLUMNS)}) ON CONFLICT (id) DO UPDATE SET ${replaced}`, observationParams(observation));
  if (observation.state === 'rejected') {
    database.run('INSERT INTO rejected_text (normalized_hash, observation_id) VALUES (?, ?) ON CONFLICT (normalized_hash) DO UPDATE SET observation_id = excluded.observation_id', [hashOfNormalized(normalizeText(observation.text)), observation.id]);
  } else {
    database.run('DELETE FROM rejected_text WHERE observation_id = ?', [observation.id]);
  }
}
