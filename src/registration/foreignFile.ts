/**
 * Reading and changing files of other programs without harming them (invariant 11): bytes are kept where they can be,
 * a file that cannot be parsed or written is left alone and named, every change is backed up, written in one step and
 * read back.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { applyEdits, findNodeAtLocation, modify, parse, parseTree, printParseErrorCode, type JSONPath, type ParseError } from 'jsonc-parser';
import { CairnError, isCairnError } from '../base/errors.ts';
import { ensurePrivateFolder, errorCode, writeFileAtomically } from '../runtime/paths.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** `value` undefined removes. With `insert` the value is put at the end of the array at `path`. */
export interface JsonEdit {
  readonly path: JSONPath;
  readonly value: JsonValue | undefined;
  readonly insert?: boolean;
}

export interface ForeignFile {
  readonly path: string;
  /** Undefined where there is no such file. */
  readonly bytes: Buffer | undefined;
  /** Without its byte-order mark; `{}` for an absent or blank file. */
  readonly text: string;
  readonly bom: boolean;
  readonly tree: JsonObject;
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Undefined where there is none. Throws REGISTRATION_FAILED where it cannot be read. */
export function readBytes(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR') return undefined;
    throw new CairnError('REGISTRATION_FAILED', `${file} cannot be read (${errorCode(cause) ?? 'unknown reason'}).`, { cause, data: { file } });
  }
}

/** Comments and trailing commas are fine. Throws FOREIGN_FILE_UNPARSABLE for anything that is no JSON object in UTF-8. */
export function readForeignJson(file: string): ForeignFile {
  const bytes = readBytes(file);
  // Decoded with replacement marks, bytes of others would be lost when the file is written again.
  if (bytes !== undefined && !isUtf8(bytes)) throw new CairnError('FOREIGN_FILE_UNPARSABLE', `${file} is no UTF-8 text. It was left as it is; save it as UTF-8 and try again.`, { data: { file } });
  const bom = bytes?.subarray(0, 3).equals(BOM) === true;
  const raw = (bom ? bytes?.subarray(3) : bytes)?.toString('utf8') ?? '';
  const text = raw.trim() === '' ? `${raw}{}` : raw;
  const errors: ParseError[] = [];
  const tree: unknown = parse(text, errors, { allowTrailingComma: true, disallowComments: false });
  const error = errors[0];
  if (error !== undefined || typeof tree !== 'object' || tree === null || Array.isArray(tree)) {
    const line = text.slice(0, error?.offset ?? 0).split('\n').length;
    throw new CairnError('FOREIGN_FILE_UNPARSABLE', `${file} cannot be parsed (line ${line}${error === undefined ? ': not an object' : `: ${printParseErrorCode(error.error)}`}). It was left as it is; correct it by hand and try again.`, { data: { file, line } });
  }
  return { path: file, bytes, text, bom, tree: tree as JsonObject };
}

/** False for a file with comments or trailing commas, or that is no JSON at all; an absent one counts as empty. */
export function isStrictJson(file: string): boolean {
  try {
    JSON.parse(readForeignJson(file).text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError || (isCairnError(error) && error.code === 'FOREIGN_FILE_UNPARSABLE')) return false;
    throw error;
  }
}

/** The file's new bytes; everything but the edited places stays byte for byte. Throws REGISTRATION_FAILED where somebody keeps something else at such a place. */
export function editJson(file: ForeignFile, edits: readonly JsonEdit[]): Buffer {
  const eol = file.text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /^([ \t]+)"/m.exec(file.text)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 1 : indent.length, eol };
  for (const edit of edits) requireContainers(file, edit);
  let { text } = file;
  for (const { path: where, value, insert } of edits) {
    const appended = insert === true ? undefined : appendProperty(text, where, value, { indent, eol });
    if (appended !== undefined) {
      text = appended;
      continue;
    }
    // Inside something that its owner wrote on one line, formatting would lay out their part anew.
    const formatting = isOnOneLine(text, where) ? {} : { formattingOptions };
    text = applyEdits(text, modify(text, where, value, { ...formatting, ...(insert === true ? { isArrayInsertion: true } : {}) }));
  }
  if (file.bytes === undefined || file.bytes.length === 0) text = text.endsWith('\n') ? text : `${text}${eol}`;
  return Buffer.concat([file.bom ? BOM : Buffer.alloc(0), Buffer.from(text, 'utf8')]);
}

/** What lies on the way must be an object where a key follows, a list where a place in it does. */
function requireContainers(file: ForeignFile, { path: where }: JsonEdit): void {
  for (const [depth, key] of where.entries()) {
    const container = valueAt(file.tree, where.slice(0, depth));
    if (container === undefined) return;
    const fits = typeof key === 'number' ? Array.isArray(container) : typeof container === 'object' && container !== null && !Array.isArray(container);
    if (!fits) throw new CairnError('REGISTRATION_FAILED', `"${where.slice(0, depth).join('.')}" in ${file.path} is ${typeof key === 'number' ? 'no list' : 'no object'}. The file was left as it is; correct it by hand and try again.`, { data: { file: file.path } });
  }
}

/**
 * A new last property of an object that its owner wrote over several lines, put in by hand: the library's formatting
 * would lay out the owner's line before it anew. Undefined where the place is of another kind.
 */
function appendProperty(text: string, where: JSONPath, value: unknown, { indent, eol }: { indent: string; eol: string }): string | undefined {
  if (value === undefined) return undefined;
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return undefined;
  let depth = where.length - 1;
  while (depth > 0 && findNodeAtLocation(root, where.slice(0, depth)) === undefined) depth -= 1;
  const container = findNodeAtLocation(root, where.slice(0, depth));
  const key = where[depth];
  const last = container?.children?.at(-1);
  if (container?.type !== 'object' || last === undefined || typeof key !== 'string' || where.slice(depth + 1).some((part) => typeof part !== 'string')) return undefined;
  if (findNodeAtLocation(root, where.slice(0, depth + 1)) !== undefined) return undefined;
  const end = last.offset + last.length;
  const rest = text.slice(end, container.offset + container.length - 1);
  // Only white space, with a line end, may follow: a comment or a trailing comma there is the library's business.
  if (!/^\s*\n\s*$/.test(rest)) return undefined;
  const own = /(?:^|\n)([ \t]*)$/.exec(text.slice(0, last.offset))?.[1];
  if (own === undefined) return undefined;
  const nested = where.slice(depth + 1).reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
  const written = JSON.stringify(nested, undefined, indent.startsWith('\t') ? '\t' : indent).replaceAll('\n', `${eol}${own}`);
  return `${text.slice(0, end)},${eol}${own}${JSON.stringify(key)}: ${written}${text.slice(end)}`;
}

/** Is the innermost existing container of the place written on a single line (and not empty)? */
function isOnOneLine(text: string, where: JSONPath): boolean {
  const root = parseTree(text, [], { allowTrailingComma: true });
  for (let depth = where.length - 1; root !== undefined && depth >= 0; depth -= 1) {
    const container = findNodeAtLocation(root, where.slice(0, depth));
    if (container === undefined) continue;
    return (container.children?.length ?? 0) > 0 && !text.slice(container.offset, container.offset + container.length).includes('\n');
  }
  return false;
}

export function valueAt(tree: JsonValue | undefined, where: JSONPath): JsonValue | undefined {
  let value: JsonValue | undefined = tree;
  for (const step of where) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, JsonValue | undefined>)[step];
  }
  return value;
}

export const isEqual = (left: JsonValue | undefined, right: JsonValue | undefined): boolean => stable(left) === stable(right);

function stable(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner)) ?? '';
}

/**
 * Puts `bytes` in place of what was read as `expected`: backed up before, in one step, with the file's own mode, through
 * a symbolic link. Throws FOREIGN_FILE_CHANGED when somebody wrote it meanwhile, REGISTRATION_FAILED when it cannot be
 * written (a file marked read-only is somebody's wish and is not replaced).
 */
export function replaceFile(file: string, expected: Buffer | undefined, bytes: Buffer, backupFolder: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined && fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw new CairnError('REGISTRATION_FAILED', `${file} is a link to a file that is not there; it was left as it is.`, { data: { file } });
  try {
    if (stat !== undefined) fs.accessSync(file, fs.constants.W_OK);
    if (stat !== undefined && (stat.mode & 0o200) === 0) throw Object.assign(new Error('read-only'), { code: 'EACCES' });
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (expected !== undefined) backUp(file, expected, backupFolder);
    const assertUnchanged = (): void => {
      if (!isSame(readBytes(file), expected)) throw new CairnError('FOREIGN_FILE_CHANGED', `${file} was changed by another program just now; it was left as it is. Try again.`, { data: { file } });
    };
    assertUnchanged();
    const mode = stat === undefined ? 0o600 : stat.mode & 0o777;
    // Bringing the new bytes to the disk takes milliseconds, in which a client may write: the last look is right before the exchange.
    writeFileAtomically(file, bytes, mode, assertUnchanged);
    // The umask may have taken bits that the file had.
    if (stat !== undefined && (fs.statSync(file).mode & 0o777) !== mode) fs.chmodSync(file, mode);
  } catch (cause) {
    if (cause instanceof CairnError) throw cause;
    throw new CairnError('REGISTRATION_FAILED', `${file} cannot be written (${errorCode(cause) ?? 'unknown reason'}).`, { cause, data: { file } });
  }
  if (!isSame(readBytes(file), bytes)) throw new CairnError('FOREIGN_FILE_CHANGED', `${file} does not hold what was written; another program changed it at the same time. Try again.`, { data: { file } });
}

const isSame = (left: Buffer | undefined, right: Buffer | undefined): boolean => (left === undefined || right === undefined ? left === right : left.equals(right));

const KEPT_BACKUPS = 20;

/** Named after its content, so that the same state is kept once. */
function backUp(file: string, bytes: Buffer, backupFolder: string): void {
  ensurePrivateFolder(backupFolder);
  const target = path.join(backupFolder, `${path.basename(file)}.${hashOf(bytes).slice(0, 12)}`);
  if (!fs.existsSync(target)) fs.writeFileSync(target, bytes, { mode: 0o600 });
  const all = fs.readdirSync(backupFolder).map((name) => ({ name, at: fs.statSync(path.join(backupFolder, name)).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const { name } of all.slice(KEPT_BACKUPS)) fs.rmSync(path.join(backupFolder, name), { force: true });
}
