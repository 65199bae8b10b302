/**
 * Text files that a person names: read line by line in constant memory, written whole or
 * not at all.
 */
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import { errorCode, FILE_MODE } from './paths.ts';

const NEWLINE = 0x0a;

/** Lines without their ends, `undefined` for one that is not UTF-8; `-` is standard input. Throws FILE_UNREADABLE, TEXT_MALFORMED (UTF-16). */
export async function* readLines(file: string): AsyncIterable<string | undefined> {
  const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : fs.createReadStream(file);
  let parts: Buffer[] = [];
  let isFirst = true;
  try {
    for await (const chunk of stream) {
      if (isFirst && /^(?:\xff\xfe|\xfe\xff)/.test(chunk.toString('latin1', 0, 2))) throw new CairnError('TEXT_MALFORMED', `${file} is UTF-16, not UTF-8 text. Convert it first.`, { data: { file } });
      isFirst = false;
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        yield decodeLine([...parts, chunk.subarray(from, end)]);
        parts = [];
        from = end + 1;
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
    }
    if (parts.length > 0) yield decodeLine(parts);
  } catch (cause) {
    if (errorCode(cause) === undefined || cause instanceof CairnError) throw cause; // the reader's own failure, or said already
    throw new CairnError('FILE_UNREADABLE', `${file} cannot be read: ${inWords(errorCode(cause))}.`, { cause, data: { file } });
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder', EISDIR: 'it is a folder', ENOTDIR: 'a part of the path is no folder', EACCES: 'permission denied', EPERM: 'permission denied', ENOSPC: 'no space is left', EROFS: 'the disk is read-only',
};

/** The system's code for people; codes that are not in the table stay as they are. */
const inWords = (code: string | undefined): string => (code === undefined ? 'reason unknown' : (WORDS[code] ?? code));

function decodeLine(parts: readonly Buffer[]): string | undefined {
  const bytes = Buffer.concat(parts);
  return isUtf8(bytes) ? bytes.toString('utf8').replace(/\r$/, '') : undefined;
}

/** Replaces the file when all lines are written. Throws FILE_UNREADABLE, STORE_FULL. */
export async function writeLines(file: string, lines: AsyncIterable<string> | Iterable<string>): Promise<void> {
  const target = path.resolve(file);
  const partial = `${target}.${process.pid}.partial`;
  try {
    const handle = await fs.promises.open(partial, 'w', FILE_MODE);
    try {
      let buffer = '';
      for await (const line of lines) {
        buffer += `${line}\n`;
        if (buffer.length > 64 * 1024) {
          await handle.write(buffer);
          buffer = '';
        }
      }
      await handle.write(buffer);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.promises.rename(partial, target);
  } catch (cause) {
    await fs.promises.rm(partial, { force: true });
    const code = errorCode(cause);
    if (code === undefined) throw cause; // whoever gives the lines failed
    throw new CairnError(code === 'ENOSPC' ? 'STORE_FULL' : 'FILE_UNREADABLE', `${file} cannot be written: ${inWords(code)}.`, { cause, data: { file } });
  }
}
