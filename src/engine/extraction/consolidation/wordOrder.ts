/**
 * Word order: "A calls B" and "B calls A" have the same words and say two things; "for caching use Redis" and "use Redis
 * for caching" are one. One part of a sentence may stand earlier or later without a change of what is said; whatever
 * else changes places is taken for another statement.
 */
import { stem } from './statementShape.ts';

/** They stand anywhere, or are left out, and say nothing of who does what to what. Data: another language adds its own. */
const LIGHT = new Set(
  ('a an the this that these those it its is are was were be been being am do does did has have had will would shall should can could may might must please i we you our your my us ' +
    'and or but always also just only now here 的 了 是 在 我们 我 你 请 都 要 就 和 与 或 也 把 被 会 应该 应 必须 一律 统一 一下').split(' ').map(stem),
);

/** True where the words that both have stand in an order that no single move of one part explains. `a` and `b` are words in order, stemmed. */
export function isTurnedAround(a: readonly string[], b: readonly string[]): boolean {
  const [mine, theirs] = inCommon(a, b);
  let start = 0;
  while (start < mine.length && mine[start] === theirs[start]) start += 1;
  if (start === mine.length) return false;
  let end = mine.length;
  while (mine[end - 1] === theirs[end - 1]) end -= 1;
  // What both begin or end with may belong to the part that moved: "log in UTC and store in UTC".
  return ![0, start].some((from) => [end, mine.length].some((to) => isOneMove(mine.slice(from, to), theirs.slice(from, to))));
}

const isOneMove = (before: readonly string[], after: readonly string[]): boolean => before.some((_word, cut) => before.every((_each, i) => before[(cut + i) % before.length] === after[i]));

/** Words that each has equally often: what only one says, or says twice, tells nothing of the order. */
function inCommon(a: readonly string[], b: readonly string[]): [string[], string[]] {
  const [mine, theirs] = [countsOf(a), countsOf(b)];
  const isCommon = (word: string): boolean => !LIGHT.has(word) && mine.get(word) === theirs.get(word);
  return [a.filter(isCommon), b.filter(isCommon)];
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
