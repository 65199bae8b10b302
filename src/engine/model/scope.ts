/**
 * Scope: where a memory is visible. User memories live in the user's store and
 * are seen everywhere; the other three live in a repository's store.
 */
import { CairnError } from '../../base/errors.ts';

export type Scope =
  | { readonly level: 'user' }
  | { readonly level: 'repository' }
  | { readonly level: 'branch'; readonly branch: string }
  | { readonly level: 'path'; readonly glob: string };

export type ScopeLevel = Scope['level'];
export const SCOPE_LEVELS = ['user', 'repository', 'branch', 'path'] as const satisfies readonly ScopeLevel[];

/** The written form: `user`, `repository`, `branch:NAME`, `path:GLOB`. */
export function formatScope(scope: Scope): string {
  switch (scope.level) {
    case 'branch': return `branch:${scope.branch}`;
    case 'path': return `path:${scope.glob}`;
    default: return scope.level;
  }
}

/** Inverse of formatScope. Throws SCOPE_INVALID. */
export function parseScope(text: string): Scope {
  const trimmed = text.trim();
  if (trimmed === 'user' || trimmed === 'repository') return { level: trimmed };
  if (trimmed === 'repo' || trimmed === 'project') return { level: 'repository' };
  const match = /^(branch|path):(.+)$/s.exec(trimmed);
  const value = match?.[2]?.trim();
  if (match?.[1] === 'path' && value !== undefined && (/^(?:[\\/]|[a-z]:)/i.test(value) || value.split(/[\\/]/).includes('..'))) {
    throw new CairnError('SCOPE_INVALID', `The scope "${text}" leads out of the repository. Give a glob relative to its root, such as path:src/**.`, { data: { scope: text } });
  }
  if (value !== undefined && value !== '' && !/[\p{Cc}\u2028\u2029]/u.test(value)) return match?.[1] === 'branch' ? { level: 'branch', branch: value } : { level: 'path', glob: value };
  throw new CairnError('SCOPE_INVALID', `Unknown scope "${text}". Use user, repository, branch:NAME or path:GLOB.`, { data: { scope: text } });
}
