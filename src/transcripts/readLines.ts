/**
 * Lines of a file as text with their byte offsets, in constant memory whatever the file holds: no final newline, one
 * line of half a gigabyte, bytes that are no UTF-8.
 */
import type { FileHandle } from 'node:fs/promises';
import { LineSlimmer } from './slimLine.ts';

const CHUNK_BYTES = 256 * 1024;
/** From here on a line is walked byte by byte; below, it is simply kept. */
const SLIM_FROM_BYTES = 512 * 1024;

export interface RawLine {
  /** Undefined when the line is too long even with its strings cut. */
  readonly text: string | undefined;
  /** Byte offset of its first byte and of the byte after its newline. */
  readonly start: number;
  readonly end: number;
  /** False for what stands after the last newline: it may still be being written. */
  readonly terminated: boolean;
}

/** Yields the lines of one read at a time. Stops quietly when the signal aborts; the caller knows. */
export async function* readLineBatches(file: FileHandle, from: number, signal?: AbortSignal): AsyncGenerator<RawLine[]> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const line = new PendingLine();
  let position = from;
  let lineStart = from;
  while (signal?.aborted !== true) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    const batch: RawLine[] = [];
    let start = 0;
    for (let newline = indexOfNewline(chunk, start, bytesRead); newline !== -1; newline = indexOfNewline(chunk, start, bytesRead)) {
      line.push(chunk.subarray(start, newline));
      const end = position + newline + 1;
      batch.push({ text: line.take(), start: lineStart, end, terminated: true });
      lineStart = end;
      start = newline + 1;
    }
    line.push(chunk.subarray(start, bytesRead));
    position += bytesRead;
    if (batch.length > 0) yield batch;
  }
  if (position > lineStart && signal?.aborted !== true) yield [{ text: line.take(), start: lineStart, end: position, terminated: false }];
}

function indexOfNewline(chunk: Buffer, from: number, length: number): number {
  const index = chunk.indexOf(10, from);
  return index >= length ? -1 : index;
}

/** The line in the making: plain bytes while short, a slimmer once it grows. */
class PendingLine {
  #parts: Buffer[] = [];
  #bytes = 0;
  #slimmer: LineSlimmer | undefined;

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#slimmer !== undefined) {
      this.#slimmer.push(bytes);
      return;
    }
    this.#parts.push(Buffer.from(bytes));
    this.#bytes += bytes.length;
    if (this.#bytes > SLIM_FROM_BYTES) {
      this.#slimmer = new LineSlimmer();
      for (const part of this.#parts) this.#slimmer.push(part);
      this.#parts = [];
    }
  }

  take(): string | undefined {
    const text = this.#slimmer === undefined ? Buffer.concat(this.#parts, this.#bytes).toString('utf8') : this.#slimmer.finish();
    this.#parts = [];
    this.#bytes = 0;
    this.#slimmer = undefined;
    return text;
  }
}
