/**
 * Installs what an in-editor test needs on a machine without a desktop: Debian packages where we may (a browser,
 * fonts with Chinese letters, headers for code-server's native modules), Node 24 and code-server, a browser-hosted
 * VS Code that comes from the npm registry alone.
 *
 *   node scripts/installEditorHost.mjs
 *   import { ensureEditorHost, findBrowser } from './installEditorHost.mjs'
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ensureNode24, nodeEnvironment } from './ensureNode.mjs';
import { cacheDirectory, installPackages, isMain, runToEnd, say, withLock } from './installing.mjs';

/** VS Code 1.139.1 with its extension host on Node 24. */
export const CODE_SERVER_VERSION = '4.139.1';

/** What the in-editor tests need of Debian, by what each is for. */
const DEBIAN_PACKAGES = {
  chromium: () => findBrowser() !== undefined,
  'fonts-dejavu-core': () => hasDebianPackage('fonts-dejavu-core'),
  'fonts-noto-cjk': () => hasDebianPackage('fonts-noto-cjk'),
  'libkrb5-dev': () => hasDebianPackage('libkrb5-dev'),
  'build-essential': () => hasCommand('g++') && hasCommand('make'),
  'pkg-config': () => hasCommand('pkg-config'),
  python3: () => hasCommand('python3'),
};

/** @param {string} command */
function hasCommand(command) {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => folder && fs.existsSync(path.join(folder, command)));
}

/** @param {string} name */
function hasDebianPackage(name) {
  try {
    return execFileSync('dpkg-query', ['-W', '-f=${Status}', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).includes('install ok installed');
  } catch {
    return false; // no dpkg, or dpkg does not know it
  }
}

/**
 * A Chromium-based browser: CHROME_PATH, then the usual names and places.
 * @returns {string | undefined}
 */
export function findBrowser() {
  const named = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
  const candidates = [
    process.env.CHROME_PATH,
    ...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean).flatMap((folder) => named.map((name) => path.join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    `${process.env.PROGRAMFILES ?? 'C:\\Program Files'}\\Google\\Chrome\\Application\\chrome.exe`,
    `${process.env['PROGRAMFILES(X86)'] ?? 'C:\\Program Files (x86)'}\\Microsoft\\Edge\\Application\\msedge.exe`,
  ];
  return candidates.find((candidate) => candidate && fs.existsSync(candidate));
}

/**
 * Installs the missing Debian packages, if this is a Debian-like machine and we are root (or sudo asks nothing).
 * @returns {Promise<string[]>} the packages that are still missing
 */
export async function ensureSystemPackages() {
  const missing = () => Object.entries(DEBIAN_PACKAGES).filter(([, isThere]) => !isThere()).map(([name]) => name);
  if (process.platform !== 'linux' || missing().length === 0 || !hasCommand('apt-get')) return process.platform === 'linux' ? missing() : [];
  const prefix = process.getuid?.() === 0 ? [] : canSudo() ? ['sudo', '-n'] : undefined;
  if (!prefix) {
    say(`For the in-editor tests these Debian packages are missing: ${missing().join(' ')}. Install them with: sudo apt-get install --no-install-recommends ${missing().join(' ')}`);
    return missing();
  }
  return withLock(path.join(cacheDirectory, 'apt.lock'), async () => {
    const wanted = missing();
    if (wanted.length === 0) return [];
    say(`Installing Debian packages (once): ${wanted.join(' ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [['update', '-qq'], ['install', '-y', '-qq', '--no-install-recommends', ...wanted]]) {
      const [command, ...rest] = [...prefix, 'apt-get', ...args];
      await runToEnd(command, rest, { env, log: path.join(cacheDirectory, 'logs', `apt-${args[0]}.log`) });
    }
    return missing();
  });
}

function canSudo() {
  try {
    execFileSync('sudo', ['-n', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // no sudo, or it would ask for a password
  }
}

/**
 * @returns {Promise<{ node: string, entry: string, serverMain: string, browser: string | undefined }>}
 *   `node` runs `entry` (code-server); `browser` is undefined where none could be found or installed
 */
export async function ensureEditorHost() {
  const missing = await ensureSystemPackages();
  const node = await ensureNode24();
  const folder = path.join(cacheDirectory, 'code-server');
  const root = path.join(folder, 'node_modules', 'code-server');
  const host = { node, entry: path.join(root, 'out', 'node', 'entry.js'), serverMain: path.join(root, 'lib', 'vscode', 'out', 'server-main.js'), browser: findBrowser() };
  const blocking = missing.filter((name) => name !== 'chromium' && !name.startsWith('fonts-'));
  if (!fs.existsSync(path.join(folder, 'installed.json'))) {
    if (blocking.length > 0) {
      throw new Error(`The browser-hosted VS Code cannot be built without ${blocking.join(', ')}. Install them with: sudo apt-get install ${blocking.join(' ')}`);
    }
    say(`Installing code-server ${CODE_SERVER_VERSION} (VS Code in a browser) into .cache/code-server (about 620 MB and 3 minutes, once).`);
  }
  const started = Date.now();
  // npm itself must run under Node 24: code-server's install script reads the user agent that npm announces.
  await installPackages({ folder, packages: [`code-server@${CODE_SERVER_VERSION}`], node, env: nodeEnvironment(node) });
  if (Date.now() - started > 5_000) say(`code-server is installed (${Math.round((Date.now() - started) / 1000)} s).`);
  return host;
}

if (isMain(import.meta.url)) {
  const host = await ensureEditorHost();
  process.stdout.write(`${JSON.stringify(host, null, 2)}\n`);
}
