/**
 * Every command runs behind this: without an engine, a folder or trust a person gets a
 * plain sentence, never an exception.
 */
import * as vscode from 'vscode';
import { isCairnError } from '../../base/errors.ts';
import type { Progress } from '../../operations/index.ts';
import { progressText } from '../engineWords.ts';
import { inTheirLanguage } from '../errorWords.ts';
import type { Log } from '../log.ts';

export class Guard {
  readonly #log: Log;
  readonly #unsupported: string | undefined;

  constructor(log: Log, unsupported: string | undefined) {
    this.#log = log;
    this.#unsupported = unsupported;
  }

  /** Registers a command. `always` also runs where the engine cannot. */
  command(id: string, run: (...args: never[]) => unknown, options: { always?: boolean } = {}): vscode.Disposable {
    return vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      if (this.#unsupported !== undefined && options.always !== true) {
        void vscode.window.showWarningMessage(this.#unsupported);
        return undefined;
      }
      try {
        return await (run as (...given: unknown[]) => unknown)(...args);
      } catch (error) {
        await this.report(id, error);
        return undefined;
      }
    });
  }

  async report(what: string, error: unknown): Promise<void> {
    if (isCairnError(error) && error.code === 'CANCELLED') return;
    this.#log.failed(what, error);
    const show = vscode.l10n.t('Show Log');
    const told = inTheirLanguage(error);
    const chosen = await vscode.window.showErrorMessage(told instanceof Error ? told.message : String(told), show);
    if (chosen === show) this.#log.show();
  }
}

/** Progress with cancel for whatever may take longer than a second. */
export async function withProgress<T>(title: string, run: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => { controller.abort(); });
    let lastPercent = 0;
    return run(controller.signal, (step) => {
      const { done, total } = step;
      const message = progressText(step);
      const percent = total === undefined || total === 0 ? lastPercent : Math.min(100, (100 * done) / total);
      progress.report({ increment: Math.max(0, percent - lastPercent), ...(message === undefined ? {} : { message }) });
      lastPercent = Math.max(lastPercent, percent);
    });
  });
}
