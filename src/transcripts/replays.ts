/**
 * Forked sessions begin with a copy of another session's lines, uuids and all. This finds the copies, so that what was
 * said once is taken once.
 *
 * Of the files that share their first line, the one that came into being first owns the shared lines; where the file
 * system does not tell, the name decides, which is arbitrary but the same for every reader.
 */
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseLine, stringOf } from './parseLine.ts';
import { readLineBatches } from './readLines.ts';

const HEAD_LINES = 60;

/** Uuids of this file's lines that an older file of the same folder holds too; empty when it is nobody's fork. */
export async function replayedUuids(filePath: string, signal?: AbortSignal): Promise<Set<string>> {
  const first = await firstUuid(filePath);
  const replayed = new Set<string>();
  if (first === undefined) return replayed;
  const own = await birthOf(filePath);
  for (const name of await readdir(path.dirname(filePath))) {
    const sibling = path.join(path.dirname(filePath), name);
    if (!name.endsWith('.jsonl') || sibling === filePath || signal?.aborted === true) continue;
    if ((await firstUuid(sibling)) !== first) continue;
    const birth = await birthOf(sibling);
    const isOlder = birth < own || (birth === own && sibling < filePath);
    if (isOlder) for await (const uuid of uuidsOf(sibling, Number.POSITIVE_INFINITY)) replayed.add(uuid);
  }
  return replayed;
}

async function birthOf(filePath: string): Promise<number> {
  try {
    const { birthtimeMs } = await stat(filePath);
    return birthtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY; // gone between listing and asking: it owns nothing
  }
}

async function firstUuid(filePath: string): Promise<string | undefined> {
  for await (const uuid of uuidsOf(filePath, HEAD_LINES)) return uuid;
  return undefined;
}

/** Uuids of conversation lines, in file order. A file that cannot be read has none. */
async function* uuidsOf(filePath: string, maxLines: number): AsyncGenerator<string> {
  const file = await open(filePath, 'r').catch(() => undefined);
  if (file === undefined) return;
  try {
    let lines = 0;
    for await (const batch of readLineBatches(file, 0)) {
      for (const { text } of batch) {
        lines += 1;
        if (lines > maxLines) return;
        if (text === undefined) continue;
        for (const object of parseLine(text).objects) {
          const uuid = stringOf(object.uuid);
          if (uuid !== undefined && (object.type === 'user' || object.type === 'assistant' || object.type === 'attachment')) yield uuid;
        }
      }
    }
  } finally {
    await file.close();
  }
}
