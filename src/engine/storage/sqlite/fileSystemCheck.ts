/**
 * Is this folder one where SQLite's WAL is safe? Network file systems share no memory
 * between machines; sync clients copy the three files of a store one by one. Both
 * damage it, so both are refused before anything is created.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CairnError } from '../../../base/errors.ts';

const NETWORK_TYPES: ReadonlySet<string> = new Set([
  'nfs', 'nfs4', 'cifs', 'smb', 'smb2', 'smb3', 'smbfs', '9p', 'v9fs', 'drvfs', 'afs', 'afpfs', 'ncpfs', 'davfs', 'ceph', 'glusterfs', 'lustre', 'beegfs', 'webdav', 'vboxsf', 'vmhgfs', 'prl_fs',
  'fuse.sshfs', 'fuse.rclone', 'fuse.davfs2', 'fuse.s3fs', 'fuse.gcsfuse', 'fuse.glusterfs', 'fuse.ceph', 'fuse.vmhgfs-fuse', 'fuse.google-drive-ocamlfuse', 'fuse.onedriver', 'fuse.smbnetfs', 'fuse.gvfsd-fuse',
]);

/** Folder names under which a sync client keeps its copy; compared in lower case, the first as a beginning. */
const SYNC_FOLDERS: readonly { readonly name: RegExp; readonly client: string }[] = [
  { name: /^onedrive($|[ -])/, client: 'OneDrive' },
  { name: /^dropbox($|[ (])/, client: 'Dropbox' },
  { name: /^(google ?drive|my drive)$/, client: 'Google Drive' },
  { name: /^(iclouddrive|icloud drive|mobile documents|com~apple~clouddocs)$/, client: 'iCloud Drive' },
  { name: /^cloudstorage$/, client: 'a cloud storage client' },
];

export interface FileSystemVerdict {
  readonly safe: boolean;
  /** For example "nfs4 (mounted at /home)" or "OneDrive"; set when it is not safe. */
  readonly what?: string;
}

/** Unescapes the octal blanks of /proc/mounts. */
const unescape = (field: string): string => field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Type and place of the mount that holds `folder`, from the text of /proc/mounts: the longest mount point wins, of equal ones the last. */
export function mountOf(folder: string, mounts: string): { type: string; mountPoint: string } | undefined {
  let best: { type: string; mountPoint: string } | undefined;
  for (const line of mounts.split('\n')) {
    const [, point, type] = line.split(' ');
    if (point === undefined || type === undefined) continue;
    const mountPoint = unescape(point);
    const holds = mountPoint === '/' || folder === mountPoint || folder.startsWith(`${mountPoint}/`);
    if (holds && mountPoint.length >= (best?.mountPoint.length ?? 0)) best = { type, mountPoint };
  }
  return best;
}

/** Pure: what the path's own words and, on Linux, the mount table say. */
export function judgeFolder(folder: string, mounts: string | undefined): FileSystemVerdict {
  if (/^(\\\\|\/\/)[^\\/?.]/.test(folder)) return { safe: false, what: `a network share (${folder})` };
  for (const segment of folder.split(/[\\/]/)) {
    const sync = SYNC_FOLDERS.find(({ name }) => name.test(segment.toLowerCase()));
    if (sync !== undefined) return { safe: false, what: `a folder of ${sync.client} (${segment})` };
  }
  const mount = mounts === undefined ? undefined : mountOf(folder, mounts);
  if (mount !== undefined && NETWORK_TYPES.has(mount.type)) return { safe: false, what: `${mount.type}, mounted at ${mount.mountPoint}` };
  return { safe: true };
}

/** The nearest folder above that exists, with links followed: a link may lead to a share. */
function realFolder(folder: string): string {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync(at), path.relative(at, path.resolve(folder)));
    } catch {
      // Not made yet: its parent decides.
    }
    if (at === path.dirname(at)) return path.resolve(folder);
  }
}

function readMounts(): string | undefined {
  try {
    return fs.readFileSync('/proc/mounts', 'utf8');
  } catch {
    return undefined; // no Linux: the path's words must do, and the journal mode that is read back
  }
}

export type FolderJudge = (folder: string) => FileSystemVerdict;

export const judgeRealFolder: FolderJudge = (folder) => judgeFolder(realFolder(folder), readMounts());

/** Throws STORE_NETWORK_FILE_SYSTEM. */
export function assertLocalFolder(folder: string, judge: FolderJudge = judgeRealFolder): void {
  const verdict = judge(folder);
  if (verdict.safe) return;
  throw new CairnError('STORE_NETWORK_FILE_SYSTEM', `${folder} lies on ${verdict.what ?? 'a network file system'}; a store there would be damaged sooner or later. Set CAIRN_HOME to a folder on a local disk and move the store there.`, {
    data: { folder, what: verdict.what },
  });
}
