/**
 * Where a reader of a growing session file stopped, so that the next reading takes only what is new, and notices when
 * the file is no longer the one it knew.
 *
 * A cursor never trusts a clock. The file was replaced or cut when its inode changed, when it is shorter than the
 * cursor's offset, or when the bytes just before the offset are not the ones that were there; then reading starts at
 * the beginning, and what was taken before is recognised by its keys.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { isObject } from './parseLine.ts';
import type { TurnMakerState } from './turnMaker.ts';

export interface TranscriptCursor {
  /** Byte offset of the first line that was not taken. */
  readonly offset: number;
  /** Size of the file when it was read. */
  readonly sizeBytes: number;
  /** Inode and device as text; empty where the file system has none. */
  readonly file: string;
  /** Hash of the bytes just before the offset. */
  readonly mark: string;
  readonly lastUuid?: string;
  readonly state: TurnMakerState;
}

const MARK_BYTES = 256;

export async function identifyFile(file: FileHandle): Promise<{ id: string; sizeBytes: number; modifiedAt: number }> {
  const stat = await file.stat({ bigint: true });
  return { id: stat.ino === 0n ? '' : `${stat.dev}:${stat.ino}`, sizeBytes: Number(stat.size), modifiedAt: Number(stat.mtimeMs) };
}

export async function markBefore(file: FileHandle, offset: number): Promise<string> {
  const length = Math.min(MARK_BYTES, offset);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, offset - length);
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex').slice(0, 16);
}

/** True when the file still begins as it did when the cursor was made. */
export async function isStillTheSame(file: FileHandle, cursor: TranscriptCursor): Promise<boolean> {
  const { id, sizeBytes } = await identifyFile(file);
  if (cursor.file !== '' && id !== '' && cursor.file !== id) return false;
  if (sizeBytes < cursor.offset) return false;
  return (await markBefore(file, cursor.offset)) === cursor.mark;
}

export const formatCursor = (cursor: TranscriptCursor): string => JSON.stringify(cursor);

/** Inverse of formatCursor; undefined for anything that is no cursor, so that reading starts at the beginning. */
export function parseCursor(text: string | undefined): TranscriptCursor | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value.offset !== 'number' || !Number.isInteger(value.offset) || value.offset < 0) return undefined;
    if (typeof value.sizeBytes !== 'number' || typeof value.file !== 'string' || typeof value.mark !== 'string' || !isObject(value.state)) return undefined;
    return {
      offset: value.offset, sizeBytes: value.sizeBytes, file: value.file, mark: value.mark,
      ...(typeof value.lastUuid === 'string' ? { lastUuid: value.lastUuid } : {}),
      state: {
        blockCounts: pairsOf(value.state.blockCounts, 'number'), toolNames: pairsOf(value.state.toolNames, 'string'),
        ...(typeof value.state.tail === 'string' ? { tail: value.state.tail } : {}),
      },
    };
  } catch {
    return undefined; // a damaged cursor costs one reading from the start, nothing else
  }
}

function pairsOf<T extends 'number' | 'string'>(value: unknown, type: T): [string, T extends 'number' ? number : string][] {
  if (!Array.isArray(value)) return [];
  return value.filter((pair): pair is [string, T extends 'number' ? number : string] => Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === type);
}
