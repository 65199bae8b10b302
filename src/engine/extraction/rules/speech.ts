/**
 * What in a turn is the person speaking: code, quotations, logs and pasted reviews are taken out,
 * the rest is cut into sentences. Rules see only what is left.
 */

export interface Sentence {
  /** As said, trimmed. */
  readonly text: string;
  /** For cues: quoted words blanked, so that `add a comment "never call this"` holds no "never". */
  readonly bare: string;
}

/** Rules are for speech; what is longer than this in one breath was pasted or dictated, and is the model's to read. */
const LONGEST_TURN = 6_000;
const LONGEST_SENTENCE = 600;
const MOST_SENTENCES = 60;

const FENCE = /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g;
const LOG_LINE =
  /^\s*(?:>|\$ |❯|⏺|⎿|[|+]{1,2}[ -]|@@|diff --|index [0-9a-f]{6,}|(?:warning|warn|error|info|debug|trace|fatal|hint|note|fail|failed|pass|panic|caused by|traceback|exception|警告|错误)\b ?[:[(]|(?:npm|yarn|pnpm) (?:err|warn)|---|===|\d{4}-\d\d-\d\d[T ]\d\d:|\[\d|at .+\(.*:\d+|File "|[{}[\]]+,?\s*$|"[\w-]+":|<\/?[a-z!]|#include|import .* from |(?:export |public |private |static )*(?:function|class|const|let|var|def|func|fn|interface|struct) \w)/i;
/** Lines that are a place in code, a trailer, a heading or a table row: written by tools, or by somebody for a document. */
const NO_SPEECH_LINE = /^\s*(?:#{1,6} |\*\*[^*]+\*\*:?\s*$|[│┃├└╭╰─━]|\d+\. \*\*|[*-] \[[ xX]\]|`?@?[\w~.-]*\/[\w./@-]+`?(?::\d+|[ )]*\(|[ :—–-]+|$)|[\w./-]+\.\w{1,5}:\d+|[0-9a-f]{7,40} |https?:\/\/\S+$|[A-Z][\w-]+(?: [\w-]+){0,2}: +[`/~.\w-]*[/\d][^ ]*$|[A-Z][A-Za-z]+(?:-[A-Z]?[a-z]+)+: |Operation stopped by hook|Full transcript available)/;
/** A plan, a document or a report: headings, tables. */
const HEADING = /^\s*(?:#{1,6} \S|\|.+\|\s*$|\*\*[^*]{2,60}\*\*:?\s*$)/;
const REVIEW =
  /\b(?:(?:low|medium|high|critical) severity|consider (?:using|adding|extracting|renaming)|minor suggestions?|nit(?:pick)?:|issues? to fix:|lacks? test coverage|could be split|at line \d+|on line \d+|lines? \d+-\d+)\b/i;
const QUOTED = /"[^"\n]{2,400}"|“[^”\n]{2,400}”|「[^」\n]{2,400}」|«[^»\n]{2,400}»|(?<![\p{L}\p{N}])'[^'\n]{2,60} [^'\n]{1,300}'(?![\p{L}\p{N}])/gu;

/** True for a turn that is, as a whole, somebody else's review or a tool's report. */
export function isPasted(text: string): boolean {
  if (text.length > LONGEST_TURN) return true;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const logs = lines.filter((line) => LOG_LINE.test(line)).length;
  const headings = lines.filter((line) => HEADING.test(line)).length;
  return (lines.length >= 3 && logs / lines.length > 0.4) || headings >= 2 || REVIEW.test(text);
}

/** Sentences that the person said, in order. Line ends, bullets and sentence marks separate. */
export function sentencesOf(text: string): Sentence[] {
  if (isPasted(text)) return [];
  const sentences: Sentence[] = [];
  for (const line of text.replace(FENCE, '\n').split('\n')) {
    if (LOG_LINE.test(line) || NO_SPEECH_LINE.test(line) || line.length > LONGEST_TURN) continue;
    const plain = line.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '').trim();
    for (const part of plain.split(/(?<=[.!?…](?<!\b(?:e\.g|i\.e|vs|etc|no|nr|dr|mr|ms|approx|fig|cf|al|v\d|\d)\.))["')]?\s+(?=\S)|(?<=[。！？!?])(?=[^\s"”」』)）])/iu)) {
      const said = part.trim();
      if (said === '' || said.length > LONGEST_SENTENCE) continue;
      sentences.push({ text: said, bare: said.replace(QUOTED, '""') });
      if (sentences.length >= MOST_SENTENCES) return sentences;
    }
  }
  return sentences;
}
