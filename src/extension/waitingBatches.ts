/**
 * WaitingBatches: has batches read that wait for a model [E2]: those that another process queued
 * for the editor's own, and those whose provider did not answer. The engine is asked once a
 * minute and whenever the editor's models change; where nothing waits that is one look.
 */
import * as vscode from 'vscode';
import { isCairnError } from '../base/errors.ts';
import type { ExtractionRun } from '../engine/index.ts';
import type { EditorModels } from './editorModels.ts';
import type { EngineAccess } from './engineAccess.ts';
import { waitingReason } from './engineWords.ts';
import type { HostState } from './hostState.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

export interface WaitingBatchesParts {
  readonly engine: EngineAccess;
  readonly state: HostState;
  readonly workspace: WorkspaceTarget;
  readonly models: EditorModels;
}

const EVERY_MS = 60_000;
const PROVIDER_KEY = 'cairn.extraction.provider';

export class WaitingBatches implements vscode.Disposable {
  readonly #parts: WaitingBatchesParts;
  readonly #subscriptions: vscode.Disposable[];
  #timer: ReturnType<typeof setInterval> | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: WaitingBatchesParts) {
    this.#parts = parts;
    this.#subscriptions = [
      parts.state.onDidChange(({ state, workspace }) => { this.#follow((state === 'on' || state === 'degraded') && workspace === 'folder'); }),
      parts.models.onDidChange(() => { this.#readIfFollowed(); }),
      vscode.workspace.onDidChangeConfiguration((change) => { if (change.affectsConfiguration(PROVIDER_KEY)) void this.#offerToAllow(); }),
    ];
  }

  dispose(): void {
    clearInterval(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** One run at a time; whoever asks meanwhile waits for it. */
  read(): Promise<void> {
    this.#running ??= this.#readNow().finally(() => { this.#running = undefined; });
    return this.#running;
  }

  #follow(isOn: boolean): void {
    if (isOn === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = isOn ? setInterval(() => { void this.read(); }, EVERY_MS) : undefined;
    if (isOn) void this.read();
  }

  #readIfFollowed(): void {
    if (this.#timer !== undefined) void this.read();
  }

  async #readNow(): Promise<void> {
    const { engine, state, workspace } = this.#parts;
    const place = workspace.current;
    if (place.kind !== 'folder') return;
    try {
      const { run } = await engine.ask<{ run: ExtractionRun }>('readWaiting', {}, place.target);
      state.noteWaiting(run.waitingBatches > 0 && run.waitingBecause !== undefined ? waitingReason(run.waitingBecause) : undefined);
      if (run.proposed + run.remembered > 0) state.bump();
    } catch (error) {
      // Switched off or paused meanwhile is an answer; anything else was logged by EngineAccess and is tried in a minute.
      if (isCairnError(error) && error.code === 'CONSENT_REQUIRED') this.#follow(false);
    }
  }

  /** The person has just chosen the editor's models: the moment at which the editor may ask them for consent. */
  async #offerToAllow(): Promise<void> {
    const config = vscode.workspace.getConfiguration('cairn');
    if (config.get<string>('extraction.provider') !== 'vscode') return;
    const found = await this.#parts.models.find(config.get<string | null>('extraction.model') ?? undefined);
    if ('model' in found) return this.#readIfFollowed();
    const allow = vscode.l10n.t('Allow…');
    if (await vscode.window.showInformationMessage(vscode.l10n.t('Sessions wait to be read: {0}.', found.waitsBecause), allow) === allow) await vscode.commands.executeCommand('cairn.useEditorModel');
  }
}
