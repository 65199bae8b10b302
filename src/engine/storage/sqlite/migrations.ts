/**
 * From one schema version to the next. Steps have no gaps; a backup is made before the
 * first; all steps run in one transaction, so a failing one leaves the store as it was.
 *
 * A step says who may go on using the store afterwards: an additive one (new tables, new
 * columns with a default) leaves min_reader and min_writer alone, and older programs that
 * are running keep working.
 */
import { CairnError } from '../../../base/errors.ts';
import { APPLICATION_ID, SCHEMA_V1, SCHEMA_VERSION } from './schema.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { assertReadable, readVersions, writeEpoch, writeVersions, type StoreVersions } from './storeMeta.ts';

export interface Migration {
  /** The version that the store has afterwards. */
  readonly to: number;
  readonly minReader: number;
  readonly minWriter: number;
  readonly apply: (database: SqliteDatabase) => void;
}

/** Sorted, without gaps, beginning at 1. The newest is what this program writes. */
export const MIGRATIONS: readonly Migration[] = [{ to: SCHEMA_VERSION, minReader: 1, minWriter: 1, apply: (database) => database.exec(SCHEMA_V1) }];

export function assertWithoutGaps(migrations: readonly Migration[]): void {
  for (const [i, migration] of migrations.entries()) if (migration.to !== i + 1) throw new Error(`Migration ${i + 1} leads to schema ${migration.to}; the sequence must have no gaps.`);
}

export interface MigrationOutcome {
  readonly from: number;
  readonly to: number;
  readonly backupPath?: string;
}

/**
 * Brings the store to the newest version. `backUp` is called before an existing store is touched and returns the copy's path.
 * Throws SCHEMA_TOO_NEW, MIGRATION_FAILED (the store is as before), STORE_UNREADABLE (an SQLite file of another program).
 */
export async function migrate(database: SqliteDatabase, backUp: (from: number) => Promise<string | undefined>, migrations: readonly Migration[] = MIGRATIONS): Promise<MigrationOutcome> {
  assertWithoutGaps(migrations);
  const newest = migrations.length;
  const found = readVersions(database);
  if (found !== undefined) assertReadable(database, found, newest);
  if (found !== undefined && found.schemaVersion >= newest) return { from: found.schemaVersion, to: found.schemaVersion };
  const backupPath = found === undefined ? undefined : await backUp(found.schemaVersion);
  await database.begin();
  try {
    // Another process may have been faster while this one waited for the lock.
    const before = readVersions(database);
    if (before === undefined) prepareFresh(database);
    const from = before?.schemaVersion ?? 0;
    for (const migration of migrations.slice(from)) {
      migration.apply(database);
      writeVersions(database, versionsAfter(migration));
    }
    if (before === undefined) writeEpoch(database, 0);
    database.commit();
    return { from, to: Math.max(from, newest), ...(backupPath === undefined ? {} : { backupPath }) };
  } catch (error) {
    database.rollback();
    if (found === undefined) throw error;
    throw new CairnError('MIGRATION_FAILED', `Bringing the store ${database.path} from schema ${found.schemaVersion} to ${newest} failed; it is as before${backupPath === undefined ? '' : `, and a copy is at ${backupPath}`}.`, {
      cause: error,
      data: { path: database.path, from: found.schemaVersion, to: newest, backupPath },
    });
  }
}

const versionsAfter = (migration: Migration): StoreVersions => ({ schemaVersion: migration.to, minReader: migration.minReader, minWriter: migration.minWriter });

function prepareFresh(database: SqliteDatabase): void {
  const foreign = database.value("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' LIMIT 1");
  if (foreign !== undefined) {
    throw new CairnError('STORE_UNREADABLE', `${database.path} is an SQLite file of another program (it holds a table ${String(foreign)}). Nothing was changed; give Cairn a folder of its own.`, { data: { path: database.path, table: foreign } });
  }
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}
