/**
 * `npm start`: from a fresh clone to the main job, without questions.
 *
 *   npm start                  installs, builds, shows remembering and recalling in the terminal, then opens the editor
 *   npm start -- --terminal    stops after the demonstration
 *   npm start -- --browser     the browser-hosted editor, also where VS Code is installed
 *   npm start -- --port 8123   its port
 *
 * Everything happens in a scratch home and a sample repository below `.cache/demo/`: nothing of yours is read or written.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isMain, repositoryDirectory, cacheDirectory } from './installing.mjs';
import { startEditorServer } from './codeServer.mjs';
import { prepareDemo, showInTerminal } from './demonstration.mjs';
import { ensureDependencies } from './installDependencies.mjs';
import { packageExtension } from './package.mjs';
import { runInRepository } from './run.mjs';

const say = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);
const startedMs = Date.now();

/** @param {string} what */
const step = (what) => say(`\n[${((Date.now() - startedMs) / 1000).toFixed(0)} s] ${what}`);

/** VS Code's command, where one can open a window here. @returns {string | undefined} */
function findDesktopEditor() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return undefined;
  const names = process.platform === 'win32' ? ['code.cmd', 'code-insiders.cmd'] : ['code', 'code-insiders'];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of names) if (folder && fs.existsSync(path.join(folder, name))) return path.join(folder, name);
  }
  return undefined;
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<number>} */
function runToEnd(command, args, env) {
  const isScript = process.platform === 'win32';
  const child = spawn(isScript ? `"${command}"` : command, isScript ? args.map((arg) => `"${arg}"`) : args, { env, stdio: 'inherit', shell: isScript });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** @param {string} editor @param {import('./demonstration.mjs').Demo} demo @param {string} vsix */
async function openDesktopEditor(editor, demo, vsix) {
  const profile = ['--user-data-dir', path.join(demo.folder, 'u'), '--extensions-dir', path.join(demo.folder, 'e')];
  // HOME stays, since the desktop keeps its own things there; Cairn and Claude Code are led to the scratch home.
  const env = { ...process.env, CAIRN_HOME: demo.env.CAIRN_HOME, CLAUDE_CONFIG_DIR: path.join(demo.home, '.claude') };
  step('Installing Cairn into a VS Code profile of its own and opening it.');
  if ((await runToEnd(editor, [...profile, '--install-extension', vsix, '--force'], env)) !== 0) throw new Error(`${editor} could not install ${vsix}.`);
  explainWhatToDo(demo);
  say('Close the window, or press Ctrl+C here, to end.');
  await runToEnd(editor, [...profile, '--new-window', '--wait', '--disable-workspace-trust', demo.repository], env);
}

/** @param {import('./demonstration.mjs').Demo} demo @param {string} vsix @param {number | undefined} port */
async function openBrowserEditor(demo, vsix, port) {
  step('Starting VS Code in the browser.');
  const server = await startEditorServer({ folder: demo.folder, env: demo.env, extensions: [vsix], extraArgs: ['--disable-workspace-trust'], ...(port === undefined ? {} : { port }) });
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      isEnding = true;
      void server.stop();
    });
  }
  explainWhatToDo(demo);
  say(`Open this address in a browser on this machine:\n\n    ${server.url}/?folder=${encodeURIComponent(demo.repository)}\n\nCtrl+C here ends it.`);
  await server.ended;
  if (!isEnding) throw new Error(`The editor ended by itself:\n${server.log()}`);
}

/** @param {import('./demonstration.mjs').Demo} demo */
function explainWhatToDo(demo) {
  say(`
In the editor:
  1. The cairn in the activity bar (left edge) shows what was remembered a moment ago in the terminal.
  2. Open src/payments.ts, select lines, right-click, "Remember This": the memory is in the sidebar at once.
  3. Search as you type; edit in place; forget, and undo.
Its store is ${path.relative(repositoryDirectory, path.join(demo.env.CAIRN_HOME))} and nothing else of yours is touched.`);
}

/** @param {string[]} args */
async function start(args) {
  const isTerminalOnly = args.includes('--terminal');
  const portPosition = args.indexOf('--port');
  const port = portPosition >= 0 ? Number(args[portPosition + 1]) : undefined;
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) throw new Error('--port wants a number from 1 to 65535.');

  say('Cairn: a memory of each repository for Claude Code.');
  const node = await ensureDependencies();
  step('Building.');
  const code = await runInRepository('esbuild.mjs', [], { node });
  if (code !== 0) throw new Error('The build failed; its messages are above. If you changed src/, npm run types says more.');

  step('What it does, in a sample repository with a scratch home (.cache/demo).');
  const demo = prepareDemo(node);
  await showInTerminal(demo);
  if (isTerminalOnly) return;

  step('Packaging the extension.');
  const vsix = await packageExtension({ build: false });
  const editor = args.includes('--browser') ? undefined : findDesktopEditor();
  if (editor) await openDesktopEditor(editor, demo, vsix);
  else await openBrowserEditor(demo, vsix, port);
}

if (isMain(import.meta.url)) {
  try {
    await start(process.argv.slice(2));
    process.exit(0);
  } catch (error) {
    process.stderr.write(`\nnpm start stopped: ${error.message}\n`);
    if (!/ npm |Install |install /.test(error.message)) {
      process.stderr.write(`Logs are in ${path.join(path.relative(process.cwd(), cacheDirectory) || '.cache', 'logs')}. A clean try: remove .cache and node_modules, then npm start.\n`);
    }
    process.exit(1);
  }
}
