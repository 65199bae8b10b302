/**
 * The records of an import file in order, each with the number that a person finds it by: its line, or its place where
 * the file is one JSON value over many lines.
 */
import { CairnError } from '../base/errors.ts';
import { parseJsonLine, recordsIn } from '../engine/index.ts';

export interface ImportEntry {
  readonly line: number;
  readonly record?: unknown;
  /** In place of a record: why the line gives none. */
  readonly problem?: CairnError;
}

/** In characters. One JSON value over many lines has to be held whole; a longer file is read line by line. */
const MAX_WHOLE_LENGTH = 64 * 1_048_576;

/** `lines` are undefined where they are no UTF-8. */
export async function* importEntries(lines: AsyncIterable<string | undefined>): AsyncGenerator<ImportEntry> {
  let number = 0;
  let held: { readonly line: number; readonly text: string }[] | undefined;
  let heldLength = 0;
  for await (const line of lines) {
    number += 1;
    const text = number === 1 ? line?.replace(/^\uFEFF/, '') : line;
    if (text?.trim() === '') continue;
    if (held === undefined && heldLength === 0 && text !== undefined && opensValue(text)) held = [];
    heldLength += (text?.length ?? 0) + 1;
    if (held !== undefined && text !== undefined && heldLength <= MAX_WHOLE_LENGTH) held.push({ line: number, text });
    else {
      for (const before of held ?? []) yield* entriesOf(before.line, before.text);
      held = undefined;
      yield* entriesOf(number, text);
    }
  }
  if (held !== undefined) yield* wholeValue(held);
}

/** A first line that is no JSON by itself, and may be the beginning of some. */
function opensValue(text: string): boolean {
  return /^\s*[[{]/.test(text) && entriesOf(1, text)[0]?.problem !== undefined;
}

function entriesOf(line: number, text: string | undefined): ImportEntry[] {
  if (text === undefined) return [{ line, problem: new CairnError('TEXT_MALFORMED', 'Not UTF-8 text.') }];
  try {
    const records = recordsIn(parseJsonLine(text));
    return records.map((record, i) => ({ line: line === 1 && records.length > 1 ? i + 1 : line, record }));
  } catch (error) {
    if (!(error instanceof CairnError)) throw error;
    return [{ line, problem: error }];
  }
}

function wholeValue(lines: readonly { readonly line: number; readonly text: string }[]): ImportEntry[] {
  const whole = entriesOf(1, lines.map(({ text }) => text).join('\n'));
  return whole[0]?.problem === undefined ? whole : lines.flatMap(({ line, text }) => entriesOf(line, text));
}
