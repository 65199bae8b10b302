/**
 * What the working tree's port asks of a running git: renames and branches. Tidying waits for the answers; a recall does
 * not: it gets what is known by now, and its question makes the answer ready for the next one.
 */
import type { BranchFacts } from '../engine/index.ts';
import { readGitStamp, readHeadFacts } from '../workingTree/index.ts';
import type { Environment } from './paths.ts';

export interface GitQuestions {
  readonly movedTo: (path: string) => Promise<string | undefined>;
  readonly renames: () => Promise<ReadonlyMap<string, string>>;
  readonly branches: () => Promise<BranchFacts | undefined>;
}

/** A command lives for one question, so it waits for git, and not for long. */
const COMMAND_WAIT_MS = 1_500;

export function createGitQuestions(root: string, env: Environment, { isCommand }: { isCommand: boolean }): GitQuestions {
  let asked: { stamp: string; answer: Promise<ReadonlyMap<string, string>> } | undefined;
  let known: ReadonlyMap<string, string> = new Map();

  async function renames(timeoutMs?: number): Promise<ReadonlyMap<string, string>> {
    const { readRenames } = await import('../git/index.ts');
    known = await readRenames(root, { env, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    return known;
  }

  return {
    renames,
    async movedTo(path) {
      const stamp = readGitStamp(root);
      if (asked?.stamp !== stamp) asked = { stamp, answer: renames(COMMAND_WAIT_MS) };
      return (isCommand ? await asked.answer : known).get(path);
    },
    async branches() {
      const { readBranches } = await import('../git/index.ts');
      return readBranches(readHeadFacts(root), { env });
    },
  };
}
