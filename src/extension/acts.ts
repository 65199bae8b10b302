/**
 * Acts: everything the editor changes in memories, each with its way back. The last
 * acts of this window are remembered so that Undo takes back what the person did here,
 * not what a Claude session did meanwhile.
 */
import * as vscode from 'vscode';
import { CairnError, isCairnError } from '../base/errors.ts';
import type { Anchor, Memory, MemoryChange, RememberResult } from '../engine/index.ts';
import type { RememberOperationInput } from '../operations/remember.ts';
import type { DetailPatch, Done } from '../protocol/index.ts';
import type { Target } from '../worker/engineClient.ts';
import type { EngineAccess } from './engineAccess.ts';

export type Verb = 'forget' | 'archive' | 'restore' | 'pin' | 'unpin';

interface Act {
  readonly what: string;
  takeBack(): Promise<void>;
}

const KEPT_ACTS = 50;

export class Acts {
  readonly #engine: EngineAccess;
  readonly #target: () => Target;
  readonly #unsavedFile: (anchors: readonly Anchor[]) => string | undefined;
  readonly #done = new vscode.EventEmitter<void>();
  #past: Act[] = [];
  #running: Promise<unknown> = Promise.resolve();
  /** Fires after each act, before the store's own notice arrives. */
  readonly onDidAct = this.#done.event;

  constructor(engine: EngineAccess, target: () => Target, unsavedFile: (anchors: readonly Anchor[]) => string | undefined) {
    this.#engine = engine;
    this.#target = target;
    this.#unsavedFile = unsavedFile;
  }

  /** In the order in which the person acted: Undo means the act before it, also one that is still on its way. */
  async inOrder<T>(act: () => Promise<T>): Promise<T> {
    const running = this.#running.then(act);
    this.#running = running.catch(() => undefined); // Whoever acted is told; what follows does not depend on it.
    return running;
  }

  async remember(input: RememberOperationInput, target: Target, surface: 'selection' | 'extension'): Promise<RememberResult> {
    const result = await this.#engine.ask<RememberResult>('remember', input, target, { surface });
    if (result.outcome !== 'duplicate' && result.outcome !== 'inbox' && result.outcome !== 'conflict') await this.#keepNewest(result.id, target, vscode.l10n.t('Remembered'));
    this.#done.fire();
    return result;
  }

  async change(verb: Verb, ids: readonly string[]): Promise<Done> {
    return this.inOrder(async () => this.#change(verb, ids));
  }

  async #change(verb: Verb, ids: readonly string[]): Promise<Done> {
    const target = this.#target();
    if (verb === 'pin' || verb === 'unpin') {
      const actIds: string[] = [];
      for (const id of ids) actIds.push((await this.#engine.ask<{ actId: string }>('updateMemory', { id, patch: { pinned: verb === 'pin' } }, target)).actId);
      return this.#finish(actIds, target, verb === 'pin' ? vscode.l10n.t('Pinned') : vscode.l10n.t('Unpinned'), ids.length);
    }
    const { actId } = await this.#engine.ask<{ actId: string }>(verb, { ids }, target);
    const what = verb === 'forget' ? vscode.l10n.t('Forgotten') : verb === 'archive' ? vscode.l10n.t('Archived') : vscode.l10n.t('Restored');
    return this.#finish([actId], target, what, ids.length);
  }

  async edit(id: string, patch: DetailPatch & { readonly anchors?: readonly Anchor[] }, expectedVersion?: number, reason?: string): Promise<Done> {
    return this.inOrder(async () => {
      const target = this.#target();
      const { actId } = await this.#engine.ask<{ actId: string }>('updateMemory', { id, patch, ...(expectedVersion === undefined ? {} : { expectedVersion }), ...(reason === undefined ? {} : { reason }) }, target);
      return this.#finish([actId], target, vscode.l10n.t('Saved'), 1);
    });
  }

  async stillTrue(id: string): Promise<Done> {
    return this.inOrder(async () => {
      const target = this.#target();
      const { memory } = await this.#engine.ask<{ memory: Memory }>('getMemory', { id }, target);
      const unsaved = this.#unsavedFile(memory.anchors);
      // What is on screen is what the person judges, and what is on disk is what the memory would be anchored to.
      if (unsaved !== undefined) throw new Error(vscode.l10n.t('Save {0} first: a memory is anchored to the code on disk.', unsaved));
      const { actId } = await this.#engine.ask<{ actId: string }>('stillTrue', { id }, target);
      return this.#finish([actId], target, vscode.l10n.t('Confirmed; anchored to the code as it is'), 1);
    });
  }

  async notRelevant(id: string, query: string | undefined): Promise<Done> {
    return this.inOrder(async () => {
      const target = this.#target();
      const { actId } = await this.#engine.ask<{ actId: string }>('notRelevant', { id, ...(query === undefined || query === '' ? {} : { query }) }, target);
      return this.#finish([actId], target, vscode.l10n.t('Noted; it will rank a little lower'), 1);
    });
  }

  /** Decisions of the inbox have a way back of their own. */
  decided(ids: readonly string[], what: string): Done {
    const target = this.#target();
    return this.did(what, async () => { await this.#engine.ask('undoDecision', { ids }, target); });
  }

  /** What was done elsewhere, with its way back. */
  did(what: string, takeBack: () => Promise<void>): Done {
    this.#push({ what, takeBack });
    this.#done.fire();
    return { message: what, undoable: true };
  }

  /** Takes back this window's last act, else the newest one of the store. */
  async undo(): Promise<Done> {
    return this.inOrder(async () => {
      const act = this.#past.pop();
      if (act === undefined) {
        await this.#engine.ask('undo', {}, this.#target());
      } else {
        await act.takeBack();
      }
      this.#done.fire();
      return { message: act === undefined ? vscode.l10n.t('Undone') : vscode.l10n.t('Undone: {0}', act.what), undoable: false };
    });
  }

  async #undoOne(actId: string, target: Target): Promise<void> {
    try {
      await this.#engine.ask('undo', { actId }, target);
    } catch (error) {
      if (isCairnError(error) && error.code === 'VERSION_CONFLICT') throw new CairnError('VERSION_CONFLICT', vscode.l10n.t('The memory was changed again since, by you elsewhere or by Claude. See its History to restore an older text.'), { cause: error });
      throw error;
    }
  }

  async #keepNewest(id: string, target: Target, what: string): Promise<void> {
    const { changes } = await this.#engine.ask<{ changes: readonly MemoryChange[] }>('history', { id }, target);
    const newest = changes.at(-1);
    if (newest !== undefined) this.#pushActs([newest.actId], target, what);
  }

  #finish(actIds: readonly string[], target: Target, what: string, count: number): Done {
    this.#pushActs(actIds, target, what);
    this.#done.fire();
    return { message: count > 1 ? vscode.l10n.t('{0}: {1} memories', what, count) : what, undoable: true };
  }

  #pushActs(actIds: readonly string[], target: Target, what: string): void {
    this.#push({ what, takeBack: async () => { for (const actId of [...actIds].reverse()) await this.#undoOne(actId, target); } });
  }

  #push(act: Act): void {
    this.#past = [...this.#past.slice(1 - KEPT_ACTS), act];
  }
}
