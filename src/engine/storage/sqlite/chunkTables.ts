/**
 * Chunks, their vectors, and the log of removed chunks. A vector is a blob of 32-bit
 * floats, little endian, stamped with the epoch that wrote it: that is how every index
 * catches up from rows.
 */
import { CairnError } from '../../../base/errors.ts';
import type { Id } from '../../../base/ids.ts';
import type { Chunk, VectorRow } from '../memoryStore.ts';
import type { SqliteDatabase, SqlRow } from './sqliteDatabase.ts';
import { blob, number, text } from './sqlValues.ts';

const SELECT_CHUNK = 'SELECT c.chunk_id, m.id AS memory_id, c.ordinal, c.text FROM chunk c JOIN memory m ON m.row_id = c.row_id';

const toChunk = (row: SqlRow): Chunk => ({ chunkId: number(row, 'chunk_id'), memoryId: text(row, 'memory_id'), ordinal: number(row, 'ordinal'), text: text(row, 'text') });

/** Platforms Cairn runs on are little endian; a copy gives the floats an aligned buffer of their own. */
export function toVector(bytes: Uint8Array): Float32Array {
  if (bytes.byteLength === 0 || bytes.byteLength % 4 !== 0) throw new CairnError('STORE_CORRUPT', 'A stored vector has an impossible length. Run `cairn doctor`.');
  return new Float32Array(bytes.slice().buffer);
}

const toBytes = (vector: Float32Array): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

export function insertChunks(database: SqliteDatabase, rowId: number, chunks: readonly string[]): void {
  for (const [ordinal, chunk] of chunks.entries()) database.run('INSERT INTO chunk (row_id, ordinal, text) VALUES (?, ?, ?)', [rowId, ordinal, chunk]);
}

/** Takes chunks and vectors away and notes the removal for indexes that hold them. */
export function removeChunksOf(database: SqliteDatabase, epoch: number, rowId: number, memoryId: Id): void {
  database.run('INSERT INTO chunk_removal (chunk_id, memory_id, epoch) SELECT chunk_id, ?, ? FROM chunk WHERE row_id = ?', [memoryId, epoch, rowId]);
  database.run('DELETE FROM chunk WHERE row_id = ?', [rowId]);
}

export function selectChunks(database: SqliteDatabase, memoryId: Id): Chunk[] {
  return database.all(`${SELECT_CHUNK} WHERE m.id = ? ORDER BY c.ordinal`, [memoryId]).map(toChunk);
}

function versionNumber(database: SqliteDatabase, version: string): number | undefined {
  const value = database.value('SELECT version_number FROM embedding_version WHERE version = ?', [version]);
  return typeof value === 'number' ? value : undefined;
}

export function chunksWithoutVector(database: SqliteDatabase, version: string, limit: number): Chunk[] {
  return database
    .all(`${SELECT_CHUNK} WHERE NOT EXISTS (SELECT 1 FROM chunk_vector v WHERE v.chunk_id = c.chunk_id AND v.version_number = ?) ORDER BY c.chunk_id LIMIT ?`, [versionNumber(database, version) ?? 0, limit])
    .map(toChunk);
}

export function countVectors(database: SqliteDatabase, version: string): number {
  return Number(database.value('SELECT count(*) FROM chunk_vector WHERE version_number = ?', [versionNumber(database, version) ?? 0]) ?? 0);
}

export function embeddingVersions(database: SqliteDatabase): { version: string; vectors: number }[] {
  return database
    .all('SELECT e.version AS version, count(v.chunk_id) AS vectors FROM embedding_version e LEFT JOIN chunk_vector v ON v.version_number = e.version_number GROUP BY e.version_number ORDER BY e.version_number')
    .map((row) => ({ version: text(row, 'version'), vectors: number(row, 'vectors') }));
}

export function vectorsSince(database: SqliteDatabase, version: string, epoch: number, limit: number, afterChunkId: number | undefined): VectorRow[] {
  // Without a chunk the cursor stands behind the whole epoch.
  const cursor = [epoch, afterChunkId ?? Number.MAX_SAFE_INTEGER];
  const added = database.all(
    'SELECT v.chunk_id, m.id AS memory_id, v.epoch, v.vector FROM chunk_vector v JOIN chunk c ON c.chunk_id = v.chunk_id JOIN memory m ON m.row_id = c.row_id WHERE v.version_number = ? AND (v.epoch, v.chunk_id) > (?, ?) ORDER BY v.epoch, v.chunk_id LIMIT ?',
    [versionNumber(database, version) ?? 0, ...cursor, limit],
  );
  const removed = database.all('SELECT chunk_id, memory_id, epoch FROM chunk_removal WHERE (epoch, chunk_id) > (?, ?) ORDER BY epoch, chunk_id LIMIT ?', [...cursor, limit]);
  return [...added, ...removed]
    .map((row): VectorRow => ({ chunkId: number(row, 'chunk_id'), memoryId: text(row, 'memory_id'), epoch: number(row, 'epoch'), vector: row['vector'] === undefined ? undefined : toVector(blob(row, 'vector')) }))
    .sort((a, b) => a.epoch - b.epoch || a.chunkId - b.chunkId)
    .slice(0, limit);
}

export function selectVectors(database: SqliteDatabase, version: string, chunkIds: readonly number[]): Map<number, Float32Array> {
  const rows = database.all('SELECT chunk_id, vector FROM chunk_vector WHERE version_number = ? AND chunk_id IN (SELECT value FROM json_each(?))', [versionNumber(database, version) ?? 0, JSON.stringify(chunkIds)]);
  return new Map(rows.map((row) => [number(row, 'chunk_id'), toVector(blob(row, 'vector'))]));
}

export function memoryIdsOfChunks(database: SqliteDatabase, chunkIds: readonly number[]): Map<number, Id> {
  const rows = database.all('SELECT c.chunk_id, m.id AS memory_id FROM chunk c JOIN memory m ON m.row_id = c.row_id WHERE c.chunk_id IN (SELECT value FROM json_each(?))', [JSON.stringify(chunkIds)]);
  return new Map(rows.map((row) => [number(row, 'chunk_id'), text(row, 'memory_id')]));
}

export function chunkIdsOf(database: SqliteDatabase, memoryIds: readonly Id[]): Map<Id, readonly number[]> {
  const rows = database.all('SELECT m.id AS memory_id, json_group_array(c.chunk_id) AS chunk_ids FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value JOIN chunk c ON c.row_id = m.row_id GROUP BY m.row_id', [JSON.stringify(memoryIds)]);
  return new Map(rows.map((row) => [text(row, 'memory_id'), JSON.parse(text(row, 'chunk_ids')) as number[]]));
}

/** Chunks that are gone by now are left out: their memory changed while the model worked. Zero and non-finite vectors are refused. */
export function putVectors(database: SqliteDatabase, epoch: number, version: string, rows: readonly { chunkId: number; vector: Float32Array }[]): void {
  if (rows.length === 0) return;
  for (const { chunkId, vector } of rows) {
    if (!vector.every(Number.isFinite) || vector.every((value) => value === 0)) throw new CairnError('EMBEDDING_FAILED', `The vector of chunk ${chunkId} is zero or not finite; it was not stored.`, { data: { chunkId } });
  }
  database.run('INSERT INTO embedding_version (version) VALUES (?) ON CONFLICT DO NOTHING', [version]);
  const stamp = versionNumber(database, version) ?? 0;
  const known = database.value('SELECT length(vector) FROM chunk_vector WHERE version_number = ? LIMIT 1', [stamp]) ?? rows[0]?.vector.byteLength;
  for (const { chunkId, vector } of rows) {
    if (vector.byteLength !== known) throw new CairnError('EMBEDDING_MISMATCH', `Vectors of ${version} have ${Number(known) / 4} dimensions, not ${vector.length}.`, { data: { chunkId, dimensions: vector.length } });
    database.run(
      'INSERT INTO chunk_vector (chunk_id, version_number, epoch, vector) SELECT chunk_id, ?, ?, ? FROM chunk WHERE chunk_id = ? ON CONFLICT (chunk_id, version_number) DO UPDATE SET epoch = excluded.epoch, vector = excluded.vector',
      [stamp, epoch, toBytes(vector), chunkId],
    );
  }
}

export function removeVectorsOfVersion(database: SqliteDatabase, version: string): number {
  const stamp = versionNumber(database, version);
  if (stamp === undefined) return 0;
  const removed = database.run('DELETE FROM chunk_vector WHERE version_number = ?', [stamp]);
  database.run('DELETE FROM embedding_version WHERE version_number = ?', [stamp]);
  return removed;
}
