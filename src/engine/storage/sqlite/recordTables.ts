/**
 * Mappers of what Cairn notes about its own work: receipts of injection, spend, jobs, the
 * audit log, prompt templates and small named values.
 */
import { CairnError } from '../../../base/errors.ts';
import type { EpochMs } from '../../../base/clock.ts';
import type { Id } from '../../../base/ids.ts';
import type { AuditEntry, InjectionReceipt, Job, JobState, PromptTemplate, SpendEntry } from '../memoryStore.ts';
import type { SqliteDatabase, SqlRow, SqlValue } from './sqliteDatabase.ts';
import { json, number, optionalNumber, optionalText, orNull, places, present, text, word } from './sqlValues.ts';

const AUDIT_KEPT = 10_000;
/** Keys of meta that belong to the store itself; getMeta and setMeta do not reach them. */
export const RESERVED_META = 'store.';

type ReceiptItem = InjectionReceipt['items'][number];
const toItem = ([memoryId, store, tokens, why]: [string, ReceiptItem['store'], number, string]): ReceiptItem => ({ memoryId, store, tokens, why });

function toReceipt(row: SqlRow): InjectionReceipt {
  return {
    id: text(row, 'id'), sessionId: text(row, 'session_id'), at: number(row, 'at'), moment: word(row, 'moment'), about: text(row, 'about'), tokens: number(row, 'tokens'),
    items: json<[string, ReceiptItem['store'], number, string][]>(row, 'items').map(toItem), compaction: number(row, 'compaction'),
  };
}

/** Newest first. */
export function selectReceipts(database: SqliteDatabase, filter: { sessionId?: string; memoryId?: Id }, page: { limit: number; offset: number }): InjectionReceipt[] {
  const conditions = ['1'];
  const params: SqlValue[] = [];
  if (filter.sessionId !== undefined) {
    conditions.push('r.session_id = ?');
    params.push(filter.sessionId);
  }
  if (filter.memoryId !== undefined) {
    conditions.push('r.receipt_number IN (SELECT receipt_number FROM injection_item WHERE memory_id = ?)');
    params.push(filter.memoryId);
  }
  const items = '(SELECT json_group_array(json_array(i.memory_id, i.store, i.tokens, i.why) ORDER BY i.ordinal) FROM injection_item i WHERE i.receipt_number = r.receipt_number) AS items';
  return database
    .all(`SELECT r.id, r.session_id, r.at, r.moment, r.about, r.tokens, r.compaction, ${items} FROM injection_receipt r WHERE ${conditions.join(' AND ')} ORDER BY r.receipt_number DESC LIMIT ? OFFSET ?`, [...params, page.limit, page.offset])
    .map(toReceipt);
}

/** A receipt is written once; the same id again changes nothing. */
export function putReceipt(database: SqliteDatabase, receipt: InjectionReceipt): void {
  if (database.get('SELECT 1 AS there FROM injection_receipt WHERE id = ?', [receipt.id]) !== undefined) return;
  const receiptNumber = database.insert('INSERT INTO injection_receipt (id, session_id, at, moment, about, tokens, compaction) VALUES (?, ?, ?, ?, ?, ?, ?)', [
    receipt.id, receipt.sessionId, receipt.at, receipt.moment, receipt.about, receipt.tokens, receipt.compaction,
  ]);
  for (const [ordinal, item] of receipt.items.entries()) {
    database.run('INSERT INTO injection_item (receipt_number, ordinal, memory_id, store, tokens, why) VALUES (?, ?, ?, ?, ?, ?)', [receiptNumber, ordinal, item.memoryId, item.store, item.tokens, item.why]);
  }
}

const SPEND_COLUMNS = ['id', 'at', 'day', 'provider', 'model', 'purpose', 'input_tokens', 'output_tokens', 'micro_usd'] as const;

function toSpend(row: SqlRow): SpendEntry {
  return present<SpendEntry>({
    id: text(row, 'id'), at: number(row, 'at'), day: text(row, 'day'), provider: text(row, 'provider'), model: text(row, 'model'), purpose: text(row, 'purpose'),
    inputTokens: number(row, 'input_tokens'), outputTokens: number(row, 'output_tokens'), microUsd: optionalNumber(row, 'micro_usd'),
  });
}

/** Oldest first. */
export function selectSpend(database: SqliteDatabase, filter: { day?: string; since?: EpochMs }): SpendEntry[] {
  return database
    .all(`SELECT ${SPEND_COLUMNS.join(', ')} FROM spend WHERE (? IS NULL OR day = ?) AND (? IS NULL OR at >= ?) ORDER BY at, id`, [orNull(filter.day), orNull(filter.day), orNull(filter.since), orNull(filter.since)])
    .map(toSpend);
}

/** The same id again replaces the entry: a batch's estimate becomes its final figure. */
export function putSpend(database: SqliteDatabase, entry: SpendEntry): void {
  database.run(`INSERT OR REPLACE INTO spend (${SPEND_COLUMNS.join(', ')}) VALUES (${places(SPEND_COLUMNS)})`, [
    entry.id, entry.at, entry.day, entry.provider, entry.model, entry.purpose, entry.inputTokens, entry.outputTokens, orNull(entry.microUsd),
  ]);
}

const JOB_COLUMNS = ['id', 'purpose', 'state', 'session_id', 'created_at', 'started_at', 'ended_at', 'attempts', 'not_before', 'tokens', 'micro_usd', 'detail', 'error'] as const;

function toJob(row: SqlRow): Job {
  return present<Job>({
    id: text(row, 'id'), purpose: word(row, 'purpose'), state: word(row, 'state'), sessionId: optionalText(row, 'session_id'), createdAt: number(row, 'created_at'),
    startedAt: optionalNumber(row, 'started_at'), endedAt: optionalNumber(row, 'ended_at'), attempts: number(row, 'attempts'), notBefore: optionalNumber(row, 'not_before'),
    tokens: optionalNumber(row, 'tokens'), microUsd: optionalNumber(row, 'micro_usd'),
    detail: optionalText(row, 'detail') === undefined ? undefined : json<Record<string, unknown>>(row, 'detail'), error: optionalText(row, 'error'),
  });
}

/** Newest first. */
export function selectJobs(database: SqliteDatabase, filter: { states?: readonly JobState[]; purpose?: Job['purpose']; sessionId?: string }, limit: number): Job[] {
  const states = filter.states === undefined ? '1' : `state IN (${places(filter.states)})`;
  return database
    .all(`SELECT ${JOB_COLUMNS.join(', ')} FROM job WHERE ${states} AND (? IS NULL OR purpose = ?) AND (? IS NULL OR session_id = ?) ORDER BY created_at DESC, id DESC LIMIT ?`, [
      ...(filter.states ?? []), orNull(filter.purpose), orNull(filter.purpose), orNull(filter.sessionId), orNull(filter.sessionId), limit,
    ])
    .map(toJob);
}

export function putJob(database: SqliteDatabase, job: Job): void {
  database.run(`INSERT OR REPLACE INTO job (${JOB_COLUMNS.join(', ')}) VALUES (${places(JOB_COLUMNS)})`, [
    job.id, job.purpose, job.state, orNull(job.sessionId), job.createdAt, orNull(job.startedAt), orNull(job.endedAt), job.attempts, orNull(job.notBefore), orNull(job.tokens), orNull(job.microUsd),
    job.detail === undefined ? null : JSON.stringify(job.detail), orNull(job.error),
  ]);
}

/** Newest first. */
export function selectAudit(database: SqliteDatabase, limit: number): AuditEntry[] {
  return database.all('SELECT at, surface, client_id, session_id, verb, memory_ids FROM audit ORDER BY audit_number DESC LIMIT ?', [limit]).map((row) =>
    present<AuditEntry>({ at: number(row, 'at'), surface: text(row, 'surface'), clientId: optionalText(row, 'client_id'), sessionId: optionalText(row, 'session_id'), verb: text(row, 'verb'), memoryIds: json<string[]>(row, 'memory_ids') }),
  );
}

export function putAudit(database: SqliteDatabase, entry: AuditEntry): void {
  database.run('INSERT INTO audit (at, surface, client_id, session_id, verb, memory_ids) VALUES (?, ?, ?, ?, ?, ?)', [entry.at, entry.surface, orNull(entry.clientId), orNull(entry.sessionId), entry.verb, JSON.stringify(entry.memoryIds)]);
  database.run('DELETE FROM audit WHERE audit_number <= (SELECT max(audit_number) FROM audit) - ?', [AUDIT_KEPT]);
}

export function selectPromptTemplates(database: SqliteDatabase): PromptTemplate[] {
  return database.all('SELECT id, version, sha256, body, created_at FROM prompt_template ORDER BY id, version').map((row) => ({
    id: text(row, 'id'), version: number(row, 'version'), sha256: text(row, 'sha256'), body: text(row, 'body'), createdAt: number(row, 'created_at'),
  }));
}

/** A version is written once: memories point to it. The same version again changes nothing. */
export function putPromptTemplate(database: SqliteDatabase, template: PromptTemplate): void {
  database.run('INSERT INTO prompt_template (id, version, sha256, body, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING', [template.id, template.version, template.sha256, template.body, template.createdAt]);
}

export function selectMeta(database: SqliteDatabase, key: string): string | undefined {
  const row = key.startsWith(RESERVED_META) ? undefined : database.get('SELECT value FROM meta WHERE key = ?', [key]);
  return row === undefined ? undefined : text(row, 'value');
}

export function setMeta(database: SqliteDatabase, key: string, value: string | undefined): void {
  if (key.startsWith(RESERVED_META)) throw new CairnError('INPUT_INVALID', `Names that begin with "${RESERVED_META}" belong to the store.`, { data: { field: 'key', key } });
  if (value === undefined) database.run('DELETE FROM meta WHERE key = ?', [key]);
  else database.run('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value', [key, value]);
}
