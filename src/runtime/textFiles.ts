/**
 * Text files that a person names: read line by line in constant memory, written whole or
 * not at all.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import { errorCode, FILE_MODE } from './paths.ts';

/** Lines without their ends; `-` is standard input. Throws FILE_UNREADABLE, TEXT_MALFORMED (not UTF-8). */
export async function* readLines(file: string): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : fs.createReadStream(file);
  let rest = '';
  let line = 0;
  try {
    for await (const chunk of stream) {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        line += 1;
        yield rest.slice(0, end).replace(/\r$/, '');
        rest = rest.slice(end + 1);
      }
    }
    rest += decoder.decode();
    if (rest !== '') yield rest;
  } catch (cause) {
    if (cause instanceof TypeError) throw new CairnError('TEXT_MALFORMED', `${file} is not UTF-8 text (after line ${line}). Convert it first.`, { cause, data: { file, line } });
    if (errorCode(cause) === undefined) throw cause; // the reader's own failure
    throw new CairnError('FILE_UNREADABLE', `${file} cannot be read (${errorCode(cause)}).`, { cause, data: { file } });
  }
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
    throw new CairnError(code === 'ENOSPC' ? 'STORE_FULL' : 'FILE_UNREADABLE', `${file} cannot be written (${code}).`, { cause, data: { file } });
  }
}
