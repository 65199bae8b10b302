/**
 * Differences of text files as people read them: unchanged lines around, `-` and `+` in front.
 */
const CONTEXT_LINES = 2;

/** One file's difference; empty when there is none. `undefined` stands for "no such file". */
export function describeChange(file: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  const header = `--- ${before === undefined ? '(absent)' : file}\n+++ ${after === undefined ? '(absent)' : file}`;
  return `${header}\n${diffLines(linesOf(before), linesOf(after)).join('\n')}`;
}

const linesOf = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

function diffLines(before: readonly string[], after: readonly string[]): string[] {
  const marks = alignLines(before, after);
  const shown: string[] = [];
  let isGap = false;
  for (const [index, mark] of marks.entries()) {
    const isNear = marks.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(([sign]) => sign !== ' ');
    if (isNear) shown.push(...(isGap && shown.length > 0 ? ['...'] : []), `${mark[0]}${mark[1]}`);
    isGap = !isNear;
  }
  return shown;
}

/** Longest common subsequence after the common head and tail; settings files are short. */
function alignLines(before: readonly string[], after: readonly string[]): [sign: ' ' | '-' | '+', line: string][] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const left = before.slice(head, before.length - tail);
  const right = after.slice(head, after.length - tail);
  const same = (lines: readonly string[]): [' ', string][] => lines.map((line) => [' ', line]);
  // A whole large file that changed everywhere is told as removed and added.
  const middle = left.length * right.length > 4_000_000 ? [...left.map((line): ['-', string] => ['-', line]), ...right.map((line): ['+', string] => ['+', line])] : alignMiddle(left, right);
  return [...same(before.slice(0, head)), ...middle, ...same(before.slice(before.length - tail))];
}

function alignMiddle(left: readonly string[], right: readonly string[]): [' ' | '-' | '+', string][] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) (lengths[i] as Uint32Array)[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const marks: [' ' | '-' | '+', string][] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      marks.push([' ', left[i] ?? '']);
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && at(i + 1, j) >= at(i, j + 1))) marks.push(['-', left[i++] ?? '']);
    else marks.push(['+', right[j++] ?? '']);
  }
  return marks;
}
