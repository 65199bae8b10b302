/**
 * Counts for stats and doctor: one pass over the indexes, no texts read.
 */
import fs from 'node:fs';
import type { MemoryStatus } from '../../model/memory.ts';
import type { StoreInfo } from '../memoryStore.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { number, text, word } from './sqlValues.ts';
import { readEpoch, readVersions } from './storeMeta.ts';

/** The file and its WAL. */
function sizeOnDisk(storePath: string): number {
  return [storePath, `${storePath}-wal`].reduce((sum, file) => sum + (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

export function readInfo(database: SqliteDatabase): StoreInfo {
  const count = (sql: string): number => Number(database.value(sql) ?? 0);
  const statuses = database.all('SELECT status, count(*) AS count FROM memory GROUP BY status').map((row): [MemoryStatus, number] => [word(row, 'status'), number(row, 'count')]);
  const kinds = database.all("SELECT kind, count(*) AS count, avg(importance) AS mean FROM memory WHERE status = 'active' GROUP BY kind ORDER BY count DESC, kind");
  return {
    schemaVersion: readVersions(database)?.schemaVersion ?? 0,
    epoch: readEpoch(database),
    memories: statuses.reduce((sum, [, each]) => sum + each, 0),
    byStatus: Object.fromEntries(statuses),
    byKind: kinds.map((row) => ({ kind: word(row, 'kind'), count: number(row, 'count'), meanImportance: number(row, 'mean') })),
    observationsWaiting: count("SELECT count(*) FROM observation WHERE state = 'waiting'"),
    chunks: count('SELECT count(*) FROM chunk'),
    chunksWithoutVector: count('SELECT count(*) FROM chunk c WHERE NOT EXISTS (SELECT 1 FROM chunk_vector v WHERE v.chunk_id = c.chunk_id)'),
    sizeBytes: sizeOnDisk(database.path),
    journalMode: String(database.value('PRAGMA journal_mode') ?? ''),
    readOnly: database.mode !== 'write',
  };
}

/** For messages: `text` of the first problem lines of SQLite's own check. */
export function readProblems(database: SqliteDatabase, pragma: 'quick_check' | 'integrity_check'): string[] {
  const column = pragma;
  return database.all(`PRAGMA ${pragma}(50)`).map((row) => text(row, column)).filter((line) => line !== 'ok');
}
