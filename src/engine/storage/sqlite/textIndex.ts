/**
 * Feeding the full-text index: a memory's tokens go, blank-separated, into memory_token,
 * whose triggers keep memory_fts (FTS5, external content) in step. FTS5's own tokenizer
 * only splits at blanks: what a word is, is decided in text/tokenize.ts alone.
 *
 * Each memory row remembers the tokenizer's version that fed it. A newer program feeds
 * stale rows again in small transactions while search goes on; an older one leaves newer
 * rows alone. memory_token keeps the old tokens, so a row is always taken out by exactly
 * what was put in.
 */
import type { Memory } from '../../model/memory.ts';
import { indexTokens, TOKENIZER_VERSION } from '../../text/tokenize.ts';
import { SELECT_MEMORY, toMemory } from './memoryTable.ts';
import { TEXT_COLUMNS, type TextColumn } from './schema.ts';
import type { SqliteDatabase, SqlRow } from './sqliteDatabase.ts';
import { number } from './sqlValues.ts';

/** Stale rows fed again within one transaction; about 30 ms on the development machine. */
const REFRESH_BATCH = 200;

const UPSERT = `INSERT INTO memory_token (row_id, ${TEXT_COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (row_id) DO UPDATE SET ${TEXT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
  WHERE ${TEXT_COLUMNS.map((column) => `memory_token.${column} <> excluded.${column}`).join(' OR ')}`;

/** One blank separates tokens; a token itself holds neither blanks nor quotes. */
export const joinTokens = (tokens: readonly string[]): string => tokens.map((token) => token.replaceAll(/[\s"'\0]+/gu, '')).filter((token) => token !== '').join(' ');

export function tokensOf(memory: Memory): Record<TextColumn, string> {
  return {
    text: joinTokens(indexTokens(memory.text)),
    tags: joinTokens(indexTokens(memory.tags.join(' , '))),
    path: joinTokens(memory.anchors.flatMap((anchor) => [...indexTokens(anchor.path), ...indexTokens(anchor.symbol ?? '')])),
    quote: joinTokens(indexTokens(memory.provenance.quote ?? '')),
  };
}

export function feedText(database: SqliteDatabase, rowId: number, memory: Memory): void {
  const tokens = tokensOf(memory);
  database.run(UPSERT, [rowId, ...TEXT_COLUMNS.map((column) => tokens[column])]);
}

function staleRows(database: SqliteDatabase): SqlRow[] {
  return database.all(`${SELECT_MEMORY} WHERE m.token_version < ? ORDER BY m.token_version, m.row_id LIMIT ?`, [TOKENIZER_VERSION, REFRESH_BATCH]);
}

export const hasStaleText = (database: SqliteDatabase): boolean => database.get('SELECT 1 AS stale FROM memory WHERE token_version < ? LIMIT 1', [TOKENIZER_VERSION]) !== undefined;

/** Feeds one batch again, in a transaction of its own. Returns how many rows were done; 0 means that nothing is stale. */
export async function refreshTextBatch(database: SqliteDatabase): Promise<number> {
  return database.transaction(() => {
    const rows = staleRows(database);
    for (const row of rows) {
      const rowId = number(row, 'row_id');
      feedText(database, rowId, toMemory(row));
      database.run('UPDATE memory SET token_version = ? WHERE row_id = ?', [TOKENIZER_VERSION, rowId]);
    }
    return rows.length;
  });
}

/** Makes the index anew from the stored tokens: the cure when only the index is damaged, and what makes a purge reach its inner pages. */
export function rebuildTextIndex(database: SqliteDatabase): void {
  database.exec("INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')");
}

/** Undefined when the index agrees with the stored tokens, else what SQLite says. */
export function checkTextIndex(database: SqliteDatabase): string | undefined {
  try {
    database.exec("INSERT INTO memory_fts(memory_fts, rank) VALUES ('integrity-check', 1)");
    return undefined;
  } catch (error) {
    // The answer of this command is its error.
    return `The text index does not agree with its rows (${error instanceof Error ? error.message : String(error)}).`;
  }
}
