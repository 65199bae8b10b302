/**
 * What becomes of memories made on a branch when the branch ends [F5]. Pure: git's answers are handed in.
 *
 * A branch without commits of its own looks merged to git the moment it is made. So a branch counts as merged only where
 * git tells that it was, or after it was seen with commits of its own, and as gone without being merged only after that. What was seen is kept in the store, with
 * the clone in which it was: another clone of the same store, which has not got the branch, does not say that it is gone.
 */

/** Branch to its commit when it was last seen, and whether that was more than the default branch had. */
export type SeenBranches = Readonly<Record<string, { readonly tip: string; readonly ahead: boolean; readonly clone: string }>>;

export interface BranchPlan {
  readonly merged: readonly string[];
  readonly gone: readonly string[];
  /** To be kept for the next time. */
  readonly seen: SeenBranches;
}

export interface BranchAnswers {
  readonly clone: string;
  readonly tips: ReadonlyMap<string, string>;
  /** Of tips, now and as last seen; see BranchFacts. */
  readonly held: ReadonlyMap<string, boolean>;
  /** Branches of which git tells that they were merged, though they were never seen with commits of their own. */
  readonly broughtIn: ReadonlySet<string>;
}

/** `names`: branches that memories were made on, without the default branch. */
export function planBranches(names: readonly string[], before: SeenBranches, { clone, tips, held, broughtIn }: BranchAnswers): BranchPlan {
  const merged: string[] = [];
  const gone: string[] = [];
  const seen: Record<string, SeenBranches[string]> = {};
  for (const name of names) {
    const last = before[name];
    const tip = tips.get(name);
    const isHeld = held.get(tip ?? last?.tip ?? '');
    if (isHeld === true && last?.ahead === true) merged.push(name);
    else if (broughtIn.has(name) && (tip === undefined || isHeld === true)) merged.push(name);
    else if (tip !== undefined) seen[name] = { tip, ahead: isHeld === false, clone };
    else if (isHeld === false && last?.ahead === true && last.clone === clone && !isElsewhere(last.tip, tips)) gone.push(name);
    else if (last !== undefined) seen[name] = last;
  }
  return { merged, gone, seen };
}

/** It was renamed, or another branch goes on from it. */
const isElsewhere = (tip: string, tips: ReadonlyMap<string, string>): boolean => [...tips.values()].includes(tip);
