/**
 * Entry of the extension. Asks whether this editor can run Cairn at all, puts the parts
 * together, and hands back the API for other extensions. The only file here that knows
 * the process.
 */
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { CairnApi } from './publicApi.ts';
import { startCairn } from './cairn.ts';
import type { RunningCairn } from './cairn.ts';
import { openClaudeRegistration } from './claudeRegistration.ts';
import { EditorKeys } from './editorKeys.ts';
import { openEditorModels } from './editorModels.ts';
import { createLog } from './log.ts';
import { installHere } from './programInstall.ts';
import type { RunningProgram } from './programInstall.ts';
import { resolveHome } from '../runtime/paths.ts';
import { probeSqlite } from './sqliteProbe.ts';
import { offerInTerminals } from './terminalCommand.ts';
import type { ChosenModel } from '../worker/index.ts';

let running: RunningCairn | undefined;

export function activate(context: vscode.ExtensionContext): CairnApi {
  const log = createLog();
  context.subscriptions.push(log);
  const probe = probeSqlite(import.meta.url, process.versions.node);
  const unsupported = probe.usable ? undefined : vscode.l10n.t('Cairn needs node:sqlite with FTS5; this editor runs Node {0} without it. Update the editor to 1.112 or newer.', probe.nodeVersion);
  if (unsupported !== undefined) log.failed('activate', new Error(`${unsupported} (${probe.detail ?? ''})`));

  const facts = {
    source: path.join(context.extensionPath, 'dist', 'program'), env: process.env, osHome: os.homedir(), execPath: process.execPath,
    nodeVersion: process.versions.node, isElectron: process.versions['electron'] !== undefined,
  };
  let installing: Promise<RunningProgram> | undefined;
  const program = (): Promise<RunningProgram> => (installing ??= installHere({ ...facts, log }, Date.now()).then((installed) => {
    if (installed.inHome) offerInTerminals(context.environmentVariableCollection, installed.home);
    return installed;
  }));
  const registration = openClaudeRegistration({ program, env: process.env, osHome: facts.osHome, version: (context.extension.packageJSON as { version: string }).version, platform: process.platform, now: Date.now });
  const keys = new EditorKeys(context.secrets);
  const models = openEditorModels(context.languageModelAccessInformation as vscode.LanguageModelAccessInformation | undefined);
  context.subscriptions.push(models);

  running = startCairn({
    context, log, unsupported, facts, program, registration, models, keys, now: Date.now,
    home: resolveHome(process.env, facts.osHome),
    async openClient() {
      const [{ ThreadClient }, { folder }, kept] = await Promise.all([import('../worker/threadClient.ts'), program(), keys.read()]);
      const client = new ThreadClient({
        workerFile: path.join(folder, 'engineWorker.mjs'), env: process.env, processName: 'extension', keys: kept,
        onStderr: (text) => { log.debug(text.trimEnd()); },
        hostParts: { ...registration.hostParts, ...models.hostParts, healthChecks: async (chosen) => [...(await registration.healthChecks()), ...(await models.healthChecks(chosen as ChosenModel))] },
      });
      client.start();
      return client;
    },
  });
  return running.api;
}

export async function deactivate(): Promise<void> {
  await running?.close();
  running = undefined;
}
