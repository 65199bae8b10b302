/**
 * What must never be learned from: text that Cairn or another memory tool injected, reminders of
 * the client, and what the person marked private (invariant 10, [C6]). Transcripts are cleaned when
 * they are read; this is the same promise at the pipeline's own door, whoever knocks.
 */
const NAMES =
  'private|system-reminder|cairn(?:[-_][\\w-]+)?|claude[-_]mem(?:[-_][\\w-]+)?|supermemory(?:[-_][\\w-]+)?|mem0(?:[-_][\\w-]+)?|memory[-_](?:context|bank)|memsearch(?:[-_][\\w-]+)?|(?:relevant|recalled|retrieved|user)[-_]memor(?:y|ies)|memor(?:y|ies)|[a-z-]{1,40}-hook|local-command-[a-z]+';
const OPEN = new RegExp(`<(${NAMES})(?:\\s[^<>]{0,300})?>`, 'gi');
/** Headings under which tools without tags put what they inject; the block ends at the first blank line. */
const HEADED = /^(?:#{1,4} |\*\*)?(?:relevant memories|recalled memories|memories from (?:earlier|past|previous) sessions|background from cairn|memory context|from your memory)\b.*\n(?:(?:[-*>]|\d+\.).*\n?)+/gim;

/** The text without them. A block that is never closed reaches to the end where it opens a line, else only its tag goes. Linear. */
export function withoutForeignBlocks(text: string): string {
  let kept = '';
  let from = 0;
  OPEN.lastIndex = 0;
  const lower = text.toLowerCase();
  for (let match = OPEN.exec(text); match !== null; match = OPEN.exec(text)) {
    const close = `</${(match[1] ?? '').toLowerCase()}>`;
    const at = lower.indexOf(close, match.index + match[0].length);
    const opensLine = /(?:^|\n)[ \t]{0,40}$/.test(text.slice(Math.max(0, match.index - 41), match.index));
    if (at < 0 && !opensLine) continue;
    kept += text.slice(from, match.index);
    from = at < 0 ? text.length : at + close.length;
    OPEN.lastIndex = from;
  }
  return (kept + text.slice(from)).replace(HEADED, '').trim();
}
