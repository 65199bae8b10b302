/**
 * Search for signs: `??`, `=>`, `→`. The keyword index holds words only, so a query that has none is looked up in the
 * texts as they are, newest first. One everyday punctuation mark alone asks for nothing.
 */
import type { LexicalHit, MemoryFilter } from '../memoryStore.ts';
import { filterSql } from './memoryFilterSql.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { text } from './sqlValues.ts';

const EVERYDAY = /^[.,;:!?'"()\-_/%*。，、；：？！（）“”‘’…—]$/u;
/** A line of dashes is one sign, not sixteen. */
const MOST_SIGNS = 8;

/** Empty for a query with words. */
export function searchSigns(database: SqliteDatabase, query: string, filter: MemoryFilter, limit: number): LexicalHit[] {
  const signs = /[\p{L}\p{N}\p{C}]/u.test(query) ? [] : query.split(/\s+/u).filter((sign) => sign !== '' && !EVERYDAY.test(sign)).slice(0, MOST_SIGNS);
  if (signs.length === 0 || limit < 1) return [];
  const where = filterSql(filter);
  const rows = database.all(`SELECT m.id AS id FROM memory m WHERE ${where.sql} AND ${signs.map(() => 'instr(m.text, ?) > 0').join(' AND ')} ORDER BY m.row_id DESC LIMIT ?`, [...where.params, ...signs, limit]);
  return rows.map((row, i) => ({ memoryId: text(row, 'id'), rank: i + 1, bm25: -1, coverage: 1 }));
}
