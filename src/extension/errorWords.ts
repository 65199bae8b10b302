/**
 * What the engine's errors say in the editor. The engine's own sentences are English and exact, and an English editor
 * shows them, unless they send the person to a terminal; else, and in another language, an error is told by its code,
 * with what it is about before it. The log keeps the engine's sentence.
 */
import * as vscode from 'vscode';
import { CairnError, isCairnError, type ErrorCode } from '../base/errors.ts';

const SENTENCES: Readonly<Record<ErrorCode, () => string>> = {
  INPUT_INVALID: () => vscode.l10n.t('This value is not allowed here.'),
  TEXT_EMPTY: () => vscode.l10n.t('The text is empty. Write at least one word.'),
  TEXT_TOO_LONG: () => vscode.l10n.t('The text is too long: a memory holds at most 8,000 characters. Shorten it.'),
  TEXT_MALFORMED: () => vscode.l10n.t('This is not text: it holds characters that no text has.'),
  KIND_UNKNOWN: () => vscode.l10n.t('There is no such kind of memory.'),
  IMPORTANCE_RANGE: () => vscode.l10n.t('Importance is a whole number from 1 to 10.'),
  CONFIDENCE_RANGE: () => vscode.l10n.t('Confidence is a number from 0 to 1.'),
  LIMIT_RANGE: () => vscode.l10n.t('A limit is a whole number from 1 upwards.'),
  SCOPE_INVALID: () => vscode.l10n.t('There is no such scope. A path is a pattern within the repository, such as src/**.'),
  TIME_INVALID: () => vscode.l10n.t('This is not a date to come. Write one such as 2026-11-30.'),
  PATH_OUTSIDE_REPOSITORY: () => vscode.l10n.t('The file does not lie in this repository.'),
  ID_UNKNOWN: () => vscode.l10n.t('It is not here any more; it may have been purged.'),
  ID_OF_OTHER_REPOSITORY: () => vscode.l10n.t('It belongs to another repository.'),
  OPERATION_UNKNOWN: () => vscode.l10n.t('This part of Cairn is of another version. Reload the window.'),
  VERSION_CONFLICT: () => vscode.l10n.t('It was changed elsewhere meanwhile. Look at it again and repeat the change.'),
  MEMORY_NOT_ACTIVE: () => vscode.l10n.t('It was forgotten, superseded or decided already. Restore it first.'),
  NOTHING_TO_UNDO: () => vscode.l10n.t('There is nothing to undo.'),
  SUPERSEDE_CYCLE: () => vscode.l10n.t('A memory cannot replace the one that replaced it.'),
  REPOSITORY_UNKNOWN: () => vscode.l10n.t('Cairn knows no such repository.'),
  REPOSITORY_REQUIRED: () => vscode.l10n.t('This needs a repository. Open a folder first.'),
  REPOSITORY_AMBIGUOUS: () => vscode.l10n.t('Several repositories have this name.'),
  CONSENT_REQUIRED: () => vscode.l10n.t('Cairn is not switched on for this repository. Run “Cairn: Set Up”.'),
  PATH_FOREIGN: () => vscode.l10n.t('This path belongs to another system. Open the folder on the system it lies on.'),
  WORKSPACE_UNTRUSTED: () => vscode.l10n.t('This folder is not trusted, so nothing is read from it.'),
  STORE_LOCKED: () => vscode.l10n.t('Another process holds the memory. Try again; if it goes on, close other Cairn or Claude Code processes.'),
  STORE_CORRUPT: () => vscode.l10n.t('The memory is damaged. “Cairn: Doctor” repairs it or restores a backup.'),
  STORE_READ_ONLY: () => vscode.l10n.t('The memory can be read but not written. Check the permissions of its folder.'),
  STORE_FULL: () => vscode.l10n.t('The disk is full. Free some space and repeat; what was saved before is kept.'),
  STORE_UNREADABLE: () => vscode.l10n.t('The memory cannot be read. Check its folder, the permissions and the disk.'),
  STORE_NETWORK_FILE_SYSTEM: () => vscode.l10n.t('The memory lies on a network or synchronised folder, where it would be damaged. Set CAIRN_HOME to a folder on a local disk.'),
  STORE_CLOSED: () => vscode.l10n.t('The memory was just closed or exchanged. Repeat it.'),
  SCHEMA_TOO_NEW: () => vscode.l10n.t('The memory was written by a newer Cairn. Update this extension; nothing was changed.'),
  MIGRATION_FAILED: () => vscode.l10n.t('The memory could not be brought to this version; it is as before, and a copy exists.'),
  RUNTIME_UNSUPPORTED: () => vscode.l10n.t('This editor is too old for Cairn. Update it.'),
  INDEX_CORRUPT: () => vscode.l10n.t('The search file is damaged; it is made anew.'),
  INDEX_UNAVAILABLE: () => vscode.l10n.t('The fast search cannot load here; a slower one serves.'),
  EMBEDDING_FAILED: () => vscode.l10n.t('The model for search by meaning failed; search by words serves.'),
  EMBEDDING_MISMATCH: () => vscode.l10n.t('The model for search by meaning was exchanged for another; choose it anew in the settings.'),
  MODEL_MISSING: () => vscode.l10n.t('The model for search by meaning is not complete. Reinstall this extension, or choose another model.'),
  MODEL_CORRUPT: () => vscode.l10n.t('The model for search by meaning is damaged. Reinstall this extension, or choose another model.'),
  MODEL_DOWNLOAD_FAILED: () => vscode.l10n.t('The model could not be downloaded. Check the network, or choose another model.'),
  PROVIDER_NOT_CHOSEN: () => vscode.l10n.t('Nobody was chosen to read sessions; nothing was sent or spent.'),
  PROVIDER_UNAVAILABLE: () => vscode.l10n.t('The model did not answer; what waits is tried again later.'),
  PROVIDER_REJECTED: () => vscode.l10n.t('The model’s provider refused. Check the key, the name of the model and the quota.'),
  PROVIDER_ANSWER_INVALID: () => vscode.l10n.t('The model gave no usable answer. Try another model; what waits is kept.'),
  SPEND_CAP_REACHED: () => vscode.l10n.t('Today’s spending cap is reached. It goes on tomorrow, or with a higher cap.'),
  JOB_RUNNING: () => vscode.l10n.t('This is running already.'),
  TRANSCRIPT_UNREADABLE: () => vscode.l10n.t('The session of Claude Code cannot be read, or is gone.'),
  FOREIGN_FILE_UNPARSABLE: () => vscode.l10n.t('This settings file cannot be read; it was left as it is. Correct it by hand and try again.'),
  FOREIGN_FILE_CHANGED: () => vscode.l10n.t('Another program changed this settings file at the same time; it was left as it is. Try again.'),
  REGISTRATION_FAILED: () => vscode.l10n.t('Cairn could not be registered with Claude Code. Check that this can be written.'),
  CLIENT_TOO_OLD: () => vscode.l10n.t('The installed Claude Code is too old. Update it.'),
  CONFIG_INVALID: () => vscode.l10n.t('This setting does not exist, or its value is not allowed.'),
  CONFIG_UNPARSABLE: () => vscode.l10n.t('Cairn’s settings file cannot be read; defaults serve. Correct it by hand.'),
  IMPORT_LINE_INVALID: () => vscode.l10n.t('This line holds no memory.'),
  FORMAT_UNKNOWN: () => vscode.l10n.t('The file has no form that can be imported.'),
  FORMAT_TOO_NEW: () => vscode.l10n.t('The file was written by a newer Cairn. Update this extension.'),
  FILE_UNREADABLE: () => vscode.l10n.t('This file cannot be read.'),
  SECRET_REFUSED: () => vscode.l10n.t('Nothing but a secret would be left to remember. Describe what it is for instead.'),
  WORKER_STOPPED: () => vscode.l10n.t('Cairn’s engine stopped; it starts again with the next action.'),
  CANCELLED: () => vscode.l10n.t('Cancelled.'),
  TIMED_OUT: () => vscode.l10n.t('It took too long. Try again.'),
};

/** Facts of an error that tell a person what it is about, most telling first. */
const ABOUT = ['file', 'path', 'folder', 'home', 'key', 'value', 'scope', 'kind'] as const;

/** An editor without a bundle of ours speaks English. */
export const speaksEnglish = (): boolean => vscode.l10n.bundle === undefined;

export function errorSentence(code: ErrorCode, data: CairnError['data']): string {
  const about = ABOUT.map((name) => data?.[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof about === 'string' ? vscode.l10n.t('{0}: {1}', about, SENTENCES[code]()) : SENTENCES[code]();
}

const sendsToTerminal = (sentence: string): boolean => /`cairn |--[a-z]/.test(sentence);

/** The same error, in the person's language and with a cure that the editor has; code and facts stay. */
export function inTheirLanguage(error: unknown): unknown {
  if (!isCairnError(error) || (speaksEnglish() && !sendsToTerminal(error.message))) return error;
  return new CairnError(error.code, errorSentence(error.code, error.data), { cause: error, ...(error.data === undefined ? {} : { data: error.data }) });
}
