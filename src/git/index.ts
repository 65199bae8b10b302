/**
 * The door of git/: facts that only a running git can give.
 */
export { hasCommit, readBranchStates, readRenames, readRepoFacts, type BranchStates, type GitOptions } from './gitFacts.ts';
