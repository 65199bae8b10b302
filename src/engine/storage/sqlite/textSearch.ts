/**
 * Full-text search: words to ranked memories, in bounded time whatever the words are.
 *
 * 1. queryTerms gives groups: a word and what may stand for it. Each group asks FTS5 for
 *    its newest rows, at most a cap (a query is quoted tokens, never syntax).
 * 2. Groups that reach the cap are common words. They bring no candidates of their own
 *    when rarer words do; they only count in the score. Where all are common, the newest
 *    memories that hold them all stand in. Without this a question of everyday words
 *    walks through most of the index (25 ms a word at 100,000 memories).
 * 3. Candidates in order of the rarity of what they hold, those that pass the filter, are
 *    scored by BM25 over their stored tokens: exact words and synonyms by weight, words
 *    that merely begin alike below every exact word and only once (a text full of
 *    "redistool redisproxy" must not beat "redis").
 *
 * 4. A long text is judged by its best passage (textMatch.ts).
 */
import { allowedEdits, nearSpellings } from '../../text/nearSpelling.ts';
import { queryTerms, type QueryTerm } from '../../text/tokenize.ts';
import type { LexicalHit, MemoryFilter } from '../memoryStore.ts';
import { filterSql } from './memoryFilterSql.ts';
import { COLUMN_WEIGHTS, TEXT_COLUMNS } from './schema.ts';
import type { SqliteDatabase } from './sqliteDatabase.ts';
import { joinTokens } from './textIndex.ts';
import { createTextMatch, PREFIX_WEIGHT, type Group } from './textMatch.ts';
import { blob, number, text } from './sqlValues.ts';

/** Rows that all groups of one query may bring together; about 0.3 us each. */
const ROW_BUDGET = 12_000;
const GROUP_CAP = { least: 400, most: 2_000 };
/** Candidates that are scored in full; about 5 us each. */
const SCORED = 200;
const FILTER_BATCH = 200;

interface Postings {
  readonly rowIds: readonly number[];
  /** Estimated from the newest rows when there are more than the cap. */
  readonly rows: number;
  readonly isCommon: boolean;
}

interface IndexFacts {
  readonly rows: number;
  readonly lastRowId: number;
  /** Average weighted length in tokens. */
  readonly averageLength: number;
}

function toGroup(term: QueryTerm): Group | undefined {
  const all = [{ term: term.term, weight: 1 }, ...term.alternatives].map(({ term: words, weight }) => ({ tokens: joinTokens(words.split(' ')), weight })).filter(({ tokens }) => tokens !== '');
  if (all.length === 0) return undefined;
  const own = joinTokens(term.term.split(' '));
  return {
    words: all.filter(({ tokens }) => !tokens.includes(' ')).map(({ tokens, weight }) => ({ token: tokens, weight })),
    phrases: all.filter(({ tokens }) => tokens.includes(' ')),
    prefix: term.prefix && own.length >= 2 && !own.includes(' ') ? own : undefined,
  };
}

const quoted = (token: string): string => `"${token}"`;

/** The index keeps no positions (a third of the size): a phrase is all its tokens here and checked in order when scoring. */
function matchOf(group: Group): string {
  return [...group.words.map(({ token }) => quoted(token)), ...group.phrases.map(({ tokens }) => `(${tokens.split(' ').map(quoted).join(' AND ')})`)].join(' OR ');
}

function rowsMatching(database: SqliteDatabase, match: string, limit: number): number[] {
  const list = database.value('SELECT json_group_array(rowid) FROM (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC LIMIT ?)', [match, limit]);
  return typeof list === 'string' ? (JSON.parse(list) as number[]) : [];
}

function postingsOf(database: SqliteDatabase, match: string, cap: number, facts: IndexFacts): Postings {
  const rowIds = rowsMatching(database, match, cap + 1);
  if (rowIds.length <= cap) return { rowIds, rows: rowIds.length, isCommon: false };
  const seenShare = (facts.lastRowId - (rowIds.at(-1) ?? 0) + 1) / Math.max(1, facts.lastRowId);
  return { rowIds, rows: Math.min(facts.rows, Math.round(rowIds.length / Math.max(seenShare, 1e-6))), isCommon: true };
}

/** FTS5 keeps row count and total tokens per column as varints in its record 1 (fts5_index.c, "averages record"). */
function readFacts(database: SqliteDatabase): IndexFacts {
  const lastRowId = Number(database.value('SELECT max(row_id) FROM memory_token') ?? 0);
  const row = database.get('SELECT block FROM memory_fts_data WHERE id = 1');
  const values = row === undefined ? [] : varints(blob(row, 'block'));
  const rows = values[0] ?? 0;
  const total = TEXT_COLUMNS.reduce((sum, column, i) => sum + COLUMN_WEIGHTS[column] * (values[i + 1] ?? 0), 0);
  return { rows, lastRowId, averageLength: rows === 0 || total === 0 ? 1 : total / rows };
}

function varints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    values.push(value);
    value = 0;
  }
  return values;
}

/** Positive and falling in df, also for words in more than half of the rows. */
const idf = (df: number, rows: number): number => Math.log(1 + (Math.max(rows, df) - df + 0.5) / (df + 0.5));

/** Row ids in the order in which they deserve to be scored. */
function candidates(database: SqliteDatabase, groups: readonly Group[], postings: readonly Postings[], prefixRows: ReadonlyMap<number, readonly number[]>, facts: IndexFacts): number[] {
  const weightOf = new Map<number, number>();
  const offer = (rowIds: readonly number[], weight: number): void => {
    for (const rowId of rowIds) weightOf.set(rowId, (weightOf.get(rowId) ?? 0) + weight);
  };
  const rare = postings.filter((each) => !each.isCommon);
  for (const each of rare) offer(each.rowIds, idf(each.rows, facts.rows));
  for (const rowIds of prefixRows.values()) offer(rowIds, PREFIX_WEIGHT);
  if (weightOf.size < SCORED && rare.length < postings.length) {
    const common = groups.filter((_, i) => postings[i]?.isCommon === true);
    if (common.length > 1) offer(rowsMatching(database, common.map((group) => `(${matchOf(group)})`).join(' AND '), SCORED), 1e-3);
    const rarest = postings.filter((each) => each.isCommon).sort((a, b) => a.rows - b.rows)[0];
    if (weightOf.size < SCORED) offer(rarest?.rowIds.slice(0, SCORED) ?? [], 1e-6);
  }
  return [...weightOf].sort((a, b) => b[1] - a[1] || b[0] - a[0]).map(([rowId]) => rowId);
}

interface Candidate {
  readonly rowId: number;
  readonly memoryId: string;
  readonly columns: readonly string[];
}

function passingCandidates(database: SqliteDatabase, rowIds: readonly number[], filter: MemoryFilter, wanted: number): Candidate[] {
  const where = filterSql(filter, { led: true });
  const passed: Candidate[] = [];
  for (let from = 0; from < rowIds.length && passed.length < wanted; from += FILTER_BATCH) {
    const rows = database.all(
      `SELECT m.row_id AS row_id, m.id AS id, ${TEXT_COLUMNS.map((column) => `k.${column} AS ${column}`).join(', ')} FROM json_each(?) j CROSS JOIN memory m ON m.row_id = j.value CROSS JOIN memory_token k ON k.row_id = m.row_id WHERE ${where.sql}`,
      [JSON.stringify(rowIds.slice(from, from + FILTER_BATCH)), ...where.params],
    );
    for (const row of rows) passed.push({ rowId: number(row, 'row_id'), memoryId: text(row, 'id'), columns: TEXT_COLUMNS.map((column) => text(row, column)) });
  }
  return passed;
}

/** What a word counts that the one asked for may be a mistyping of. */
const NEAR_SPELLING_WEIGHT = 0.7;
/** Vocabulary looked through for one mistyped word; about 1 us each, and as much again for where it stands. */
const VOCABULARY_CAP = 5_000;
/** Unknown words of one query that are looked up this way; a pasted text has many and none is worth it. */
const MISTYPED_MOST = 2;

/** A word that stands nowhere, and begins nothing, with the words of the index that it may have meant. */
function withNearSpellings(database: SqliteDatabase, group: Group): Group {
  const word = group.words[0]?.token ?? '';
  if (allowedEdits(word) === 0) return group;
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_vocabulary USING fts5vocab('main', 'memory_fts', 'row')");
  const first = [...word][0] ?? '';
  const rows = database.all('SELECT term, doc FROM temp.memory_vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? LIMIT ?', [first, `${first}\u{10ffff}`, word.length - 2, word.length + 2, VOCABULARY_CAP]);
  const near = nearSpellings(word, rows.map((row) => ({ term: text(row, 'term'), rows: number(row, 'doc') })));
  return near.length === 0 ? group : { ...group, words: [...group.words, ...near.map((token) => ({ token, weight: NEAR_SPELLING_WEIGHT }))] };
}

/** Best first; ties go to the newer memory. Never throws for any text. */
export function searchText(database: SqliteDatabase, query: string, filter: MemoryFilter, limit: number): LexicalHit[] {
  let groups = queryTerms(query).flatMap((term) => toGroup(term) ?? []);
  if (groups.length === 0 || limit < 1) return [];
  const facts = readFacts(database);
  const cap = Math.min(GROUP_CAP.most, Math.max(GROUP_CAP.least, Math.floor(ROW_BUDGET / groups.length)));
  const postings = groups.map((group) => postingsOf(database, matchOf(group), cap, facts));
  const unknown = new Set(groups.filter((_, i) => postings[i]?.rows === 0).slice(0, MISTYPED_MOST));
  groups = groups.map((group, i) => {
    if (!unknown.has(group)) return group;
    const wider = withNearSpellings(database, group);
    if (wider !== group) postings[i] = postingsOf(database, matchOf(wider), cap, facts);
    return wider;
  });
  // Exact words outrank beginnings, so beginnings are only looked for where exact words are few: FTS5 has to merge every word that begins so.
  const prefixRows = new Map(groups.flatMap((group, i): [number, number[]][] => (group.prefix === undefined || (postings[i]?.rows ?? 0) >= SCORED ? [] : [[i, rowsMatching(database, `${quoted(group.prefix)} *`, SCORED)]])));
  const idfs = groups.map((_, i) => idf(Math.max(postings[i]?.rows ?? 0, prefixRows.has(i) && postings[i]?.rows === 0 ? (prefixRows.get(i)?.length ?? 0) : 0), facts.rows));

  const match = createTextMatch(groups.map((group, i) => ({ ...group, idf: idfs[i] ?? 0, isHeld: (postings[i]?.rows ?? 0) > 0 })), facts.averageLength);
  const scored = passingCandidates(database, candidates(database, groups, postings, prefixRows, facts), filter, Math.max(SCORED, limit)).map(({ rowId, memoryId, columns }) => ({ rowId, memoryId, ...match(columns) }));
  const hits = scored.filter(({ coverage }) => coverage > 0).sort((a, b) => b.score - a.score || b.rowId - a.rowId);
  return hits.slice(0, limit).map(({ memoryId, coverage, score, passage }, i) => ({ memoryId, rank: i + 1, bm25: -score, coverage, ...(passage === undefined ? {} : { passage }) }));
}
