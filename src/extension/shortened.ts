/**
 * The beginning of a text on one line, for a toast, a title or a pick: it ends between words, never inside one.
 */
import { beginningOf } from '../engine/index.ts';

/** Long enough to recognise a memory by, short enough for a toast. */
const TOAST_LENGTH = 48;

export function shortened(text: string, most = TOAST_LENGTH): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= most ? flat : `${beginningOf(flat, most)}…`;
}
