/**
 * Forgetting and its neighbours: what has had its time, and what the memories that stay say as
 * profile, graph and session summary. Plans only; review.ts and curation carry them out.
 */
export { planArchive, planExpiry, planSummaries, type ArchivePlan, type ArchiveRule } from './archive.ts';
export { planBranches, type BranchPlan, type SeenBranches } from './branches.ts';
export { planProfile, PROFILE_KINDS, profileOf, type ProfilePlan } from './profile.ts';
export { relationsOf, triplesOf, type Triple } from './graph.ts';
export { summarize } from './summary.ts';
