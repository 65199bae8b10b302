/**
 * Visibility: who may see which memory, here, and why. Pure: a memory, the place a person is
 * at, and nothing else decide.
 *
 * User memories are seen everywhere, repository memories in their repository. A memory of
 * scope branch is seen on that branch alone; one of scope path where a file below that path is
 * at hand, or where none is known. A repository memory that was made on a branch is ranked
 * first there; elsewhere it is shown with its branch named, unless branches are isolated [F5].
 */
import type { AnchorState, Memory } from '../model/memory.ts';
import type { ViewContext } from '../model/repoFacts.ts';
import { matchesGlob } from './pathGlob.ts';

export interface Visibility {
  readonly visible: boolean;
  /** For explain: "repository memory", "made on branch fix, ...". */
  readonly because: string;
  /** How well the scope fits the view; decides nothing about visibility. */
  readonly fit: 'closer' | 'neutral' | 'other-branch';
}

const seen = (because: string, fit: Visibility['fit'] = 'neutral'): Visibility => ({ visible: true, because, fit });
const hidden = (because: string): Visibility => ({ visible: false, because, fit: 'neutral' });

export function visibilityOf(memory: Pick<Memory, 'scope' | 'provenance'>, view: ViewContext | undefined): Visibility {
  const { scope } = memory;
  switch (scope.level) {
    case 'user': return seen('user memory');
    case 'branch':
      if (view === undefined) return seen(`memory of branch ${scope.branch}`);
      return view.branch === scope.branch ? seen(`memory of this branch, ${scope.branch}`, 'closer') : hidden(`memory of branch ${scope.branch}`);
    case 'path':
      if (view?.activePath === undefined) return seen(`memory for ${scope.glob}`);
      return matchesGlob(scope.glob, view.activePath) ? seen(`memory for ${scope.glob}, where ${view.activePath} lies`, 'closer') : hidden(`memory for ${scope.glob}`);
    case 'repository': return repositoryVisibility(memory.provenance.branch, view);
  }
}

/** [F5] Made on another branch, about code that is not here: it has nothing to say here. */
export const isOfAbsentCode = ({ fit }: Visibility, anchors: readonly { readonly state: AnchorState }[]): boolean => fit === 'other-branch' && anchors.length > 0 && anchors.every(({ state }) => state === 'missing');

function repositoryVisibility(madeOn: string | undefined, view: ViewContext | undefined): Visibility {
  if (madeOn === undefined || view === undefined || madeOn === view.defaultBranch) return seen('repository memory');
  if (madeOn === view.branch) return seen(`repository memory, made on this branch, ${madeOn}`, 'closer');
  if (view.isolateBranches === true) return hidden(`made on branch ${madeOn}, and branches are kept apart`);
  // Without git, or with no branch known, nothing can be said about branches.
  if (view.branch === undefined) return seen('repository memory');
  return seen(`made on branch ${madeOn}, shown here with its branch named`, 'other-branch');
}
