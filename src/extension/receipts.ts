/**
 * At a session's end, if the person wants it [U10]: how much was remembered and proposed, with a
 * way into the inbox. A session is read in many small jobs; what they found is added up and told
 * once: when its end was captured, or when nothing came of it for a while.
 */
import * as vscode from 'vscode';
import type { Job } from '../engine/index.ts';
import type { EngineAccess } from './engineAccess.ts';
import type { HostState } from './hostState.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

const LOOKED_AT = 50;
/** The end of a job changes no memory, so no event tells of it. */
const LOOK_AGAIN_MS = 5_000;
/** In the editor's panel nothing tells that a session ended; this many looks without news do. */
const SILENT_LOOKS = 60;

export class Receipts implements vscode.Disposable {
  readonly #engine: EngineAccess;
  readonly #workspace: WorkspaceTarget;
  readonly #subscription: vscode.Disposable;
  #revision = 0;
  /** Jobs that ended before are no news; the first look only takes note. */
  #seen: Set<string> | undefined;
  #untold = { remembered: 0, proposed: 0 };
  #looksWithoutNews = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

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
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  async #look(): Promise<void> {
    const place = this.#workspace.current;
    if (place.kind !== 'folder') return;
    try {
      const { jobs } = await this.#engine.ask<{ jobs: readonly Job[] }>('jobs', { limit: LOOKED_AT }, place.target);
      const ended = jobs.filter((job) => job.endedAt !== undefined && job.purpose === 'extract');
      const news = this.#seen === undefined ? [] : ended.filter((job) => !this.#seen?.has(job.id));
      this.#seen = new Set(ended.map((job) => job.id));
      for (const { detail } of news) {
        if (typeof detail?.['remembered'] === 'number') this.#untold.remembered += detail['remembered'];
        if (typeof detail?.['proposed'] === 'number') this.#untold.proposed += detail['proposed'];
      }
      this.#looksWithoutNews = news.length === 0 ? this.#looksWithoutNews + 1 : 0;
      const isUntold = this.#untold.remembered + this.#untold.proposed > 0;
      if (isUntold && (this.#looksWithoutNews >= SILENT_LOOKS || news.some(({ detail }) => detail?.['final'] === true))) return await this.#tell();
      clearTimeout(this.#timer);
      if (isUntold || jobs.some((job) => job.state === 'running')) this.#timer = setTimeout(() => { void this.#look(); }, LOOK_AGAIN_MS);
    } catch {
      // A receipt is a courtesy; whatever failed is in the log and shown by the views.
    }
  }

  async #tell(): Promise<void> {
    const { remembered, proposed } = this.#untold;
    this.#untold = { remembered: 0, proposed: 0 };
    const review = vscode.l10n.t('Review');
    if (await vscode.window.showInformationMessage(vscode.l10n.t('From the session: {0} remembered, {1} proposed.', remembered, proposed), review) === review) await vscode.commands.executeCommand('cairn.showInbox');
  }
}
