/**
 * Writes of memories: row, tags, anchors, chunks, tokens and the history step always
 * change together. The caller holds the transaction and gives its epoch.
 */
import { CairnError } from '../../../base/errors.ts';
import type { EpochMs } from '../../../base/clock.ts';
import type { Id } from '../../../base/ids.ts';
import type { Memory, MemoryChange } from '../../model/memory.ts';
import { TOKENIZER_VERSION } from '../../text/tokenize.ts';
import { changeParams, INSERT_CHANGE, INSERT_PAST_CHANGE } from './changeTable.ts';
import { insertChunks, removeChunksOf } from './chunkTables.ts';
import { anchorParams, INSERT_ANCHOR, INSERT_MEMORY, INSERT_TAG, memoryParams, UPDATE_MEMORY } from './memoryTable.ts';
import { selectMemory, selectTombstone } from './memoryReads.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { feedText } from './textIndex.ts';

export type ChangeInput = Omit<MemoryChange, 'before' | 'after' | 'memoryId' | 'version'>;

export function insertMemory(database: SqliteDatabase, epoch: number, memory: Memory, chunks: readonly string[], change: ChangeInput): void {
  const tombstone = selectTombstone(database, memory.id);
  // A memory that moved to the other store may come back under its id; every other dead id stays dead.
  if (tombstone !== undefined && tombstone.reason !== 'moved') throw new CairnError('INPUT_INVALID', `The id ${memory.id} was ${tombstone.reason} and is never used again.`, { data: { field: 'id', id: memory.id } });
  if (database.get('SELECT 1 AS there FROM memory WHERE id = ?', [memory.id]) !== undefined) throw new CairnError('INPUT_INVALID', `A memory with the id ${memory.id} exists already.`, { data: { field: 'id', id: memory.id } });
  if (tombstone !== undefined) database.run('DELETE FROM tombstone WHERE memory_id = ?', [memory.id]);
  const rowId = database.insert(INSERT_MEMORY, memoryParams(memory, epoch, TOKENIZER_VERSION));
  insertParts(database, rowId, memory);
  insertChunks(database, rowId, chunks);
  feedText(database, rowId, memory);
  if (memory.status === 'forgotten') putTombstone(database, epoch, memory.id, 'forgotten', change.at);
  database.run(INSERT_CHANGE, changeParams({ ...change, memoryId: memory.id, version: memory.version, after: memory }));
}

function insertParts(database: SqliteDatabase, rowId: number, memory: Memory): void {
  for (const [ordinal, tag] of memory.tags.entries()) database.run(INSERT_TAG, [rowId, ordinal, tag]);
  for (const [ordinal, anchor] of memory.anchors.entries()) database.run(INSERT_ANCHOR, [rowId, ordinal, ...anchorParams(anchor)]);
}

export function replaceMemory(database: SqliteDatabase, epoch: number, after: Memory, chunks: readonly string[] | undefined, change: ChangeInput): void {
  const stored = selectMemory(database, after.id);
  if (stored === undefined) throw new CairnError('ID_UNKNOWN', `There is no memory ${after.id} in this store.`, { data: { id: after.id } });
  const { rowId, memory: before } = stored;
  const follows = after.version === before.version + 1 || (after.version === before.version && after.text === before.text);
  if (!follows) {
    throw new CairnError('VERSION_CONFLICT', `The memory ${after.id} is at version ${before.version} by now. Read it again and repeat the change.`, { data: { id: after.id, storedVersion: before.version, givenVersion: after.version } });
  }
  database.run(UPDATE_MEMORY, [...memoryParams(after, epoch, TOKENIZER_VERSION), rowId]);
  database.run('DELETE FROM memory_tag WHERE row_id = ?', [rowId]);
  database.run('DELETE FROM anchor WHERE row_id = ?', [rowId]);
  insertParts(database, rowId, after);
  if (chunks !== undefined) {
    removeChunksOf(database, epoch, rowId, after.id);
    insertChunks(database, rowId, chunks);
  }
  feedText(database, rowId, after);
  keepTombstone(database, epoch, after, change.at);
  database.run(INSERT_CHANGE, changeParams({ ...change, memoryId: after.id, version: after.version, before, after }));
}

/** Past steps get numbers below all others, in their order: what happened here stays the newest. */
export function putPastChanges(database: SqliteDatabase, changes: readonly MemoryChange[]): void {
  for (const change of [...changes].reverse()) {
    if (database.get('SELECT 1 AS there FROM memory_change WHERE change_id = ?', [change.changeId]) !== undefined) continue;
    const lowest = Number(database.value('SELECT min(change_number) FROM memory_change') ?? 1);
    database.run(INSERT_PAST_CHANGE, [Math.min(lowest, 1) - 1, ...changeParams(change)]);
  }
}

/** A forgotten memory has a tombstone for as long as it is forgotten: indexes and replicas learn it from there. */
function keepTombstone(database: SqliteDatabase, epoch: number, memory: Memory, at: EpochMs): void {
  if (memory.status === 'forgotten') putTombstone(database, epoch, memory.id, 'forgotten', at);
  else database.run('DELETE FROM tombstone WHERE memory_id = ?', [memory.id]);
}

export function putTombstone(database: SqliteDatabase, epoch: number, id: Id, reason: 'forgotten' | 'purged' | 'moved', at: EpochMs): void {
  database.run('INSERT INTO tombstone (memory_id, reason, at, epoch) VALUES (?, ?, ?, ?) ON CONFLICT (memory_id) DO UPDATE SET reason = excluded.reason, at = excluded.at, epoch = excluded.epoch', [id, reason, at, epoch]);
}

export function noteRecalled(database: SqliteDatabase, epoch: number, ids: readonly Id[], at: EpochMs): void {
  for (const id of new Set(ids)) database.run('UPDATE memory SET recall_count = recall_count + 1, last_recalled_at = max(coalesce(last_recalled_at, 0), ?), epoch = ? WHERE id = ?', [at, epoch, id]);
}
