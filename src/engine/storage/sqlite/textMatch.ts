/**
 * How well one memory's words answer a question. Last step of the full-text search.
 *
 * BM25 as in Robertson & Zaragoza (2009), with the field weights folded into the term frequency
 * (BM25F), and what stands together raised: "order status lifecycle" is one thing, three words
 * spread over a page are none. For the same reason a long text is judged by the best of its
 * passages: of 8,000 characters some hold every word of any question somewhere.
 */
import { COLUMN_WEIGHTS, TEXT_COLUMNS } from './schema.ts';

/** A group of the question ready to be asked for: its tokens, and its phrases as blank-joined tokens. */
export interface Group {
  readonly words: readonly { readonly token: string; readonly weight: number }[];
  readonly phrases: readonly { readonly tokens: string; readonly weight: number }[];
  /** Tokens that begin with this count too. */
  readonly prefix: string | undefined;
}

export interface AskedGroup extends Group {
  readonly idf: number;
  /** Does any memory hold the word itself? */
  readonly isHeld: boolean;
}

export interface TextMatch {
  readonly score: number;
  /** Share of the question's groups found, each weighing as much as it is rare, 0..1. */
  readonly coverage: number;
  /** Of a long text only: the score of its best passage as a share of what the question is worth; every word once in a passage of average length is 1. */
  readonly passage?: number;
}

const K1 = 1.2;
const B = 0.4;
/** What a word counts that only begins like the word asked for. */
export const PREFIX_WEIGHT = 0.3;
/** How much of the question such a word answers where the word itself is held by others: as if all, a text full of beginnings passed the exact word by a slightly nearer meaning. */
const PREFIX_SHARE = 0.4;
/** Part of the score that depends on how many of the groups were found. */
const COVERAGE_SHARE = 0.35;
/** Two words of the question count as near within this many tokens; a compound's parts lie between them. */
const NEAR = 4;
/** Share of the less rare word's idf that nearness adds: R@1 by words on whole sessions 80.0 with it, 79.4 without; nothing is worse for it. */
const NEARNESS = 0.6;
/** Tokens in a passage, some sentences; each begins in the middle of the one before. On long sessions and on pages of code 100 to 300 do about the same. */
const PASSAGE = 100;
/** Texts up to this many tokens are one passage: a statement, a paragraph, a function. */
const LONG_FROM = 400;

interface Place {
  readonly at: number;
  readonly token: string;
}

/** A stretch of tokens: the words of the question in it, by weighted frequency. */
interface Stretch {
  readonly frequencies: ReadonlyMap<string, number>;
  readonly length: number;
  readonly places: readonly Place[];
  readonly holdsPhrase: (tokens: string) => boolean;
}

interface GroupMatch {
  /** Weighted, saturated frequency. */
  readonly score: number;
  /** How much of what was asked for this is: a mere beginning is little where the word itself is held somewhere. */
  readonly share: number;
}

const NOT_FOUND: GroupMatch = { score: 0, share: 0 };

const tokensIn = (column: string): string[] => (column === '' ? [] : column.split(' '));
const holds = (column: string, phrase: string): boolean => ` ${column} `.includes(` ${phrase} `);

/** Scores the columns of one memory after the other for the same question. */
export function createTextMatch(groups: readonly AskedGroup[], averageLength: number): (columns: readonly string[]) => TextMatch {
  const asked = groups.reduce((sum, { idf }) => sum + idf, 0);
  const groupsOf = new Map<string, number[]>();
  for (const [i, group] of groups.entries()) for (const { token } of group.words) groupsOf.set(token, [...(groupsOf.get(token) ?? []), i]);
  const prefixes = groups.flatMap(({ prefix }) => (prefix === undefined ? [] : [prefix]));
  const isAsked = (token: string): boolean => groupsOf.has(token) || prefixes.some((prefix) => token.startsWith(prefix));

  const judge = (stretch: Stretch, average: number): { score: number; coverage: number } => {
    const norm = K1 * (1 - B + (B * stretch.length) / average);
    let sum = 0;
    let found = 0;
    for (const group of groups) {
      const { score, share } = matchGroup(group, stretch, norm);
      found += share * group.idf;
      sum += score * group.idf;
    }
    sum += nearness(groups, stretch.places, groupsOf);
    const coverage = asked === 0 ? 0 : found / asked;
    return { score: sum * (1 - COVERAGE_SHARE + COVERAGE_SHARE * coverage), coverage };
  };

  return (columns) => {
    const [textColumn = '', ...others] = columns;
    const beside = weigh(others, isAsked);
    const tokens = tokensIn(textColumn);
    const places = tokens.flatMap((token, at) => (isAsked(token) ? [{ at, token }] : []));
    const stretchOf = (from: number, to: number, within: readonly Place[]): Stretch => {
      const frequencies = new Map(beside.frequencies);
      for (const { token } of within) frequencies.set(token, (frequencies.get(token) ?? 0) + COLUMN_WEIGHTS.text);
      let joined: string | undefined;
      return {
        frequencies,
        length: (to - from) * COLUMN_WEIGHTS.text + beside.length,
        places: within,
        holdsPhrase: (phrase) => others.some((column) => holds(column, phrase)) || holds((joined ??= to - from === tokens.length ? textColumn : tokens.slice(from, to).join(' ')), phrase),
      };
    };
    if (tokens.length <= LONG_FROM) return judge(stretchOf(0, tokens.length, places), averageLength);
    // What is compared is passages, here and elsewhere, so their length is the usual one.
    const average = Math.min(averageLength, PASSAGE);
    let best = { score: 0, coverage: 0 };
    for (let from = 0; ; from += PASSAGE / 2) {
      const to = Math.min(tokens.length, from + PASSAGE);
      const within = places.filter(({ at }) => at >= from && at < to);
      if (within.length > 0 || beside.frequencies.size > 0) {
        const judged = judge(stretchOf(from, to, within), average);
        if (judged.score > best.score) best = judged;
      }
      if (to === tokens.length) break;
    }
    return { ...best, passage: asked === 0 ? 0 : best.score / asked };
  };
}

/** The columns beside the text: tags, path and quote speak of the whole memory. */
function weigh(columns: readonly string[], isAsked: (token: string) => boolean): { frequencies: Map<string, number>; length: number } {
  const frequencies = new Map<string, number>();
  let length = 0;
  for (const [i, column] of columns.entries()) {
    const name = TEXT_COLUMNS[i + 1];
    if (name === undefined) continue;
    for (const token of tokensIn(column)) {
      if (isAsked(token)) frequencies.set(token, (frequencies.get(token) ?? 0) + COLUMN_WEIGHTS[name]);
      length += COLUMN_WEIGHTS[name];
    }
  }
  return { frequencies, length };
}

function matchGroup(group: AskedGroup, { frequencies, holdsPhrase }: Stretch, norm: number): GroupMatch {
  const saturated = (frequency: number): number => (frequency * (K1 + 1)) / (frequency + norm);
  let best = 0;
  for (const { token, weight } of group.words) {
    const frequency = frequencies.get(token);
    if (frequency !== undefined) best = Math.max(best, weight * saturated(frequency));
  }
  for (const { tokens, weight } of group.phrases) if (weight * saturated(1) > best && holdsPhrase(tokens)) best = weight * saturated(1);
  if (best > 0) return { score: best, share: 1 };
  if (group.prefix !== undefined) {
    for (const token of frequencies.keys()) if (token.startsWith(group.prefix)) return { score: PREFIX_WEIGHT * saturated(0.5), share: group.isHeld ? PREFIX_SHARE : 1 };
  }
  return NOT_FOUND;
}

/** Do words that follow each other in the question stand together here? */
function nearness(groups: readonly AskedGroup[], places: readonly Place[], groupsOf: ReadonlyMap<string, readonly number[]>): number {
  if (groups.length < 2) return 0;
  const lastAt = groups.map(() => -Infinity);
  const nearest = groups.map(() => Infinity);
  for (const { at, token } of places) {
    for (const i of groupsOf.get(token) ?? []) {
      lastAt[i] = at;
      for (const other of [i - 1, i + 1]) {
        const pair = Math.min(i, other);
        const distance = at - (lastAt[other] ?? -Infinity);
        // The same token may serve both groups (a synonym of each): that is one word, not two near ones.
        if (distance > 0 && distance < (nearest[pair] ?? 0)) nearest[pair] = distance;
      }
    }
  }
  let sum = 0;
  for (let i = 0; i + 1 < groups.length; i += 1) if ((nearest[i] ?? Infinity) <= NEAR) sum += NEARNESS * Math.min(groups[i]?.idf ?? 0, groups[i + 1]?.idf ?? 0);
  return sum;
}
