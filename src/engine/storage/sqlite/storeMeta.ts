/**
 * What a store knows about itself, kept in meta under `store.`: epoch, schema version and
 * who may read and write it.
 */
import { randomUUID } from 'node:crypto';
import { CairnError } from '../../../base/errors.ts';
import { SCHEMA_VERSION } from './schema.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';

export interface StoreVersions {
  readonly schemaVersion: number;
  /** Lowest schema version that a program must know to read or to write here. */
  readonly minReader: number;
  readonly minWriter: number;
}

function metaNumber(database: SqliteDatabase, key: string): number | undefined {
  const value = database.value('SELECT value FROM meta WHERE key = ?', [`store.${key}`]);
  return typeof value === 'number' ? value : undefined;
}

export function setMetaNumber(database: SqliteDatabase, key: string, value: number): void {
  database.run('INSERT INTO meta (key, value) VALUES (?, CAST(? AS INTEGER)) ON CONFLICT (key) DO UPDATE SET value = excluded.value', [`store.${key}`, value]);
}

export const readEpoch = (database: SqliteDatabase): number => metaNumber(database, 'epoch') ?? 0;
export const writeEpoch = (database: SqliteDatabase, epoch: number): void => setMetaNumber(database, 'epoch', epoch);

/** A new name for what the store holds, after a restore or a salvage: an index made from what it held before knows by it that it has to begin anew. */
export const writeGeneration = (database: SqliteDatabase): void => {
  database.run("INSERT INTO meta (key, value) VALUES ('generation', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [randomUUID()]);
};

/** Set by a purge, taken back by a vacuum: there are pages whose old content has to go. */
export const hasPurged = (database: SqliteDatabase): boolean => metaNumber(database, 'purged') === 1;
export const notePurged = (database: SqliteDatabase, purged: boolean): void => setMetaNumber(database, 'purged', purged ? 1 : 0);

/** Undefined when the file holds no store yet. */
export function readVersions(database: SqliteDatabase): StoreVersions | undefined {
  if (database.get("SELECT 1 AS there FROM sqlite_schema WHERE type = 'table' AND name = 'meta'") === undefined) return undefined;
  const schemaVersion = metaNumber(database, 'schema_version');
  if (schemaVersion === undefined) return undefined;
  return { schemaVersion, minReader: metaNumber(database, 'min_reader') ?? schemaVersion, minWriter: metaNumber(database, 'min_writer') ?? schemaVersion };
}

export function writeVersions(database: SqliteDatabase, versions: StoreVersions): void {
  setMetaNumber(database, 'schema_version', versions.schemaVersion);
  setMetaNumber(database, 'min_reader', versions.minReader);
  setMetaNumber(database, 'min_writer', versions.minWriter);
}

function tooNew(database: SqliteDatabase, versions: StoreVersions, verb: string): CairnError {
  return new CairnError('SCHEMA_TOO_NEW', `The store ${database.path} was written by a newer Cairn (schema ${versions.schemaVersion}; this program knows ${SCHEMA_VERSION}) and cannot be ${verb} by this one. Update Cairn here; nothing was changed.`, {
    data: { path: database.path, ...versions, known: SCHEMA_VERSION },
  });
}

export function assertReadable(database: SqliteDatabase, versions: StoreVersions, known: number = SCHEMA_VERSION): void {
  if (versions.minReader > known) throw tooNew(database, versions, 'read');
}

export function assertWritable(database: SqliteDatabase, versions: StoreVersions, known: number = SCHEMA_VERSION): void {
  if (versions.minWriter > known) throw tooNew(database, versions, 'written');
}
