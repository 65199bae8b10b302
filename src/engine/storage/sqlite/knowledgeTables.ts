/**
 * Mappers of profile_value and relation: the profile [K7] and the entity graph [K8].
 */
import type { Id } from '../../../base/ids.ts';
import type { ProfileValue, Relation } from '../../model/memory.ts';
import type { SqliteDatabase, SqlRow } from './sqliteDatabase.ts';
import { bit, flag, json, number, optionalText, orNull, present, text } from './sqlValues.ts';

const toProfileValue = (row: SqlRow): ProfileValue => ({
  key: text(row, 'key'), value: text(row, 'value'), confidence: number(row, 'confidence'), memoryIds: json<string[]>(row, 'memory_ids'), updatedAt: number(row, 'updated_at'), edited: flag(row, 'edited'),
});

export function selectProfile(database: SqliteDatabase): ProfileValue[] {
  return database.all('SELECT key, value, confidence, memory_ids, updated_at, edited FROM profile_value ORDER BY key').map(toProfileValue);
}

export function putProfileValue(database: SqliteDatabase, value: ProfileValue): void {
  database.run(
    'INSERT INTO profile_value (key, value, confidence, memory_ids, updated_at, edited) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, confidence = excluded.confidence, memory_ids = excluded.memory_ids, updated_at = excluded.updated_at, edited = excluded.edited',
    [value.key, value.value, value.confidence, JSON.stringify(value.memoryIds), value.updatedAt, bit(value.edited)],
  );
}

export function removeProfileValue(database: SqliteDatabase, key: string): void {
  database.run('DELETE FROM profile_value WHERE key = ?', [key]);
}

/** Entities are found whatever their case and width. */
const entityKey = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

const SELECT_RELATION = 'SELECT id, subject, predicate, object, memory_id, created_at FROM relation';

const toRelation = (row: SqlRow): Relation =>
  present<Relation>({ id: text(row, 'id'), subject: text(row, 'subject'), predicate: text(row, 'predicate'), object: text(row, 'object'), memoryId: optionalText(row, 'memory_id'), createdAt: number(row, 'created_at') });

/** Newest first. Both conditions must hold when both are given. */
export function selectRelations(database: SqliteDatabase, filter: { entity?: string; memoryId?: Id }, limit: number): Relation[] {
  const key = filter.entity === undefined ? null : entityKey(filter.entity);
  const memoryId = filter.memoryId ?? null;
  if (key !== null) {
    return database
      .all(`${SELECT_RELATION} WHERE (subject_key = ? OR object_key = ?) AND (? IS NULL OR memory_id = ?) ORDER BY relation_number DESC LIMIT ?`, [key, key, memoryId, memoryId, limit])
      .map(toRelation);
  }
  if (memoryId !== null) return database.all(`${SELECT_RELATION} WHERE memory_id = ? ORDER BY relation_number DESC LIMIT ?`, [memoryId, limit]).map(toRelation);
  return database.all(`${SELECT_RELATION} ORDER BY relation_number DESC LIMIT ?`, [limit]).map(toRelation);
}

/** Most connected first. */
export function selectEntities(database: SqliteDatabase, prefix: string, limit: number): { name: string; relations: number }[] {
  const from = entityKey(prefix);
  return database
    .all(
      `SELECT min(name) AS name, count(*) AS relations FROM (
         SELECT subject_key AS key, subject AS name FROM relation WHERE subject_key >= ? AND subject_key < ?
         UNION ALL SELECT object_key, object FROM relation WHERE object_key >= ? AND object_key < ?
       ) GROUP BY key ORDER BY relations DESC, name LIMIT ?`,
      [from, `${from}\u{10FFFF}`, from, `${from}\u{10FFFF}`, limit],
    )
    .map((row) => ({ name: text(row, 'name'), relations: number(row, 'relations') }));
}

export function putRelation(database: SqliteDatabase, relation: Relation): void {
  database.run(
    'INSERT INTO relation (id, subject, predicate, object, subject_key, object_key, memory_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET subject = excluded.subject, predicate = excluded.predicate, object = excluded.object, subject_key = excluded.subject_key, object_key = excluded.object_key, memory_id = excluded.memory_id, created_at = excluded.created_at',
    [relation.id, relation.subject, relation.predicate, relation.object, entityKey(relation.subject), entityKey(relation.object), orNull(relation.memoryId), relation.createdAt],
  );
}

export function removeRelationsOf(database: SqliteDatabase, memoryId: Id): void {
  database.run('DELETE FROM relation WHERE memory_id = ?', [memoryId]);
}
