/**
 * The package that runs models from the hub, @huggingface/transformers: too large to ship, so it is
 * fetched by npm when a person first names such a model [O6], into CAIRN_HOME/packages. What lies
 * beside the program (a clone) is taken first; a folder put there by hand serves offline sites.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CairnError } from '../base/errors.ts';

const PACKAGE = '@huggingface/transformers';
/** The major version that transformersEmbedder.ts was written against. */
const VERSION = '^4.3.1';
const INSTALL_TIMEOUT_MS = 15 * 60_000;
/** The package carries its own copy of the browser's runtime (140 MB), which no Node loads: an empty one stands for it. */
const UNNEEDED = 'onnxruntime-web';

export interface TransformersPackageOptions {
  /** `CAIRN_HOME/packages`. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** What npm is asked for; the package at its version if absent. */
  readonly spec?: string;
}

/** One install at a time in this process; others wait for its outcome. */
const installing = new Map<string, Promise<void>>();

/** The module. Throws MODEL_MISSING with what to do where it is neither here nor to be had. */
export async function importTransformersPackage(options: TransformersPackageOptions): Promise<unknown> {
  const name: string = PACKAGE; // no literal: no bundler should look for it
  try {
    return await import(name);
  } catch {
    // Not beside the program, as in every installed extension: the folder in the home is next.
  }
  if (findEntry(options.folder) === undefined) {
    const running = installing.get(options.folder) ?? install(options).finally(() => installing.delete(options.folder));
    installing.set(options.folder, running);
    await running;
  }
  const entry = findEntry(options.folder);
  if (entry === undefined) throw missing(options.folder, 'npm ended without it');
  return import(pathToFileURL(entry).href);
}

function findEntry(folder: string): string | undefined {
  try {
    return createRequire(path.join(folder, 'package.json')).resolve(PACKAGE);
  } catch {
    // Not installed there, or only in part: npm is asked.
    return undefined;
  }
}

async function install({ folder, env, log, spec }: TransformersPackageOptions): Promise<void> {
  const npm = findNpm(env);
  if (npm === undefined) throw missing(folder, 'npm is not on the PATH');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeManifests(folder);
  log(`installing ${PACKAGE} for this model (about 100 MB, once)`);
  // No scripts: the only ones of these packages fetch the CUDA libraries, a download of their own that nobody asked for.
  const { code, output } = await run([npm, 'install', '--no-audit', '--no-fund', '--omit=dev', '--ignore-scripts', spec ?? `${PACKAGE}@${VERSION}`], folder, env);
  if (code !== 0) throw missing(folder, `npm ended with ${code}: ${output.trim().split('\n').slice(-3).join(' ')}`);
  removeOtherPlatforms(path.join(folder, 'node_modules/onnxruntime-node/bin'));
  log(`installed ${PACKAGE}`);
}

function writeManifests(folder: string): void {
  const manifest = path.join(folder, 'package.json');
  if (fs.existsSync(manifest)) return;
  const empty = path.join(folder, 'unneeded');
  fs.mkdirSync(empty, { mode: 0o700 });
  fs.writeFileSync(path.join(empty, 'package.json'), `${JSON.stringify({ name: UNNEEDED, version: '0.0.0' })}\n`, { mode: 0o600 });
  fs.writeFileSync(manifest, `${JSON.stringify({ private: true, overrides: { [UNNEEDED]: 'file:./unneeded' } })}\n`, { mode: 0o600 });
}

/** The inference runtime brings its libraries for every system; 240 MB of them can never be loaded here. `bin/napi-vN/PLATFORM/ARCHITECTURE`. */
function removeOtherPlatforms(bin: string): void {
  if (!fs.existsSync(bin)) return;
  for (const version of fs.readdirSync(bin)) {
    for (const platform of fs.readdirSync(path.join(bin, version))) {
      for (const architecture of fs.readdirSync(path.join(bin, version, platform))) {
        if (platform !== process.platform || architecture !== process.arch) fs.rmSync(path.join(bin, version, platform, architecture), { recursive: true, force: true });
      }
    }
  }
}

/** npm's own script, so that no shell is needed, on Windows neither. */
function findNpm(env: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const folder of (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).filter((each) => each !== '')) {
    for (const candidate of [path.join(folder, 'node_modules/npm/bin/npm-cli.js'), path.join(folder, '../lib/node_modules/npm/bin/npm-cli.js'), path.join(folder, 'npm')]) {
      const real = fs.existsSync(candidate) ? fs.realpathSync(candidate) : '';
      if (real.endsWith('npm-cli.js')) return real;
    }
  }
  return undefined;
}

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], { cwd, env: { ...env, ELECTRON_RUN_AS_NODE: '1' }, stdio: ['ignore', 'pipe', 'pipe'], timeout: INSTALL_TIMEOUT_MS, windowsHide: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output = `${output}${part.toString('utf8')}`.slice(-4_000)));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

const missing = (folder: string, why: string): CairnError => new CairnError('MODEL_MISSING', `Models from the hub need the package ${PACKAGE}, and it could not be installed (${why}). Run \`npm install ${PACKAGE}\` in ${folder}, or copy its node_modules there; the bundled models need nothing.`, { data: { folder } });
