/**
 * createWorkingTree: the WorkingTree port on this disk. Whatever path is asked for,
 * nothing outside of the root is read, not even through a symbolic link.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import type { BranchFacts, WorkingTree } from '../engine/index.ts';

const MAX_BYTES = 2 * 1024 * 1024;

export interface WorkingTreeOptions {
  readonly maxBytes?: number;
  /** Where a path that is gone went, if known without starting a process. */
  readonly movedTo?: (path: string) => Promise<string | undefined>;
  /** What a running git knows; see WorkingTree. */
  readonly renames?: () => Promise<ReadonlyMap<string, string>>;
  readonly branches?: () => Promise<BranchFacts | undefined>;
}

/** `root` is absolute. Paths that leave it are refused with PATH_OUTSIDE_REPOSITORY. */
export function createWorkingTree(root: string, options: WorkingTreeOptions = {}): WorkingTree {
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  let realRoot: Promise<string> | undefined;

  /** The real path of a regular file inside the root; undefined where there is none. */
  async function locate(relative: string): Promise<string | undefined> {
    const wanted = resolveInside(root, relative);
    realRoot ??= fs.realpath(root);
    let real: string;
    try {
      real = await fs.realpath(wanted);
    } catch {
      realRoot = undefined; // the root itself may have gone and come back
      return undefined;
    }
    if (!isInside(await realRoot, real)) throw outside(relative);
    return real;
  }

  return {
    readText: async (relative) => {
      const file = await locate(relative);
      if (file === undefined) return undefined;
      const stat = await statOf(file);
      // Pipes and devices would never end.
      return stat?.isFile() === true && stat.size <= maxBytes ? fs.readFile(file, 'utf8') : undefined;
    },
    exists: async (relative) => {
      const file = await locate(relative);
      return file !== undefined && (await statOf(file)) !== undefined;
    },
    ...(options.movedTo === undefined ? {} : { movedTo: options.movedTo }),
    ...(options.renames === undefined ? {} : { renames: options.renames }),
    ...(options.branches === undefined ? {} : { branches: options.branches }),
  };
}

async function statOf(file: string): Promise<Awaited<ReturnType<typeof fs.stat>> | undefined> {
  try {
    return await fs.stat(file);
  } catch {
    return undefined; // removed between two looks
  }
}

/** The absolute path of a relative one with `/`; throws where it leaves the root. Pure. */
export function resolveInside(root: string, relative: string): string {
  if (relative.includes('\0') || path.isAbsolute(relative) || path.win32.isAbsolute(relative) || /^[A-Za-z]:/.test(relative)) throw outside(relative);
  const resolved = path.resolve(root, relative);
  if (!isInside(path.resolve(root), resolved)) throw outside(relative);
  return resolved;
}

/** Whether `file` is the root or below it; both absolute, in one spelling. */
export function isInside(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

const outside = (relative: string): CairnError => new CairnError('PATH_OUTSIDE_REPOSITORY', `"${relative}" lies outside of the repository; give a path below its root.`, { data: { path: relative } });
