/**
 * Kinds of memory: the closed list, what other tools call them, and how much each
 * weighs when two memories are equally relevant (a rule must not lose to a remark).
 */
import { CairnError } from '../../base/errors.ts';

export const MEMORY_KINDS = [
  'rule', 'decision', 'preference', 'code_pattern', 'technical_context', 'project_context', 'communication_pattern',
  'subtle_signal', 'identity', 'fact', 'observation', 'entity', 'relation', 'session_summary',
] as const;

export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** Names that other memory tools and older exports use; accepted on input only. */
export const KIND_ALIASES: Readonly<Record<string, MemoryKind>> = {
  coding_preference: 'preference', project: 'project_context', pattern: 'code_pattern', context: 'project_context',
  instruction: 'rule', convention: 'rule', guideline: 'rule', constraint: 'rule', feedback: 'rule', user: 'identity', reference: 'technical_context',
  architecture: 'decision', note: 'observation', discovery: 'fact', bugfix: 'fact', feature: 'fact', change: 'fact', summary: 'session_summary',
};

/** Returns the kind for a name or alias, in any case, with `-` and blanks read as `_`. Throws KIND_UNKNOWN. */
export function parseKind(name: string): MemoryKind {
  const key = name.trim().toLowerCase().replaceAll(/[-\s]+/g, '_');
  const kind = (MEMORY_KINDS as readonly string[]).includes(key) ? (key as MemoryKind) : KIND_ALIASES[key];
  if (kind === undefined) throw new CairnError('KIND_UNKNOWN', `Unknown kind "${name}". Use one of: ${MEMORY_KINDS.join(', ')}.`, { data: { kind: name } });
  return kind;
}
