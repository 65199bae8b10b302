/**
 * Profile [K7]: what is known of the person as key and value (`python.formatter` -> `ruff`),
 * derived from preferences of confidence >= .7. Derived rows follow their memories; what a person
 * typed stays as typed.
 */
import type { EpochMs } from '../../base/clock.ts';
import type { MemoryKind } from '../model/kinds.ts';
import type { Memory, ProfileValue } from '../model/memory.ts';
import { ENGLISH_STOP_WORDS } from '../text/stopWords.ts';
import { cutText } from '../text/graphemes.ts';

const LEAST_CONFIDENCE = 0.7;
export const PROFILE_KINDS: ReadonlySet<MemoryKind> = new Set(['preference', 'communication_pattern', 'identity', 'code_pattern']);
const LONGEST_VALUE = 200;

interface ProfileRule {
  readonly key: string;
  readonly pattern: RegExp;
  /** The value; the first group of the pattern if absent. */
  readonly value?: string;
}

/** First match of each key counts. Group 1 is the value. */
const RULES: readonly ProfileRule[] = [
  { key: 'python.formatter', pattern: /(?<!not |instead of |over |than )\b(ruff|black|yapf|autopep8)\b(?=.*\b(?:format|python|code|style)\b)|\b(?:format|formatter|formatting)\b.*?\b(ruff|black|yapf|autopep8)\b/i },
  { key: 'javascript.formatter', pattern: /(?<!not |instead of |over |than )\b(prettier|biome|dprint)\b/i },
  { key: 'javascript.packageManager', pattern: /(?<!not |instead of |over |than |no )\b(pnpm|npm|yarn|bun)\b/i },
  { key: 'python.packageManager', pattern: /(?<!not |instead of |over |than |no )\b(uv|poetry|pipenv|conda)\b/i },
  { key: 'javascript.testRunner', pattern: /(?<!not |instead of |over |than |no )\b(vitest|jest|mocha)\b/i },
  { key: 'style.indentation', pattern: /\b(tabs|(?:\d|two|four|eight)[ -]spaces?|spaces)\b/i },
  { key: 'style.quotes', pattern: /\b(single|double) quotes\b|(单引号|双引号)/i },
  { key: 'style.semicolons', pattern: /\b(?:no|without|don'?t use|avoid) semicolons\b|不(?:加|写|用)分号/i, value: 'no' },
  { key: 'style.paradigm', pattern: /\b(functional|object[- ]oriented)\b|(函数式|面向对象)/i },
  { key: 'style.spelling', pattern: /\b(british|american) (?:english|spelling)\b/i },
  { key: 'git.integration', pattern: /\b(rebase|squash|merge commits?)\b/i },
  { key: 'git.commitStyle', pattern: /\b(conventional commits)\b/i },
  { key: 'communication.language', pattern: /\b(?:answer|reply|respond|speak|write)\b.{0,20}\bin (english|german|french|spanish|chinese|japanese|italian|portuguese|russian|korean)\b|用(中文|英文|日文)(?:回答|回复|交流)/i },
  { key: 'communication.length', pattern: /\b(short|concise|brief|terse)\b|(简短|简洁)/i, value: 'short' },
  { key: 'communication.format', pattern: /\b(bullet points?|tables?|diffs?)\b|(表格|分点)/i },
  { key: 'communication.order', pattern: /\b(?:first explain|explain (?:why|the cause|first))\b|先解释/i, value: 'explain first' },
  { key: 'tools.editor', pattern: /\bi use (neovim|vim|emacs|helix|zed|vs ?code|intellij)\b/i },
  { key: 'tools.shell', pattern: /\bi use (fish|zsh|bash|nushell|powershell)\b/i },
  { key: 'tools.system', pattern: /\bi (?:use|am on|work on) (windows|linux|macos|mac|wsl|arch|nixos)\b/i },
  { key: 'identity.role', pattern: /\bi(?:'m| am) (an? (?:[\w-]+ ){0,4}(?:developer|engineer|designer|student|researcher|scientist|manager|analyst|architect|founder|maintainer|consultant|lead|owner))\b|我是(?:一名|一个|个)?(\S{0,8}(?:工程师|开发|设计师|学生|产品经理|运维))/i },
  { key: 'identity.vision', pattern: /\b(colou?r[- ]?blind)\b|can'?t see (red and green|colou?rs?)/i },
];

/**
 * Keys and values that one memory gives. A memory of the person's own without a known key gets one from its first content
 * words; the words of a repository's stay there, since the profile is told in every repository (invariant 12).
 */
export function profileOf(memory: Memory): { readonly key: string; readonly value: string }[] {
  const found: { key: string; value: string }[] = [];
  for (const rule of RULES) {
    const match = rule.pattern.exec(memory.text);
    const value = match === null ? undefined : (rule.value ?? match.slice(1).find((group) => group !== undefined));
    if (value !== undefined && !found.some((one) => one.key === rule.key)) found.push({ key: rule.key, value: cutText(value.toLowerCase(), LONGEST_VALUE) });
  }
  if (found.length > 0 || memory.scope.level !== 'user') return found;
  const words = (memory.text.match(/\p{Script=Han}{2,6}|[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase()).filter((word) => !ENGLISH_STOP_WORDS.has(word) && !/^(?:prefer|like|want|rather|please|always|never|keep|use)$/.test(word));
  const slug = words.slice(0, 3).join('-');
  return slug === '' ? [] : [{ key: `${memory.kind === 'identity' ? 'identity' : memory.kind === 'communication_pattern' ? 'communication' : 'preference'}.${slug}`, value: cutText(memory.text, LONGEST_VALUE) }];
}

export interface ProfilePlan {
  readonly put: readonly ProfileValue[];
  readonly removeKeys: readonly string[];
}

/** Said of one place, not of the person. */
const OF_ONE_PLACE = /\b(?:in|for|across|throughout) (?:this|the|our) (?:whole |entire )?(?:repo(?:sitory)?|projects?|code ?base|monorepo|team|package|service|app)\b|(?:本|这个|该|整个)(?:项目|仓库|代码库)/i;

/** Memories about the person: of user scope, or personal by kind; a code pattern of a repository is that repository's. */
function isPersonal(memory: Memory): boolean {
  if (!PROFILE_KINDS.has(memory.kind)) return false;
  if (memory.scope.level === 'user') return true;
  return memory.scope.level === 'repository' && memory.kind !== 'code_pattern' && !OF_ONE_PLACE.test(memory.text);
}

export interface ProfileSurroundings {
  /** Known to the stores at hand; other ids belong to another repository, whose say stays. */
  readonly isHere: (memoryId: string) => boolean;
  /** When a person took the key out; statements up to then do not bring it back. */
  readonly clearedAt: Readonly<Record<string, EpochMs>>;
}

const ALL_HERE: ProfileSurroundings = { isHere: () => true, clearedAt: {} };

/**
 * What has to change for the profile to say what the active memories say. The newest statement of a key wins; the
 * memories that agree with it stand behind the value.
 */
export function planProfile(memories: readonly Memory[], current: readonly ProfileValue[], now: EpochMs, { isHere, clearedAt }: ProfileSurroundings = ALL_HERE): ProfilePlan {
  const byKey = new Map<string, { value: string; memory: Memory }[]>();
  for (const memory of [...memories].sort((a, b) => b.validFrom - a.validFrom || (a.id < b.id ? 1 : -1))) {
    if (memory.status !== 'active' || memory.confidence < LEAST_CONFIDENCE || memory.untrusted || memory.suspicious || !isPersonal(memory) || (memory.expiresAt !== undefined && memory.expiresAt <= now)) continue;
    for (const { key, value } of profileOf(memory)) if (memory.validFrom > (clearedAt[key] ?? -Infinity)) byKey.set(key, [...(byKey.get(key) ?? []), { value, memory }]);
  }
  const put: ProfileValue[] = [];
  for (const [key, claims] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = current.find((value) => value.key === key);
    const newest = claims[0];
    if (newest === undefined || before?.edited === true) continue;
    const elsewhere = before?.memoryIds.filter((id) => !isHere(id)) ?? [];
    // Another repository said it later than anything said here.
    if (before !== undefined && elsewhere.length > 0 && before.value !== newest.value && newest.memory.validFrom <= before.updatedAt) continue;
    const agreeing = claims.filter((claim) => claim.value === newest.value).map((claim) => claim.memory);
    const memoryIds = [...new Set([...agreeing.map((memory) => memory.id), ...(before?.value === newest.value ? elsewhere : [])])].sort();
    const next: ProfileValue = { key, value: newest.value, confidence: Math.max(...agreeing.map((memory) => memory.confidence)), memoryIds, updatedAt: now, edited: false };
    if (before === undefined || before.value !== next.value || before.confidence !== next.confidence || before.memoryIds.join() !== next.memoryIds.join()) put.push(next);
  }
  // Values whose memories are gone go with them; typed ones and ones without memories were never derived.
  const isLost = ({ key, memoryIds }: ProfileValue): boolean => memoryIds.every(isHere) && !byKey.has(key);
  // Words of another repository, from when they were still told everywhere.
  const isForeign = ({ key, memoryIds }: ProfileValue): boolean => !memoryIds.some(isHere) && !RULES.some((rule) => rule.key === key);
  const removeKeys = current.filter((value) => !value.edited && value.memoryIds.length > 0 && (isLost(value) || isForeign(value))).map((value) => value.key);
  return { put, removeKeys };
}
