/**
 * Salvage: what can still be read out of a damaged store goes into a new one. Works on a
 * copy; the damaged file stays as it was found.
 *
 * Every table is a B-tree keyed by a row number. Reading goes up from the lowest row
 * until a page fails, down from the highest until a page fails, and then asks for row
 * numbers between the two. Derived data (tokens, text index) is made anew. A memory
 * whose row is lost comes back from the newest readable step of its history.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Clock, EpochMs } from '../../../base/clock.ts';
import type { Memory } from '../../model/memory.ts';
import { TOKENIZER_VERSION } from '../../text/tokenize.ts';
import { copyStore, putInPlace } from './backup.ts';
import { isDamage } from './mapSqliteError.ts';
import { INSERT_ANCHOR, INSERT_MEMORY, INSERT_TAG, SELECT_MEMORY, anchorParams, memoryParams, toMemory } from './memoryTable.ts';
import { migrate } from './migrations.ts';
import { openSqliteDatabase, type SqliteDatabase, type SqlRow, type SqlValue } from './sqliteDatabase.ts';
import { number, text } from './sqlValues.ts';
import { readEpoch, writeEpoch, writeGeneration } from './storeMeta.ts';
import { feedText } from './textIndex.ts';

/** Parents before children. Tokens and the text index are derived and not in the list. */
const TABLES = [
  'meta', 'memory', 'memory_tag', 'anchor', 'memory_change', 'tombstone', 'chunk', 'embedding_version', 'chunk_vector', 'chunk_removal', 'episode', 'turn', 'observation', 'rejected_text',
  'prompt_template', 'profile_value', 'relation', 'injection_receipt', 'injection_item', 'spend', 'job', 'audit',
] as const;

/** Row numbers asked for between two damaged places, and how far apart at most: a page holds more rows than that. */
const MAX_PROBES = 20_000;
const MAX_STEP = 8;
const SLICE = 200;
/** A header that claims more than this was lost is itself damage. */
const MAX_PADDING = 8 * 1024 ** 3;

export interface SalvageReport {
  readonly memories: number;
  /** Of these, how many came back from their history alone. */
  readonly fromHistory: number;
  readonly rows: Readonly<Record<string, number>>;
  /** Tables of which at least one row could not be read. */
  readonly incomplete: readonly string[];
}

/** Undefined where the page that holds it is damaged. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isDamage(error) || error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Scan {
  /** False when a page failed on the way. */
  complete: boolean;
}

/** Rows above `after`, upwards, until a page fails. */
function* readUp(database: SqliteDatabase, select: string, after: number): Generator<SqlRow, { readonly last: number; readonly toTheEnd: boolean }> {
  let last = after;
  for (let slice = SLICE; ; ) {
    const rows = attempt(() => database.all(`${select} WHERE rowid > ? ORDER BY rowid LIMIT ?`, [last, slice]));
    if (rows === undefined && slice === 1) return { last, toTheEnd: false };
    if (rows === undefined) {
      slice = 1;
      continue;
    }
    const row = rows.at(-1);
    if (row === undefined) return { last, toTheEnd: true };
    // A damaged inner page can lead round in circles.
    if (number(row, 'salvage_row') <= last) return { last, toTheEnd: false };
    yield* rows;
    last = number(row, 'salvage_row');
  }
}

/** Rows between `after` and `before`, downwards, until a page fails. Returns the lowest. */
function* readDown(database: SqliteDatabase, select: string, after: number, before: number): Generator<SqlRow, number> {
  let lowest = before;
  for (;;) {
    const row = attempt(() => database.get(`${select} WHERE rowid > ? AND rowid < ? ORDER BY rowid DESC LIMIT 1`, [after, lowest]));
    if (row === undefined || number(row, 'salvage_row') >= lowest) return lowest;
    yield row;
    lowest = number(row, 'salvage_row');
  }
}

function* readableRows(database: SqliteDatabase, table: string, scan: Scan): Generator<SqlRow> {
  const select = `SELECT rowid AS salvage_row, * FROM ${table}`;
  let { last, toTheEnd } = yield* readUp(database, select, Number.MIN_SAFE_INTEGER);
  if (toTheEnd) return;
  scan.complete = false;
  const high = yield* readDown(database, select, last, highestRow(database, table, last) + 1);
  // What lies between two failing places is found by asking for row numbers; where one answers, its neighbours do.
  let step = 1;
  for (let at = Math.max(last + 1, 1), probes = 0; at < high && probes < MAX_PROBES; probes += 1) {
    const wanted = at;
    const row = attempt(() => database.get(`${select} WHERE rowid = ?`, [wanted]));
    if (row === undefined) {
      at += step;
      step = Math.min(MAX_STEP, step + 1);
      continue;
    }
    yield* readDown(database, select, last, at);
    yield row;
    ({ last, toTheEnd } = yield* readUp(database, select, at));
    if (toTheEnd) return;
    at = last + 1;
    step = 1;
  }
}

function highestRow(database: SqliteDatabase, table: string, low: number): number {
  const known = attempt(() => database.value('SELECT seq FROM sqlite_sequence WHERE name = ?', [table])) ?? attempt(() => database.value(`SELECT max(rowid) FROM ${table}`));
  return typeof known === 'number' ? known : Math.max(0, low) + MAX_PROBES;
}

/** Opens a copy of the damaged file and its WAL; undefined when not even its first page can be understood. */
async function openCopy(fromPath: string, workPath: string): Promise<SqliteDatabase | undefined> {
  for (const side of ['', '-wal']) if (fs.existsSync(`${fromPath}${side}`)) fs.copyFileSync(`${fromPath}${side}`, `${workPath}${side}`);
  if (!fs.existsSync(workPath) || fs.statSync(workPath).size === 0) return undefined;
  padToHeader(workPath);
  try {
    const database = await openSqliteDatabase(workPath);
    database.exec('PRAGMA cell_size_check = ON');
    return database;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** SQLite opens no file that is shorter than its header says; with the lost pages as zeros only those fail. Page size and count: fileformat2 §1.3. */
function padToHeader(file: string): void {
  const header = Buffer.alloc(32);
  const descriptor = fs.openSync(file, 'r+');
  try {
    if (fs.readSync(descriptor, header, 0, 32, 0) < 32) return;
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const whole = pageSize * header.readUInt32BE(28);
    const { size } = fs.fstatSync(descriptor);
    if (pageSize >= 512 && whole > size && whole - size < MAX_PADDING) fs.ftruncateSync(descriptor, whole);
  } finally {
    fs.closeSync(descriptor);
  }
}

function removeCopy(workPath: string): void {
  for (const side of ['', '-wal', '-shm']) fs.rmSync(`${workPath}${side}`, { force: true });
}

/** Closing may try to write a damaged file back; the copy is thrown away anyway. */
function closeQuietly(database: SqliteDatabase | undefined): void {
  try {
    database?.close();
  } catch {
    // See above.
  }
}

/** How many memories salvageStore would bring back; 0 when the file cannot be understood at all. */
export async function countSalvageable(fromPath: string): Promise<number> {
  const workPath = `${fromPath}.counting`;
  let source: SqliteDatabase | undefined;
  try {
    source = await openCopy(fromPath, workPath);
    if (source === undefined) return 0;
    const ids = new Set<string>();
    for (const row of attemptRows(source, 'memory')) if (typeof row['id'] === 'string') ids.add(row['id']);
    const gone = new Set(attemptRows(source, 'tombstone').flatMap((row) => (row['reason'] === 'forgotten' ? [] : [row['memory_id']])));
    for (const row of attemptRows(source, 'memory_change')) if (typeof row['memory_id'] === 'string' && !gone.has(row['memory_id'])) ids.add(row['memory_id']);
    return ids.size;
  } finally {
    closeQuietly(source);
    removeCopy(workPath);
  }
}

function attemptRows(database: SqliteDatabase, table: string): SqlRow[] {
  return attempt(() => [...readableRows(database, table, { complete: true })]) ?? [];
}

/**
 * Builds a store at `toPath` from what `fromPath` still gives. A file at `toPath` steps aside.
 * The damaged file may itself lie at `toPath`'s old place under another name; it is only read.
 */
export async function salvageStore(fromPath: string, toPath: string, options: { clock: Clock }): Promise<SalvageReport> {
  const workPath = `${toPath}.salvaging`;
  const newPath = `${toPath}.salvaged`;
  fs.mkdirSync(path.dirname(toPath), { recursive: true, mode: 0o700 });
  removeCopy(workPath);
  removeCopy(newPath);
  let source: SqliteDatabase | undefined;
  let target: SqliteDatabase | undefined;
  try {
    source = await openCopy(fromPath, workPath);
    target = await openSqliteDatabase(newPath);
    await migrate(target, () => Promise.resolve(undefined));
    const report = source === undefined ? { memories: 0, fromHistory: 0, rows: {}, incomplete: [...TABLES] } : await transfer(source, target, options.clock.now());
    const finished = `${toPath}.finished`;
    copyStore(target, finished);
    target.close();
    putInPlace(finished, toPath, options.clock.now());
    return report;
  } finally {
    closeQuietly(source);
    closeQuietly(target);
    removeCopy(workPath);
    removeCopy(newPath);
  }
}

async function transfer(source: SqliteDatabase, target: SqliteDatabase, at: EpochMs): Promise<SalvageReport> {
  const rows: Record<string, number> = {};
  const incomplete: string[] = [];
  let fromHistory = 0;
  target.exec('PRAGMA foreign_keys = OFF');
  await target.transaction(() => {
    for (const table of TABLES) {
      const scan = { complete: true };
      rows[table] = attempt(() => copyRows(source, target, table, scan)) ?? 0;
      if (!scan.complete || attempt(() => target.value(`SELECT count(*) FROM ${table}`)) === undefined) incomplete.push(table);
    }
    removeOrphans(target);
    fromHistory = restoreFromHistory(target);
    for (const row of target.all(SELECT_MEMORY)) feedText(target, number(row, 'row_id'), toMemory(row));
    target.run('UPDATE memory SET token_version = ?', [TOKENIZER_VERSION]);
    const highest = Number(target.value('SELECT max(e) FROM (SELECT max(epoch) AS e FROM memory UNION ALL SELECT max(epoch) FROM tombstone UNION ALL SELECT max(epoch) FROM chunk_vector UNION ALL SELECT max(epoch) FROM chunk_removal)') ?? 0);
    writeEpoch(target, Math.max(highest, readEpoch(target)) + 1);
    writeGeneration(target);
    target.run("INSERT INTO meta (key, value) VALUES ('store.salvaged_at', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [at]);
  });
  target.exec('PRAGMA foreign_keys = ON');
  return { memories: Number(target.value('SELECT count(*) FROM memory') ?? 0), fromHistory, rows, incomplete };
}

function copyRows(source: SqliteDatabase, target: SqliteDatabase, table: string, scan: Scan): number {
  const wanted = target.all(`SELECT name FROM pragma_table_info('${table}')`).map((row) => text(row, 'name'));
  const known = new Set(source.all(`SELECT name FROM pragma_table_info('${table}')`).map((row) => text(row, 'name')));
  const columns = wanted.filter((column) => known.has(column));
  const insert = `INSERT OR REPLACE INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  let copied = 0;
  for (const row of readableRows(source, table, scan)) {
    // The new store's own versions stand: it was made by this program.
    if (table === 'meta' && /^store\.(schema_version|min_)/.test(String(row['key']))) continue;
    try {
      copied += target.run(insert, columns.map((column): SqlValue => row[column] ?? null));
    } catch {
      scan.complete = false; // a row whose values are not of its columns' types: damage inside a page that still reads
    }
  }
  return copied;
}

function removeOrphans(target: SqliteDatabase): void {
  for (const table of ['memory_tag', 'anchor', 'chunk']) target.run(`DELETE FROM ${table} WHERE row_id NOT IN (SELECT row_id FROM memory)`);
  target.run('DELETE FROM chunk_vector WHERE chunk_id NOT IN (SELECT chunk_id FROM chunk) OR version_number NOT IN (SELECT version_number FROM embedding_version) OR length(vector) % 4 <> 0');
  target.run('DELETE FROM injection_item WHERE receipt_number NOT IN (SELECT receipt_number FROM injection_receipt)');
}

function restoreFromHistory(target: SqliteDatabase): number {
  const lost = target.all(`SELECT after FROM memory_change c WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE m.id = c.memory_id)
    AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.memory_id = c.memory_id AND t.reason <> 'forgotten')
    AND change_number = (SELECT max(change_number) FROM memory_change n WHERE n.memory_id = c.memory_id)`);
  let restored = 0;
  for (const row of lost) {
    try {
      const memory = JSON.parse(text(row, 'after')) as Memory;
      const rowId = target.insert(INSERT_MEMORY, memoryParams(memory, readEpoch(target), TOKENIZER_VERSION));
      for (const [ordinal, tag] of memory.tags.entries()) target.run(INSERT_TAG, [rowId, ordinal, tag]);
      for (const [ordinal, anchor] of memory.anchors.entries()) target.run(INSERT_ANCHOR, [rowId, ordinal, ...anchorParams(anchor)]);
      target.run('INSERT INTO chunk (row_id, ordinal, text) VALUES (?, 0, ?)', [rowId, memory.text]);
      restored += 1;
    } catch {
      // A step whose JSON is torn gives nothing back; the others go on.
    }
  }
  return restored;
}
