/**
 * The launcher: the only file of ours whose path others write down (hooks, MCP entries,
 * `bin`). Whatever Node or Electron starts it, it finds the current program and a runtime
 * that fits, and runs the one in the other.
 *
 *   CAIRN_HOME/bin/cairn.cjs   runs the program that CAIRN_HOME/app/current.json names
 *   <program>/launcher.cjs     runs the program it lies in
 *
 * Built for Node 14, so that an old one says what is missing instead of failing to parse.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { shareLease } from '../lease.ts';
import { resolveHome } from '../paths.ts';
import { silenceSqliteWarning } from '../silenceWarnings.ts';
import { findOnPath, installedNode, isNewEnough, LOWEST_NODE, NODE_PACKAGES, nodeExecutableName, readRecordedRuntimes } from './runtimes.ts';

/** Loaded when another process is needed at all: it brings half of Node's network code along. */
const processes = (): typeof import('node:child_process') => require('node:child_process') as typeof import('node:child_process');

/** Set for a child that was chosen as a fitting runtime, so that a wrong choice does not go round in circles. */
const CHOSEN = 'CAIRN_RUNTIME_CHOSEN';

interface Program {
  readonly folder: string;
  readonly home: string;
  /** Below CAIRN_HOME/app: kept for as long as somebody runs it. */
  readonly isInHome: boolean;
}

function say(line: string): void {
  process.stderr.write(`cairn: ${line}\n`);
}

function findProgram(): Program | undefined {
  const here = fs.realpathSync(__dirname);
  if (fs.existsSync(path.join(here, 'cairn.mjs'))) {
    const appFolder = path.dirname(here);
    const isInHome = path.basename(appFolder) === 'app' && fs.existsSync(path.join(appFolder, 'current.json'));
    return { folder: here, isInHome, home: isInHome ? path.dirname(appFolder) : resolveHome(process.env, os.homedir()) };
  }
  const home = path.dirname(here);
  try {
    const current = JSON.parse(fs.readFileSync(path.join(home, 'app', 'current.json'), 'utf8')) as { folder?: unknown };
    const folder = path.join(home, 'app', path.basename(String(current.folder)));
    return fs.existsSync(path.join(folder, 'cairn.mjs')) ? { folder, home, isInHome: true } : undefined;
  } catch {
    return undefined; // Cairn was uninstalled, or its home was cleared
  }
}

function canRunHere(): boolean {
  if (!isNewEnough(process.versions.node)) return false;
  try {
    silenceSqliteWarning();
    require('node:sqlite');
    return true;
  } catch {
    return false; // an Electron built without it
  }
}

/** Fitting executables other than this one, best first. */
function* candidates(program: Program): Generator<string> {
  const seen = new Set<string>([process.execPath]);
  const isNew = (file: string | undefined): file is string => {
    if (file === undefined || file === '' || seen.has(file) || !fs.existsSync(file)) return false;
    seen.add(file);
    return true;
  };
  if (isNew(process.env.CAIRN_NODE)) yield String(process.env.CAIRN_NODE);
  for (const runtime of readRecordedRuntimes(path.join(program.home, 'runtimes.json'))) {
    if (isNewEnough(runtime.version) && isNew(runtime.path)) yield runtime.path;
  }
  const own = installedNode(path.join(program.home, 'runtime'), process.platform, process.arch);
  if (isNew(own)) yield own;
  for (const file of findOnPath(nodeExecutableName(process.platform), process.env.PATH)) if (isNew(file) && isNewEnough(versionOf(file))) yield file;
}

function versionOf(file: string): string {
  const { stdout } = processes().spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 5_000, stdio: ['ignore', 'pipe', 'ignore'] });
  return typeof stdout === 'string' && /^v\d+\./.test(stdout) ? stdout.trim() : 'v0.0.0';
}

function runIn(executable: string, args: readonly string[]): void {
  const child = processes().spawn(executable, [__filename, ...args], { stdio: 'inherit', env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', [CHOSEN]: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.on('error', () => end(args, `${executable} cannot be started.`));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128 + (os.constants.signals[signal] ?? 0));
  });
}

/** A hook must never disturb its host: it ends in silence. Everything else says what to do. */
function end(args: readonly string[], message: string): void {
  if (args[0] === 'hook') {
    process.exitCode = 0;
    return;
  }
  say(`${message} Cairn needs Node ${LOWEST_NODE.slice(0, 2).join('.')} or newer, or an editor that contains it. Install Node 24, or open your editor once with the Cairn extension.`);
  process.exitCode = 1;
}

/** Gets a Node from the npm registry into CAIRN_HOME/runtime; only for a person at a command line. */
function obtainNode(program: Program): string | undefined {
  const spec = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  const npm = findNpm();
  if (spec === undefined || npm === undefined) return undefined;
  const folder = path.join(program.home, 'runtime');
  say(`this Node is ${process.version}, too old for Cairn; getting ${spec} from the npm registry into ${folder} (once).`);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { status } = processes().spawnSync(process.execPath, [npm, 'install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--no-save', spec], { stdio: ['ignore', 'ignore', 'inherit'] });
  const executable = installedNode(folder, process.platform, process.arch);
  return status === 0 && executable !== undefined && fs.existsSync(executable) ? executable : undefined;
}

/** npm's own file, so that no shell has to start it. */
function findNpm(): string | undefined {
  for (const npm of findOnPath(process.platform === 'win32' ? 'npm.cmd' : 'npm', process.env.PATH)) {
    const real = fs.realpathSync(npm);
    const beside = path.join(path.dirname(npm), 'node_modules', 'npm', 'bin', 'npm-cli.js');
    if (/npm-cli\.c?js$/.test(real)) return real;
    if (fs.existsSync(beside)) return beside;
  }
  return undefined;
}

function main(): void {
  const args = process.argv.slice(2);
  const program = findProgram();
  if (program === undefined) return end(args, 'The program is not installed any more.');
  if (canRunHere()) {
    if (program.isInHome) {
      holdProgram(program);
      // Hooks can be given no environment: the home is the one that this file lies in.
      if (process.env.CAIRN_HOME === undefined || process.env.CAIRN_HOME === '') process.env.CAIRN_HOME = program.home;
    }
    // Programs started from here must not believe that they were chosen.
    delete process.env[CHOSEN];
    cacheCompiledCode(program.home);
    import(pathToFileURL(path.join(program.folder, entryOf(args, program))).href).catch((error: unknown) => {
      end(args, `The program in ${program.folder} cannot be loaded (${error instanceof Error ? error.message : String(error)}).`);
    });
    return;
  }
  if (process.env[CHOSEN] === undefined) {
    for (const candidate of candidates(program)) return runIn(candidate, args);
    if (args[0] !== 'hook' && args[0] !== 'mcp') {
      const obtained = obtainNode(program);
      if (obtained !== undefined) return runIn(obtained, args);
    }
  }
  end(args, `This runtime (Node ${process.versions.node}) has no usable node:sqlite.`);
}

/** Those that somebody waits for are small programs of their own. */
function entryOf(args: readonly string[], program: Program): string {
  const own = args[0] === 'hook' ? 'hook.mjs' : args[0] === 'mcp' && args.indexOf('--help') < 0 ? 'mcp.mjs' : undefined;
  return own !== undefined && fs.existsSync(path.join(program.folder, own)) ? own : 'cairn.mjs';
}

/** Compiling a megabyte of code costs more than running it: what one process compiled, the next one finds. */
function cacheCompiledCode(home: string): void {
  if (process.env.NODE_COMPILE_CACHE !== undefined || process.env.NODE_DISABLE_COMPILE_CACHE !== undefined || !fs.existsSync(home)) return;
  try {
    const folder = path.join(home, 'cache', 'compile');
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { enableCompileCache } = require('node:module') as { enableCompileCache?: (folder: string) => unknown };
    if (enableCompileCache !== undefined) enableCompileCache(folder);
  } catch {
    return; // a home that cannot be written: it starts more slowly
  }
}

function holdProgram(program: Program): void {
  try {
    shareLease(path.join(program.home, 'leases', 'app', path.basename(program.folder)), 'launcher');
  } catch {
    return; // a read-only home: nothing can be removed from it either
  }
}

main();
