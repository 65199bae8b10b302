/**
 * VS Code in a browser as a test host: code-server on a free loopback port, with a profile of its own that is quiet
 * and never asks the network.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { nodeEnvironment } from '../../../scripts/ensureNode.mjs';
import { ensureEditorHost } from '../../../scripts/installEditorHost.mjs';
import type { TemporaryHome } from '../temporaryHome.ts';
import { waitUntil } from '../waitUntil.ts';

/** Silences what a fresh editor would show or start by itself. */
const QUIET_SETTINGS: Readonly<Record<string, unknown>> = {
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

export interface CodeServerOptions {
  /** Where the extension host's HOME, CAIRN_HOME and Claude Code's settings are. */
  readonly home: TemporaryHome;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** .vsix files that are installed before the start. */
  readonly extensions?: readonly string[];
  /** Needed for tests inside the host; then toasts and dialogs do not show, so not for tests of the interface. */
  readonly withTestDriver?: boolean;
  /** Start folders in restricted mode until a person trusts them. Default: everything is trusted. */
  readonly withWorkspaceTrust?: boolean;
}

export interface CodeServer {
  readonly url: string;
  readonly port: number;
  readonly userDirectory: string;
  readonly extensionsDirectory: string;
  /** Address of the workbench for a folder, a `.code-workspace` file, or nothing. */
  addressOf(target?: string, payload?: readonly (readonly [string, string])[]): string;
  /** Path as the browser names it. */
  remoteUri(file: string): string;
  /** Changes user settings; those that are not named stay. */
  writeSettings(settings: Readonly<Record<string, unknown>>): void;
  log(): string;
  /** All log files of the profile whose name fits, joined: the extension host's, an output channel's. */
  readLogs(nameFits: RegExp): string;
  stop(): Promise<void>;
}

export async function startCodeServer(options: CodeServerOptions): Promise<CodeServer> {
  const host = await ensureEditorHost();
  // Short: the editor makes a unix socket below it, and a socket's path has at most 108 bytes.
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'ch-')));
  const userDirectory = path.join(folder, 'u');
  const extensionsDirectory = path.join(folder, 'e');
  fs.mkdirSync(path.join(userDirectory, 'User'), { recursive: true });
  fs.mkdirSync(extensionsDirectory, { recursive: true });
  let current: Readonly<Record<string, unknown>> = { ...QUIET_SETTINGS, ...options.settings };
  const writeSettings = (settings: Readonly<Record<string, unknown>>): void => {
    current = { ...current, ...settings };
    fs.writeFileSync(path.join(userDirectory, 'User', 'settings.json'), JSON.stringify(current, null, 2));
  };
  writeSettings({});

  const env = nodeEnvironment(host.node, { ...options.home.env, EXTENSIONS_GALLERY: '{}', ...options.env });
  const profile = ['--user-data-dir', userDirectory, '--extensions-dir', extensionsDirectory];
  for (const extension of options.extensions ?? []) await installExtension(host.node, [host.entry, ...profile, '--install-extension', extension], env);

  const port = await findFreePort();
  const logFile = path.join(folder, 'code-server.log');
  const logDescriptor = fs.openSync(logFile, 'w');
  const server = spawn(host.node, [
    host.entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...profile, '--config', path.join(folder, 'config.yaml'),
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--disable-proxy', '--ignore-last-opened', '--idle-timeout-seconds', '900',
    ...(options.withWorkspaceTrust === true ? [] : ['--disable-workspace-trust']),
    ...(options.withTestDriver === true ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
  ], { env, stdio: ['ignore', logDescriptor, logDescriptor], detached: true });
  fs.closeSync(logDescriptor);
  const log = (): string => fs.readFileSync(logFile, 'utf8');
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await stopGroup(server);
    if (process.env.CAIRN_TEST_KEEP === undefined) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  try {
    await waitUntil(async () => {
      if (server.exitCode !== null) throw new Error(`code-server ended:\n${log()}`);
      return (await fetch(`${url}/healthz`)).ok;
    }, 'code-server to answer', 60_000);
  } catch (error) {
    await stop();
    throw error;
  }
  const remoteUri = (file: string): string => `vscode-remote://127.0.0.1:${port}${encodeURI(path.resolve(file))}`;
  return {
    url, port, userDirectory, extensionsDirectory, writeSettings, log, stop, remoteUri,
    addressOf: (target, payload) => {
      const query = new URLSearchParams();
      if (target === undefined) query.set('ew', 'true');
      else query.set(target.endsWith('.code-workspace') ? 'workspace' : 'folder', target);
      if (payload !== undefined) query.set('payload', JSON.stringify(payload));
      return `${url}/?${query.toString().replaceAll('+', '%20')}`;
    },
    readLogs: (nameFits) => listLogs(userDirectory).filter((name) => nameFits.test(name)).map((name) => fs.readFileSync(name, 'utf8')).join('\n'),
  };
}

function listLogs(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.log')).map((name) => path.join(folder, name));
}

function installExtension(node: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(node, [...args], { env, timeout: 120_000 }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`The extension could not be installed: ${stdout}${stderr}`, { cause: error }));
    });
  });
}

async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** Ends the server with the extension hosts that it started. */
async function stopGroup(server: ChildProcess): Promise<void> {
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (server.pid !== undefined) process.kill(-server.pid, name);
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
