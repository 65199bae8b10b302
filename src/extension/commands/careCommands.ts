/**
 * Commands that look after the memory: pause, doctor, import and export, past sessions,
 * tidy, switch on and off, log, settings.
 */
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { isErrorCode } from '../../base/errors.ts';
import type { BackfillOutput, BackupOutput, DoctorOutput, ImportOutput, ListMemoriesOutput, PurgeOutput, RestoreOutput } from '../../operations/index.ts';
import type { ClaudeRegistration } from '../claudeRegistration.ts';
import type { EngineAccess } from '../engineAccess.ts';
import { doctorText } from '../doctorWords.ts';
import { errorSentence, speaksEnglish } from '../errorWords.ts';
import type { HostState } from '../hostState.ts';
import type { Log } from '../log.ts';
import type { WorkspaceTarget } from '../workspaceTarget.ts';
import type { Guard } from './guard.ts';
import { withProgress } from './guard.ts';

export interface CareCommandParts {
  readonly guard: Guard;
  readonly engine: EngineAccess;
  readonly workspace: WorkspaceTarget;
  readonly state: HostState;
  readonly registration: ClaudeRegistration;
  readonly log: Log;
  readonly extensionId: string;
  readonly showText: (title: string, text: string) => Promise<void>;
}

export function registerCareCommands(parts: CareCommandParts): vscode.Disposable[] {
  const { guard, engine, workspace, state, registration, log, extensionId, showText } = parts;
  const say = (sentence: string): void => { void vscode.window.showInformationMessage(sentence); };
  /** The target, or a plain sentence why there is none. */
  const folderTarget = (): WorkspaceTarget['current']['target'] | undefined => {
    const place = workspace.current;
    if (place.kind === 'folder') return place.target;
    say(place.kind === 'untrusted' ? vscode.l10n.t('This folder is not trusted, so nothing is read from it.') : place.kind === 'virtual' ? vscode.l10n.t('This folder is not on a disk; open a local one.') : vscode.l10n.t('Open a folder first.'));
    return undefined;
  };
  const pause = async (paused: boolean): Promise<void> => {
    await engine.ask('setPaused', { paused }, workspace.current.target);
    state.bump();
    say(paused ? vscode.l10n.t('Cairn is paused: nothing is captured and Claude is given nothing.') : vscode.l10n.t('Cairn goes on.'));
  };
  return [
    guard.command('cairn.pause', async () => pause(true)),
    guard.command('cairn.resume', async () => pause(false)),
    guard.command('cairn.showLog', () => { log.show(); }, { always: true }),
    guard.command('cairn.openSettings', async () => vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId}`), { always: true }),
    guard.command('cairn.doctor', async () => {
      const target = workspace.current.target;
      const report = await withProgress(vscode.l10n.t('Cairn: checking'), async (signal) => engine.ask<DoctorOutput>('doctor', {}, target, { signal }));
      await showText(vscode.l10n.t('Cairn doctor.md'), doctorText(report));
      if (!report.checks.some((check) => check.fixable === true && check.state !== 'ok')) return;
      const repair = vscode.l10n.t('Repair');
      if (await vscode.window.showWarningMessage(vscode.l10n.t('Some of it can be repaired now.'), repair) !== repair) return;
      const after = await withProgress(vscode.l10n.t('Cairn: repairing'), async (signal) => engine.ask<DoctorOutput>('doctor', { fix: true }, target, { signal }));
      state.bump();
      await showText(vscode.l10n.t('Cairn doctor.md'), doctorText(after));
    }),
    guard.command('cairn.import', async () => {
      const picked = await vscode.window.showOpenDialog({ canSelectMany: false, filters: { JSONL: ['jsonl'] }, title: vscode.l10n.t('Import memories') });
      const file = picked?.[0];
      if (file === undefined) return;
      const done = await withProgress(vscode.l10n.t('Cairn: importing'), async (signal, onProgress) => engine.ask<ImportOutput>('importMemories', { path: file.fsPath }, workspace.current.target, { signal, onProgress }));
      state.bump();
      const refused = done.refused.slice(0, 3).map(({ line, code, message }) => vscode.l10n.t('line {0}: {1}', line, refusal(code, message))).join(' ');
      say(vscode.l10n.t('{0} added, {1} merged, {2} replaced older ones, {3} known already, {4} refused. {5}', done.added, done.merged, done.superseded, done.duplicate, done.refused.length, refused));
    }),
    guard.command('cairn.export', async () => {
      const folder = workspace.current.folder?.uri.fsPath ?? os.homedir();
      const uri = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.file(path.join(folder, 'memories.jsonl')), filters: { JSONL: ['jsonl'] }, title: vscode.l10n.t('Export memories') });
      if (uri === undefined) return;
      await withProgress(vscode.l10n.t('Cairn: exporting'), async (signal, onProgress) => engine.ask('exportMemories', { path: uri.fsPath }, workspace.current.target, { signal, onProgress }));
      const open = vscode.l10n.t('Open');
      if (await vscode.window.showInformationMessage(vscode.l10n.t('Exported to {0}.', uri.fsPath), open) === open) await vscode.window.showTextDocument(uri);
    }),
    // After the yes it runs by itself where it costs nothing [first five minutes]; it can be cancelled and goes on later.
    guard.command('cairn.backfill', async (how?: { readonly afterConsent?: boolean }) => {
      const unasked = how?.afterConsent === true;
      const target = folderTarget();
      if (target === undefined) return;
      const estimate = await engine.ask<BackfillOutput>('backfill', { estimateOnly: true }, target);
      if (estimate.sessions === 0) {
        if (!unasked) say(vscode.l10n.t('Claude Code has no past sessions of this folder.'));
        return;
      }
      const go = vscode.l10n.t('Look Through');
      const cost = estimate.estimate?.usd === undefined || estimate.estimate.usd === 0 ? vscode.l10n.t('It costs nothing.') : vscode.l10n.t('A model reads them for about {0} USD.', estimate.estimate.usd.toFixed(2));
      const isFree = (estimate.estimate?.usd ?? 0) === 0;
      const soon = estimate.expiringSoon > 0 ? vscode.l10n.t('Claude Code removes {0} of them within a week.', estimate.expiringSoon) : '';
      if (!(unasked && isFree) && await vscode.window.showInformationMessage(vscode.l10n.t('Look through {0} past sessions?', estimate.sessions), { modal: true, detail: `${cost} ${soon}`.trim() }, go) !== go) return;
      const done = await withProgress(vscode.l10n.t('Cairn: reading past sessions'), async (signal, onProgress) => engine.ask<BackfillOutput>('backfill', {}, target, { signal, onProgress }));
      state.bump();
      if (!unasked || done.run.proposed + done.run.remembered > 0) say(vscode.l10n.t('{0} proposed for the inbox, {1} remembered.', done.run.proposed, done.run.remembered));
    }),
    guard.command('cairn.backup', async () => {
      const { made } = await withProgress(vscode.l10n.t('Cairn: making a backup'), async (signal) => engine.ask<BackupOutput>('backup', {}, workspace.current.target, { signal }));
      say(made === undefined ? vscode.l10n.t('There is nothing to back up yet.') : vscode.l10n.t('Backed up to {0}.', made.path));
    }),
    guard.command('cairn.restoreBackup', async () => {
      const target = workspace.current.target;
      const { backups } = await engine.ask<BackupOutput>('backup', { list: true }, target);
      if (backups.length === 0) {
        say(vscode.l10n.t('There is no backup of this memory.'));
        return;
      }
      const newestFirst = [...backups].sort((a, b) => b.createdAt - a.createdAt);
      const chosen = await vscode.window.showQuickPick(newestFirst.map((backup) => ({ label: new Date(backup.createdAt).toLocaleString(vscode.env.language), description: `${(backup.sizeBytes / MIB).toFixed(1)} MiB`, detail: backup.path })), { title: vscode.l10n.t('Restore a backup') });
      if (chosen === undefined) return;
      const { plan } = await engine.ask<RestoreOutput>('restoreBackup', { path: chosen.detail, preview: true }, target);
      const counts = vscode.l10n.t('{0} memories now, {1} in the backup. What is there now is set aside, not lost.', plan?.present?.memories ?? 0, plan?.backup.memories ?? 0);
      const go = vscode.l10n.t('Restore');
      if (await vscode.window.showWarningMessage(vscode.l10n.t('Restore the memory as it was on {0}?', chosen.label), { modal: true, detail: counts }, go) !== go) return;
      await withProgress(vscode.l10n.t('Cairn: restoring'), async (signal) => engine.ask('restoreBackup', { path: chosen.detail }, target, { signal }));
      await engine.restart();
      state.bump();
      say(vscode.l10n.t('Restored.'));
    }),
    guard.command('cairn.purge', async () => {
      const { target } = workspace.current;
      const { total } = await engine.ask<ListMemoriesOutput>('listMemories', { statuses: ['forgotten'], limit: 1 }, target);
      if (total === 0) {
        say(vscode.l10n.t('Nothing is forgotten here, so there is nothing to purge.'));
        return;
      }
      const go = vscode.l10n.t('Purge');
      if (await vscode.window.showWarningMessage(vscode.l10n.t('Purge {0} forgotten memories for good?', total), { modal: true, detail: vscode.l10n.t('This is the one act that cannot be undone. Their text goes from the store, its history and its search.') }, go) !== go) return;
      const { purged, backups } = await withProgress(vscode.l10n.t('Cairn: purging'), async (signal) => engine.ask<PurgeOutput>('purge', { what: 'forgotten', confirm: true }, target, { signal }));
      state.bump();
      say(backups.length === 0 ? vscode.l10n.t('{0} purged.', purged) : vscode.l10n.t('{0} purged. {1} backups may still hold them.', purged, backups.length));
    }),
    guard.command('cairn.tidy', async () => {
      const target = folderTarget();
      if (target === undefined) return;
      const done = await withProgress(vscode.l10n.t('Cairn: tidying'), async (signal) => engine.ask<{ proposed: number; archived: number; expired: number }>('tidy', {}, target, { signal }));
      state.bump();
      say(vscode.l10n.t('{0} proposed for the inbox, {1} archived, {2} expired.', done.proposed, done.archived, done.expired));
    }),
    guard.command('cairn.switchOff', async () => {
      const target = folderTarget();
      if (target === undefined) return;
      await engine.ask('setEnabled', { enabled: false }, target);
      state.bump();
      say(vscode.l10n.t('Switched off for this repository. What is remembered stays; Claude Code no longer sees it.'));
    }),
    guard.command('cairn.unregister', async () => {
      say(await registration.unregister());
      state.bump();
    }),
    guard.command('cairn.register', async () => {
      say(await registration.register());
      state.bump();
    }),
  ];
}

const refusal = (code: string, message: string): string => (speaksEnglish() || !isErrorCode(code) ? message : errorSentence(code, undefined));

const MIB = 1_048_576;
