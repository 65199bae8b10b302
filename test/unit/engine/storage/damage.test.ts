/** Damaged stores: found at open, set aside, never answered by an empty store; backups and salvage bring back what can be had. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCairnError } from '../../../../src/base/errors.ts';
import { acceptEmptyStore, listBackups, restoreBackup } from '../../../../src/engine/storage/sqlite/backup.ts';
import { openSqliteStore, type DamageData } from '../../../../src/engine/storage/sqlite/openStore.ts';
import { salvageStore } from '../../../../src/engine/storage/sqlite/salvage.ts';
import { openSqliteDatabase } from '../../../../src/engine/storage/sqlite/sqliteDatabase.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { newStorePath, openTestStore } from '../../../support/sqliteStores.ts';
import { insertAll, reviseOne } from '../../../support/storeSamples.ts';

const clock = new FakeClock();

/** A closed store of `count` memories. */
async function makeStore(count: number, options: { backup?: boolean } = {}): Promise<string> {
  const store = await openTestStore();
  await insertAll(store, ...Array.from({ length: count }, (_, i) => ({ text: `statement ${i} about the build of module ${i % 9} ${'and more words '.repeat(20)}`, tags: ['t'], anchors: [{ path: `src/${i}.ts` }] })));
  if (options.backup === true) await store.backUpNow();
  await store.close();
  return store.location;
}

async function openDamaged(file: string): Promise<DamageData> {
  const error: unknown = await openSqliteStore({ path: file, role: 'repository', clock }).then(() => undefined, (reason: unknown) => reason);
  if (!isCairnError(error)) throw new Error('The store should not have opened.', { cause: error });
  expect(error.code).toBe('STORE_CORRUPT');
  expect(error.message).toContain('cairn doctor --fix');
  return error.data as unknown as DamageData;
}

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const descriptor = fs.openSync(file, 'r+');
  fs.writeSync(descriptor, bytes, 0, bytes.length, at);
  fs.closeSync(descriptor);
}

const noise = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 131 + 17) % 256);

describe('a damaged store', () => {
  const damages: readonly { readonly name: string; readonly damage: (file: string) => void; readonly salvageable: (count: number) => boolean }[] = [
    { name: 'emptied', damage: (file) => fs.truncateSync(file, 0), salvageable: (count) => count === 0 },
    { name: 'removed', damage: (file) => fs.rmSync(file), salvageable: (count) => count === 0 },
    { name: 'cut to half', damage: (file) => fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2)), salvageable: (count) => count >= 0 },
    { name: 'overwritten by 4 KiB of noise in the middle', damage: (file) => overwrite(file, Math.floor(fs.statSync(file).size / 2), noise(4096)), salvageable: (count) => count > 0 },
    { name: 'overwritten by 4 KiB of zeros in the middle', damage: (file) => overwrite(file, Math.floor(fs.statSync(file).size / 8192) * 4096, new Uint8Array(4096)), salvageable: (count) => count > 0 },
    { name: 'overwritten at its head', damage: (file) => overwrite(file, 0, noise(4096)), salvageable: (count) => count === 0 },
    { name: 'replaced by something else', damage: (file) => fs.writeFileSync(file, 'not a database, '.repeat(1000)), salvageable: (count) => count === 0 },
  ];

  it.each(damages)('that was $name is set aside with its backup offered, and stays an error until somebody acts', async ({ damage, salvageable }) => {
    const file = await makeStore(60, { backup: true });
    damage(file);
    const bytes = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
    const data = await openDamaged(file);
    expect(data.backups).toHaveLength(1);
    expect(data.salvageable).toSatisfy(salvageable);
    expect(fs.existsSync(file)).toBe(false);
    if (bytes !== undefined) expect(fs.readFileSync(data.setAsidePath!).equals(bytes)).toBe(true);
    const again = await openDamaged(file);
    expect(again.setAsidePath).toBe(data.setAsidePath);
    expect(again.salvageable).toBe(data.salvageable);

    await restoreBackup(again.backups[0]!.path, file, { clock });
    const restored = await openTestStore(file);
    expect((await restored.info()).memories).toBe(60);
    expect(await restored.checkIntegrity()).toEqual({ ok: true, problems: [] });
  });

  it('gives its readable memories to a new store, with history, and searchable', async () => {
    const file = await makeStore(200);
    overwrite(file, Math.floor(fs.statSync(file).size / 2), noise(4096));
    const { setAsidePath, salvageable } = await openDamaged(file);
    const before = fs.readFileSync(setAsidePath!);
    const report = await salvageStore(setAsidePath!, file, { clock });
    expect(report.memories).toBe(salvageable);
    expect(report.memories).toBeGreaterThan(150);
    expect(fs.readFileSync(setAsidePath!).equals(before)).toBe(true);
    const store = await openTestStore(file);
    const found = await store.searchText('statement build', {}, 10);
    expect(found).toHaveLength(10);
    expect(await store.history(found[0]!.memoryId)).toHaveLength(1);
    expect(await store.checkIntegrity()).toEqual({ ok: true, problems: [] });
    await insertAll(store, { text: 'life goes on' });
    expect((await store.info()).memories).toBe(report.memories + 1);
    expect(fs.readdirSync(path.dirname(file)).filter((name) => /salvag|finished|counting/.test(name))).toEqual([]);
  });

  it('that lost its second half gives what the first half holds', async () => {
    const file = await makeStore(1_500);
    fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2));
    const { setAsidePath, salvageable } = await openDamaged(file);
    expect(salvageable).toBeGreaterThan(300);
    // The row that the cut goes through is counted, and torn.
    expect((await salvageStore(setAsidePath!, file, { clock })).memories).toBeGreaterThanOrEqual(salvageable - 1);
    expect(await (await openTestStore(file)).checkIntegrity()).toEqual({ ok: true, problems: [] });
  });

  it('brings a memory back from its history when only its row is lost', async () => {
    const store = await openTestStore();
    const [kept, purged] = await insertAll(store, { text: 'first wording', tags: ['x'], anchors: [{ path: 'a.ts' }] }, { text: 'purged words' });
    const revised = await reviseOne(store, kept!, { text: 'second wording' });
    await store.write((writer) => writer.purgeMemory(purged!.id, 'purged', 1));
    await store.close();
    const database = await openSqliteDatabase(store.location);
    database.run('DELETE FROM memory');
    database.close();
    const report = await salvageStore(store.location, newStorePath(), { clock });
    expect(report).toMatchObject({ memories: 1, fromHistory: 1 });
    const target = newStorePath();
    await salvageStore(store.location, target, { clock });
    expect(await (await openTestStore(target)).getMemory(revised.id)).toEqual(revised);
  });

  it('met while open makes the next open look at every page', async () => {
    const file = await makeStore(300);
    const holder = await openTestStore(file);
    await insertAll(holder, { text: 'keeps a WAL beside the file' });
    const size = fs.statSync(file).size;
    overwrite(file, Math.floor(size / 2), noise(Math.floor(size / 2)));
    const reader = await openTestStore(file);
    await expect(reader.listMemories({}, { limit: 300, offset: 0, order: 'recent' })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    await openDamaged(file);
  });

  it('that never was a store is fresh: an empty file left by a first opening that was cut off', async () => {
    const file = newStorePath();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '');
    const store = await openTestStore(file);
    expect((await store.info()).memories).toBe(0);
  });

  it('can be given up on purpose', async () => {
    const file = await makeStore(1);
    fs.truncateSync(file, 0);
    await openDamaged(file);
    acceptEmptyStore(file);
    expect((await (await openTestStore(file)).info()).memories).toBe(0);
  });

  it('is left where it is when it was only to be read', async () => {
    const file = await makeStore(5);
    fs.truncateSync(file, 0);
    await expect(openSqliteStore({ path: file, role: 'repository', clock, readOnly: true })).rejects.toMatchObject({ code: 'STORE_CORRUPT', data: { salvageable: 0 } });
    expect(fs.existsSync(file)).toBe(true);
  });
});

describe('a store that is whole', () => {
  it('opens after its file was put back by hand, since all its pages are checked and good', async () => {
    const file = await makeStore(20, { backup: true });
    fs.copyFileSync(listBackups(file)[0]!.path, file);
    expect((await (await openTestStore(file)).info()).memories).toBe(20);
  });

  it('loses what a killed restore left beside it at the next purge, once nobody can be at it', async () => {
    const store = await openTestStore();
    const [kept] = await insertAll(store, { text: 'kept' });
    const left = ['restoring-1234abcd', 'restoring-1234abcd-wal', 'replaced-20261130T120000Z.partial', 'replaced-20261130T120000Z.partial-journal'].map((name) => `${store.location}.${name}`);
    const running = `${store.location}.restoring-feedbeef`;
    const aside = `${store.location}.replaced-20261130T120000Z`;
    for (const file of [...left, running, aside]) fs.writeFileSync(file, 'words of a person');
    for (const file of [...left, aside]) fs.utimesSync(file, (clock.now() - 3_600_000) / 1_000, (clock.now() - 3_600_000) / 1_000);
    fs.utimesSync(running, clock.now() / 1_000, clock.now() / 1_000);
    await store.write((writer) => writer.purgeMemory(kept!.id, 'purged', clock.now()));
    await store.vacuum();
    expect(left.filter((file) => fs.existsSync(file))).toEqual([]);
    expect([running, aside].every((file) => fs.existsSync(file))).toBe(true);
  });

  it('refuses to be replaced by a damaged backup', async () => {
    const file = await makeStore(20, { backup: true });
    const backup = listBackups(file)[0]!.path;
    fs.truncateSync(backup, 8192);
    await expect(restoreBackup(backup, file, { clock })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect((await (await openTestStore(file)).info()).memories).toBe(20);
  });

  it('keeps a limited number of backups, the newest', async () => {
    const moving = new FakeClock();
    const store = await openTestStore(newStorePath(), { clock: moving });
    for (let i = 0; i < 8; i += 1) {
      await store.backUpNow();
      moving.advance(60_000);
    }
    const backups = store.backups();
    expect(backups.map((backup) => backup.at)).toEqual([7, 6, 5, 4, 3].map((minute) => new FakeClock().now() + minute * 60_000));
    expect(await store.ensureRecentBackup(3_600_000)).toBeUndefined();
    moving.advanceDays(2);
    expect(await store.ensureRecentBackup(86_400_000)).toMatch(/daily/);
    expect(fs.statSync(store.backups()[0]!.path).mode & 0o777).toBe(0o600);
  });
});
