/**
 * Permissions do not bind root: a test about them runs as an ordinary user, also where the tests run as root.
 */
import fs from 'node:fs';
import path from 'node:path';

const NOBODY = 65_534;

function giveAway(folder: string): void {
  for (const entry of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) fs.chownSync(path.join(folder, entry), NOBODY, NOBODY);
  fs.chownSync(folder, NOBODY, NOBODY);
}

/** Gives the folder to an ordinary user and says whom to start programs as. */
export function giveToOrdinaryUser(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  giveAway(folder);
  return { uid: NOBODY, gid: NOBODY };
}

/** Runs `work` with the rights of somebody who owns `folder` and nothing else special. */
export async function asOrdinaryUser<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return work();
  giveAway(folder);
  process.seteuid(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid(0);
  }
}
