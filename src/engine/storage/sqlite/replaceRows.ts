/**
 * Replacing what a store in use holds by what another file holds, in one transaction: every
 * process that has the store open sees the old rows or the new ones, and a write that was
 * acknowledged before is in the copy that `before` makes. Exchanging the files instead
 * would leave those processes with the old one.
 */
import { readEpoch, writeEpoch } from './storeMeta.ts';
import { MEMORY_FTS } from './schema.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { text } from './sqlValues.ts';
import { rebuildTextIndex } from './textIndex.ts';

/** What this machine did, whatever it remembers: money stays spent and acts stay on record. */
const KEPT: ReadonlySet<string> = new Set(['spend', 'audit']);

/**
 * Both stores have one schema version. `before` runs under the write lock, before anything changes. Throws STORE_LOCKED when
 * somebody else writes all the time; then nothing was changed.
 */
export async function replaceRows(live: SqliteDatabase, finishedPath: string, before: () => void): Promise<void> {
  live.run('ATTACH DATABASE ? AS finished', [finishedPath]);
  // The rows come from a whole store; checking each of them against its parent again would take most of the time.
  live.exec('PRAGMA foreign_keys = OFF');
  try {
    await live.transaction(() => {
      before();
      const epoch = readEpoch(live) + 1;
      const triggers = live.all("SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'").map((row) => ({ name: text(row, 'name'), sql: text(row, 'sql') }));
      for (const { name } of triggers) live.exec(`DROP TRIGGER main.${name}`);
      live.exec('DROP TABLE main.memory_fts');
      for (const table of tablesOf(live)) {
        const columns = live.all(`SELECT name FROM pragma_table_info('${table}')`).map((row) => `"${text(row, 'name')}"`).join(', ');
        live.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM finished.${table}`);
      }
      live.exec(MEMORY_FTS);
      rebuildTextIndex(live);
      for (const { sql } of triggers) live.exec(sql);
      writeEpoch(live, epoch);
    });
  } finally {
    live.exec('PRAGMA foreign_keys = ON');
    live.exec('DETACH DATABASE finished');
  }
}

/** After the text index is down. sqlite_sequence stays: row numbers are never given twice. */
const tablesOf = (live: SqliteDatabase): string[] =>
  live.all("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").map((row) => text(row, 'name')).filter((name) => !KEPT.has(name));
