/**
 * Starts VS Code in a browser (code-server) on a free loopback port, with a quiet profile of its own, no gallery and
 * no telemetry. Used by `npm start` and by the in-editor tests.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { nodeEnvironment } from './ensureNode.mjs';
import { ensureEditorHost } from './installEditorHost.mjs';

/** Silences what a fresh editor would show or start by itself. */
export const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'update.showReleaseNotes': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'chat.mcp.autostart': 'never',
  'chat.commandCenter.enabled': false,
  'window.restoreWindows': 'none',
  'window.commandCenter': false,
  'files.simpleDialog.enable': true,
  'security.promptForLocalFileProtocolHandling': false,
};

/**
 * @typedef {object} EditorServer
 * @property {string} url
 * @property {number} port
 * @property {() => string} log what code-server printed
 * @property {Promise<unknown>} ended settles when the server is gone
 * @property {() => Promise<void>} stop ends it with the extension hosts that it started
 */

/**
 * @param {{
 *   folder: string, env: NodeJS.ProcessEnv, extensions?: readonly string[], port?: number, extraArgs?: readonly string[],
 *   settings?: Readonly<Record<string, unknown>>,
 * }} wish `folder` holds the profile (`u`, `e`); keep its path short, since a unix socket (108 bytes) is made below it
 * @returns {Promise<EditorServer>}
 */
export async function startEditorServer({ folder, env, extensions = [], port, extraArgs = [], settings = {} }) {
  const host = await ensureEditorHost();
  const userDirectory = path.join(folder, 'u');
  const extensionsDirectory = path.join(folder, 'e');
  fs.mkdirSync(path.join(userDirectory, 'User'), { recursive: true });
  fs.mkdirSync(extensionsDirectory, { recursive: true });
  fs.writeFileSync(path.join(userDirectory, 'User', 'settings.json'), JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));

  const childEnv = { ...nodeEnvironment(host.node, withoutEditorVariables(env)), EXTENSIONS_GALLERY: '{}' };
  const profile = ['--user-data-dir', userDirectory, '--extensions-dir', extensionsDirectory];
  for (const extension of extensions) await installExtension(host.node, [host.entry, ...profile, '--install-extension', extension], childEnv);

  const usedPort = port ?? (await findFreePort());
  const logFile = path.join(folder, 'code-server.log');
  const descriptor = fs.openSync(logFile, 'w');
  const server = spawn(host.node, [
    host.entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${usedPort}`, ...profile, '--config', path.join(folder, 'config.yaml'),
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--disable-proxy', '--ignore-last-opened', ...extraArgs,
  ], { env: childEnv, stdio: ['ignore', descriptor, descriptor], detached: process.platform !== 'win32' });
  fs.closeSync(descriptor);
  const url = `http://127.0.0.1:${usedPort}`;
  const log = () => fs.readFileSync(logFile, 'utf8');
  const stop = () => stopGroup(server);
  const ended = once(server, 'exit');
  try {
    await waitForHealth(url, server, log);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port: usedPort, log, ended, stop };
}

/** An editor started from an editor's terminal would take itself for a part of that one. @param {NodeJS.ProcessEnv} env */
function withoutEditorVariables(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(VSCODE_|ELECTRON_RUN_AS_NODE$)/.test(name)));
}

/** @param {string} url @param {import('node:child_process').ChildProcess} server @param {() => string} log */
async function waitForHealth(url, server, log) {
  const end = Date.now() + 180_000;
  for (;;) {
    try {
      if ((await fetch(`${url}/healthz`)).ok) return;
    } catch {
      // not listening yet
    }
    if (server.exitCode !== null || Date.now() > end) throw new Error(`code-server did not start:\n${log()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @param {string} node @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<void>} */
function installExtension(node, args, env) {
  return new Promise((resolve, reject) => {
    execFile(node, args, { env, timeout: 300_000 }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`The extension could not be installed: ${stdout}${stderr}`, { cause: error }));
    });
  });
}

/** @returns {Promise<number>} */
async function findFreePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** @param {import('node:child_process').ChildProcess} server */
async function stopGroup(server) {
  const signal = (/** @type {NodeJS.Signals} */ name) => {
    try {
      if (process.platform === 'win32') server.kill(name);
      else if (server.pid !== undefined) process.kill(-server.pid, name);
    } catch {
      // the group is gone already
    }
  };
  if (server.exitCode === null && server.signalCode === null) {
    signal('SIGTERM');
    await Promise.race([once(server, 'exit'), new Promise((resolve) => setTimeout(resolve, 5_000))]);
  }
  signal('SIGKILL');
}
