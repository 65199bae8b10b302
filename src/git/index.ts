/**
 * The door of git/: facts that only a running git can give.
 */
export { hasCommit, readBranches, readRenames, readRepoFacts, type GitOptions } from './gitFacts.ts';
