/**
 * Runs a command of this repository under a Node that Cairn can use, whatever Node started it:
 *   node scripts/run.mjs vitest run test/unit        a command from node_modules/.bin
 *   node scripts/run.mjs esbuild.mjs                 a file of ours, JavaScript or TypeScript
 *   import { runInRepository } from './run.mjs'
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ensureNode, nodeEnvironment } from './ensureNode.mjs';
import { isMain, repositoryDirectory } from './installing.mjs';

/**
 * The file and the leading arguments that stand for a command, so that no shell and no `.cmd` shim is needed.
 * @param {string} command @returns {string} absolute path of a JavaScript file
 */
export function resolveCommand(command) {
  if (/\.[cm]?[jt]s$/.test(command)) return path.resolve(repositoryDirectory, command);
  const modules = path.join(repositoryDirectory, 'node_modules');
  for (const name of packagesThatOffer(command)) {
    const manifestFile = path.join(modules, name, 'package.json');
    if (!fs.existsSync(manifestFile)) continue;
    const { bin } = JSON.parse(fs.readFileSync(manifestFile, 'utf8'));
    const relative = typeof bin === 'string' ? bin : bin?.[command];
    if (relative) return path.join(modules, name, relative);
  }
  throw new Error(`No command "${command}" in node_modules. Run npm ci first; is the package in package.json?`);
}

/** Node 24 runs TypeScript by itself; 22 wants to be asked. @param {string} command */
const nodeFlags = (command) => (command.endsWith('.ts') ? ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'] : []);

/** Commands whose package has another name. @param {string} command */
function packagesThatOffer(command) {
  const others = { tsc: ['typescript'], vsce: ['@vscode/vsce'], depcruise: ['dependency-cruiser'] };
  return others[command] ?? [command];
}

/**
 * @param {string} command @param {string[]} args
 * @param {{ node?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} exit code
 */
export async function runInRepository(command, args, { node, env = process.env } = {}) {
  const executable = node ?? (await ensureNode());
  const child = spawn(executable, [...nodeFlags(command), resolveCommand(command), ...args], {
    cwd: repositoryDirectory, stdio: 'inherit', env: nodeEnvironment(executable, env),
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? (signal ? 130 : 1)));
  });
}

if (isMain(import.meta.url)) {
  const [command, ...args] = process.argv.slice(2);
  if (!command) {
    process.stderr.write('usage: node scripts/run.mjs COMMAND [ARGUMENT...]\n');
    process.exit(2);
  }
  process.exitCode = await runInRepository(command, args);
}
