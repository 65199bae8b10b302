/**
 * The output channel "Cairn". No memory text at the default level: operations are named,
 * failures are named by code and sentence.
 */
import * as vscode from 'vscode';
import { isCairnError } from '../base/errors.ts';

export interface Log {
  info(line: string): void;
  debug(line: string): void;
  failed(what: string, error: unknown): void;
  show(): void;
}

export function createLog(): Log & vscode.Disposable {
  const channel = vscode.window.createOutputChannel('Cairn', { log: true });
  return {
    info: (line) => { channel.info(line); },
    debug: (line) => { channel.debug(line); },
    failed: (what, error) => {
      const code = isCairnError(error) ? `${error.code}: ` : '';
      channel.error(`${what}: ${code}${error instanceof Error ? error.message : String(error)}`);
      if (error instanceof Error && !isCairnError(error) && error.stack !== undefined) channel.debug(error.stack);
    },
    show: () => { channel.show(true); },
    dispose: () => { channel.dispose(); },
  };
}
