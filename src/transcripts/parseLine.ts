/**
 * One line of a session file as JSON objects: usually one, sometimes (after a crash of the writer) two glued together
 * or the tail of one that was cut. Never throws.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ParsedLine {
  readonly objects: readonly JsonObject[];
  /** Something on the line was neither an object nor blank. */
  readonly malformed: boolean;
}

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
export const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const NOTHING: ParsedLine = { objects: [], malformed: false };
const MALFORMED: ParsedLine = { objects: [], malformed: true };

export function parseLine(text: string): ParsedLine {
  const trimmed = text.trim();
  if (trimmed === '') return NOTHING;
  const whole = parseObject(trimmed);
  if (whole !== undefined) return { objects: [whole], malformed: false };
  if (!trimmed.includes('}{') && !/\}\s+\{/.test(trimmed)) return MALFORMED;
  const parts = splitObjects(trimmed).map(parseObject);
  return { objects: parts.filter((part) => part !== undefined), malformed: parts.some((part) => part === undefined) };
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON (or nested deeper than the parser goes): the caller counts the line
  }
}

/** Cuts `{...}{...}` where the nesting returns to zero outside of strings. */
function splitObjects(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) {
        parts.push(text.slice(start, index + 1).trim());
        start = index + 1;
      }
    }
  }
  const rest = text.slice(start).trim();
  return rest === '' ? parts : [...parts, rest];
}
