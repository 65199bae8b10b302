/**
 * The mapper of memory_change: one row per step of a memory's history. The memory before
 * and after is kept as JSON, since a step must survive later changes of the columns.
 */
import type { Actor, Memory, MemoryChange } from '../../model/memory.ts';
import type { SqlRow, SqlValue } from './sqliteDatabase.ts';
import { json, number, optionalText, orNull, places, present, text, word } from './sqlValues.ts';

const COLUMNS = ['change_id', 'memory_id', 'version', 'verb', 'at', 'surface', 'client_id', 'session_id', 'author', 'reason', 'before', 'after', 'act_id', 'undone_by'] as const;

export const SELECT_CHANGE = `SELECT ${COLUMNS.join(', ')} FROM memory_change`;
export const INSERT_CHANGE = `INSERT INTO memory_change (${COLUMNS.join(', ')}) VALUES (${places(COLUMNS)})`;
export const INSERT_PAST_CHANGE = `INSERT INTO memory_change (change_number, ${COLUMNS.join(', ')}) VALUES (?, ${places(COLUMNS)})`;

export function toChange(row: SqlRow): MemoryChange {
  return present<MemoryChange>({
    changeId: text(row, 'change_id'),
    memoryId: text(row, 'memory_id'),
    version: number(row, 'version'),
    verb: word(row, 'verb'),
    at: number(row, 'at'),
    actor: present<Actor>({ surface: word(row, 'surface'), clientId: optionalText(row, 'client_id'), sessionId: optionalText(row, 'session_id'), author: optionalText(row, 'author') }),
    reason: optionalText(row, 'reason'),
    before: optionalText(row, 'before') === undefined ? undefined : json<Memory>(row, 'before'),
    after: json<Memory>(row, 'after'),
    actId: text(row, 'act_id'),
    undoneBy: optionalText(row, 'undone_by'),
  });
}

export function changeParams(change: MemoryChange): SqlValue[] {
  const { actor } = change;
  return [
    change.changeId, change.memoryId, change.version, change.verb, change.at, actor.surface, orNull(actor.clientId), orNull(actor.sessionId), orNull(actor.author), orNull(change.reason),
    change.before === undefined ? null : JSON.stringify(change.before), JSON.stringify(change.after), change.actId, orNull(change.undoneBy),
  ];
}
