/**
 * What the scripts share for installing things into `.cache/`: npm by its own file (so that it runs under the Node
 * that we choose), one installer at a time, and a stamp that says which packages a folder holds.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The clone that this script belongs to. */
export const repositoryDirectory = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Everything that is installed or produced outside of `dist/`; safe to remove at any time. */
export const cacheDirectory = process.env.CAIRN_CACHE ?? path.join(repositoryDirectory, '.cache');

/** Messages of scripts go to stderr, so that stdout stays usable. @param {string} line */
export const say = (line) => void process.stderr.write(`${line}\n`);

/** @param {string} moduleUrl `import.meta.url` of the asking file */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(fs.realpathSync(process.argv[1])).href;
}

/** npm's own entry file, so that it can be started by any Node without a shell; undefined where only a `npm` command exists. */
function findNpm() {
  const ofThisRun = process.env.npm_execpath;
  if (ofThisRun && /npm-cli\.c?js$/.test(ofThisRun) && fs.existsSync(ofThisRun)) return ofThisRun;
  for (const folder of [path.dirname(process.execPath), ...(process.env.PATH ?? '').split(path.delimiter)]) {
    if (!folder) continue;
    for (const relative of ['../lib/node_modules/npm/bin/npm-cli.js', 'node_modules/npm/bin/npm-cli.js']) {
      const candidate = path.join(folder, relative);
      if (fs.existsSync(candidate)) return candidate;
    }
    const command = path.join(folder, 'npm');
    if (fs.existsSync(command)) {
      const real = fs.realpathSync(command);
      if (real.endsWith('npm-cli.js')) return real;
    }
  }
  return undefined;
}

/**
 * @param {string[]} args
 * @param {{ cwd: string, node?: string, env?: NodeJS.ProcessEnv, log?: string }} options `log`: a file for the output, shown only on failure
 */
export async function runNpm(args, { cwd, node = process.execPath, env = process.env, log }) {
  const npm = findNpm();
  const [command, commandArgs] = npm ? [node, [npm, ...args]] : ['npm', args];
  const code = await runToEnd(command, commandArgs, { cwd, env: withoutOuterNpm(env), log, shell: !npm && process.platform === 'win32' });
  if (code !== 0) {
    const tail = log && fs.existsSync(log) ? `\n${fs.readFileSync(log, 'utf8').split('\n').slice(-30).join('\n')}` : '';
    throw new Error(`npm ${args.join(' ')} failed with exit code ${code} in ${cwd}.${tail}`);
  }
}

/**
 * Runs a program to its end. With `log` the output goes to that file, else to our stderr.
 * @param {string} command @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, log?: string, shell?: boolean }} [options]
 * @returns {Promise<number>} exit code; 128 and more for a signal
 */
export function runToEnd(command, args, { cwd, env, log, shell = false } = {}) {
  let output;
  if (log) {
    fs.mkdirSync(path.dirname(log), { recursive: true });
    output = fs.openSync(log, 'w');
  }
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', output ?? 2, output ?? 2] });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? (signal ? 128 : 1)));
  }).finally(() => output !== undefined && fs.closeSync(output));
}

/**
 * Installs exact packages into a folder of their own, once: a second call with the same list returns at once, and
 * two processes never install into one folder at the same time.
 * @param {{ folder: string, packages: string[], node?: string, env?: NodeJS.ProcessEnv, npmArgs?: string[] }} wish
 * @returns {Promise<string>} the folder
 */
export async function installPackages({ folder, packages, node, env, npmArgs = [] }) {
  const stamp = path.join(folder, 'installed.json');
  const wanted = JSON.stringify({ packages, npmArgs });
  const isInstalled = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted;
  if (isInstalled()) return folder;
  fs.mkdirSync(folder, { recursive: true });
  await withLock(`${folder}.lock`, async () => {
    if (isInstalled()) return;
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
    await runNpm(['install', '--no-audit', '--no-fund', '--no-package-lock', ...npmArgs, ...packages], {
      cwd: folder, node, env, log: path.join(cacheDirectory, 'logs', `install-${path.basename(folder)}.log`),
    });
    fs.writeFileSync(stamp, wanted);
  });
  return folder;
}

/**
 * Holds a lock file while `work` runs. The lock of a process that no longer lives is taken over.
 * @template T @param {string} file @param {() => Promise<T>} work @returns {Promise<T>}
 */
export async function withLock(file, work) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  for (let told = false; ; ) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = Number(readIfThere(file));
    if (owner && !isAlive(owner)) {
      fs.rmSync(file, { force: true });
      continue;
    }
    if (!told) say(`Waiting for process ${owner}, which installs the same thing.`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return ''; // released between our two looks
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // it lives, but is somebody else's
  }
}

/**
 * Without what an npm that started us says of itself and of its package: an inner npm would take it for its own
 * settings (a user agent of another Node makes code-server refuse to install).
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
function withoutOuterNpm(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_(package_|lifecycle_|command$|config_(user_agent|local_prefix)$)/i.test(name)));
}
