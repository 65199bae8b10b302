/** Schema versions: migrating with a backup, failing without harm, older and newer programs side by side. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS, type Migration } from '../../../../src/engine/storage/sqlite/migrations.ts';
import { openSqliteDatabase, type SqlValue } from '../../../../src/engine/storage/sqlite/sqliteDatabase.ts';
import { newStorePath, openTestStore } from '../../../support/sqliteStores.ts';
import { insertAll, reviseOne } from '../../../support/storeSamples.ts';

const additive = (to: number, sql: string): Migration => ({ to, minReader: 1, minWriter: 1, apply: (database) => database.exec(sql) });
const TO_V2: readonly Migration[] = [...MIGRATIONS, additive(2, 'ALTER TABLE memory ADD COLUMN mood TEXT')];

async function alter(file: string, sql: string, params: SqlValue[] = []): Promise<void> {
  const database = await openSqliteDatabase(file);
  database.run(sql, params);
  database.close();
}

const columnsOf = async (file: string): Promise<string[]> => {
  const database = await openSqliteDatabase(file, { mode: 'read' });
  const columns = database.all("SELECT name FROM pragma_table_info('memory')").map((row) => String(row['name']));
  database.close();
  return columns;
};

describe('migrations', () => {
  it('bring an older store up to date, with a backup that still opens as the old version', async () => {
    const store = await openTestStore();
    const memories = await insertAll(store, { text: 'quokka' }, {});
    await store.close();
    const migrated = await openTestStore(store.location, { migrations: TO_V2 });
    expect((await migrated.info()).schemaVersion).toBe(2);
    expect(await migrated.getMemories(memories.map((memory) => memory.id))).toEqual(memories);
    expect(await columnsOf(store.location)).toContain('mood');
    const [backup, ...others] = migrated.backups();
    expect(others).toEqual([]);
    expect(path.basename(backup!.path)).toMatch(/before-schema-2/);
    expect(await columnsOf(backup!.path)).not.toContain('mood');
    expect((await (await openTestStore(backup!.path)).info()).memories).toBe(2);
  });

  it('leave an older program working, running or newly started, when they are additive', async () => {
    const running = await openTestStore();
    const [memory] = await insertAll(running, { text: 'quokka' });
    await (await openTestStore(running.location, { migrations: TO_V2 })).close();
    const revised = await reviseOne(running, memory!, { text: 'wombat' });
    const started = await openTestStore(running.location);
    expect(await started.getMemory(memory!.id)).toEqual(revised);
    await reviseOne(started, revised, { text: 'numbat' });
    expect(await running.searchText('numbat', {}, 1)).toHaveLength(1);
  });

  it('that fail leave the store as before, with the backup named', async () => {
    const store = await openTestStore();
    const [memory] = await insertAll(store, {});
    await store.close();
    const failing = [...TO_V2, additive(3, 'CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)')];
    await expect(openTestStore(store.location, { migrations: failing })).rejects.toMatchObject({ code: 'MIGRATION_FAILED', data: { from: 1, to: 3, backupPath: expect.stringContaining('before-schema-2') as string } });
    expect(await columnsOf(store.location)).not.toContain('mood');
    const same = await openTestStore(store.location);
    expect(await same.getMemory(memory!.id)).toEqual(memory);
    expect(await same.checkIntegrity()).toEqual({ ok: true, problems: [] });
  });

  it('run once when several programs open the store together', async () => {
    const store = await openTestStore();
    await insertAll(store, {});
    await store.close();
    const opened = await Promise.all(Array.from({ length: 4 }, () => openTestStore(store.location, { migrations: TO_V2 })));
    for (const each of opened) expect((await each.info()).schemaVersion).toBe(2);
    expect((await columnsOf(store.location)).filter((column) => column === 'mood')).toHaveLength(1);
  });

  it('make a fresh store once when several programs open it together', async () => {
    const file = newStorePath();
    const opened = await Promise.all(Array.from({ length: 5 }, () => openTestStore(file)));
    await Promise.all(opened.map((store) => insertAll(store, {})));
    expect((await opened[0]!.info()).memories).toBe(5);
  });

  it('must have no gaps', async () => {
    await expect(openTestStore(newStorePath(), { migrations: [...MIGRATIONS, additive(3, 'SELECT 1')] })).rejects.toThrow(/no gaps/);
  });
});

describe('a newer store', () => {
  it('is refused politely when this program cannot read it, and is not touched', async () => {
    const store = await openTestStore();
    await insertAll(store, {});
    await store.close();
    await alter(store.location, "UPDATE meta SET value = 7 WHERE key IN ('store.schema_version', 'store.min_reader', 'store.min_writer')");
    const bytes = fs.readFileSync(store.location);
    for (const readOnly of [false, true]) {
      await expect(openTestStore(store.location, { readOnly })).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW', message: expect.stringContaining('Update Cairn') as string });
    }
    expect(fs.readFileSync(store.location).equals(bytes)).toBe(true);
  });

  it('is read but not written when only reading is allowed', async () => {
    const store = await openTestStore();
    const [memory] = await insertAll(store, {});
    await alter(store.location, "UPDATE meta SET value = 7 WHERE key IN ('store.schema_version', 'store.min_writer')");
    const opened = await openTestStore(store.location);
    for (const each of [store, opened]) {
      expect(await each.getMemory(memory!.id)).toEqual(memory);
      await expect(insertAll(each, {})).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
      await expect(each.purgeAll()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    }
  });
});

describe('a store of schema 1 from the first release', () => {
  it('opens, and holds what was put in', async () => {
    const file = newStorePath();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.copyFileSync(path.join(import.meta.dirname, '../../../fixtures/stores/schema1.db'), file);
    const store = await openTestStore(file);
    const memories = await store.listMemories({}, { limit: 10, offset: 0, order: 'created' });
    expect(memories.map((memory) => memory.text)).toEqual(['数据库连接池最大值设为二十', 'Use pnpm, not npm.', 'Deploys go through staging first.']);
    expect((await store.searchText('staging deploy', {}, 1)).map((hit) => hit.memoryId)).toEqual([memories[2]!.id]);
    expect(await store.history(memories[1]!.id)).toHaveLength(2);
    expect(memories[2]).toMatchObject({ kind: 'rule', tags: ['deploy'], anchors: [{ path: 'deploy/run.sh', startLine: 3, endLine: 9 }], provenance: { via: 'selection', author: 'Wei Rivera' } });
    expect(await store.countVectors('test@1')).toBe(1);
    expect((await store.listObservations({ states: ['waiting'] }, { limit: 5, offset: 0 })).total).toBe(1);
    expect(await store.checkIntegrity()).toEqual({ ok: true, problems: [] });
  });
});
