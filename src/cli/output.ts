/**
 * How results look to a person at a terminal: quiet, one memory in one or two lines,
 * colours only on a terminal, ages relative, nothing cut inside a word.
 */
import { formatScope } from '../engine/index.ts';
import type { Anchor, ListedMemory, Memory, RecalledMemory } from '../engine/index.ts';
import { placeOf, staleNote } from '../operations/index.ts';
import type { Io } from './io.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
const CODES: Readonly<Record<Style, readonly [number, number]>> = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] };

interface Shown {
  readonly repository?: string;
  readonly why?: string;
  /** Where it is now, if that is another place than it was made for. */
  readonly place?: Anchor;
}

export function createOutput(io: Io, now: () => number): Output {
  return new Output(io, now);
}

export class Output {
  readonly #io: Io;
  readonly #now: () => number;

  constructor(io: Io, now: () => number) {
    this.#io = io;
    this.#now = now;
  }

  style(style: Style, text: string): string {
    const [on, off] = CODES[style];
    return this.#io.terminal && (this.#io.env['NO_COLOR'] ?? '') === '' && this.#io.env['TERM'] !== 'dumb' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }

  line(text = ''): void {
    this.#io.stdout(`${harmless(text)}\n`);
  }

  note(text: string): void {
    this.#io.stderr(`${harmless(text)}\n`);
  }

  json(value: unknown): void {
    this.#io.stdout(`${JSON.stringify(value)}\n`);
  }

  /** `3 w`, `yesterday`, `just now`. */
  age(at: number): string {
    const minutes = Math.max(0, Math.round((this.#now() - at) / 60_000));
    if (minutes < 1) return 'just now';
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.round(minutes / 60);
    if (hours < 24) return `${hours} h`;
    const days = Math.round(hours / 24);
    if (days === 1) return 'yesterday';
    if (days < 14) return `${days} d`;
    if (days < 60) return `${Math.round(days / 7)} w`;
    return days < 730 ? `${Math.round(days / 30)} mo` : `${Math.round(days / 365)} y`;
  }

  /** `2026-12-04`, on the person's wall clock. */
  day(at: number): string {
    const local = new Date(at);
    return [local.getFullYear(), local.getMonth() + 1, local.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  }

  memory({ memory, store }: ListedMemory, extra: Shown & { excerpt?: string; warnings?: readonly string[] } = {}): void {
    const mark = memory.pinned ? this.style('yellow', '●') : this.style('dim', '•');
    const text = extra.excerpt ?? memory.text;
    const [first = '', ...rest] = this.wrap(text, 4);
    this.line(`${mark} ${first}`);
    for (const more of rest.slice(0, 5)) this.line(`  ${more}`);
    if (rest.length > 5) this.line(`  ${this.style('dim', `... ${rest.length - 5} more lines: cairn show ${memory.id}`)}`);
    for (const warning of extra.warnings ?? []) this.line(`  ${this.style('yellow', `! ${warning}`)}`);
    this.line(`  ${this.style('dim', this.facts(memory, store, extra))}`);
  }

  facts(memory: Memory, store: string, extra: Shown = {}): string {
    const facts: string[] = [memory.kind, `importance ${memory.importance}`];
    if (memory.status !== 'active') facts.push(memory.status);
    if (memory.expiresAt !== undefined) facts.push(`until ${this.day(memory.expiresAt)}`);
    if (memory.scope.level === 'branch' || memory.scope.level === 'path') facts.push(formatScope(memory.scope));
    else if (store === 'user') facts.push('user');
    if (extra.repository !== undefined) facts.push(extra.repository);
    facts.push(this.age(memory.updatedAt));
    if (memory.tags.length > 0) facts.push(memory.tags.map((tag) => `#${tag}`).join(' '));
    const anchor = extra.place ?? memory.anchors[0];
    if (anchor !== undefined) facts.push(placeOf(anchor));
    if (extra.why !== undefined) facts.push(extra.why);
    facts.push(memory.id);
    return facts.join(' · ');
  }

  recalled(result: RecalledMemory): void {
    const warnings = result.anchorChecks.map(staleNote).filter((note) => note !== undefined);
    if (result.explain.replacedBy !== undefined) warnings.push(`${result.explain.replacedBy}, which is newer, takes it back`);
    const [first] = result.anchorChecks;
    this.memory(result, { excerpt: result.excerpt, repository: result.repository?.name, warnings, place: first?.now ?? first?.anchor, ...(result.explain.visibleBecause.startsWith('made on branch') ? { why: result.explain.visibleBecause } : {}) });
  }

  /** Words wrapped to the terminal; long words and CJK text break at graphemes. */
  wrap(text: string, indent: number): string[] {
    const width = Math.max(30, Math.min(this.#io.columns, 110) - indent);
    return text.split('\n').flatMap((line) => wrapLine(line, width));
  }

  table(rows: readonly (readonly string[])[]): void {
    const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))));
    for (const row of rows) this.line(row.map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))).join('  ').trimEnd());
  }
}

const ESCAPE = String.fromCharCode(27);
// eslint's no-control-regex is satisfied by building the expressions from their codes.
const CONTROL = new RegExp(`${ESCAPE}(?!\\[\\d+m)|[\\u0000-\\u0008\\u000B-\\u001A\\u001C-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069]`, 'g');

/** What a stored text must not do to a terminal: move its cursor, set its title, turn the line around. Colours are our own. */
const harmless = (text: string): string => text.replaceAll(CONTROL, '\uFFFD');

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const MARK = /^\p{M}+$/u;

/** `1 memory`, `2 memories`. */
export const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** Terminal columns: wide scripts take two, combining marks none. */
export function displayWidth(text: string): number {
  const plain = text.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '');
  let width = 0;
  for (const { segment } of segmenter.segment(plain)) width += WIDE.test(segment) ? 2 : MARK.test(segment) ? 0 : 1;
  return width;
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\s)/u)) {
    if (displayWidth(current) + displayWidth(word.trimEnd()) <= width) {
      current += word;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    current = '';
    for (const { segment } of segmenter.segment(word)) {
      if (displayWidth(current + segment) > width) {
        lines.push(current);
        current = '';
      }
      current += segment;
    }
  }
  lines.push(current.trimEnd());
  return lines;
}
