/**
 * Client id: which machine wrote a memory. Made once per home from the host's name and
 * four random characters, so that two machines of one name differ.
 */
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { type Environment, type HomePaths, readFileIfPresent, writeFileAtomically } from './paths.ts';

export function readClientId(paths: HomePaths, env: Environment): string {
  const given = env.CAIRN_CLIENT_ID?.trim();
  if (given !== undefined && given !== '') return given.slice(0, 100);
  const kept = readKept(paths.clientId);
  if (kept !== undefined && kept !== '') return kept;
  const host = os.hostname().toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '').slice(0, 40);
  const made = `${host === '' ? 'machine' : host}-${randomBytes(2).toString('hex')}`;
  try {
    writeFileAtomically(paths.clientId, `${made}\n`);
  } catch {
    return host === '' ? 'machine' : host; // a home that cannot be written keeps no id; nothing is stored there either
  }
  return made;
}

/** Something else in the file's place is no id, and no reason to fail. */
function readKept(file: string): string | undefined {
  try {
    return readFileIfPresent(file)?.replaceAll(/[^\w.-]+/g, '').slice(0, 100);
  } catch {
    return undefined;
  }
}
