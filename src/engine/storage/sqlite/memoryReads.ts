/**
 * Reads of memories, their history and tombstones. Plain functions over one connection;
 * the caller holds the snapshot.
 */
import type { Id } from '../../../base/ids.ts';
import type { Memory, MemoryChange, Tombstone } from '../../model/memory.ts';
import type { MemoryFilter, MemoryOrder } from '../memoryStore.ts';
import { SELECT_CHANGE, toChange } from './changeTable.ts';
import { filterSql, ORDER_SQL } from './memoryFilterSql.ts';
import { hashOfNormalized, SELECT_MEMORY, toMemory } from './memoryTable.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { number, text, word } from './sqlValues.ts';

export function selectMemory(database: SqliteDatabase, id: Id): { rowId: number; memory: Memory } | undefined {
  const row = database.get(`${SELECT_MEMORY} WHERE m.id = ?`, [id]);
  return row === undefined ? undefined : { rowId: number(row, 'row_id'), memory: toMemory(row) };
}

export function selectMemories(database: SqliteDatabase, ids: readonly Id[]): Memory[] {
  const rows = database.all(`${SELECT_MEMORY} WHERE m.id IN (SELECT value FROM json_each(?))`, [JSON.stringify(ids)]);
  const byId = new Map(rows.map((row) => [text(row, 'id'), row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [toMemory(row)];
  });
}

export function listMemories(database: SqliteDatabase, filter: MemoryFilter, page: { limit: number; offset: number; order: MemoryOrder }): Memory[] {
  const where = filterSql(filter);
  // Row numbers first: sorting and skipping must not carry texts.
  const rows = database.all(
    `${SELECT_MEMORY} JOIN (SELECT m.row_id AS listed FROM memory m WHERE ${where.sql} ORDER BY ${ORDER_SQL[page.order]} LIMIT ? OFFSET ?) ON listed = m.row_id ORDER BY ${ORDER_SQL[page.order]}`,
    [...where.params, page.limit, page.offset],
  );
  return rows.map(toMemory);
}

export function countMemories(database: SqliteDatabase, filter: MemoryFilter): number {
  const where = filterSql(filter);
  return Number(database.value(`SELECT count(*) FROM memory m WHERE ${where.sql}`, where.params) ?? 0);
}

export function findByNormalizedText(database: SqliteDatabase, normalized: string): Memory[] {
  return database.all(`${SELECT_MEMORY} WHERE m.normalized_hash = ? AND m.status IN ('active', 'archived') ORDER BY m.row_id`, [hashOfNormalized(normalized)]).map(toMemory);
}

export function selectTombstone(database: SqliteDatabase, id: Id): Tombstone | undefined {
  const row = database.get('SELECT memory_id, reason, at, epoch FROM tombstone WHERE memory_id = ?', [id]);
  return row === undefined ? undefined : { memoryId: text(row, 'memory_id'), reason: word(row, 'reason'), at: number(row, 'at'), epoch: number(row, 'epoch') };
}

export function selectHistory(database: SqliteDatabase, id: Id): MemoryChange[] {
  return database.all(`${SELECT_CHANGE} WHERE memory_id = ? ORDER BY change_number`, [id]).map(toChange);
}

export function recentChanges(database: SqliteDatabase, page: { limit: number; offset?: number; memoryId?: Id }): MemoryChange[] {
  const [condition, params] = page.memoryId === undefined ? ['', []] : ['AND memory_id = ?', [page.memoryId]];
  return database.all(`${SELECT_CHANGE} WHERE undone_by IS NULL ${condition} ORDER BY change_number DESC LIMIT ? OFFSET ?`, [...params, page.limit, page.offset ?? 0]).map(toChange);
}

const CHANGED = 'SELECT memory_id, max(epoch) AS epoch FROM (SELECT id AS memory_id, epoch FROM memory WHERE epoch > ? UNION ALL SELECT memory_id, epoch FROM tombstone WHERE epoch > ?) GROUP BY memory_id';

/** Never ends in the middle of an epoch, so that the caller's next question (with the last epoch) misses nothing. */
export function changedSince(database: SqliteDatabase, epoch: number, limit: number): { memoryId: Id; epoch: number }[] {
  const rows = database.all(
    `WITH changed AS MATERIALIZED (${CHANGED})
     SELECT memory_id, epoch FROM changed WHERE epoch <= coalesce((SELECT epoch FROM changed ORDER BY epoch LIMIT 1 OFFSET ?), 9e15) ORDER BY epoch, memory_id`,
    [epoch, epoch, Math.max(0, limit - 1)],
  );
  return rows.map((row) => ({ memoryId: text(row, 'memory_id'), epoch: number(row, 'epoch') }));
}

/** Tags of memories that can be recalled, most used first. */
export function countTags(database: SqliteDatabase): { tag: string; count: number }[] {
  return database
    .all("SELECT t.tag AS tag, count(*) AS count FROM memory_tag t JOIN memory m ON m.row_id = t.row_id WHERE m.status = 'active' GROUP BY t.tag ORDER BY count DESC, t.tag")
    .map((row) => ({ tag: text(row, 'tag'), count: number(row, 'count') }));
}

export function searchPath(database: SqliteDatabase, path: string, filter: MemoryFilter, limit: number): Id[] {
  const clean = path.replace(/\/+$/, '');
  const folder = clean.slice(0, clean.lastIndexOf('/') + 1);
  const where = filterSql(filter, { led: true });
  // 0: this very path; 1: below it (a folder was asked for); 2: another file of the same folder.
  const nearness = `min(CASE WHEN a.path = ? THEN 0 WHEN a.path >= ? AND a.path < ? THEN 1 ELSE 2 END)`;
  const sameFolder = folder === '' ? "instr(a.path, '/') = 0" : "a.path >= ? AND a.path < ? AND instr(substr(a.path, ?), '/') = 0";
  const folderParams = folder === '' ? [] : [folder, `${folder.slice(0, -1)}0`, folder.length + 1];
  const rows = database.all(
    `SELECT m.id AS id, ${nearness} AS nearness FROM anchor a CROSS JOIN memory m ON m.row_id = a.row_id
     WHERE (a.path = ? OR (a.path >= ? AND a.path < ?) OR (${sameFolder})) AND ${where.sql}
     GROUP BY m.row_id ORDER BY nearness, m.importance DESC, m.updated_at DESC, m.id DESC LIMIT ?`,
    [clean, `${clean}/`, `${clean}0`, clean, `${clean}/`, `${clean}0`, ...folderParams, ...where.params, limit],
  );
  return rows.map((row) => text(row, 'id'));
}

export function passing(database: SqliteDatabase, ids: readonly Id[], filter: MemoryFilter): Set<Id> {
  if (ids.length === 0) return new Set();
  const where = filterSql(filter, { led: true });
  return new Set(database.all(`SELECT m.id AS id FROM memory m WHERE m.id IN (SELECT value FROM json_each(?)) AND ${where.sql}`, [JSON.stringify(ids), ...where.params]).map((row) => text(row, 'id')));
}
