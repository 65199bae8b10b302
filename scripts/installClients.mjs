/**
 * Installs the Claude Code clients that Cairn is tested with, each at its exact version, into `.cache/claude/`.
 * A version is given exactly, since npm on an older Node would silently choose an old release.
 *
 *   node scripts/installClients.mjs [VERSION...]
 *   import { ensureClaude, CLAUDE_VERSIONS } from './installClients.mjs'
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDirectory, installPackages, isMain, say } from './installing.mjs';

/** Newest tested client first, then the oldest that Cairn supports. */
export const CLAUDE_VERSIONS = ['2.1.332', '2.1.197'];

/** The package that holds the native binary for this machine. */
function platformPackage() {
  const isMusl = process.platform === 'linux' && !process.report?.getReport()?.header?.glibcVersionRuntime;
  return `@anthropic-ai/claude-code-${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

/**
 * @param {string} version exact, like `2.1.332`
 * @returns {Promise<string>} the client's executable; it has been run once and named that version
 */
export async function ensureClaude(version) {
  const folder = path.join(cacheDirectory, 'claude', version);
  const modules = path.join(folder, 'node_modules');
  const native = path.join(modules, ...platformPackage().split('/'), process.platform === 'win32' ? 'claude.exe' : 'claude');
  const proven = path.join(folder, 'proven.json');
  if (fs.existsSync(proven)) {
    const { executable } = JSON.parse(fs.readFileSync(proven, 'utf8'));
    if (fs.existsSync(path.join(folder, executable))) return path.join(folder, executable);
  }
  say(`Installing the Claude Code client ${version} into .cache/claude (about 400 MB, once).`);
  // The binary comes as an optional dependency of the wrapper; its install script only links it into place.
  await installPackages({ folder, packages: [`@anthropic-ai/claude-code@${version}`], npmArgs: ['--ignore-scripts', '--include=optional'] });
  if (!fs.existsSync(native)) {
    await installPackages({ folder, packages: [`@anthropic-ai/claude-code@${version}`, `${platformPackage()}@${version}`], npmArgs: ['--ignore-scripts'] });
  }
  for (const executable of [native, path.join(modules, '.bin', 'claude')]) {
    if (fs.existsSync(executable) && saysVersion(executable, version, folder)) {
      fs.writeFileSync(proven, JSON.stringify({ executable: path.relative(folder, executable) }));
      return executable;
    }
  }
  throw new Error(`The Claude Code client ${version} was installed but does not run on ${process.platform}-${process.arch}. Remove .cache/claude/${version} and try again.`);
}

/** @param {string} executable @param {string} version @param {string} home a folder that stands for HOME */
function saysVersion(executable, version, home) {
  try {
    const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: path.join(home, 'config'), DISABLE_AUTOUPDATER: '1' };
    return execFileSync(executable, ['--version'], { encoding: 'utf8', env, timeout: 60_000 }).startsWith(version);
  } catch {
    return false; // the caller tries the next place and says what failed
  }
}

if (isMain(import.meta.url)) {
  const wanted = process.argv.slice(2);
  for (const version of wanted.length > 0 ? wanted : CLAUDE_VERSIONS) process.stdout.write(`${await ensureClaude(version)}\n`);
}
