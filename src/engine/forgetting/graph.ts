/**
 * Entities and relations [K8]: a light reading of plain sentences into subject, predicate and
 * object. It finds what is said in so many words and nothing else; `relate` adds the rest.
 */
import type { Memory } from '../model/memory.ts';

export interface Triple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

const NAME = String.raw`(?:the |our )?([\p{L}\p{N}][\p{L}\p{N}_./+#-]*(?: [\p{L}\p{N}][\p{L}\p{N}_./+#-]*){0,3}?)`;
const OBJECT = String.raw`(?:the |our |an? )?([\p{L}\p{N}][\p{L}\p{N}_./+#:-]*(?: [\p{L}\p{N}][\p{L}\p{N}_./+#:-]*){0,3})`;
const END = String.raw`(?=$|[.,;:!?()]| (?:and|but|because|since|so|for|with|in|on|not|instead|when|until|now|which|that|to)\b)`;

interface Rule {
  readonly predicate: string;
  readonly pattern: RegExp;
  readonly swap: boolean;
}

const rule = (predicate: string, middle: string, swap = false): Rule => ({ predicate, pattern: new RegExp(`(?:^|[.;,] )${NAME} (?:${middle}) ${OBJECT}${END}`, 'giu'), swap });

/** Compiled for the first text that is read: 4 ms that a hook, which reads none, need not pay. */
let compiled: readonly Rule[] | undefined;
const english = (): readonly Rule[] => (compiled ??= [
  rule('owned by', 'is owned by|is maintained by|is managed by|belongs to'),
  rule('owned by', 'owns|maintains|is responsible for|is in charge of', true),
  rule('depends on', 'depends on|requires|relies on|needs'),
  rule('runs on', 'runs on|is hosted on|is deployed (?:on|to)|listens on|lives (?:on|in)'),
  rule('written in', 'is (?:written|implemented|built) (?:in|with)'),
  rule('uses', 'uses|is using|talks to|connects to|reads from|writes to|calls'),
  rule('replaces', 'replaces|replaced|supersedes'),
  rule('part of', 'is part of|is a part of'),
]);
const CHINESE = [
  { predicate: 'owned by', pattern: /([\p{Script=Han}\w.-]{2,12}?)由([\p{Script=Han}\w]{1,8}?)(?:负责|维护|管理)/gu },
  { predicate: 'uses', pattern: /([\p{Script=Han}\w.-]{2,12}?)(?:使用|采用|用的是) ?([\w.+#-]{2,30})/gu },
  { predicate: 'runs on', pattern: /([\p{Script=Han}\w.-]{2,12}?)(?:部署在|跑在|运行在) ?([\p{Script=Han}\w.:-]{2,20})/gu },
  { predicate: 'depends on', pattern: /([\p{Script=Han}\w.-]{2,12}?)依赖(?:于)? ?([\p{Script=Han}\w.-]{2,20})/gu },
];

const NO_ENTITY = /^(?:it|this|that|these|those|they|we|i|you|he|she|who|which|what|there|everyone|everything|nothing|one|use|please|always|never|don'?t|do not|if|when|我们|你|它|这|那|请|以后)\b/i;

/** At most eight, in the order said. Never about pronouns. */
export function triplesOf(text: string): Triple[] {
  const found: Triple[] = [];
  const head = text.slice(0, 1_000);
  const add = (subject: string, predicate: string, object: string): void => {
    const clean = (name: string): string => name.trim().replace(/^(?:the|our|an?) /i, '').replace(/[.,;:]+$/, '');
    const [a, b] = [clean(subject), clean(object)];
    if (a === '' || b === '' || NO_ENTITY.test(a) || NO_ENTITY.test(b) || a.length > 60 || b.length > 60 || found.some((one) => one.subject === a && one.predicate === predicate && one.object === b)) return;
    found.push({ subject: a, predicate, object: b });
  };
  for (const { predicate, pattern, swap } of english()) for (const match of head.matchAll(pattern)) for (const object of ((swap ? match[1] : match[2]) ?? '').split(/ and /)) add((swap ? match[2] : match[1]) ?? '', predicate, object);
  for (const { predicate, pattern } of CHINESE) for (const match of head.matchAll(pattern)) add(match[1] ?? '', predicate, match[2] ?? '');
  return found.slice(0, 8);
}

/** Superseded, untrusted and forgotten memories say nothing about how things are. */
export const relationsOf = (memory: Memory): Triple[] => (memory.status === 'active' && !memory.untrusted && !memory.suspicious && memory.kind !== 'session_summary' ? triplesOf(memory.text) : []);
