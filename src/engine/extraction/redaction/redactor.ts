/**
 * Redactor: takes secrets out of a text before its first durable write, its way into a log or a
 * model call (invariant 5). Published rules first, then our own, then the values of the
 * repository's `.env` files. Synchronous: a hook redacts what it hands on.
 *
 * Redacting twice changes nothing. A placeholder names the kind: `[redacted:aws-access-token]`.
 */
import { OWN_RULES } from './ownRules.ts';
import published from './publishedRules.json' with { type: 'json' };
import type { SecretSpan } from './saidSecrets.ts';
import { entropyOf, fingerprintOf, isMixed, isPlaceholder, isPlainValue } from './secretShape.ts';

/** A value read from an `.env` file. With its name the redactor knows whether it is meant to be secret. */
export type EnvValue = string | { readonly name: string; readonly value: string };

export interface RedactorOptions {
  /** Asked at each call, so that a changed file counts at once; held in memory only. */
  readonly envValues?: () => readonly EnvValue[];
  /** Fingerprints of texts that a person declared harmless (see `Finding.fingerprint`); asked at each call. */
  readonly allow?: () => readonly string[];
}

export interface Redaction {
  readonly kind: string;
  readonly count: number;
}

export interface RedactedText {
  readonly text: string;
  readonly redactions: readonly Redaction[];
}

/** One secret found, for `doctor --scan-secrets`; never holds the secret. */
export interface Finding {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly fingerprint: string;
}

export interface Redactor {
  redact(text: string): RedactedText;
  scan(text: string): Finding[];
}

interface Allow {
  readonly target: string;
  readonly patterns: readonly RegExp[];
  readonly words: readonly string[];
}

interface PublishedRule {
  readonly id: string;
  readonly pattern: RegExp;
  readonly entropy: number;
  readonly allow: readonly Allow[];
}

const GENERIC = 'generic-api-key';
const LEAD = /[\w.-]*$/;
const PLACEHOLDER = /\[redacted:[a-z0-9-]{1,60}\]/g;
/** Two passes settle every case met; the third proves it. */
const MAX_PASSES = 4;
const SHORTEST_ENV_SECRET = 6;
const SHORTEST_ENV_VALUE = 8;

const compileAllow = (allow: { target: string; patterns: string[]; words: string[] }): Allow => ({ target: allow.target, patterns: allow.patterns.map((pattern) => new RegExp(pattern)), words: allow.words.map((word) => word.toLowerCase()) });

interface Compiled {
  readonly keywords: readonly (readonly [keyword: string, rules: readonly number[]])[];
  readonly rules: readonly PublishedRule[];
  readonly always: readonly number[];
  readonly global: Allow;
}

let compiled: Compiled | undefined;

/** Compiled at first use: importing the redactor must cost a hook nothing. */
function compile(): Compiled {
  if (compiled !== undefined) return compiled;
  const rules = published.rules.map((rule) => ({ id: rule.id, pattern: new RegExp(rule.pattern, 'dg'), entropy: rule.entropy, allow: rule.allow.map(compileAllow) }));
  const byKeyword = new Map<string, number[]>();
  const always: number[] = [];
  for (const [i, rule] of published.rules.entries()) {
    if (rule.keywords.length === 0) always.push(i);
    for (const keyword of rule.keywords) byKeyword.set(keyword.toLowerCase(), [...(byKeyword.get(keyword.toLowerCase()) ?? []), i]);
  }
  compiled = { keywords: [...byKeyword], rules, always, global: compileAllow(published.allow) };
  return compiled;
}

function isAllowed(allow: Allow, secret: string, match: string, line: () => string): boolean {
  const subject = allow.target === 'match' ? match : allow.target === 'line' ? line() : secret;
  if (allow.patterns.some((pattern) => pattern.test(subject))) return true;
  if (allow.words.length === 0) return false;
  const lower = secret.toLowerCase();
  return allow.words.some((word) => lower.includes(word));
}

function lineAround(text: string, start: number, end: number): string {
  const from = text.lastIndexOf('\n', start) + 1;
  const to = text.indexOf('\n', end);
  return text.slice(from, to < 0 ? text.length : to);
}

function findPublished(text: string, lower: string): SecretSpan[] {
  const { keywords, rules, always, global } = compile();
  const due = new Set(always);
  for (const [keyword, indexes] of keywords) if (lower.includes(keyword)) for (const index of indexes) due.add(index);
  const spans: SecretSpan[] = [];
  for (const index of due) {
    const rule = rules[index];
    if (rule === undefined) continue;
    for (const match of text.matchAll(rule.pattern)) {
      const group = match.findIndex((value, i) => i > 0 && value !== undefined && value !== '');
      const at = match.indices?.[Math.max(0, group)];
      const secret = match[Math.max(0, group)];
      if (at === undefined || secret === undefined || secret === '' || entropyOf(secret) <= rule.entropy) continue;
      if (rule.id === GENERIC && isPlaceholder(secret)) continue;
      const line = (): string => lineAround(text, match.index, match.index + match[0].length);
      // Lists that look at the match expect the whole name before it; the converter took that part out of the pattern.
      const named = (LEAD.exec(text.slice(Math.max(0, match.index - 50), match.index))?.[0] ?? '') + match[0];
      if ([global, ...rule.allow].some((allow) => isAllowed(allow, secret, named, line))) continue;
      spans.push({ start: at[0], end: at[1], kind: rule.id });
    }
  }
  return spans;
}

function isEnvSecret(entry: EnvValue): boolean {
  const value = typeof entry === 'string' ? entry : entry.value;
  if (isPlaceholder(value) || isPlainValue(value) || /^https?:\/\/[^@]*$/.test(value)) return false;
  if (typeof entry !== 'string' && /pass|pwd|secret|token|key|auth|credential|dsn/i.test(entry.name) && !/public|_id$|_name$|_url$|_file$|_path$/i.test(entry.name)) return value.length >= SHORTEST_ENV_SECRET;
  return value.length >= SHORTEST_ENV_VALUE && isMixed(value) && (entropyOf(value) >= 3 || value.length >= 16) && !/^[a-z]+:\/\/[^:@]*$/i.test(value);
}

function findEnvValues(text: string, entries: readonly EnvValue[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const entry of entries) {
    const value = typeof entry === 'string' ? entry : entry.value;
    if (!isEnvSecret(entry)) continue;
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) spans.push({ start: at, end: at + value.length, kind: 'env-value' });
  }
  return spans;
}

/** What a reader learns most from comes first: a named service, then our own rules, then "some key". */
const rankOf = (kind: string): number => (kind === GENERIC ? 2 : kind === 'env-value' || kind === 'secret-value' || kind === 'env-secret' || kind === 'api-key' ? 1 : 0);

/** Overlapping spans become one that covers them all. */
function merge(spans: SecretSpan[]): SecretSpan[] {
  const sorted = spans.sort((a, b) => a.start - b.start || b.end - a.end || rankOf(a.kind) - rankOf(b.kind) || (a.kind < b.kind ? -1 : 1));
  const merged: SecretSpan[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end), kind: rankOf(span.kind) < rankOf(last.kind) ? span.kind : last.kind };
  }
  return merged;
}

/** `envValues` are read at each call; nothing of a secret is kept between calls. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const find = (text: string): SecretSpan[] => {
    const lower = text.toLowerCase();
    const spans = findPublished(text, lower);
    for (const rule of OWN_RULES) if (rule.keywords.some((keyword) => lower.includes(keyword))) spans.push(...rule.find(text, lower));
    if (options.envValues !== undefined) spans.push(...findEnvValues(text, options.envValues()));
    const masks = [...text.matchAll(PLACEHOLDER)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
    const kept = spans.filter((span) => span.end > span.start && !masks.some((mask) => span.start < mask.end && mask.start < span.end));
    const found = merge(kept);
    const allowed = found.length === 0 ? undefined : options.allow?.();
    return allowed === undefined || allowed.length === 0 ? found : found.filter((span) => !allowed.includes(fingerprintOf(text.slice(span.start, span.end))));
  };
  return {
    redact(text) {
      let current = text;
      const counts = new Map<string, number>();
      for (let pass = 0; pass < MAX_PASSES; pass += 1) {
        const spans = find(current);
        if (spans.length === 0) break;
        let at = 0;
        let next = '';
        for (const span of spans) {
          next += `${current.slice(at, span.start)}[redacted:${span.kind}]`;
          at = span.end;
          counts.set(span.kind, (counts.get(span.kind) ?? 0) + 1);
        }
        current = next + current.slice(at);
      }
      return { text: current, redactions: [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1)) };
    },
    scan: (text) => find(text).map((span) => ({ ...span, fingerprint: fingerprintOf(text.slice(span.start, span.end)) })),
  };
}
