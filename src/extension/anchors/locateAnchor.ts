/**
 * Where an anchor is in the text an editor shows right now, unsaved edits included.
 * Pure. The engine checks the saved files at recall; this keeps marks right while typing.
 */
import { createHash } from 'node:crypto';
import type { Anchor } from '../../engine/index.ts';

export interface LocatedAnchor {
  /** 0-based, inclusive, inside the document. */
  readonly startLine: number;
  readonly endLine: number;
  readonly stale: boolean;
}

const trimmed = (line: string): string => line.trimEnd();

/** Undefined for anchors to a whole file: they have no line to mark. */
export function locateAnchor(lines: readonly string[], anchor: Pick<Anchor, 'startLine' | 'endLine' | 'contentHash' | 'snippet'>): LocatedAnchor | undefined {
  if (anchor.startLine === undefined) return undefined;
  const start = anchor.startLine - 1;
  const end = (anchor.endLine ?? anchor.startLine) - 1;
  if (anchor.contentHash === undefined || hashLines(lines.slice(start, end + 1)) === anchor.contentHash) return inside(lines, start, end, false);
  const moved = findSnippet(lines, anchor.snippet, start);
  if (moved !== undefined) return inside(lines, moved, moved + (end - start), false);
  return inside(lines, start, end, true);
}

function inside(lines: readonly string[], start: number, end: number, stale: boolean): LocatedAnchor {
  const last = Math.max(0, lines.length - 1);
  const startLine = Math.min(Math.max(0, start), last);
  return { startLine, endLine: Math.min(Math.max(startLine, end), last), stale: stale || start > last };
}

/** White space at line ends and the last line ends do not count, as for the engine's own hash. */
export const hashLines = (lines: readonly string[]): string => createHash('sha256').update(lines.map(trimmed).join('\n').replace(/\n+$/, '')).digest('hex');

/** The first line of the place nearest to `near` where the snippet stands. */
function findSnippet(lines: readonly string[], snippet: string | undefined, near: number): number | undefined {
  const wanted = snippet?.split(/\r?\n/).map(trimmed) ?? [];
  // One short line stands in many places by chance.
  if (wanted.length === 0 || (wanted.length === 1 && (wanted[0]?.trim().length ?? 0) < 8)) return undefined;
  let best: number | undefined;
  for (let at = 0; at + wanted.length <= lines.length; at += 1) {
    if (best !== undefined && Math.abs(best - near) <= Math.abs(at - near)) continue;
    if (wanted.every((line, offset) => trimmed(lines[at + offset] ?? '') === line)) best = at;
  }
  return best;
}
