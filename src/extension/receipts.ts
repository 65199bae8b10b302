/**
 * At a session's end, if the person wants it [U10]: how much was remembered and proposed,
 * with a way into the inbox.
 */
import * as vscode from 'vscode';
import type { Job } from '../engine/index.ts';
import type { EngineAccess } from './engineAccess.ts';
import type { HostState } from './hostState.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

const LOOKED_AT = 5;

export class Receipts implements vscode.Disposable {
  readonly #engine: EngineAccess;
  readonly #workspace: WorkspaceTarget;
  readonly #subscription: vscode.Disposable;
  #revision = 0;
  /** Jobs that ended before are no news; the first look only takes note. */
  #seen: Set<string> | undefined;

  constructor(engine: EngineAccess, state: HostState, workspace: WorkspaceTarget) {
    this.#engine = engine;
    this.#workspace = workspace;
    this.#subscription = state.onDidChange(({ revision }) => {
      if (revision === this.#revision || !vscode.workspace.getConfiguration('cairn.editor').get<boolean>('receipts', false)) return;
      this.#revision = revision;
      void this.#look();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #look(): Promise<void> {
    const place = this.#workspace.current;
    if (place.kind !== 'folder') return;
    try {
      const { jobs } = await this.#engine.ask<{ jobs: readonly Job[] }>('jobs', { limit: LOOKED_AT }, place.target);
      const ended = jobs.filter((job) => job.endedAt !== undefined && (job.purpose === 'extract' || job.purpose === 'summary'));
      const news = this.#seen === undefined ? [] : ended.filter((job) => !this.#seen?.has(job.id));
      this.#seen = new Set(ended.map((job) => job.id));
      const total = (name: string): number => news.reduce((sum, job) => sum + (typeof job.detail?.[name] === 'number' ? job.detail[name] : 0), 0);
      const [remembered, proposed] = [total('remembered'), total('proposed')];
      if (remembered + proposed === 0) return;
      const review = vscode.l10n.t('Review');
      if (await vscode.window.showInformationMessage(vscode.l10n.t('From the session: {0} remembered, {1} proposed.', remembered, proposed), review) === review) await vscode.commands.executeCommand('cairn.showInbox');
    } catch {
      // A receipt is a courtesy; whatever failed is in the log and shown by the views.
    }
  }
}
