/**
 * HostState: the snapshot of everything around the lists (state, repository, branch,
 * counts, active file), kept by asking the engine's `status` whenever a store, the
 * active editor or the workspace changes. Views, status bar and decorations listen here.
 */
import * as vscode from 'vscode';
import { isCairnError } from '../base/errors.ts';
import type { StatusOutput } from '../operations/status.ts';
import type { HostSnapshot } from '../protocol/index.ts';
import type { EngineAccess } from './engineAccess.ts';
import { degradationSentence } from './engineWords.ts';
import { relativeToRoot } from './repositoryPaths.ts';
import type { WorkspaceTarget } from './workspaceTarget.ts';

/** Degradations that pass by themselves or only concern one answer. */
const PASSING = new Set(['embedder_absent', 'embedder_starting', 'vectors_pending', 'script_unread', 'limit_capped', 'index_rebuilding', 'working_tree_unchecked', 'repository_skipped']);
/** Changes come in bursts (an import, a rebase): one question for all of them. */
const SETTLE_MS = 60;
/** Within the two seconds in which one window sees what another did. */
const UNKNOWN_LOOK_MS = 1_200;

export class HostState implements vscode.Disposable {
  readonly #engine: EngineAccess;
  readonly #workspace: WorkspaceTarget;
  readonly #unsupported: string | undefined;
  readonly #changed = new vscode.EventEmitter<HostSnapshot>();
  readonly #subscriptions: vscode.Disposable[] = [];
  #status: StatusOutput | undefined;
  #failure: Error | undefined;
  #waitingBecause: string | undefined;
  #revision = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unknownTimer: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;
  #awake = false;
  #place: string;
  readonly onDidChange = this.#changed.event;

  constructor(engine: EngineAccess, workspace: WorkspaceTarget, unsupported: string | undefined) {
    this.#engine = engine;
    this.#workspace = workspace;
    this.#unsupported = unsupported;
    this.#place = this.#placeKey();
    this.#subscriptions.push(
      this.#changed,
      workspace.onDidChange(() => { this.#moved(); }),
      engine.onDidChange(() => { this.#revision += 1; this.refresh(); }),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#unknownTimer);
    this.#asking?.abort();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** The last answer of `status`; undefined before the first. */
  get status(): StatusOutput | undefined {
    return this.#status;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Why batches wait to be read by a model; undefined where none do. */
  get waitingBecause(): string | undefined {
    return this.#waitingBecause;
  }

  noteWaiting(because: string | undefined): void {
    if (because === this.#waitingBecause) return;
    this.#waitingBecause = because;
    this.#changed.fire(this.snapshot);
  }

  /** Absolute path of the repository's working tree. */
  get root(): string | undefined {
    return this.#status?.repository?.root ?? this.#workspace.current.folder?.uri.fsPath;
  }

  get snapshot(): HostSnapshot {
    const place = this.#workspace.current;
    const status = this.#status;
    const { state, reason } = this.#state();
    return {
      state,
      ...(reason === undefined ? {} : { reason }),
      workspace: place.kind,
      folders: this.#workspace.folders.map((folder) => ({ name: folder.name, active: folder.index === place.folder?.index })),
      ...(status?.repository === undefined || place.kind !== 'folder' ? {} : { repository: { id: status.repository.id, name: status.repository.name } }),
      ...(status?.branch === undefined || place.kind !== 'folder' ? {} : { branch: status.branch }),
      counts: { memories: (status?.counts.repository ?? 0) + (status?.counts.user ?? 0), user: status?.counts.user ?? 0, inbox: status?.inbox ?? 0 },
      ...this.#activeFile(),
      revision: this.#revision,
    };
  }

  /** From now on there is a view or a status to keep: the engine may be started. */
  wake(): void {
    this.#awake = true;
    this.refresh();
  }

  /** Asks again soon. Does nothing before `wake`. */
  refresh(): void {
    if (!this.#awake || this.#unsupported !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { void this.refreshNow(); }, SETTLE_MS);
  }

  /** Everybody asks again, whether or not a store says that it changed. */
  bump(): void {
    this.#revision += 1;
    this.#changed.fire(this.snapshot);
    this.refresh();
  }

  /** Another folder is another memory: lists ask again. Another file in it only moves the section about it. */
  #moved(): void {
    const place = this.#placeKey();
    if (place !== this.#place) {
      this.#place = place;
      this.#revision += 1;
    }
    this.#changed.fire(this.snapshot);
    this.refresh();
  }

  #placeKey(): string {
    const { folder, kind } = this.#workspace.current;
    return `${kind} ${folder?.uri.toString() ?? ''}`;
  }

  async refreshNow(): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const status = await this.#engine.ask<StatusOutput>('status', {}, this.#workspace.current.target, { signal: asking.signal });
      if (asking.signal.aborted) return;
      // Two answers about one folder may name another repository: it was registered meanwhile, perhaps by another window.
      if (status.repository?.id !== this.#status?.repository?.id) this.#revision += 1;
      this.#status = status;
      this.#failure = undefined;
      this.#lookAgain(status);
      if (this.#revision === 0) this.#revision = 1;
    } catch (error) {
      if (asking.signal.aborted || (isCairnError(error) && error.code === 'CANCELLED')) return;
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    this.#changed.fire(this.snapshot);
  }

  /** A folder that nobody has remembered anything in has no store that could tell of a change, so it is asked for. */
  #lookAgain(status: StatusOutput): void {
    clearTimeout(this.#unknownTimer);
    if (status.repository === undefined && this.#workspace.current.kind === 'folder') this.#unknownTimer = setTimeout(() => { void this.refreshNow(); }, UNKNOWN_LOOK_MS);
  }

  #state(): { state: HostSnapshot['state']; reason?: string } {
    if (this.#unsupported !== undefined) return { state: 'unsupported', reason: this.#unsupported };
    if (this.#failure !== undefined) return { state: 'failed', reason: this.#failure.message };
    const status = this.#status;
    if (status === undefined) return { state: 'starting' };
    if (status.paused) return { state: 'paused' };
    if (!status.enabled && this.#workspace.current.kind === 'folder') return { state: 'off' };
    const lasting = status.degradations.filter((degradation) => !PASSING.has(degradation.part));
    if (lasting.length > 0) return { state: 'degraded', reason: lasting.map(degradationSentence).join('\n') };
    return { state: 'on' };
  }

  #activeFile(): { activeFile?: { path: string; name: string } } {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const root = this.#workspace.current.kind === 'folder' ? this.root : undefined;
    if (uri?.scheme !== 'file' || root === undefined) return {};
    const path = relativeToRoot(root, uri.fsPath);
    return path === undefined ? {} : { activeFile: { path, name: path.split('/').at(-1) ?? path } };
  }
}
