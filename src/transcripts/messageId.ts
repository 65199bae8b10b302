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
