/**
 * Brings `node_modules` to what package-lock.json says, and only when it is not there yet: a second call costs one
 * comparison of two files.
 *
 *   node scripts/installDependencies.mjs
 *   import { ensureDependencies } from './installDependencies.mjs'
 */
import fs from 'node:fs';
import path from 'node:path';
import { ensureNode, nodeEnvironment } from './ensureNode.mjs';
import { cacheDirectory, isMain, repositoryDirectory, runNpm, say, withLock } from './installing.mjs';

/** @param {string} relative */
const readJson = (relative) => JSON.parse(fs.readFileSync(path.join(repositoryDirectory, relative), 'utf8'));

/**
 * Packages of the lock file that are missing or have another version in `node_modules`.
 * @returns {string[] | undefined} undefined where nothing was ever installed
 */
export function findStalePackages() {
  if (!fs.existsSync(path.join(repositoryDirectory, 'node_modules', '.package-lock.json'))) return undefined;
  const wanted = readJson('package-lock.json').packages;
  const installed = readJson('node_modules/.package-lock.json').packages;
  return Object.entries(wanted)
    .filter(([name, entry]) => name.startsWith('node_modules/') && !entry.optional && !entry.devOptional && !entry.peer && !entry.link)
    .filter(([name, entry]) => installed[name]?.version !== entry.version)
    .map(([name]) => name);
}

/** @returns {Promise<string>} the Node that everything runs under */
export async function ensureDependencies() {
  const node = await ensureNode();
  await withLock(path.join(cacheDirectory, 'dependencies.lock'), async () => {
    const stale = findStalePackages();
    if (stale?.length === 0) return;
    say(stale ? `node_modules differs from package-lock.json (${stale.slice(0, 3).join(', ')}${stale.length > 3 ? ` and ${stale.length - 3} more` : ''}); running npm ci.` : 'Installing the dependencies with npm ci (a minute or two, once).');
    await runNpm(['ci', '--no-audit', '--no-fund'], {
      cwd: repositoryDirectory, node, env: dependencyEnvironment(node), log: path.join(cacheDirectory, 'logs', 'npm-ci.log'),
    });
  });
  return node;
}

/**
 * Compiles the optional HNSW add-on where npm left it uncompiled, for instance since a compiler came later.
 * @param {string} node @returns {Promise<boolean>} whether the add-on is there
 */
export async function ensureHnswAddon(node) {
  const folder = path.join(repositoryDirectory, 'node_modules', 'hnswlib-node');
  const binary = path.join(folder, 'build', 'Release', 'addon.node');
  if (fs.existsSync(binary)) return true;
  try {
    const args = fs.existsSync(folder) ? ['rebuild', 'hnswlib-node'] : ['ci', '--no-audit', '--no-fund'];
    await runNpm(args, { cwd: repositoryDirectory, node, env: dependencyEnvironment(node), log: path.join(cacheDirectory, 'logs', 'hnsw.log') });
  } catch (error) {
    say(`The HNSW add-on does not compile here, so exact search is what runs: ${error.message.split('\n')[0]}`);
  }
  return fs.existsSync(binary);
}

/** @param {string} node */
function dependencyEnvironment(node) {
  return { ...nodeEnvironment(node), ONNXRUNTIME_NODE_INSTALL: 'skip', npm_config_onnxruntime_node_install: 'skip' };
}

if (isMain(import.meta.url)) await ensureHnswAddon(await ensureDependencies());
