/**
 * The one line of "why": what a person types into Remember This. `#tag`, `!decision` and
 * `*8` set tags, kind and importance wherever they stand; the rest is the statement.
 * Pure. A mark that means nothing (`#1`, `!important`, `*bold*`) stays text.
 */
import { KINDS } from '../../protocol/names.ts';
import type { KindName } from '../../protocol/names.ts';

export interface Remark {
  /** The statement without its marks, trimmed. */
  readonly text: string;
  readonly kind?: KindName;
  readonly importance?: number;
  readonly tags: readonly string[];
}

/** Short names for kinds, as a person would type them. */
const KIND_WORDS: Readonly<Record<string, KindName>> = {
  ...Object.fromEntries(KINDS.map((kind) => [kind, kind])),
  pattern: 'code_pattern', context: 'project_context', tech: 'technical_context', technical: 'technical_context', project: 'project_context',
  pref: 'preference', communication: 'communication_pattern', signal: 'subtle_signal', summary: 'session_summary', convention: 'rule',
  规则: 'rule', 决定: 'decision', 决策: 'decision', 偏好: 'preference', 事实: 'fact', 模式: 'code_pattern', 背景: 'project_context',
};

/** A mark stands alone between white space. A tag needs a letter, so that `#123` (an issue) stays text. */
const MARK = /(?<=^|\s)(?:#(?<tag>[\p{L}\p{N}_./-]*\p{L}[\p{L}\p{N}_./-]*)|[!！](?<kind>[\p{L}_-]+)|\*(?<importance>10|[1-9]))(?=$|\s)/gu;

export function parseRemark(input: string): Remark {
  const tags: string[] = [];
  let kind: KindName | undefined;
  let importance: number | undefined;
  const text = input.replaceAll(MARK, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as { tag?: string; kind?: string; importance?: string };
    if (groups.tag !== undefined) {
      const tag = groups.tag.replace(/[./-]+$/, '').toLowerCase();
      if (!tags.includes(tag)) tags.push(tag);
      return '';
    }
    if (groups.importance !== undefined) {
      importance = Number(groups.importance);
      return '';
    }
    const named = KIND_WORDS[(groups.kind ?? '').toLowerCase().replaceAll('-', '_')];
    if (named === undefined) return whole;
    kind = named;
    return '';
  });
  return { text: text.replaceAll(/[ \t]{2,}/g, ' ').trim(), tags, ...(kind === undefined ? {} : { kind }), ...(importance === undefined ? {} : { importance }) };
}

/** Why an importance mark was not understood, for the input's own message; undefined when all is well. */
export function remarkProblem(input: string): 'importance' | 'kind' | undefined {
  if (/(?<=^|\s)\*(?:0|1[1-9]|[2-9]\d|\d{3,})(?=$|\s)/.test(input)) return 'importance';
  const unknown = [...input.matchAll(/(?<=^|\s)[!！](?<kind>[a-z_]{3,})(?=$|\s)/giu)].some(({ groups }) => KIND_WORDS[(groups?.['kind'] ?? '').toLowerCase()] === undefined);
  return unknown ? 'kind' : undefined;
}

const MOST_SUGGESTED_TAGS = 3;
const CJK_TAG = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+$/u;

/** Tags in use that stand as words in what is about to be remembered, most used first. */
export function suggestTags(known: readonly string[], about: string): string[] {
  const text = about.toLowerCase();
  const parts = new Set(text.split(/[^\p{L}\p{N}_]+/u));
  return known.filter((tag) => (CJK_TAG.test(tag) ? tag.length > 1 && text.includes(tag) : parts.has(tag))).slice(0, MOST_SUGGESTED_TAGS);
}

/** The kind a statement looks like; a suggestion that the person sees and changes. */
export function suggestKind(text: string): KindName | undefined {
  if (/\b(we decided|decided (on|to)|we chose|we will use|instead of|moved to)\b|决定|改用|选用|采用/iu.test(text)) return 'decision';
  if (/\b(always|never|must( not)?|do not|don't|only ever)\b|必须|不要|禁止|总是|一律|不得/iu.test(text)) return 'rule';
  if (/\b(prefer|like to|rather than)\b|喜欢|偏好|倾向/iu.test(text)) return 'preference';
  return undefined;
}
