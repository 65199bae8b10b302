/**
 * CairnError and the list of its codes.
 *
 * A code is stable and pinned by a test; its message may change at any time.
 * Each code says who raises it and who can cure it. Programming mistakes throw
 * plain errors and carry no code.
 */

export const ERROR_CODES = {
  // Input: raised by operations and the model's validators; the caller cures it.
  INPUT_INVALID: 'An argument has the wrong type or shape; the message names the field.',
  TEXT_EMPTY: 'A memory needs at least one character that is not white space.',
  TEXT_TOO_LONG: 'A memory holds at most 8,000 characters; split it or import it.',
  TEXT_MALFORMED: 'The text is not well-formed Unicode or the file is not UTF-8.',
  KIND_UNKNOWN: 'The kind is not one of the known kinds or their aliases.',
  IMPORTANCE_RANGE: 'Importance is a whole number from 1 to 10.',
  CONFIDENCE_RANGE: 'Confidence is a number from 0 to 1.',
  LIMIT_RANGE: 'A limit is a whole number from 1 upwards; large ones are capped and say so.',
  SCOPE_INVALID: 'A scope is user, repository, branch:NAME or path:GLOB.',
  TIME_INVALID: 'An instant is an ISO 8601 date, epoch milliseconds, or an age such as 3d.',
  PATH_OUTSIDE_REPOSITORY: 'An anchor must lie inside the repository; give a path below its root.',
  ID_UNKNOWN: 'No memory, observation or session with this id exists in the stores that may be seen here.',
  ID_OF_OTHER_REPOSITORY: 'The id belongs to another repository; name it with --project or --global.',
  OPERATION_UNKNOWN: 'No operation of that name; raised at a surface.',
  VERSION_CONFLICT: 'Somebody else changed the memory since it was read; read it again and repeat the edit.',
  MEMORY_NOT_ACTIVE: 'The memory was forgotten, purged or superseded; restore it first.',
  NOTHING_TO_UNDO: 'There is no change of yours that can be undone.',
  SUPERSEDE_CYCLE: 'A memory cannot supersede one that supersedes it.',
  // Scope and identity: raised by runtime and git; the person cures it.
  REPOSITORY_UNKNOWN: 'No repository of that name or path is registered.',
  REPOSITORY_REQUIRED: 'This needs a repository or folder; give -C DIR, or --user for the user store.',
  REPOSITORY_AMBIGUOUS: 'Several registered repositories match; use the id.',
  CONSENT_REQUIRED: 'Cairn has not been switched on for this repository; run `cairn init`.',
  PATH_FOREIGN: 'The path belongs to another system (Windows, WSL) and has no counterpart here.',
  WORKSPACE_UNTRUSTED: 'The workspace is not trusted; nothing is read from it or registered for it.',
  // Store: raised by storage; `cairn doctor --fix` or the message cures it.
  STORE_LOCKED: 'Another process held the write lock for longer than the time-out; try again.',
  STORE_CORRUPT: 'The store is damaged; it was set aside and a backup is offered.',
  STORE_READ_ONLY: 'The store or its folder cannot be written; reading still works.',
  STORE_FULL: 'The disk is full; nothing acknowledged was lost.',
  STORE_UNREADABLE: 'The home folder or store cannot be read; check its permissions.',
  STORE_NETWORK_FILE_SYSTEM: 'SQLite in WAL mode is not safe on network or sync folders; set CAIRN_HOME to a local folder.',
  STORE_CLOSED: 'The store is closed or closing.',
  SCHEMA_TOO_NEW: 'The store was written by a newer Cairn; update this program.',
  MIGRATION_FAILED: 'A migration failed; the store is as before and a backup exists.',
  RUNTIME_UNSUPPORTED: 'This Node has no usable node:sqlite; Node 22.16 or newer is needed.',
  // Vectors and embeddings: raised by vectorIndex and embedding; recall degrades instead of failing.
  INDEX_CORRUPT: 'The vector index file is damaged; it is rebuilt from rows.',
  INDEX_UNAVAILABLE: 'The HNSW add-on cannot load here; exact search serves.',
  EMBEDDING_FAILED: 'The model failed or gave a zero or non-finite vector; it is tried again later.',
  EMBEDDING_MISMATCH: 'Vectors of different models or dimensions were about to be compared.',
  MODEL_MISSING: 'The model folder is missing a file; reinstall, or choose another model.',
  MODEL_CORRUPT: 'A model file does not match its checksum; reinstall it.',
  MODEL_DOWNLOAD_FAILED: 'The model could not be downloaded; check the network or side-load it.',
  // Extraction and model calls: raised by extraction; batches are kept and retried.
  PROVIDER_NOT_CHOSEN: 'No extraction provider was chosen; nothing was sent or spent.',
  PROVIDER_UNAVAILABLE: 'The provider did not answer; the batch is kept and tried again.',
  PROVIDER_REJECTED: 'The provider refused the request; check the key, the model name or the quota.',
  PROVIDER_ANSWER_INVALID: 'The model gave no usable JSON after one repair; the batch is kept.',
  SPEND_CAP_REACHED: 'The daily cap is reached; the batch waits until tomorrow or a higher cap.',
  JOB_RUNNING: 'A job of this kind already runs for this repository.',
  TRANSCRIPT_UNREADABLE: 'The transcript cannot be read; nothing was taken from it.',
  // Files of others: raised by registration; the person cures the file.
  FOREIGN_FILE_UNPARSABLE: 'A settings file could not be parsed; it was left untouched.',
  FOREIGN_FILE_CHANGED: 'A settings file changed while it was being written; it was left untouched.',
  REGISTRATION_FAILED: 'Claude Code could not be registered; the message says which file and why.',
  CLIENT_TOO_OLD: 'The installed Claude Code is older than the lowest supported version.',
  // Settings and transfer.
  CONFIG_INVALID: 'A setting has an unknown name or a value outside its range.',
  CONFIG_UNPARSABLE: 'A Cairn settings file could not be parsed; defaults serve and the file is untouched.',
  IMPORT_LINE_INVALID: 'A line of an import was refused; the others were taken.',
  FORMAT_UNKNOWN: 'The file is not in a format that can be imported.',
  FORMAT_TOO_NEW: 'The export was written by a newer Cairn.',
  FILE_UNREADABLE: 'A file given on the command line cannot be read.',
  SECRET_REFUSED: 'The text is mostly a secret; it was not stored.',
  // Processes.
  WORKER_STOPPED: 'The engine worker stopped; it is started again at the next call.',
  CANCELLED: 'The caller cancelled.',
  TIMED_OUT: 'It took longer than allowed.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export const isErrorCode = (code: string): code is ErrorCode => code in ERROR_CODES;

export interface CairnErrorOptions {
  readonly cause?: unknown;
  /** Small, serialisable facts about the failure (ids, field names, limits); never memory text. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export class CairnError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: CairnErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CairnError';
    this.code = code;
    this.data = options.data;
  }
}

/** True also for an error of another bundle or thread, where `instanceof` breaks. */
export function isCairnError(error: unknown): error is CairnError {
  return error instanceof Error && error.name === 'CairnError' && 'code' in error && typeof error.code === 'string' && isErrorCode(error.code);
}

/** What crosses a thread or process boundary in place of an error. */
export interface SerializedError {
  readonly code: ErrorCode | 'INTERNAL';
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export function serializeError(error: unknown): SerializedError {
  if (isCairnError(error)) return { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) };
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
}

export function deserializeError(error: SerializedError): Error {
  if (error.code === 'INTERNAL') return new Error(error.message);
  return new CairnError(error.code, error.message, error.data === undefined ? {} : { data: error.data });
}
