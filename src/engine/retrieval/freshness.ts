/**
 * Freshness [F4]: does the code a memory is about still say so? Each anchor is looked up in the
 * working tree at recall: fresh, moved (the anchor follows), changed, or missing.
 *
 * The anchored lines are known by their hash (white space at line ends ignored). When the
 * place no longer has it, the snippet is searched for in the file, then in the file git knows
 * it was renamed to; a symbol is looked up by its definition.
 */
import type { AnchorCheck, WorkingTree } from '../engineTypes.ts';
import type { Anchor, Memory } from '../model/memory.ts';

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
  return text.split('\n').slice(anchor.startLine - 1, anchor.endLine ?? anchor.startLine).join('\n');
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
  const lines = trimEnds(text).split('\n');
  const snippet = anchor.snippet === undefined ? undefined : trimEnds(anchor.snippet).replace(/\n+$/, '').split('\n');
  const starts: number[] = [];
  if (snippet !== undefined && snippet.length <= count) {
    const first = snippet[0] ?? '';
    for (let i = 0; i + count <= lines.length; i += 1) if (lines[i] === first && snippet.every((line, j) => lines[i + j] === line)) starts.push(i + 1);
  } else {
    for (let distance = 1; distance <= SEARCH_AROUND; distance += 1) for (const candidate of [start - distance, start + distance]) if (candidate >= 1 && candidate + count - 1 <= lines.length) starts.push(candidate);
  }
  // Nearest first: a block that was copied is still the one that stood here.
  starts.sort((a, b) => Math.abs(a - start) - Math.abs(b - start) || a - b);
  for (const candidate of starts) {
    const endLine = candidate + count - 1;
    if ((await hashAnchoredText(lines.slice(candidate - 1, endLine).join('\n'))) === anchor.contentHash) return { startLine: candidate, endLine };
  }
  return undefined;
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
