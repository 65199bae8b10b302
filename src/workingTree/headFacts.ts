/**
 * readHeadFacts: RepoFacts from files alone, for recall and hooks, where no process may
 * be started. What only git itself knows (root commit, author) is absent.
 */
import path from 'node:path';
import type { RepoFacts } from '../engine/index.ts';
import { findGitFolders, isShallow, readAuthor, readDefaultBranch, readHead, readRemotes, realPath } from './gitFiles.ts';
import { normalizeRemoteUrl } from './remoteUrl.ts';

export interface HeadFacts extends RepoFacts {
  readonly defaultBranch?: string;
  /** The real folder that was asked about; at or below the root. */
  readonly folder: string;
}

/** `cwd` is absolute and exists or existed; facts of the working tree around it. `homeFolder` holds the user's `.gitconfig`. */
export function readHeadFacts(cwd: string, homeFolder?: string): HeadFacts {
  const folder = realPath(cwd);
  const git = findGitFolders(folder);
  if (git === undefined) return { root: folder, folder, isSubmodule: false, isWorktree: false, isShallow: false, detached: false, remotes: [] };
  const author = readAuthor([path.join(git.commonDir, 'config'), ...(homeFolder === undefined ? [] : [path.join(homeFolder, '.gitconfig'), path.join(homeFolder, '.config', 'git', 'config')])]);
  const defaultBranch = readDefaultBranch(git.commonDir);
  const remotes = readRemotes(git.commonDir).map(({ url }) => normalizeRemoteUrl(url, git.root)).filter((url) => url !== undefined);
  return {
    root: git.root, folder, commonDir: git.commonDir, isSubmodule: git.isSubmodule, isWorktree: git.isWorktree,
    isShallow: isShallow(git.commonDir), ...readHead(git), remotes: [...new Set(remotes)],
    ...(author === undefined ? {} : { author }),
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
  };
}
