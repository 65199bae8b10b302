/**
 * Batches [E2]: which turns are due, and how a long session is cut into pieces a model can read.
 * Pieces overlap by two turns, so that an answer never loses its question.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { Turn } from '../model/episode.ts';
import { cutText } from '../text/graphemes.ts';

export type StoredTurn = Turn & { readonly sequence: number; readonly extracted: boolean };

/** Characters of one piece: about 8,000 tokens of prose; a session rarely needs two. */
const PIECE_CHARACTERS = 24_000;
const LONGEST_TURN = 4_000;
const OVERLAP = 2;

export interface DueConfig {
  readonly everyTurns: number;
  readonly idleSeconds: number;
}

const isSpeech = (turn: Turn): boolean => !turn.sidechain && (turn.speaker === 'user' || turn.speaker === 'assistant') && turn.text.trim() !== '';

const pendingOf = (turns: readonly StoredTurn[]): StoredTurn[] => turns.filter((turn) => !turn.extracted && isSpeech(turn));

/** When what was said is due although nobody says more; undefined where nothing of a person waits. */
export function idleDueAt(turns: readonly StoredTurn[], config: DueConfig): EpochMs | undefined {
  const pending = pendingOf(turns);
  const last = pending.at(-1);
  return last !== undefined && pending.some((turn) => turn.speaker === 'user') ? last.at + config.idleSeconds * 1_000 : undefined;
}

/** Due at `everyTurns` turns of the person or the assistant, after idle time, or at once when the session ended. */
export function isDue(turns: readonly StoredTurn[], now: EpochMs, final: boolean, config: DueConfig): boolean {
  const idleAt = idleDueAt(turns, config);
  return idleAt !== undefined && (final || pendingOf(turns).length >= config.everyTurns || now >= idleAt);
}

export interface Piece {
  /** Overlap first, then the new turns; texts cut. */
  readonly turns: readonly StoredTurn[];
  /** What is new begins here. */
  readonly firstNew: number;
  /** Checkpoint: everything up to this sequence is done when the piece is. */
  readonly upToSequence: number;
}

/** Pieces of what was not extracted yet, in order; turns that are no speech travel with the piece they fall into. */
export function piecesOf(turns: readonly StoredTurn[]): Piece[] {
  const speech = turns.filter(isSpeech);
  const start = speech.findIndex((turn) => !turn.extracted);
  if (start < 0) return [];
  const pieces: Piece[] = [];
  let from = start;
  while (from < speech.length) {
    let to = from;
    let size = 0;
    while (to < speech.length && (to === from || size + Math.min(LONGEST_TURN, speech[to]?.text.length ?? 0) <= PIECE_CHARACTERS)) {
      size += Math.min(LONGEST_TURN, speech[to]?.text.length ?? 0);
      to += 1;
    }
    const before = Math.max(0, from - OVERLAP);
    const isLast = to >= speech.length;
    pieces.push({
      turns: speech.slice(before, to).map((turn) => ({ ...turn, text: cutText(turn.text, LONGEST_TURN) })),
      firstNew: from - before,
      upToSequence: isLast ? Math.max(...turns.map((turn) => turn.sequence)) : (speech[to - 1]?.sequence ?? 0),
    });
    from = to;
  }
  return pieces;
}

/** The turn and one neighbour on each side, as kept with a memory [K4]. */
export function contextOf(turns: readonly Turn[], key: { readonly messageId: string; readonly blockIndex: number }, maxLength: number): string | undefined {
  const speech = turns.filter(isSpeech);
  const at = speech.findIndex((turn) => turn.messageId === key.messageId && turn.blockIndex === key.blockIndex);
  if (at < 0) return undefined;
  const part = Math.floor(maxLength / 3) - 12;
  return cutText(speech.slice(Math.max(0, at - 1), at + 2).map((turn) => `${turn.speaker}: ${cutText(turn.text, part)}`).join('\n'), maxLength);
}
