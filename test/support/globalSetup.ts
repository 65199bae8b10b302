/**
 * Runs once before all test files: gives the whole run a scratch HOME, so that nothing that a test starts can find
 * the person's own, and fails the run if the real one was touched after all.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compareInventories, readHomeInventory, REAL_HOME_VARIABLE } from './realHome.ts';
import { removeFolder } from './temporaryFolder.ts';

/** Variables that would lead a child process out of its scratch home. */
const LEADING_OUT = /^(CLAUDE_|CLAUDECODE|ANTHROPIC_|CAIRN_(?!NODE$|CACHE$|TEST_|BENCH_)|XDG_|VSCODE_|GIT_|ELECTRON_RUN_AS_NODE$)/;

export default function setUp(): () => void {
  const realHome = process.env[REAL_HOME_VARIABLE] ?? os.homedir();
  const before = readHomeInventory(realHome);
  const scratchHome = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-run-'));
  for (const name of Object.keys(process.env)) if (LEADING_OUT.test(name)) delete process.env[name];
  process.env[REAL_HOME_VARIABLE] = realHome;
  process.env.HOME = scratchHome;
  process.env.USERPROFILE = scratchHome;
  process.env.CAIRN_HOME = path.join(scratchHome, '.cairn');
  return () => {
    removeFolder(scratchHome);
    const changes = compareInventories(before, readHomeInventory(realHome));
    if (changes.length > 0) throw new Error(changes.join('\n'));
  };
}
