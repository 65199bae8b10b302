/**
 * The door of workingTree/: files and HEAD of a repository, read without starting git.
 */
export { readHeadFacts, type HeadFacts } from './headFacts.ts';
export { pathInTree } from './pathInTree.ts';
export { normalizeRemoteUrl } from './remoteUrl.ts';
export { createWorkingTree, isInside, resolveInside, type WorkingTreeOptions } from './workingTree.ts';
export { readGitStamp, readWorktrees, realPath } from './gitFiles.ts';
