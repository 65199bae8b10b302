/**
 * VS Code in a browser as a test host: code-server with a profile of its own, in the scratch home of one test.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { QUIET_SETTINGS, startEditorServer } from '../../../scripts/codeServer.mjs';
import { removeFolder } from '../temporaryFolder.ts';
import type { TemporaryHome } from '../temporaryHome.ts';

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
  /** Display language. The editor's own words stay English, since its language packs are not on npm; extensions speak it. */
  readonly locale?: string;
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
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'ch-')));
  const userDirectory = path.join(folder, 'u');
  if (options.locale !== undefined) writeLanguagePack(userDirectory, options.locale);
  const server = await startEditorServer({
    folder,
    env: { ...options.home.env, ...options.env },
    extensions: options.extensions ?? [],
    settings: options.settings ?? {},
    extraArgs: [
      '--idle-timeout-seconds', '900',
      ...(options.withWorkspaceTrust === true ? [] : ['--disable-workspace-trust']),
      ...(options.locale === undefined ? [] : ['--locale', options.locale]),
      ...(options.withTestDriver === true ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ],
  });
  const { url, port, log } = server;
  let settings: Readonly<Record<string, unknown>> = { ...QUIET_SETTINGS, ...options.settings };
  return {
    url, port, userDirectory, log,
    extensionsDirectory: path.join(folder, 'e'),
    remoteUri: (file) => `vscode-remote://127.0.0.1:${port}${encodeURI(path.resolve(file))}`,
    writeSettings: (changes) => {
      settings = { ...settings, ...changes };
      fs.writeFileSync(path.join(userDirectory, 'User', 'settings.json'), JSON.stringify(settings, null, 2));
    },
    addressOf: (target, payload) => {
      const query = new URLSearchParams();
      if (target === undefined) query.set('ew', 'true');
      else query.set(target.endsWith('.code-workspace') ? 'workspace' : 'folder', target);
      if (payload !== undefined) query.set('payload', JSON.stringify(payload));
      return `${url}/?${query.toString().replaceAll('+', '%20')}`;
    },
    readLogs: (nameFits) => listLogs(userDirectory).filter((name) => nameFits.test(name)).map((name) => fs.readFileSync(name, 'utf8')).join('\n'),
    stop: async () => {
      await server.stop();
      if (process.env.CAIRN_TEST_KEEP === undefined) removeFolder(folder);
    },
  };
}

function listLogs(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.log')).map((name) => path.join(folder, name));
}

/** The editor takes up a language only where a pack is registered for it; this one translates nothing of the editor. */
function writeLanguagePack(userDirectory: string, locale: string): void {
  const file = path.join(userDirectory, 'pack', 'main.i18n.json');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ version: '1.0.0', contents: {} }));
  fs.writeFileSync(path.join(userDirectory, 'languagepacks.json'), JSON.stringify({ [locale]: { hash: 'pack', label: locale, extensions: [{ extensionIdentifier: { id: `cairn-tests.language-pack-${locale}` }, version: '1.0.0' }], translations: { vscode: file } } }));
}
