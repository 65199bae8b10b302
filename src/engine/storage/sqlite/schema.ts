/**
 * Schema v1: every table of a store, in one text. Tables are STRICT and singular; each
 * has one mapper with one column list (see the *Table.ts files).
 *
 * Changing it? Never edit v1 once released: add a step to migrations.ts, raise
 * SCHEMA_VERSION, decide min_reader and min_writer, extend the mappers, the salvage list
 * and the contract suite, and store a file of the old version under test/fixtures/stores.
 */

export const SCHEMA_VERSION = 1;
/** "Carn" in ASCII: tells `file` and us that an SQLite file is Cairn's. */
export const APPLICATION_ID = 0x4361726e;

/** Text index weights: how much a word counts by where it stands. Found by the golden queries of test/golden. */
export const TEXT_COLUMNS = ['text', 'tags', 'path', 'quote'] as const;
export type TextColumn = (typeof TEXT_COLUMNS)[number];
export const COLUMN_WEIGHTS: Readonly<Record<TextColumn, number>> = { text: 1, tags: 1.2, path: 0.8, quote: 0.4 };

/** Tokens come blank-separated from our own tokenizer; everything else in ASCII counts as part of a token. */
const FTS_TOKENIZER = `ascii tokenchars '_!#$%&()*+,-./:;<=>?@[\\]^{|}~'`;

export const MEMORY_FTS = `
CREATE VIRTUAL TABLE memory_fts USING fts5(
  text, tags, path, quote,
  content='memory_token', content_rowid='row_id', detail=column, tokenize="${FTS_TOKENIZER}"
);
INSERT INTO memory_fts(memory_fts, rank) VALUES ('secure-delete', 1);
`;

/** Apart, since emptying the whole store takes it down and puts it back. */
export const TOKEN_REMOVED = `CREATE TRIGGER memory_token_removed AFTER DELETE ON memory_token BEGIN
  INSERT INTO memory_fts(memory_fts, rowid, text, tags, path, quote) VALUES ('delete', old.row_id, old.text, old.tags, old.path, old.quote);
END;
`;

export const SCHEMA_V1 = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT;

CREATE TABLE memory (
  row_id INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL,
  text TEXT NOT NULL,
  normalized_hash BLOB NOT NULL,
  token_version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  pinned INTEGER NOT NULL,
  scope_level TEXT NOT NULL,
  scope_value TEXT,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER,
  expires_at INTEGER,
  last_recalled_at INTEGER,
  recall_count INTEGER NOT NULL,
  not_relevant_count INTEGER NOT NULL,
  repeat_count INTEGER NOT NULL,
  version INTEGER NOT NULL,
  external_id TEXT,
  supersedes TEXT NOT NULL,
  superseded_by TEXT,
  untrusted INTEGER NOT NULL,
  suspicious INTEGER NOT NULL,
  via TEXT NOT NULL,
  session_id TEXT,
  turn_key TEXT,
  transcript_path TEXT,
  quote TEXT,
  speaker TEXT,
  context TEXT,
  said_at INTEGER,
  rule TEXT,
  model TEXT,
  prompt_template TEXT,
  client_id TEXT,
  author TEXT,
  branch TEXT,
  commit_hash TEXT,
  episode_id TEXT,
  observation_id TEXT,
  imported_from TEXT
) STRICT;
CREATE INDEX memory_by_epoch ON memory (epoch);
CREATE INDEX memory_by_normalized ON memory (normalized_hash);
CREATE INDEX memory_by_update ON memory (status, updated_at DESC, id DESC);
CREATE INDEX memory_by_creation ON memory (status, created_at DESC, id DESC);
CREATE INDEX memory_by_importance ON memory (status, importance DESC, updated_at DESC, id DESC);
CREATE INDEX memory_by_token_version ON memory (token_version);
CREATE INDEX memory_by_external ON memory (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX memory_by_session ON memory (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memory_by_pin ON memory (updated_at) WHERE pinned = 1;

CREATE TABLE memory_tag (
  row_id INTEGER NOT NULL REFERENCES memory (row_id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (row_id, ordinal)
) STRICT;
CREATE INDEX memory_tag_by_tag ON memory_tag (tag, row_id);

CREATE TABLE anchor (
  row_id INTEGER NOT NULL REFERENCES memory (row_id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  path TEXT NOT NULL,
  symbol TEXT,
  start_line INTEGER,
  end_line INTEGER,
  content_hash TEXT,
  commit_hash TEXT,
  snippet TEXT,
  PRIMARY KEY (row_id, ordinal)
) STRICT;
CREATE INDEX anchor_by_path ON anchor (path, row_id);

CREATE TABLE memory_change (
  change_number INTEGER PRIMARY KEY AUTOINCREMENT,
  change_id TEXT NOT NULL UNIQUE,
  memory_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  verb TEXT NOT NULL,
  at INTEGER NOT NULL,
  surface TEXT NOT NULL,
  client_id TEXT,
  session_id TEXT,
  author TEXT,
  reason TEXT,
  before TEXT,
  after TEXT NOT NULL,
  act_id TEXT NOT NULL,
  undone_by TEXT
) STRICT;
CREATE INDEX memory_change_by_memory ON memory_change (memory_id, change_number);
CREATE INDEX memory_change_by_act ON memory_change (act_id);

CREATE TABLE tombstone (
  memory_id TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX tombstone_by_epoch ON tombstone (epoch);

CREATE TABLE chunk (
  chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
  row_id INTEGER NOT NULL REFERENCES memory (row_id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX chunk_by_memory ON chunk (row_id, ordinal);

CREATE TABLE embedding_version (
  version_number INTEGER PRIMARY KEY AUTOINCREMENT,
  version TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE chunk_vector (
  vector_number INTEGER PRIMARY KEY,
  chunk_id INTEGER NOT NULL REFERENCES chunk (chunk_id) ON DELETE CASCADE,
  version_number INTEGER NOT NULL REFERENCES embedding_version (version_number),
  epoch INTEGER NOT NULL,
  vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunk_vector_by_chunk ON chunk_vector (chunk_id, version_number);
CREATE INDEX chunk_vector_by_epoch ON chunk_vector (version_number, epoch, chunk_id);

CREATE TABLE chunk_removal (
  chunk_id INTEGER PRIMARY KEY,
  memory_id TEXT NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX chunk_removal_by_epoch ON chunk_removal (epoch, chunk_id);

CREATE TABLE memory_token (
  row_id INTEGER PRIMARY KEY REFERENCES memory (row_id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  tags TEXT NOT NULL,
  path TEXT NOT NULL,
  quote TEXT NOT NULL
) STRICT;
${MEMORY_FTS}
CREATE TRIGGER memory_token_added AFTER INSERT ON memory_token BEGIN
  INSERT INTO memory_fts(rowid, text, tags, path, quote) VALUES (new.row_id, new.text, new.tags, new.path, new.quote);
END;
${TOKEN_REMOVED}CREATE TRIGGER memory_token_changed AFTER UPDATE ON memory_token BEGIN
  INSERT INTO memory_fts(memory_fts, rowid, text, tags, path, quote) VALUES ('delete', old.row_id, old.text, old.tags, old.path, old.quote);
  INSERT INTO memory_fts(rowid, text, tags, path, quote) VALUES (new.row_id, new.text, new.tags, new.path, new.quote);
END;

CREATE TABLE episode (
  episode_number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL UNIQUE,
  transcript_path TEXT,
  cwd TEXT,
  branch TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  title TEXT,
  client_version TEXT
) STRICT;
CREATE INDEX episode_by_start ON episode (started_at);

CREATE TABLE turn (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  block_index INTEGER NOT NULL,
  speaker TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  sidechain INTEGER NOT NULL,
  tool_name TEXT,
  paths TEXT,
  extracted INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session_id, message_id, block_index)
) STRICT;
CREATE INDEX turn_by_session ON turn (session_id, sequence);

CREATE TABLE observation (
  observation_number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  normalized_hash BLOB NOT NULL,
  kind TEXT NOT NULL,
  importance INTEGER NOT NULL,
  confidence REAL NOT NULL,
  tags TEXT NOT NULL,
  scope TEXT NOT NULL,
  expires_at INTEGER,
  anchors TEXT NOT NULL,
  provenance TEXT NOT NULL,
  session_id TEXT,
  rule TEXT,
  untrusted INTEGER NOT NULL,
  suspicious INTEGER NOT NULL,
  outcome_verb TEXT NOT NULL,
  target_id TEXT,
  why TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  reject_reason TEXT,
  memory_id TEXT
) STRICT;
CREATE INDEX observation_by_state ON observation (state, created_at);
CREATE INDEX observation_by_session ON observation (session_id);
CREATE INDEX observation_by_rule ON observation (rule, state) WHERE rule IS NOT NULL;
CREATE INDEX observation_by_memory ON observation (memory_id) WHERE memory_id IS NOT NULL;

CREATE TABLE rejected_text (
  normalized_hash BLOB PRIMARY KEY,
  observation_id TEXT NOT NULL
) STRICT;

CREATE TABLE prompt_template (
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (id, version)
) STRICT;

CREATE TABLE profile_value (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  confidence REAL NOT NULL,
  memory_ids TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  edited INTEGER NOT NULL
) STRICT;

CREATE TABLE relation (
  relation_number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  subject_key TEXT NOT NULL,
  object_key TEXT NOT NULL,
  memory_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX relation_by_subject ON relation (subject_key);
CREATE INDEX relation_by_object ON relation (object_key);
CREATE INDEX relation_by_memory ON relation (memory_id);

CREATE TABLE injection_receipt (
  receipt_number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  moment TEXT NOT NULL,
  about TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  compaction INTEGER NOT NULL
) STRICT;
CREATE INDEX injection_receipt_by_session ON injection_receipt (session_id, receipt_number);

CREATE TABLE injection_item (
  receipt_number INTEGER NOT NULL REFERENCES injection_receipt (receipt_number) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  store TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (receipt_number, ordinal)
) STRICT;
CREATE INDEX injection_item_by_memory ON injection_item (memory_id);

CREATE TABLE spend (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  day TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  micro_usd INTEGER
) STRICT;
CREATE INDEX spend_by_day ON spend (day);
CREATE INDEX spend_by_time ON spend (at);

CREATE TABLE job (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  state TEXT NOT NULL,
  session_id TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  attempts INTEGER NOT NULL,
  not_before INTEGER,
  tokens INTEGER,
  micro_usd INTEGER,
  detail TEXT,
  error TEXT
) STRICT;
CREATE INDEX job_by_state ON job (state, created_at);

CREATE TABLE audit (
  audit_number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  surface TEXT NOT NULL,
  client_id TEXT,
  session_id TEXT,
  verb TEXT NOT NULL,
  memory_ids TEXT NOT NULL
) STRICT;
`;
