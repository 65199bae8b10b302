/**
 * What the message of a line is called in turns: the same whoever reads the line, so that a turn is taken once and can
 * be found again.
 */
import { isObject, stringOf, type JsonObject } from './parseLine.ts';

/** Undefined for lines that carry no message, or one without any id. */
export function messageIdOf(line: JsonObject): string | undefined {
  const ownId = isObject(line.message) ? stringOf(line.message.id) : undefined;
  switch (line.type) {
    case 'user': return stringOf(line.uuid) ?? ownId;
    // One API message is several lines, each with a uuid of its own.
    case 'assistant': return ownId ?? stringOf(line.uuid);
    case 'attachment': return stringOf(line.uuid);
    case 'queue-operation': return `queue:${String(line.timestamp)}`;
    default: return undefined;
  }
}

/** 53-bit hash (cyrb53): a uuid per line of a long file would be the largest thing in memory. */
export function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
