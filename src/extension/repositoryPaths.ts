/**
 * Paths of files relative to a repository's root, with `/`, as anchors write them; and
 * back. Undefined for whatever does not lie inside.
 */
import path from 'node:path';

export function relativeToRoot(root: string, file: string): string | undefined {
  const relative = path.relative(root, file);
  if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative)) return undefined;
  return relative.split(path.sep).join('/');
}

/** Absolute path of an anchor. Undefined when it would leave the root. */
export function absoluteInRoot(root: string, anchorPath: string): string | undefined {
  const absolute = path.resolve(root, anchorPath);
  return relativeToRoot(root, absolute) === undefined ? undefined : absolute;
}
