/**
 * SessionCapture: follows Claude Code's session files of the trusted folders in which memory
 * is on, and hands what is new to the engine [C3]. In the editor's panel several hooks never
 * fire; this makes capture work there. Turns that a hook took already are taken once.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import { isCairnError } from '../base/errors.ts';
import { SessionWatcher } from '../transcripts/index.ts';
import type { SessionFile } from '../transcripts/index.ts';
import type { SaveOutput } from '../operations/index.ts';
import type { EngineAccess } from './engineAccess.ts';
import type { HostState } from './hostState.ts';
import type { Log } from './log.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

export interface SessionCaptureParts {
  readonly engine: EngineAccess;
  readonly state: HostState;
  readonly workspace: WorkspaceTarget;
  readonly log: Log;
  /** `~/.claude` or CLAUDE_CONFIG_DIR. */
  readonly claudeDirectory: string;
  readonly now: () => number;
}

/** Older sessions are backfill's; a window that was closed for a while catches up with what it missed. */
const CATCH_UP_MS = 24 * 3_600_000;
/** The clocks of client, engine and editor are one only roughly. */
const LEAST_WAIT_MS = 200;

export const claudeDirectoryOf = (env: Readonly<Record<string, string | undefined>>, osHome: string): string => env['CLAUDE_CONFIG_DIR'] ?? path.join(osHome, '.claude');

export class SessionCapture implements vscode.Disposable {
  readonly #parts: SessionCaptureParts;
  readonly #watchers = new Map<string, SessionWatcher>();
  /** Session files that fell silent soon: a last turn alone is due after idle time [E2], and no event tells of that. */
  readonly #idle = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(parts: SessionCaptureParts) {
    this.#parts = parts;
    this.#subscriptions = [parts.state.onDidChange((snapshot) => { this.#follow(snapshot.state === 'on' || snapshot.state === 'degraded'); }), vscode.workspace.onDidChangeWorkspaceFolders(() => { this.#forgetFolders(); })];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const watcher of this.#watchers.values()) watcher.dispose();
    this.#watchers.clear();
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
  }

  /** Starts or stops following the folder that the state is about. */
  #follow(isOn: boolean): void {
    const place = this.#parts.workspace.current;
    if (place.kind !== 'folder' || place.folder === undefined) return;
    const root = place.folder.uri.fsPath;
    const running = this.#watchers.get(root);
    if (!isOn) {
      running?.dispose();
      this.#watchers.delete(root);
      return;
    }
    if (running !== undefined) return;
    const watcher = new SessionWatcher({
      claudeDirectory: this.#parts.claudeDirectory,
      roots: [root],
      changedSince: this.#parts.now() - CATCH_UP_MS,
      onSession: async (file) => this.#take(root, file),
      onError: (error) => { this.#parts.log.failed('session files', error); },
    });
    this.#watchers.set(root, watcher);
    void watcher.start();
  }

  #forgetFolders(): void {
    const folders = new Set(this.#parts.workspace.folders.map((folder) => folder.uri.fsPath));
    for (const [root, watcher] of this.#watchers) {
      if (folders.has(root)) continue;
      watcher.dispose();
      this.#watchers.delete(root);
    }
  }

  /** Of a session that falls silent no event tells: the engine says when its last turns are due. */
  #takeWhenIdle(root: string, file: SessionFile, dueAt: number): void {
    clearTimeout(this.#idle.get(file.path));
    this.#idle.set(file.path, setTimeout(() => {
      this.#idle.delete(file.path);
      if (this.#watchers.has(root)) void this.#take(root, file);
    }, Math.max(LEAST_WAIT_MS, dueAt - this.#parts.now())));
  }

  async #take(root: string, file: SessionFile): Promise<void> {
    try {
      const { run } = await this.#parts.engine.ask<SaveOutput>('saveConversation', { sessionId: file.sessionId, transcriptPath: file.path, final: false }, { cwd: root });
      if (run.idleDueAt !== undefined && this.#watchers.has(root)) this.#takeWhenIdle(root, file, run.idleDueAt);
    } catch (error) {
      // Switched off or paused meanwhile is an answer, not a fault; anything else was logged by EngineAccess and is tried at the next change.
      if (isCairnError(error) && error.code === 'CONSENT_REQUIRED') this.#follow(false);
    }
  }
}
