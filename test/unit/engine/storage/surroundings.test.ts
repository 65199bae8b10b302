/** What surrounds a store: permissions, read-only folders, full disks, locks held by others, network folders. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeFolder, mountOf } from '../../../../src/engine/storage/sqlite/fileSystemCheck.ts';
import { openSqliteStore } from '../../../../src/engine/storage/sqlite/openStore.ts';
import { openSqliteDatabase } from '../../../../src/engine/storage/sqlite/sqliteDatabase.ts';
import { SqliteMemoryStore } from '../../../../src/engine/storage/sqlite/sqliteMemoryStore.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { asOrdinaryUser } from '../../../support/ordinaryUser.ts';
import { newStorePath, openTestStore } from '../../../support/sqliteStores.ts';
import { insertAll } from '../../../support/storeSamples.ts';
import { createTemporaryFolder } from '../../../support/temporaryFolder.ts';

const clock = new FakeClock();
const modeOf = (file: string): number => fs.statSync(file).mode & 0o777;

describe('files of a store', () => {
  it('belong to their owner alone, also WAL and shared memory, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const store = await openTestStore();
      await insertAll(store, {});
      const folder = path.dirname(store.location);
      expect(fs.readdirSync(folder).sort()).toEqual(['memory.db', 'memory.db-shm', 'memory.db-wal', 'memory.db.state']);
      for (const name of fs.readdirSync(folder)) expect(modeOf(path.join(folder, name))).toBe(0o600);
      expect(modeOf(folder)).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  it('are narrowed when somebody had widened them', async () => {
    const store = await openTestStore();
    await store.close();
    fs.chmodSync(store.location, 0o644);
    await openTestStore(store.location);
    expect(modeOf(store.location)).toBe(0o600);
  });

  it('use WAL, and say so', async () => {
    expect((await (await openTestStore()).info()).journalMode).toBe('wal');
  });
});

describe('a folder that cannot be written', () => {
  it('lets everything be read, and answers writes with one clear error', async () => {
    const store = await openTestStore();
    const [memory] = await insertAll(store, { text: 'quokka' });
    await store.close();
    const folder = path.dirname(store.location);
    await asOrdinaryUser(path.dirname(path.dirname(folder)), async () => {
      for (const mode of [0o500, 0o700]) {
        fs.chmodSync(store.location, mode === 0o500 ? 0o600 : 0o400);
        fs.chmodSync(folder, mode);
        const reader = await openTestStore(store.location);
        expect(reader.readOnly).toBe(true);
        expect((await reader.info()).readOnly).toBe(true);
        expect(await reader.getMemory(memory!.id)).toEqual(memory);
        expect(await reader.searchText('quokka', {}, 1)).toHaveLength(1);
        const copy = path.join(path.dirname(path.dirname(folder)), `copy-${mode}.db`);
        await reader.backup(copy);
        await expect(insertAll(reader, {})).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
        await reader.close();
        expect(fs.statSync(copy).size).toBeGreaterThan(0);
      }
      fs.chmodSync(folder, 0o700);
    });
  });

  it('and holds no store yet gives a clear error and leaves nothing behind', async () => {
    const folder = createTemporaryFolder('bare');
    await asOrdinaryUser(folder, async () => {
      fs.chmodSync(folder, 0o500);
      await expect(openSqliteStore({ path: path.join(folder, 'repos', 'r', 'memory.db'), role: 'repository', clock })).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
      expect(fs.readdirSync(folder)).toEqual([]);
      fs.chmodSync(folder, 0o700);
    });
  });

  it('or be read gives STORE_UNREADABLE', async () => {
    const store = await openTestStore();
    await store.close();
    await asOrdinaryUser(path.dirname(path.dirname(path.dirname(store.location))), async () => {
      fs.chmodSync(store.location, 0o000);
      await expect(openTestStore(store.location)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
      fs.chmodSync(store.location, 0o600);
    });
  });

  it('is not needed by a store opened for reading only, which must exist', async () => {
    const file = newStorePath();
    await expect(openTestStore(file, { readOnly: true })).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    expect(fs.existsSync(file)).toBe(false);
    const store = await openTestStore(file);
    const reader = await openTestStore(file, { readOnly: true });
    const [memory] = await insertAll(store, {});
    expect(await reader.getMemory(memory!.id)).toEqual(memory);
    await expect(reader.write(() => Promise.resolve())).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
  });
});

describe('a full disk', () => {
  it('answers STORE_FULL, keeps what was acknowledged, and works again when there is room', async () => {
    const store = await openTestStore();
    const [memory] = await insertAll(store, {});
    await store.close();
    const writing = await openSqliteDatabase(store.location);
    const small = new SqliteMemoryStore(store.location, { writing, reading: await openSqliteDatabase(store.location, { mode: 'read' }) }, { clock, backupFolder: '' });
    writing.exec(`PRAGMA max_page_count = ${Number(writing.value('PRAGMA page_count')) + 2}`);
    await expect(insertAll(small, ...Array.from({ length: 50 }, () => ({ text: 'x'.repeat(5000) })))).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(await small.listMemories({}, { limit: 9, offset: 0, order: 'recent' })).toEqual([memory]);
    writing.exec('PRAGMA max_page_count = 100000');
    await insertAll(small, { text: 'room again' });
    expect(await small.checkIntegrity()).toEqual({ ok: true, problems: [] });
    await small.close();
  });
});

describe('a write lock held by another process', () => {
  const HOLDER = `
    import { DatabaseSync } from 'node:sqlite';
    const database = new DatabaseSync(process.argv[1]);
    database.exec('BEGIN IMMEDIATE');
    database.exec("INSERT INTO meta VALUES ('holder', 'uncommitted')");
    process.stdout.write('held');
    setInterval(() => undefined, 1000);`;

  async function holdLock(file: string): Promise<{ process: ReturnType<typeof spawn>; ended: Promise<unknown> }> {
    const child = spawn(process.execPath, ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', HOLDER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return { process: child, ended };
  }

  it('delays writes for a bounded time, then STORE_LOCKED; reads and the event loop go on', async () => {
    const store = await openTestStore(newStorePath(), { busyTimeoutMs: 1_500 });
    const [memory] = await insertAll(store, {});
    const holder = await holdLock(store.location);
    const events: string[] = [];
    const timer = setInterval(() => events.push('turn'), 5);
    const writing = insertAll(store, {}).catch((error: unknown) => error).finally(() => events.push('refused'));
    expect(await store.getMemory(memory!.id)).toEqual(memory);
    events.push('read');
    expect(await writing).toMatchObject({ code: 'STORE_LOCKED' });
    clearInterval(timer);
    expect(events[0]).toBe('read');
    expect(events).toContain('turn');
    expect(events.at(-1)).toBe('refused');
    holder.process.kill('SIGKILL');
    await holder.ended;
    await insertAll(store, {});
    expect((await store.info()).memories).toBe(2);
    expect(await store.getMeta('holder')).toBeUndefined();
  });

  it('by a stopped process does not keep a new one from opening and reading', async () => {
    const store = await openTestStore();
    const [memory] = await insertAll(store, {});
    const holder = await holdLock(store.location);
    holder.process.kill('SIGSTOP');
    const other = await openTestStore(store.location, { busyTimeoutMs: 200 });
    expect(await other.getMemory(memory!.id)).toEqual(memory);
    await expect(insertAll(other, {})).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    holder.process.kill('SIGKILL');
    await holder.ended;
    await insertAll(other, {});
  });

  it('left by a killed process (its WAL and shared memory lie there) is no lock', async () => {
    const file = newStorePath();
    const store = await openTestStore(file);
    const [memory] = await insertAll(store, { text: 'quokka' });
    const copy = newStorePath();
    fs.mkdirSync(path.dirname(copy), { recursive: true });
    for (const side of ['', '-wal', '-shm', '.state']) fs.copyFileSync(`${file}${side}`, `${copy}${side}`);
    const recovered = await openTestStore(copy);
    expect(await recovered.getMemory(memory!.id)).toEqual(memory);
    await insertAll(recovered, {});
    expect(await recovered.checkIntegrity()).toEqual({ ok: true, problems: [] });
  });
});

describe('network and sync folders', () => {
  const MOUNTS = ['/dev/vda / ext4 rw 0 0', 'server:/x /home/nfs\\040share nfs4 rw 0 0', 'host:/y /home/u/remote fuse.sshfs rw 0 0', 'tmpfs /home/u/remote/local tmpfs rw 0 0', 'C:\\134 /mnt/c 9p rw 0 0'].join('\n');

  it.each([
    ['/home/u/.cairn', true], ['/home/nfs share/.cairn', false], ['/home/nfs shared/.cairn', true], ['/home/u/remote/x', false], ['/home/u/remote/local/x', true], ['/mnt/c/Users/u/.cairn', false],
    ['/home/u/OneDrive - Acme/.cairn', false], ['/home/u/Dropbox/.cairn', false], ['/Users/u/Library/Mobile Documents/com~apple~CloudDocs/c', false], ['/Users/u/Library/CloudStorage/GoogleDrive-x/c', false],
    ['C:\\Users\\u\\OneDrive\\.cairn', false], ['G:\\My Drive\\.cairn', false], ['C:\\Users\\u\\.cairn', true], ['\\\\server\\share\\.cairn', false], ['\\\\wsl.localhost\\Debian\\home\\u', false], ['/home/u/dropbox-notes/x', true],
  ])('are told from local ones: %s', (folder, safe) => {
    expect(judgeFolder(folder, MOUNTS).safe).toBe(safe);
  });

  it('take the innermost mount', () => {
    expect(mountOf('/home/u/remote/local/x', MOUNTS)).toEqual({ type: 'tmpfs', mountPoint: '/home/u/remote/local' });
  });

  it('are refused with the cure before anything is made, unless the person insists', async () => {
    const file = newStorePath();
    const judge = { judgeFolder: () => ({ safe: false, what: 'nfs4, mounted at /home' }) };
    await expect(openTestStore(file, judge)).rejects.toMatchObject({ code: 'STORE_NETWORK_FILE_SYSTEM', message: expect.stringContaining('CAIRN_HOME') as string });
    expect(fs.existsSync(path.dirname(file))).toBe(false);
    await insertAll(await openTestStore(file, { ...judge, allowNetworkFileSystem: true }), {});
  });
});

describe('a generic database', () => {
  it('commits on return, rolls back on throw, and maps its errors', async () => {
    const file = path.join(createTemporaryFolder('registry'), 'registry.db');
    const database = await openSqliteDatabase(file);
    await database.transaction(() => database.exec('CREATE TABLE t (x INTEGER) STRICT'));
    await expect(database.transaction(() => {
      database.run('INSERT INTO t VALUES (1)');
      throw new RangeError('on purpose');
    })).rejects.toThrow('on purpose');
    expect(database.value('SELECT count(*) FROM t')).toBe(0);
    database.close();
    expect(() => database.run('SELECT 1')).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
    fs.writeFileSync(file, 'garbage '.repeat(2000));
    await expect(openSqliteDatabase(file)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('of another program is left alone', async () => {
    const file = path.join(createTemporaryFolder('foreign'), 'memory.db');
    const database = await openSqliteDatabase(file);
    database.exec('CREATE TABLE bookmarks (x)');
    database.close();
    await expect(openTestStore(file)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    const again = await openSqliteDatabase(file, { mode: 'read' });
    expect(again.all("SELECT name FROM sqlite_schema").map((row) => row['name'])).toEqual(['bookmarks']);
    again.close();
  });
});
