/**
 * Follows what git did meanwhile: memories of a merged branch become the repository's, those of one that ended unmerged
 * are proposed for archive [F5], anchors go where their file was renamed to [F4]. Part of tidying, since it asks git,
 * which no recall may wait for.
 */
import { beginAct, changeOf, type CurationDeps } from './curation/curationDeps.ts';
import { editMemory } from './curation/edit.ts';
import type { ActingFor, BranchFacts, WorkingTree } from './engineTypes.ts';
import { planBranches, type SeenBranches } from './forgetting/index.ts';
import type { Anchor, Memory } from './model/memory.ts';
import { checkAnchors } from './retrieval/freshness.ts';
import type { MemoryStore } from './storage/memoryStore.ts';

const POLICY: ActingFor = { actor: { surface: 'policy' } };
/** JSON of SeenBranches. */
const SEEN = 'branches.seen';

export interface FollowedGit {
  readonly lifted: number;
  readonly reanchored: number;
  readonly proposed: number;
}

/** `memories`: the active ones of the repository's store. */
export async function followGit(curation: CurationDeps, store: MemoryStore, tree: WorkingTree, memories: readonly Memory[], proposeArchive: (memory: Memory, why: string) => Promise<boolean>): Promise<FollowedGit> {
  const reanchored = await followRenames(curation, tree, memories);
  return { ...(await followBranches(curation, store, tree, memories, proposeArchive)), reanchored };
}

const branchOf = ({ scope, provenance }: Memory): string | undefined => (scope.level === 'branch' ? scope.branch : scope.level === 'repository' ? provenance.branch : undefined);

async function followBranches(curation: CurationDeps, store: MemoryStore, tree: WorkingTree, memories: readonly Memory[], proposeArchive: (memory: Memory, why: string) => Promise<boolean>): Promise<{ lifted: number; proposed: number }> {
  const named = new Set(memories.map(branchOf).filter((name) => name !== undefined));
  const facts = named.size === 0 ? undefined : await tree.branches?.();
  if (facts === undefined) return { lifted: 0, proposed: 0 };
  const names = [...named].filter((name) => name !== facts.defaultBranch).sort();
  const kept = await store.getMeta(SEEN);
  const before = (kept === undefined ? {} : JSON.parse(kept)) as SeenBranches;
  const held = new Map<string, boolean>();
  for (const commit of new Set(names.flatMap((name) => facts.tips.get(name) ?? before[name]?.tip ?? []))) {
    const answer = await facts.holds(commit);
    if (answer !== undefined) held.set(commit, answer);
  }
  const broughtIn = new Set<string>();
  for (const name of names) if (before[name]?.ahead !== true && (await wasBroughtIn(facts, name, memories.filter((memory) => branchOf(memory) === name)))) broughtIn.add(name);
  const plan = planBranches(names, before, { clone: facts.clone, tips: facts.tips, held, broughtIn });
  let proposed = 0;
  for (const memory of memories) if (plan.gone.includes(branchOf(memory) ?? '') && (await proposeArchive(memory, `The branch ${branchOf(memory)} is gone and was never merged into ${facts.defaultBranch}.`))) proposed += 1;
  let lifted = 0;
  for (const name of plan.merged) lifted += await liftFromBranch(curation, store, memories.filter((memory) => branchOf(memory) === name), `The branch ${name} was merged into ${facts.defaultBranch}.`);
  // Last: killed before, the same is found again.
  const text = JSON.stringify(plan.seen);
  if (text !== (kept ?? '{}')) await store.write(async (writer) => writer.setMeta(SEEN, text));
  return { lifted, proposed };
}

/** Of a branch that began and ended between two looks: git's log names it, or has its commits by a merge. */
async function wasBroughtIn(facts: BranchFacts, name: string, memories: readonly Memory[]): Promise<boolean> {
  const mergedAt = facts.mergedAt.get(name);
  // The log counts in seconds.
  if (mergedAt !== undefined && memories.some(({ createdAt }) => createdAt < mergedAt + 1_000)) return true;
  const commits = new Set([facts.tips.get(name), ...memories.map(({ provenance }) => (provenance.branch === name ? provenance.commit : undefined))]);
  for (const commit of commits) if (commit !== undefined && (await facts.cameFromBranch(commit))) return true;
  return false;
}

/** Holds for the repository from now on; where it was made is in its history. */
async function liftFromBranch(curation: CurationDeps, store: MemoryStore, memories: readonly Memory[], reason: string): Promise<number> {
  const act = beginAct(curation, POLICY.actor, reason);
  return store.write(async (writer) => {
    let lifted = 0;
    for (const { id } of memories) {
      const before = await writer.getMemory(id);
      if (before?.status !== 'active') continue;
      const after: Memory = { ...before, scope: { level: 'repository' }, provenance: { ...before.provenance, branch: undefined }, updatedAt: act.at, version: before.version + 1 };
      await writer.replaceMemory(after, undefined, changeOf(curation, act, 'edit'));
      lifted += 1;
    }
    return lifted;
  });
}

async function followRenames(curation: CurationDeps, tree: WorkingTree, memories: readonly Memory[]): Promise<number> {
  const lost = new Set<string>();
  for (const path of new Set(memories.flatMap(({ anchors }) => anchors.map((anchor) => anchor.path)))) if (!(await existsIn(tree, path))) lost.add(path);
  const renames = lost.size === 0 ? undefined : await tree.renames?.();
  if (renames === undefined) return 0;
  const followed: WorkingTree = { readText: (path) => tree.readText(path), exists: (path) => tree.exists(path), movedTo: async (path) => renames.get(path) };
  let reanchored = 0;
  for (const memory of memories.filter(({ anchors }) => anchors.some(({ path }) => lost.has(path) && renames.has(path)))) {
    const anchors: Anchor[] = [];
    for (const { anchor, now } of await checkAnchors(memory, followed)) {
      const renamed = lost.has(anchor.path) ? renames.get(anchor.path) : undefined;
      // Changed on the way: the new place is known, and the check goes on saying that it changed.
      anchors.push(renamed === undefined || !(await existsIn(tree, renamed)) ? anchor : (now ?? { ...anchor, path: renamed }));
    }
    if (anchors.every((anchor, i) => anchor.path === memory.anchors[i]?.path)) continue;
    await editMemory(curation, memory.id, { anchors }, { ...POLICY, reason: 'Its file was renamed.' }, { verb: 'reanchor' });
    reanchored += 1;
  }
  return reanchored;
}

/** A path that cannot be looked at (a link out of the tree) is not called gone. */
async function existsIn(tree: WorkingTree, path: string): Promise<boolean> {
  try {
    return await tree.exists(path);
  } catch {
    return true;
  }
}
