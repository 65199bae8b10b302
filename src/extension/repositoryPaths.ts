/**
 * Paths of files relative to a repository's root, with `/`, as anchors write them; and
 * back. Undefined for whatever does not lie inside.
 */
import fs from 'node:fs';
import path from 'node:path';

/** `root` is a real path; the editor names a file by the links that its folder was opened through. */
export function relativeToRoot(root: string, file: string): string | undefined {
  return relativeBelow(root, file) ?? relativeBelow(root, realPath(file));
}

/** Absolute path of an anchor. Undefined when it would leave the root. */
export function absoluteInRoot(root: string, anchorPath: string): string | undefined {
  const absolute = path.resolve(root, anchorPath);
  return relativeBelow(root, absolute) === undefined ? undefined : absolute;
}

function relativeBelow(root: string, file: string): string | undefined {
  const relative = path.relative(root, file);
  if (relative === '' || relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) return undefined;
  return relative.split(path.sep).join('/');
}

function realPath(file: string): string {
  try {
    return fs.realpathSync.native(file);
  } catch {
    return file; // not saved yet, or gone: the name is all there is
  }
}
