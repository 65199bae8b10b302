/**
 * Path keys: when are two spellings of a folder the same folder? Pure but for one reader; the system is an
 * argument, so that Windows and WSL rules are tested anywhere. Keys are lossless:
 * `/w/a-b/c` and `/w/a/b-c` differ, and so do `/w/App` and `/w/app` on Linux.
 */
import { CairnError } from '../base/errors.ts';

export interface PathSystem {
  readonly platform: 'linux' | 'darwin' | 'win32' | string;
  /** Name of the WSL distribution this process runs in; absent elsewhere. */
  readonly wslDistribution?: string;
}

/** The system of this process; WSL names its distribution in the environment. */
export function readPathSystem(env: Readonly<Record<string, string | undefined>>): PathSystem {
  const distribution = process.platform === 'linux' ? env.WSL_DISTRO_NAME : undefined;
  return { platform: process.platform, ...(distribution === undefined ? {} : { wslDistribution: distribution }) };
}

const DRIVE = /^([A-Za-z]):[\\/]/;
const WSL_SHARE = /^[\\/]{2}(?:wsl\.localhost|wsl\$)[\\/]([^\\/]+)([\\/].*)?$/i;
const UNC = /^[\\/]{2}[^\\/]/;
const EXTENDED = /^\\\\\?\\(UNC\\)?/i;

/**
 * The path as this system writes it. A path of another system is translated where both
 * name one folder (WSL) and refused with PATH_FOREIGN otherwise: never is a folder made
 * whose name is a literal `C:\...`.
 */
export function toNativePath(given: string, system: PathSystem): string {
  const text = given.replace(EXTENDED, (_, unc: string | undefined) => (unc === undefined ? '' : '\\\\'));
  return system.platform === 'win32' ? toWindows(text, given) : toPosix(text, given, system);
}

function toPosix(text: string, given: string, system: PathSystem): string {
  const share = WSL_SHARE.exec(text);
  if (share !== null && text.startsWith('\\')) {
    if (system.wslDistribution?.toLowerCase() !== share[1]?.toLowerCase()) throw foreign(given, `it belongs to the WSL distribution ${share[1]}`);
    return (share[2] ?? '/').replaceAll('\\', '/');
  }
  const drive = DRIVE.exec(text);
  if (drive !== null) {
    if (system.wslDistribution === undefined) throw foreign(given, 'it is a Windows path');
    return `/mnt/${(drive[1] ?? '').toLowerCase()}/${text.slice(3).replaceAll('\\', '/')}`;
  }
  if (text.startsWith('\\\\')) throw foreign(given, 'it is a Windows network path');
  return text;
}

function toWindows(text: string, given: string): string {
  const mounted = /^\/(?:mnt\/|cygdrive\/)?([A-Za-z])(\/.*)?$/.exec(text);
  if (mounted !== null) return `${(mounted[1] ?? '').toUpperCase()}:${(mounted[2] ?? '/').replaceAll('/', '\\')}`;
  if (text.startsWith('/') && !text.startsWith('//')) throw foreign(given, 'it is a Linux path; give it as \\\\wsl.localhost\\DISTRIBUTION\\...');
  return text.replaceAll('/', '\\');
}

const foreign = (given: string, why: string): CairnError => new CairnError('PATH_FOREIGN', `The path ${given} cannot be used here: ${why}. Start Cairn on the system that the folder lies on, or give the folder's path on this one.`, { data: { path: given } });

/**
 * One key per folder, for a native, absolute path whose symbolic links are resolved.
 * Windows: drive letter and letters ignore case, `\` and `/` are one, `\\wsl$\` is
 * `\\wsl.localhost\` (whose inner path keeps its case). macOS: composed Unicode.
 */
export function pathKey(nativePath: string, system: PathSystem): string {
  if (system.platform !== 'win32') return trimSlashes(system.platform === 'darwin' ? nativePath.normalize('NFC') : nativePath);
  const text = nativePath.replace(EXTENDED, (_, unc: string | undefined) => (unc === undefined ? '' : '\\\\'));
  const share = WSL_SHARE.exec(text);
  if (share !== null) return trimSlashes(`//wsl.localhost/${(share[1] ?? '').toLowerCase()}${(share[2] ?? '').replaceAll('\\', '/')}`);
  const slashed = text.replaceAll('\\', '/').toLowerCase();
  return trimSlashes(UNC.test(text) ? slashed : slashed.replace(/^([a-z]):/, (_, letter: string) => `${letter.toUpperCase()}:`));
}

const trimSlashes = (text: string): string => (/^\/+$/.test(text) ? '/' : text.replace(/\/+$/, ''));
