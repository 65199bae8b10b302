/**
 * pathInTree: a path as a person types it or a client sends it (absolute, or from the folder it stands in), as the one
 * spelling that anchors have: relative to the root of the working tree, with `/`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { realPath } from './gitFiles.ts';
import { isInside } from './workingTree.ts';

/**
 * Empty for the root itself, undefined for what lies outside. Of `folders` the first that has the file counts, so that
 * one name may mean the file beside the caller or the one at the root; without such a file the root does.
 */
export function pathInTree(root: string, given: string, folders: readonly string[]): string | undefined {
  const wanted = given.replaceAll('\\', '/');
  const isDrive = /^[a-z]:/i.test(wanted);
  if (path.isAbsolute(wanted)) return relativeIn(root, wanted) ?? relativeIn(realPath(root), realPathOf(wanted));
  if (isDrive || wanted.includes('\0')) return undefined; // a drive of another system
  for (const folder of folders) {
    const file = path.resolve(folder, wanted);
    const relative = fs.existsSync(file) ? (relativeIn(root, file) ?? relativeIn(realPath(root), realPathOf(file))) : undefined;
    if (relative !== undefined) return relative;
  }
  return relativeIn(root, path.resolve(root, wanted));
}

const relativeIn = (root: string, file: string): string | undefined => (isInside(root, file) ? path.relative(root, file).replaceAll(path.sep, '/') : undefined);

/** Of a file that may not be there: its folder is looked at, or the folder above that. */
function realPathOf(file: string): string {
  const folder = path.dirname(file);
  return fs.existsSync(file) || folder === file ? realPath(file) : path.join(realPathOf(folder), path.basename(file));
}
