/**
 * MemoryFilter to SQL conditions over `memory m`. One place, so that listing, searching
 * and checking agree on who passes.
 */
import type { MemoryFilter, MemoryOrder } from '../memoryStore.ts';
import type { SqlValue } from './sqliteDatabase.ts';
import { places } from './sqlValues.ts';

export interface SqlCondition {
  /** Never empty: `1` when everything passes. */
  readonly sql: string;
  readonly params: SqlValue[];
}

/** Half-open range of the strings that begin with `prefix/`: `0` follows `/` in byte order. */
export const belowFolder = (folder: string): readonly [string, string] => [`${folder}/`, `${folder}0`];

/**
 * `led`: the query reaches its memories by another way (their ids, a path, a search). Without statistics SQLite takes
 * an equal status for the rarest thing there is and would walk through all active memories; a `+` keeps it from that.
 */
export function filterSql(filter: MemoryFilter, options: { led?: boolean } = {}): SqlCondition {
  const conditions: string[] = [];
  const params: SqlValue[] = [];
  const add = (sql: string, ...values: readonly SqlValue[]): void => {
    conditions.push(sql);
    params.push(...values);
  };
  const anyOf = (column: string, values: readonly string[] | undefined): void => {
    if (values !== undefined) add(values.length === 1 ? `${column} = ?` : `${column} IN (${places(values)})`, ...values);
  };

  const isLed = options.led === true || filter.ids !== undefined || filter.externalId !== undefined || filter.sessionId !== undefined || filter.path !== undefined || filter.pinned === true || (filter.tags ?? []).length > 0;
  if (filter.ids !== undefined) add('m.id IN (SELECT value FROM json_each(?))', JSON.stringify(filter.ids));
  anyOf('m.kind', filter.kinds);
  anyOf(isLed ? '+m.status' : 'm.status', filter.statuses);
  anyOf('m.scope_level', filter.scopeLevels);
  anyOf('m.via', filter.vias);
  for (const tag of filter.tags ?? []) add('m.row_id IN (SELECT t.row_id FROM memory_tag t WHERE t.tag = ?)', tag);
  if (filter.visibleOnBranch !== undefined) add("(m.scope_level <> 'branch' OR m.scope_value = ?)", filter.visibleOnBranch);
  if (filter.branch !== undefined) add('m.branch = ?', filter.branch);
  if (filter.path !== undefined) {
    const folder = filter.path.replace(/\/+$/, '');
    if (folder === '') add('m.row_id IN (SELECT a.row_id FROM anchor a)');
    else add('m.row_id IN (SELECT a.row_id FROM anchor a WHERE a.path = ? OR (a.path >= ? AND a.path < ?))', folder, ...belowFolder(folder));
  }
  if (filter.since !== undefined) add('m.created_at >= ?', filter.since);
  if (filter.until !== undefined) add('m.created_at <= ?', filter.until);
  if (filter.clientId !== undefined) add('m.client_id = ?', filter.clientId);
  if (filter.sessionId !== undefined) add('m.session_id = ?', filter.sessionId);
  if (filter.externalId !== undefined) add('m.external_id = ?', filter.externalId);
  if (filter.pinned !== undefined) add(filter.pinned ? 'm.pinned = 1' : 'm.pinned = 0');
  if (filter.untrusted !== undefined) add(filter.untrusted ? 'm.untrusted = 1' : 'm.untrusted = 0');
  if (filter.notExpiredAt !== undefined) add('(m.expires_at IS NULL OR m.expires_at > ?)', filter.notExpiredAt);
  return { sql: conditions.length === 0 ? '1' : conditions.join(' AND '), params };
}

const FIRST_PATH = '(SELECT a.path FROM anchor a WHERE a.row_id = m.row_id ORDER BY a.ordinal LIMIT 1)';

/** Every order is total: ties end at the id. */
export const ORDER_SQL: Readonly<Record<MemoryOrder, string>> = {
  recent: 'm.updated_at DESC, m.id DESC',
  created: 'm.created_at DESC, m.id DESC',
  importance: 'm.importance DESC, m.updated_at DESC, m.id DESC',
  kind: 'm.kind, m.updated_at DESC, m.id DESC',
  file: `${FIRST_PATH} IS NULL, ${FIRST_PATH}, m.updated_at DESC, m.id DESC`,
  recalled: 'm.last_recalled_at IS NULL, m.last_recalled_at DESC, m.updated_at DESC, m.id DESC',
};
