/**
 * What kind of place is the home? SQLite's WAL needs shared memory and real locks, which
 * network folders do not give and sync programs copy in the middle of a write; a
 * container's own layer dies with it. Classification is pure; reading is beside it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CairnError } from '../base/errors.ts';
import type { Environment } from './paths.ts';

export type PlaceKind = 'local' | 'network' | 'sync' | 'ephemeral' | 'foreign';

export interface Place {
  readonly kind: PlaceKind;
  /** `nfs`, `OneDrive` and the like. */
  readonly name: string;
}

/** `f_type` of statfs(2). */
const NETWORK_TYPES: Readonly<Record<number, string>> = {
  0x6969: 'nfs', 0x517b: 'smb', 0xff534d42: 'cifs', 0xfe534d42: 'smb2', 0x5346414f: 'afs', 0x6b414653: 'afs', 0x00c36400: 'ceph', 0x65735543: 'fuse control', 0x564c: 'ncp', 0x0bd00bd0: 'lustre', 0x47504653: 'gpfs', 0x7461636f: 'ocfs2', 0x01161970: 'gfs2',
};
/** 9p is how WSL shows Windows drives and how some virtual machines share folders: locks there are unreliable. */
const NINE_P = 0x01021997;
const OVERLAY = 0x794c7630;
const TMPFS = 0x01021994;

/** Parts of a path by which the usual sync programs are known. */
const SYNC_FOLDERS: readonly (readonly [RegExp, string])[] = [
  [/(^|\/)OneDrive( - [^/]+)?(\/|$)/i, 'OneDrive'], [/(^|\/)Dropbox( \([^/]+\))?(\/|$)/i, 'Dropbox'], [/(^|\/)(Google ?Drive|GoogleDrive-[^/]+|My Drive)(\/|$)/i, 'Google Drive'],
  [/\/Library\/Mobile Documents(\/|$)/i, 'iCloud Drive'], [/(^|\/)iCloud ?Drive(\/|$)/i, 'iCloud Drive'], [/\/Library\/CloudStorage(\/|$)/i, 'a cloud folder'], [/(^|\/)Nextcloud(\/|$)/i, 'Nextcloud'], [/(^|\/)(pCloudDrive|pCloud Drive)(\/|$)/i, 'pCloud'], [/(^|\/)Box Sync(\/|$)/i, 'Box'],
];

/** `type` is statfs's number where the system has such numbers (Linux). */
export function classifyPlace(folder: string, facts: { platform: string; type?: number; inContainer?: boolean }): Place {
  const slashed = folder.replaceAll('\\', '/');
  const sync = SYNC_FOLDERS.find(([pattern]) => pattern.test(slashed));
  if (sync !== undefined) return { kind: 'sync', name: sync[1] };
  if (facts.platform === 'win32') return slashed.startsWith('//') && !/^\/\/[?.]\//.test(slashed) ? { kind: 'network', name: 'a network share' } : { kind: 'local', name: 'disk' };
  if (facts.platform !== 'linux' || facts.type === undefined) return { kind: 'local', name: 'disk' };
  const network = NETWORK_TYPES[facts.type];
  if (network !== undefined) return { kind: 'network', name: network };
  if (facts.type === NINE_P) return { kind: 'foreign', name: '9p' };
  if (facts.type === TMPFS) return { kind: 'ephemeral', name: 'tmpfs' };
  if (facts.type === OVERLAY && facts.inContainer === true) return { kind: 'ephemeral', name: 'a container\'s own layer' };
  return { kind: 'local', name: 'disk' };
}

/** The place of a folder, or of its nearest parent that exists. */
export function readPlace(folder: string, env: Environment): Place {
  let existing = path.resolve(folder);
  while (!fs.existsSync(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing);
  let type: number | undefined;
  try {
    type = fs.statfsSync(existing).type >>> 0;
  } catch {
    type = undefined; // not every system answers; then only the path speaks
  }
  const real = path.join(fs.existsSync(existing) ? fs.realpathSync(existing) : existing, path.relative(existing, path.resolve(folder)));
  return classifyPlace(real, { platform: process.platform, inContainer: isContainer(env), ...(type === undefined ? {} : { type }) });
}

export function isContainer(env: Environment): boolean {
  return env.KUBERNETES_SERVICE_HOST !== undefined || env.REMOTE_CONTAINERS !== undefined || env.CODESPACES !== undefined || env.container !== undefined || fs.existsSync('/.dockerenv') || fs.existsSync('/run/.containerenv');
}

/** Throws STORE_NETWORK_FILE_SYSTEM where a store must not be. */
export function assertSafePlace(home: string, env: Environment): void {
  const place = readPlace(home, env);
  if (place.kind !== 'network' && place.kind !== 'sync') return;
  const why = place.kind === 'sync' ? `${place.name} copies files while they are written` : `${place.name} gives SQLite no safe locks`;
  throw new CairnError('STORE_NETWORK_FILE_SYSTEM', `Cairn cannot keep its memory in ${home}: ${why}. Set CAIRN_HOME to a folder on a local disk, for example ${path.join(os.homedir(), '.cairn')}.`, { data: { home, place: place.name } });
}

/** Free bytes on the disk of a folder; undefined where the system does not tell. */
export function readFreeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined; // no such folder, or no such call
  }
}
