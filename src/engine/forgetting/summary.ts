/**
 * Session summary without a model [E7]: what was asked last, what was changed, what is open, and
 * how the assistant ended; else the client's own compaction summary. Redacted turns in, text out.
 */
import type { Turn } from '../model/episode.ts';
import { cutText } from '../text/graphemes.ts';
import { oneLine } from '../model/oneLine.ts';

const LONGEST = 1_200;
const LONGEST_PART = 320;
const MOST_FILES = 12;
/** Fewer turns than this is no session worth a summary. */
const LEAST_TURNS = 2;
const COMPACTION = /^This session is being continued from a previous conversation|^(?:<summary>|Summary:|Analysis:)/i;

/** Undefined when there is nothing to tell. `title` is the client's, if it gave one. */
export function summarize(turns: readonly Turn[], title?: string): string | undefined {
  const speech = turns.filter((turn) => !turn.sidechain && turn.text.trim() !== '');
  const asked = speech.filter((turn) => turn.speaker === 'user' && isRequest(turn.text));
  const answered = speech.filter((turn) => turn.speaker === 'assistant');
  const compaction = speech.findLast((turn) => turn.speaker === 'system' && COMPACTION.test(turn.text.trim()));
  if (asked.length + answered.length < LEAST_TURNS && compaction === undefined) return undefined;
  const files = [...new Set(turns.filter((turn) => turn.toolName !== undefined && /^(?:Edit|MultiEdit|Write|NotebookEdit)$/.test(turn.toolName)).flatMap((turn) => turn.paths ?? []))];
  const open = openTodos(turns);
  const parts: string[] = [];
  if (title !== undefined && title !== '') parts.push(`Session: ${cutText(oneLine(title), 120)}.`);
  const first = asked[0];
  const last = asked.at(-1);
  if (first !== undefined && first !== last) parts.push(`Asked first: ${quote(first.text)}`);
  if (last !== undefined) parts.push(`Asked last: ${quote(last.text)}`);
  if (files.length > 0) parts.push(`Files changed: ${files.slice(0, MOST_FILES).join(', ')}${files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : ''}.`);
  if (open.length > 0) parts.push(`Open: ${open.slice(0, 6).map((todo) => cutText(oneLine(todo), 100)).join('; ')}.`);
  const ending = answered.at(-1);
  const paragraph = ending === undefined ? undefined : firstParagraph(ending.text);
  if (paragraph !== undefined) parts.push(`Ended with: ${cutText(paragraph, LONGEST_PART)}`);
  if (compaction !== undefined) parts.push(`Earlier: ${cutText(oneLine(compaction.text.replace(COMPACTION, '')), LONGEST_PART)}`);
  return parts.length === 0 ? undefined : cutText(parts.join('\n'), LONGEST);
}

const quote = (text: string): string => `"${cutText(oneLine(text), LONGEST_PART)}"`;
/** "ok", "yes", "thanks": the person spoke, but asked for nothing. */
const isRequest = (text: string): boolean => oneLine(text).length > 6 && !/^(?:ok(?:ay)?|yes|yeah|no|thanks?|thank you|go ahead|continue|好的?|谢谢|继续)[.!。！]?$/i.test(oneLine(text));

function firstParagraph(text: string): string | undefined {
  const paragraph = text.replaceAll(/```[\s\S]*?(?:```|$)/g, '').split(/\n\s*\n/).map(oneLine).find((one) => one !== '' && !/^(?:#|[-*|>])/.test(one));
  return paragraph === undefined || paragraph === '' ? undefined : paragraph;
}

/** The last list of to-dos that a tool wrote, without what is done. */
function openTodos(turns: readonly Turn[]): string[] {
  const last = turns.findLast((turn) => turn.toolName === 'TodoWrite' || /^\s*[-*] \[[ x]\]/m.test(turn.text));
  if (last === undefined) return [];
  return [...last.text.matchAll(/^\s*(?:[-*]|\d+\.) \[ \] (.{3,160})$/gm)].map((match) => match[1] ?? '');
}
