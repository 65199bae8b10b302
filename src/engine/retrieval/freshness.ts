/**
 * Freshness [F4]: does the code a memory is about still say so? Each anchor is looked up in the
 * working tree at recall: fresh, moved (the anchor follows), changed, or missing.
 *
 * The anchored lines are known by their hash (white space at line ends ignored). When the
 * place no longer has it, the snippet is searched for in the file, then in the file git knows
 * it was renamed to; a symbol is looked up by its definition.
 */
import type { AnchorCheck, WorkingTree } from '../engineTypes.ts';
import { MAX_SNIPPET_LENGTH, type Anchor, type Memory } from '../model/memory.ts';

/** Lines around the old place whose windows are hashed when no snippet helps. */
const SEARCH_AROUND = 150;

const trimEnds = (text: string): string => text.replaceAll('\r\n', '\n').split('\n').map((line) => line.trimEnd()).join('\n');

/** SHA-256 in hex of anchored text: what `contentHash` holds. White space at line ends and the last line end do not count. */
export async function hashAnchoredText(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(trimEnds(text).replace(/\n+$/, ''));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Lines `start` to `end`, 1-based and inclusive; the whole text without a range. */
export function anchoredText(text: string, anchor: Pick<Anchor, 'startLine' | 'endLine'>): string {
  if (anchor.startLine === undefined) return text;
  // Counted and not split: sixty memories may be about one large file.
  const from = beginningOfLine(text, anchor.startLine, 1, 0);
  const to = beginningOfLine(text, (anchor.endLine ?? anchor.startLine) + 1, anchor.startLine, from);
  return text.slice(from, Math.max(from, to - 1));
}

/** Where line `wanted` begins, counting from `line`, which begins at `at`; one behind the end where there are not so many. */
function beginningOfLine(text: string, wanted: number, line: number, at: number): number {
  let found = at;
  for (let current = line; current < wanted; current += 1) {
    const end = text.indexOf('\n', found);
    if (end < 0) return text.length + 1;
    found = end + 1;
  }
  return found;
}

/** Reads each file once per recall. */
export function cachedTree(tree: WorkingTree): WorkingTree {
  const texts = new Map<string, Promise<string | undefined>>();
  return {
    readText(path) {
      const known = texts.get(path) ?? tree.readText(path);
      texts.set(path, known);
      return known;
    },
    exists: (path) => tree.exists(path),
    ...(tree.movedTo === undefined ? {} : { movedTo: (path: string) => tree.movedTo?.(path) ?? Promise.resolve(undefined) }),
  };
}

/** One check per anchor, in order. Never throws: what cannot be read is `unchecked`. */
export async function checkAnchors(memory: Pick<Memory, 'anchors'>, tree: WorkingTree | undefined): Promise<AnchorCheck[]> {
  return Promise.all(memory.anchors.map(async (anchor): Promise<AnchorCheck> => {
    if (tree === undefined) return { anchor, state: 'unchecked' };
    try {
      return await checkAnchor(anchor, tree);
    } catch {
      // A file that cannot be read (rights, a link out of the tree) says nothing about the memory.
      return { anchor, state: 'unchecked' };
    }
  }));
}

async function checkAnchor(anchor: Anchor, tree: WorkingTree): Promise<AnchorCheck> {
  const text = await tree.readText(anchor.path);
  if (text !== undefined) return checkInText(anchor, anchor.path, text);
  // Too large to read is not missing.
  if (await tree.exists(anchor.path)) return { anchor, state: anchor.contentHash === undefined && anchor.symbol === undefined ? 'fresh' : 'unchecked' };
  const renamed = await tree.movedTo?.(anchor.path);
  const renamedText = renamed === undefined ? undefined : await tree.readText(renamed);
  if (renamed === undefined || renamedText === undefined) return { anchor, state: 'missing' };
  const there = await checkInText(anchor, renamed, renamedText);
  if (there.state === 'fresh') return { anchor, state: 'moved', now: { ...anchor, path: renamed } };
  return there;
}

async function checkInText(anchor: Anchor, path: string, text: string): Promise<AnchorCheck> {
  const { contentHash } = anchor;
  if (contentHash !== undefined) {
    if ((await hashAnchoredText(anchoredText(text, anchor))) === contentHash) return path === anchor.path ? { anchor, state: 'fresh' } : { anchor, state: 'moved', now: { ...anchor, path } };
    const found = anchor.startLine === undefined ? undefined : await findMoved(anchor, text);
    if (found !== undefined) return { anchor, state: 'moved', now: { ...anchor, path, ...found } };
  }
  const renamed = path === anchor.path ? {} : { now: { ...anchor, path } };
  if (anchor.symbol === undefined && contentHash === undefined) return anchoredText(text, anchor) === '' && anchor.startLine !== undefined ? { anchor, state: 'missing', goneFrom: path } : { anchor, state: 'fresh' };
  if (anchor.symbol === undefined) return { anchor, state: 'changed', ...renamed };
  const line = definitionLine(text, anchor.symbol);
  if (line === undefined) return { anchor, state: 'missing', goneFrom: path };
  const length = (anchor.endLine ?? anchor.startLine ?? 0) - (anchor.startLine ?? 0);
  const now: Anchor = anchor.startLine === undefined ? { ...anchor, path } : { ...anchor, path, startLine: line, endLine: line + length };
  if (contentHash !== undefined) return { anchor, state: 'changed', now };
  return path === anchor.path ? { anchor, state: 'fresh' } : { anchor, state: 'moved', now };
}

/** Where the anchored lines stand now, if they still stand anywhere in this text. */
async function findMoved(anchor: Anchor, text: string): Promise<{ startLine: number; endLine: number } | undefined> {
  const start = anchor.startLine ?? 1;
  const count = (anchor.endLine ?? start) - start + 1;
  // Nearest first: a block that was copied is still the one that stood here.
  const starts = (await startsToTry(anchor, text, start, count)).sort((a, b) => Math.abs(a - start) - Math.abs(b - start) || a - b);
  for (const startLine of starts) {
    const endLine = startLine + count - 1;
    if ((await hashAnchoredText(anchoredText(text, { startLine, endLine }))) === anchor.contentHash) return { startLine, endLine };
  }
  return undefined;
}

async function startsToTry({ snippet, contentHash }: Anchor, text: string, start: number, count: number): Promise<number[]> {
  const known = snippet === undefined ? [] : trimEnds(snippet).replace(/\n+$/, '').split('\n');
  // A long one was cut somewhere in its last line.
  const isCut = snippet !== undefined && (snippet.endsWith('…') || snippet.length >= MAX_SNIPPET_LENGTH);
  if (isCut) known.pop();
  // One with a secret masked in it stands nowhere.
  const isMasked = !isCut && snippet !== undefined && (await hashAnchoredText(snippet)) !== contentHash;
  if (known.length === 0 || known.length > count || isMasked) return Array.from({ length: SEARCH_AROUND }, (_, i) => [start - i - 1, start + i + 1]).flat().filter((line) => line >= 1);
  if (known.some((line) => !text.includes(line))) return [];
  const found = linesOf(known.join('\n'), text);
  if (found.length > 0) return found;
  // White space at line ends, which does not count, is all that may differ now.
  const trimmed = trimEnds(text);
  return trimmed === text ? [] : linesOf(known.join('\n'), trimmed);
}

/** Lines at which `part` begins, which itself begins and ends with a line. */
function linesOf(part: string, text: string): number[] {
  const found: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = text[at + part.length];
    if ((at > 0 && text[at - 1] !== '\n') || (end !== undefined && end !== '\n')) continue;
    for (let next = text.indexOf('\n', counted); next >= 0 && next < at; next = text.indexOf('\n', counted)) {
      line += 1;
      counted = next + 1;
    }
    found.push(line);
  }
  return found;
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const KEYWORD = '\\b(?:function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|impl|module|namespace|object|record|protocol|macro|sub|table|view)\\b';

/** 1-based line on which `symbol` is defined (`Class.method`: below its class); any mention counts when no definition is recognised. */
export function definitionLine(text: string, symbol: string): number | undefined {
  const parts = symbol.split(/[.#:]+/).filter((part) => part !== '');
  const last = parts.pop() ?? symbol;
  // Two classes of one file may have methods of one name.
  let from = 0;
  for (const outer of parts) from = definedAt(text, outer, from) ?? from;
  const at = definedAt(text, last, from) ?? (from === 0 ? undefined : definedAt(text, last, 0)) ?? mentionedAt(text, last);
  return at === undefined ? undefined : text.slice(0, at).split('\n').length;
}

const wordOf = (name: string): string => `(?<![\\p{L}\\p{N}_$])${escape(name)}(?![\\p{L}\\p{N}_$])`;

function definedAt(text: string, name: string, from: number): number | undefined {
  const word = wordOf(name);
  // A name right behind its keyword (or behind a receiver) is defined there; further behind it may be a parameter's type.
  const right = new RegExp(`${KEYWORD}\\s*\\*?\\s*(?:\\([^)\\n]*\\)\\s*)?${word}`, 'mgu');
  const near = new RegExp(`(?:${KEYWORD}[^\\n=;]{0,80}?${word})|(?:^\\s*(?:[\\w<>,.?[\\]]+\\s+){0,6}${word}\\s*(?:[(:=<]|\\?:))|(?:^#{1,6}\\s.*${word})`, 'mgu');
  for (const pattern of [right, near]) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (found !== null) return found.index + Math.max(0, found[0].search(/\S/));
  }
  return undefined;
}

function mentionedAt(text: string, name: string): number | undefined {
  const at = text.search(new RegExp(wordOf(name), 'u'));
  return at < 0 ? undefined : at;
}

/** The anchors as they should be stored when a person says "still true": where they are now, with the hash of what stands there now. */
export async function reanchor(memory: Pick<Memory, 'anchors'>, tree: WorkingTree): Promise<Anchor[]> {
  const checks = await checkAnchors(memory, tree);
  return Promise.all(checks.map(async ({ anchor, now }) => {
    const place = now ?? anchor;
    const text = await tree.readText(place.path);
    if (text === undefined || anchor.contentHash === undefined) return place;
    const anchored = anchoredText(text, place);
    return { ...place, contentHash: await hashAnchoredText(anchored), ...(place.snippet === undefined ? {} : { snippet: anchored.slice(0, 4_000) }) };
  }));
}
