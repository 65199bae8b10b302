/** The text index is derived: it is made anew when the tokenizer changed or the index is broken, and search goes on meanwhile. */
import { describe, expect, it } from 'vitest';
import { openSqliteDatabase } from '../../../../src/engine/storage/sqlite/sqliteDatabase.ts';
import { openTestStore } from '../../../support/sqliteStores.ts';
import { insertAll, reviseOne } from '../../../support/storeSamples.ts';

async function alter(file: string, ...statements: readonly string[]): Promise<void> {
  const database = await openSqliteDatabase(file);
  for (const sql of statements) database.exec(sql);
  database.close();
}

describe('the text index', () => {
  it('is fed anew, in batches, after the tokenizer changed', async () => {
    const store = await openTestStore();
    await insertAll(store, ...Array.from({ length: 450 }, (_, i) => ({ text: `quokka number ${i}` })));
    await store.close();
    await alter(store.location, "UPDATE memory_token SET text = 'oldtoken'", 'UPDATE memory SET token_version = 0');
    const stale = await openTestStore(store.location, { upkeep: false });
    expect(await stale.searchText('quokka', {}, 5)).toEqual([]);
    expect(await stale.searchText('oldtoken', {}, 5)).toHaveLength(5);
    expect(await stale.refreshTextIndex()).toBe(450);
    expect(await stale.refreshTextIndex()).toBe(0);
    expect(await stale.searchText('quokka', {}, 500)).toHaveLength(450);
    expect(await stale.searchText('oldtoken', {}, 5)).toEqual([]);
    expect(await stale.checkIntegrity()).toEqual({ ok: true, problems: [] });
  });

  it('is fed anew by itself after opening, while writes go on, and stops at close', async () => {
    const store = await openTestStore();
    const memories = await insertAll(store, ...Array.from({ length: 900 }, (_, i) => ({ text: `quokka number ${i}` })));
    await store.close();
    await alter(store.location, 'UPDATE memory SET token_version = 0');
    const opened = await openTestStore(store.location);
    await reviseOne(opened, memories[899]!, { text: 'wombat' });
    expect(await opened.searchText('wombat', {}, 5)).toHaveLength(1);
    await opened.close();
    const again = await openTestStore(store.location, { upkeep: false });
    await again.refreshTextIndex();
    expect(await again.searchText('quokka', {}, 1000)).toHaveLength(899);
    expect((await again.passing((await again.searchText('quokka', {}, 1000)).map((hit) => hit.memoryId), {})).size).toBe(899);
  });

  it('leaves rows alone that a newer tokenizer fed', async () => {
    const store = await openTestStore();
    await insertAll(store, {});
    await store.close();
    await alter(store.location, 'UPDATE memory SET token_version = 99');
    const older = await openTestStore(store.location);
    expect(await older.refreshTextIndex()).toBe(0);
  });

  it('that does not agree with its rows is noticed, and cured from rows', async () => {
    const store = await openTestStore();
    await insertAll(store, { text: 'quokka' }, { text: 'wombat' });
    await store.close();
    await alter(store.location, "INSERT INTO memory_fts(memory_fts) VALUES ('delete-all')");
    const broken = await openTestStore(store.location);
    expect((await broken.checkIntegrity()).problems.join()).toContain('text index');
    await broken.rebuildTextIndex();
    expect(await broken.checkIntegrity()).toEqual({ ok: true, problems: [] });
    expect(await broken.searchText('quokka', {}, 5)).toHaveLength(1);
  });
});
