/**
 * Builds everything that ships into `dist/`:
 *
 *   dist/extension.cjs     what the editor loads (CommonJS; `vscode` is the host's)
 *   dist/publicApi.d.ts    the types of its API for other extensions
 *   dist/program/          one program for command line, MCP server, hooks and the engine worker, with its models and
 *                          native parts: a folder that can be copied anywhere and runs from there
 *   dist/webview/          the sidebar
 *   dist/meta/             esbuild's metafiles, read by the architecture tests
 *
 * Options: `--platform=linux-x64` (whose native files to take; default: this machine), `--sourcemap`, `--watch`.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const root = path.dirname(fileURLToPath(import.meta.url));
const options = Object.fromEntries(process.argv.slice(2).map((argument) => {
  const [name, value] = argument.replace(/^--/, '').split('=');
  return [name, value ?? true];
}));
const platform = String(options.platform ?? `${process.platform}-${process.arch}`);
const sourcemap = options.sourcemap === true ? 'linked' : false;
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const isWatching = options.watch === true;
const dist = path.join(root, 'dist');
/** A build is made aside and put into place at its end: whoever runs the old one meanwhile keeps whole files. */
const stage = isWatching ? dist : path.join(dist, `.stage-${process.pid}`);
const program = path.join(stage, 'program');
const relativeStage = path.relative(root, stage).replaceAll(path.sep, '/');
const say = (line) => void process.stderr.write(`${line}\n`);

/** Loaded from `dist/program/node_modules` at run time: native, or found by path and not by import. */
const EXTERNAL = ['onnxruntime-node', 'onnxruntime-web', 'hnswlib-node', '@huggingface/transformers', 'sharp'];

/** zod brings its messages in fifty languages, 250 kB that every process would parse; ours are English. */
const englishZod = {
  name: 'english-zod',
  setup(build) {
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) => (/[\\/]node_modules[\\/]zod[\\/]/.test(importer) ? { path: 'zod-locales', namespace: 'english-zod' } : undefined));
    build.onLoad({ filter: /^zod-locales$/, namespace: 'english-zod' }, () => ({ contents: "export { default as en } from 'zod/v4/locales/en.js';", resolveDir: root }));
  },
};

/** Packages written for CommonJS ask for `require`; ESM has none of its own. */
const REQUIRE = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** The MCP SDK makes a JSON schema compiler (130 kB) for answers to elicitations at every start; this server elicits nothing. */
const withoutElicitation = {
  name: 'without-elicitation',
  setup(build) {
    build.onResolve({ filter: /\/validation\/ajv-provider\.js$/ }, () => ({ path: 'no-ajv', namespace: 'without-elicitation' }));
    build.onLoad({ filter: /^no-ajv$/, namespace: 'without-elicitation' }, () => ({ contents: "export class AjvJsonSchemaValidator { getValidator() { throw new Error('Elicitation is not bundled: see withoutElicitation in esbuild.mjs.'); } }" }));
  },
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: options.sourcemap !== true,
  sourcemap,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { CAIRN_VERSION: JSON.stringify(manifest.version) },
  plugins: [englishZod, withoutElicitation],
  // Its CommonJS entry asks for its parts through a wrapper that no bundler follows.
  alias: { 'jsonc-parser': path.join(root, 'node_modules', 'jsonc-parser', 'lib', 'esm', 'main.js') },
};

/** Entries that exist; a part that is not written yet is named and left out. */
function present(entries) {
  return Object.fromEntries(Object.entries(entries).filter(([name, file]) => {
    if (fs.existsSync(path.join(root, file))) return true;
    say(`note: ${file} does not exist, so ${name} is not built`);
    return false;
  }));
}

const builds = [
  {
    name: 'program',
    entries: { cairn: 'src/program/main.ts', engineWorker: 'src/worker/main.ts' },
    settings: {
      outdir: `${relativeStage}/program`, platform: 'node', target: 'node22.16', format: 'esm', splitting: true,
      outExtension: { '.js': '.mjs' }, entryNames: '[name]', chunkNames: 'chunks/[name]-[hash]',
      external: [...EXTERNAL, 'vscode'],
      banner: { js: REQUIRE },
    },
  },
  {
    // Somebody waits for these two. Without code splitting, since a chunk shared with the whole program is loaded whole.
    name: 'quick',
    entries: { mcp: 'src/program/stdio/main.ts', hook: 'src/hooks/main.ts' },
    settings: {
      outdir: `${relativeStage}/program`, platform: 'node', target: 'node22.16', format: 'esm', outExtension: { '.js': '.mjs' }, external: [...EXTERNAL, 'vscode'],
      banner: { js: REQUIRE },
    },
  },
  {
    // Old syntax on purpose: whatever Node or Electron is found first runs this file, and only then is one chosen.
    name: 'launcher',
    entries: { launcher: 'src/runtime/launcher/main.ts' },
    settings: { outdir: `${relativeStage}/program`, platform: 'node', target: 'node14.18', format: 'cjs', outExtension: { '.js': '.cjs' }, banner: { js: '#!/usr/bin/env node' } },
  },
  {
    name: 'extension',
    entries: { extension: 'src/extension/main.ts' },
    settings: {
      outdir: relativeStage, platform: 'node', target: 'node22', format: 'cjs', outExtension: { '.js': '.cjs' },
      external: ['vscode', ...EXTERNAL],
      define: { ...shared.define, 'import.meta.url': '__moduleUrl' },
      banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    },
  },
  {
    name: 'webview',
    entries: { main: 'webview-ui/src/main.ts' },
    settings: {
      outdir: `${relativeStage}/webview`, platform: 'browser', target: 'chrome130', format: 'esm', splitting: true, chunkNames: 'chunks/[name]-[hash]',
      loader: { '.ttf': 'file', '.svg': 'text' }, assetNames: '[name]',
    },
  },
];

removeLeftovers();
fs.mkdirSync(path.join(stage, 'meta'), { recursive: true });

for (const { name, entries, settings } of builds) {
  const entryPoints = present(entries);
  if (Object.keys(entryPoints).length === 0) continue;
  const buildOptions = { ...shared, ...settings, entryPoints };
  if (isWatching) {
    const context = await esbuild.context(buildOptions);
    await context.watch();
    continue;
  }
  const result = await esbuild.build(buildOptions);
  fs.writeFileSync(path.join(stage, 'meta', `${name}.json`), JSON.stringify(result.metafile).replaceAll(`${relativeStage}/`, 'dist/'));
}

copyWebviewAssets();
copyModels();
copyNativeParts(platform);
// Types alone, so the source is the declaration.
copy(path.join(root, 'src/extension/publicApi.ts'), path.join(stage, 'publicApi.d.ts'));
makeExecutable();
writeProgramManifest();
if (!isWatching) putIntoPlace();

/** Stages of builds that were interrupted. */
function removeLeftovers() {
  if (!fs.existsSync(dist)) return;
  for (const name of fs.readdirSync(dist)) {
    const folder = path.join(dist, name);
    if (/^\.(stage|old)-\d+$/.test(name) && Date.now() - fs.statSync(folder).mtimeMs > 300_000) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** `bin` of the package. */
function makeExecutable() {
  const launcher = path.join(program, 'launcher.cjs');
  if (fs.existsSync(launcher)) fs.chmodSync(launcher, 0o755);
}

function putIntoPlace() {
  const old = path.join(dist, `.old-${process.pid}`);
  fs.mkdirSync(old, { recursive: true });
  for (const name of fs.readdirSync(stage)) {
    if (fs.existsSync(path.join(dist, name))) fs.renameSync(path.join(dist, name), path.join(old, name));
    fs.renameSync(path.join(stage, name), path.join(dist, name));
  }
  for (const folder of [old, stage]) fs.rmSync(folder, { recursive: true, force: true });
}

function copyWebviewAssets() {
  const codicons = path.join(root, 'node_modules/@vscode/codicons/dist');
  if (!fs.existsSync(path.join(root, 'webview-ui/src/main.ts'))) return;
  for (const file of ['codicon.css', 'codicon.ttf']) copy(path.join(codicons, file), path.join(stage, 'webview', file));
}

/** What a model folder needs at run time; sources of the conversion stay in the repository. */
function copyModels() {
  const from = path.join(root, 'media/models');
  if (!fs.existsSync(from)) return say('note: media/models does not exist, so no bundled model ships');
  for (const file of listFiles(from)) copy(path.join(from, file), path.join(program, 'models', file));
}

/** The packages that stay outside of the bundle, cut down to what this platform runs. */
function copyNativeParts(target) {
  const [os, arch] = target.split('-');
  const ortFiles = (file) => /^(package\.json|LICENSE|dist\/.*\.js)$/.test(file) || file.startsWith(`bin/napi-v6/${os}/${arch}/`);
  // Intel Macs have no native runtime in that package: WebAssembly serves there.
  if (fs.existsSync(path.join(root, `node_modules/onnxruntime-node/bin/napi-v6/${os}/${arch}`))) copyPackage('onnxruntime-node', ortFiles);
  else say(`note: onnxruntime-node has no files for ${target}; WebAssembly serves`);
  copyPackage('onnxruntime-common', (file) => /^(package\.json|LICENSE|dist\/(cjs|esm)\/.*\.js|dist\/(cjs|esm)\/package\.json)$/.test(file));
  copyPackage('onnxruntime-web', (file) => /^(package\.json|LICENSE|dist\/(ort\.node\.min\.(js|mjs)|ort\.wasm\.min\.(js|mjs)|ort-wasm-simd-threaded\.(mjs|wasm)))$/.test(file));
  // Compiled at install, for the machine that installed it; elsewhere exact search serves.
  const isHere = target === `${process.platform}-${process.arch}`;
  if (isHere && fs.existsSync(path.join(root, 'node_modules/hnswlib-node/build/Release/addon.node'))) {
    copyPackage('hnswlib-node', (file) => /^(package\.json|LICENSE.*|lib\/.*\.js|build\/Release\/addon\.node)$/.test(file));
    copyPackage('bindings', (file) => /^(package\.json|LICENSE.*|bindings\.js)$/.test(file));
    copyPackage('file-uri-to-path', (file) => /^(package\.json|LICENSE|index\.js)$/.test(file));
  } else {
    say(`note: hnswlib-node is not compiled for ${target}; exact search serves`);
  }
}

function copyPackage(name, wanted) {
  const from = path.join(root, 'node_modules', name);
  if (!fs.existsSync(from)) return say(`note: ${name} is not installed, so it does not ship`);
  for (const file of listFiles(from)) if (wanted(file)) copy(path.join(from, file), path.join(program, 'node_modules', name, file));
}

/** `program.json`: the version, and a hash of all files, so that two builds of one version are two programs. */
function writeProgramManifest() {
  if (!fs.existsSync(program)) return;
  const hash = createHash('sha256');
  for (const file of listFiles(program).filter((name) => name !== 'program.json').sort()) {
    hash.update(`${file}\n`);
    hash.update(fs.readFileSync(path.join(program, file)));
  }
  const contentHash = hash.digest('hex').slice(0, 16);
  fs.writeFileSync(path.join(program, 'program.json'), `${JSON.stringify({ name: manifest.name, version: manifest.version, contentHash, platform }, undefined, 2)}\n`);
}

function copy(from, to) {
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
}

/** All files below a folder, relative, with `/`. */
function listFiles(folder) {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}
