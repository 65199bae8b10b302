/**
 * Purge: content physically gone. Here the rows go; `secure_delete` zeroes their pages,
 * FTS5's secure-delete its entries; what is left in the WAL and in inner pages of the
 * text index goes with the vacuum that follows (sqliteMemoryStore.ts).
 *
 * A memory drawn from a session is also in that session's turn and in its observation:
 * both lose their words, else the purged statement could be read there, or be taken from
 * the turn again. The turn keeps its key, so that it is not captured a second time.
 */
import type { EpochMs } from '../../../base/clock.ts';
import type { Id } from '../../../base/ids.ts';
import type { Provenance, Tombstone } from '../../model/memory.ts';
import { removeChunksOf } from './chunkTables.ts';
import { selectMemory } from './memoryReads.ts';
import { putTombstone } from './memoryWrites.ts';
import { MEMORY_FTS, TOKEN_REMOVED } from './schema.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { json, text } from './sqlValues.ts';
import { notePurged } from './storeMeta.ts';

/** Unknown ids get their tombstone all the same: a replica may learn of the purge before it learns of the memory. */
export function purgeMemory(database: SqliteDatabase, epoch: number, id: Id, reason: Tombstone['reason'], at: EpochMs): void {
  const stored = selectMemory(database, id);
  if (stored !== undefined) {
    const { rowId, memory } = stored;
    removeChunksOf(database, epoch, rowId, id);
    database.run('DELETE FROM memory_token WHERE row_id = ?', [rowId]);
    database.run('DELETE FROM memory WHERE row_id = ?', [rowId]);
    // A move leaves what the memory came from where it is; the memory lives on in the other store.
    if (reason !== 'moved') purgeOrigin(database, id, memory.provenance);
  }
  database.run('DELETE FROM memory_change WHERE memory_id = ?', [id]);
  database.run('DELETE FROM relation WHERE memory_id = ?', [id]);
  dropFromProfile(database, id);
  putTombstone(database, epoch, id, reason, at);
  notePurged(database, true);
}

function purgeOrigin(database: SqliteDatabase, id: Id, provenance: Provenance): void {
  database.run('DELETE FROM observation WHERE memory_id = ? OR id = ?', [id, provenance.observationId ?? '']);
  if (provenance.sessionId !== undefined && provenance.turnKey !== undefined) {
    database.run("UPDATE turn SET text = '', paths = NULL, extracted = 1 WHERE session_id = ? AND message_id || ':' || block_index = ?", [provenance.sessionId, provenance.turnKey]);
  }
}

/** A profile line that came from this memory alone goes; one with other sources keeps those. Lines a person typed stay. */
function dropFromProfile(database: SqliteDatabase, id: Id): void {
  const rows = database.all('SELECT key, memory_ids, edited FROM profile_value WHERE EXISTS (SELECT 1 FROM json_each(memory_ids) WHERE value = ?)', [id]);
  for (const row of rows) {
    const others = json<string[]>(row, 'memory_ids').filter((each) => each !== id);
    if (others.length === 0 && row['edited'] === 0) database.run('DELETE FROM profile_value WHERE key = ?', [text(row, 'key')]);
    else database.run('UPDATE profile_value SET memory_ids = ? WHERE key = ?', [JSON.stringify(others), text(row, 'key')]);
  }
}

/**
 * Empties the store. What stays holds no words of the person: tombstones (ids are never
 * reused, replicas must learn), chunk removals (indexes must learn), keys of turns
 * (nothing is captured twice), spend (a purge must not reset the day's cap), the audit
 * log, prompt templates and named values.
 */
export function purgeAllRows(database: SqliteDatabase, epoch: number, at: EpochMs): void {
  database.run("INSERT INTO tombstone (memory_id, reason, at, epoch) SELECT id, 'purged', ?, ? FROM memory WHERE 1 ON CONFLICT (memory_id) DO UPDATE SET reason = 'purged', at = excluded.at, epoch = excluded.epoch", [at, epoch]);
  database.run("UPDATE tombstone SET reason = 'purged', at = ?, epoch = ? WHERE reason = 'forgotten'", [at, epoch]);
  database.run('INSERT INTO chunk_removal (chunk_id, memory_id, epoch) SELECT c.chunk_id, m.id, ? FROM chunk c JOIN memory m ON m.row_id = c.row_id', [epoch]);
  // Taking the index down and up again is far faster than taking 100,000 rows out of it.
  database.exec('DROP TABLE memory_fts');
  database.exec(MEMORY_FTS);
  database.exec('DROP TRIGGER memory_token_removed');
  for (const table of ['memory_token', 'chunk_vector', 'chunk', 'memory_tag', 'anchor', 'memory', 'memory_change', 'observation', 'rejected_text', 'profile_value', 'relation', 'injection_item', 'injection_receipt', 'job', 'episode']) {
    database.run(`DELETE FROM ${table}`);
  }
  database.exec(TOKEN_REMOVED);
  database.run("UPDATE turn SET text = '', tool_name = NULL, paths = NULL, extracted = 1");
  notePurged(database, true);
}
