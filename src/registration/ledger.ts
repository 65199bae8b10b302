/**
 * The ledger of what registration changed: for each foreign file its bytes before us, and what we left. It is what
 * makes `unregister` exact: a file that still holds what we left gets its old bytes back; of a file that others have
 * changed since, only our own entries are taken.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parse, type JSONPath } from 'jsonc-parser';
import { ensurePrivateFolder, readFileIfPresent, writeFileAtomically } from '../runtime/paths.ts';
import { editJson, hashOf, isEqual, readBytes, readForeignJson, replaceFile, valueAt, type JsonEdit, type JsonObject, type JsonValue } from './foreignFile.ts';

interface LedgerEntry {
  readonly file: string;
  /** Hash of the bytes before us, whose copy lies beside the ledger; null where there was no file. */
  readonly before: string | null;
  /** Hash of what we left. */
  readonly after: string;
  /** Our own values, for the case that others changed the file. */
  readonly edits: readonly JsonEdit[];
  /** Objects and arrays that were not there before us. */
  readonly madeContainers: readonly JSONPath[];
  /** Folders that were not there before us, outermost first. */
  readonly madeFolders: readonly string[];
}

export interface FileChange {
  readonly file: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
}

export class Ledger {
  readonly #folder: string;
  readonly #backups: string;

  /** `home` is CAIRN_HOME. */
  constructor(home: string) {
    this.#folder = path.join(home, 'registration');
    this.#backups = path.join(home, 'backups', 'foreign');
  }

  /** Makes the edits unless the file holds them already. Undefined when nothing had to be done. */
  apply(file: string, edits: readonly JsonEdit[]): FileChange | undefined {
    const foreign = readForeignJson(file);
    const missing = edits.filter((edit) => !isThere(foreign.tree, edit));
    if (missing.length === 0) return undefined;
    const after = editJson(foreign, missing);
    const known = this.#entry(file);
    const madeFolders = missingFolders(path.dirname(file));
    const madeContainers = newContainers(foreign.tree, missing);
    // Kept before the file is written: a process that is killed in between leaves a ledger that fits both states.
    const continues = known !== undefined && foreign.bytes !== undefined && hashOf(foreign.bytes) === known.after;
    // Others changed the file since, and may have left some of our entries: those are no part of how it was before us.
    const theirs = known === undefined || continues ? undefined : takeOut(file, known, () => []);
    const before = continues ? known.before : foreign.bytes === undefined ? null : this.#keepBytes(theirs ?? foreign.bytes);
    const otherEdits = (known?.edits ?? []).filter((old) => !missing.some((edit) => isEqual(edit.path as JsonValue, old.path as JsonValue) && isEqual(edit.value, old.value)));
    this.#put({
      file, before, after: hashOf(after), edits: [...otherEdits, ...missing],
      madeContainers: [...(known?.madeContainers ?? []), ...madeContainers], madeFolders: known?.madeFolders ?? madeFolders,
    });
    try {
      replaceFile(file, foreign.bytes, after, this.#backups);
    } catch (error) {
      // Nothing was written, so nothing is to be taken back.
      if (known === undefined) this.#drop(file);
      else this.#put(known);
      throw error;
    }
    return { file, before: foreign.bytes, after };
  }

  /** Takes our entries out of the file again. `leftovers` are entries of ours that a client made from them. */
  revert(file: string, leftovers: (tree: JsonObject) => JsonEdit[] = () => []): FileChange | undefined {
    const entry = this.#entry(file);
    const current = readBytes(file);
    if (current === undefined) {
      this.#drop(file);
      return undefined;
    }
    const isAsWeLeft = entry !== undefined && hashOf(current) === entry.after;
    if (entry !== undefined && isAsWeLeft && entry.before === null) {
      fs.rmSync(file);
      for (const folder of [...entry.madeFolders].reverse()) removeIfEmpty(folder);
      this.#drop(file);
      return { file, before: current, after: undefined };
    }
    const kept = entry?.before === undefined || entry.before === null ? undefined : readBytes(path.join(this.#folder, entry.before));
    const after = isAsWeLeft && kept !== undefined ? kept : takeOut(file, entry, leftovers);
    if (after === undefined || after.equals(current)) {
      this.#drop(file);
      return undefined;
    }
    replaceFile(file, current, after, this.#backups);
    this.#drop(file);
    return { file, before: current, after };
  }

  /** Takes one entry of ours out that the ledger knows nothing of. Undefined when it is not there. */
  remove(file: string, where: JSONPath): FileChange | undefined {
    const foreign = readForeignJson(file);
    if (foreign.bytes === undefined || valueAt(foreign.tree, where) === undefined) return undefined;
    const after = editJson(foreign, [{ path: where, value: undefined }]);
    replaceFile(file, foreign.bytes, after, this.#backups);
    return { file, before: foreign.bytes, after };
  }

  /** Did we write something below this key? */
  holds(file: string, key: string): boolean {
    return this.#entry(file)?.edits.some((edit) => edit.path[0] === key) === true;
  }

  files(): string[] {
    return this.#read().map((entry) => entry.file);
  }

  #entry(file: string): LedgerEntry | undefined {
    return this.#read().find((entry) => entry.file === file);
  }

  #read(): LedgerEntry[] {
    try {
      const value: unknown = JSON.parse(readFileIfPresent(path.join(this.#folder, 'ledger.json')) ?? '[]');
      return Array.isArray(value) ? (value as LedgerEntry[]) : [];
    } catch {
      return []; // damaged: our entries are then found by their names
    }
  }

  #put(entry: LedgerEntry): void {
    this.#write([...this.#read().filter((other) => other.file !== entry.file), entry]);
  }

  #drop(file: string): void {
    this.#write(this.#read().filter((other) => other.file !== file));
  }

  #write(entries: readonly LedgerEntry[]): void {
    if (entries.length === 0) {
      fs.rmSync(this.#folder, { recursive: true, force: true });
      return;
    }
    ensurePrivateFolder(this.#folder);
    writeFileAtomically(path.join(this.#folder, 'ledger.json'), `${JSON.stringify(entries, undefined, 2)}\n`);
  }

  #keepBytes(bytes: Buffer): string {
    ensurePrivateFolder(this.#folder);
    const name = hashOf(bytes);
    if (!fs.existsSync(path.join(this.#folder, name))) writeFileAtomically(path.join(this.#folder, name), bytes);
    return name;
  }
}

function isThere(tree: JsonObject, { path: where, value, insert }: JsonEdit): boolean {
  if (insert !== true) return isEqual(valueAt(tree, where), value);
  const array = valueAt(tree, where.slice(0, -1));
  return Array.isArray(array) && array.some((entry) => isEqual(entry, value));
}

/** Paths of containers that the edits will make, outermost first. */
function newContainers(tree: JsonObject, edits: readonly JsonEdit[]): JSONPath[] {
  const made: JSONPath[] = [];
  for (const { path: where } of edits) {
    for (let depth = 1; depth < where.length; depth += 1) {
      const container = where.slice(0, depth);
      if (valueAt(tree, container) === undefined && !made.some((known) => isEqual(known as JsonValue, container as JsonValue))) made.push(container);
    }
  }
  return made;
}

/** The file without our entries; undefined when it holds none. Throws FOREIGN_FILE_UNPARSABLE. */
function takeOut(file: string, entry: LedgerEntry | undefined, leftovers: (tree: JsonObject) => JsonEdit[]): Buffer | undefined {
  let foreign = readForeignJson(file);
  const start = foreign.bytes;
  const without = (edit: JsonEdit): void => {
    const bytes = editJson(foreign, [edit]);
    foreign = { ...foreign, bytes, text: (foreign.bom ? bytes.subarray(3) : bytes).toString('utf8'), tree: readTree(foreign, bytes) };
  };
  for (const { path: where, value, insert } of entry?.edits ?? []) {
    if (insert === true) {
      const container = where.slice(0, -1);
      const array = valueAt(foreign.tree, container);
      const index = Array.isArray(array) ? array.findIndex((item) => isEqual(item, value)) : -1;
      if (index >= 0) without({ path: [...container, index], value: undefined });
    } else if (value !== undefined && isEqual(valueAt(foreign.tree, where), value)) without({ path: where, value: undefined });
  }
  for (const edit of leftovers(foreign.tree)) without(edit);
  for (const container of [...(entry?.madeContainers ?? [])].reverse()) if (isEmpty(valueAt(foreign.tree, container))) without({ path: container, value: undefined });
  return foreign.bytes !== undefined && start !== undefined && foreign.bytes.equals(start) ? undefined : foreign.bytes;
}

const readTree = (foreign: { readonly bom: boolean }, bytes: Buffer): JsonObject => parse((foreign.bom ? bytes.subarray(3) : bytes).toString('utf8'), [], { allowTrailingComma: true }) as JsonObject;

const isEmpty = (value: JsonValue | undefined): boolean => typeof value === 'object' && value !== null && (Array.isArray(value) ? value.length : Object.keys(value).length) === 0;

function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; !fs.existsSync(at) && at !== path.dirname(at); at = path.dirname(at)) missing.unshift(at);
  return missing;
}

export function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch {
    return; // somebody put something there, or it is gone
  }
}
