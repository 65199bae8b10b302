/**
 * DocumentAnchors: which memories point into the documents on screen, and where they are
 * now. Asks the engine once per document and change of the store; typing only moves
 * what is known, and costs nothing where no memory points.
 */
import * as vscode from 'vscode';
import type { Memory } from '../../engine/index.ts';
import type { ListMemoriesOutput } from '../../operations/index.ts';
import type { EngineAccess } from '../engineAccess.ts';
import type { HostState } from '../hostState.ts';
import { relativeToRoot } from '../repositoryPaths.ts';
import { locateAnchor } from './locateAnchor.ts';
import type { LocatedAnchor } from './locateAnchor.ts';

export interface AnchoredMemory extends LocatedAnchor {
  readonly memory: Memory;
}

/** From an edit to the marks; edits meanwhile wait for the same look, so that steady typing does not put it off. */
const EDIT_SETTLE_MS = 100;
/** More marks than this in one file help nobody. */
const MOST_PER_FILE = 200;

interface Known {
  readonly path: string;
  readonly revision: number;
  readonly memories: readonly Memory[];
  readonly located: readonly AnchoredMemory[];
}

export class DocumentAnchors implements vscode.Disposable {
  readonly #engine: EngineAccess;
  readonly #state: HostState;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, AbortController>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #edited = new Set<vscode.TextDocument>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly onDidChange = this.#changed.event;

  constructor(engine: EngineAccess, state: HostState) {
    this.#engine = engine;
    this.#state = state;
    this.#subscriptions = [
      this.#changed,
      vscode.window.onDidChangeVisibleTextEditors(() => { this.#look(); }),
      state.onDidChange(() => { this.#look(); }),
      vscode.workspace.onDidCloseTextDocument((document) => { this.#known.delete(document.uri.toString()); }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 || (this.#known.get(document.uri.toString())?.memories.length ?? 0) === 0) return;
        this.#edited.add(document);
        this.#timer ??= setTimeout(() => { this.#relocateEdited(); }, EDIT_SETTLE_MS);
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const controller of this.#asking.values()) controller.abort();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  of(uri: vscode.Uri): readonly AnchoredMemory[] {
    return this.#known.get(uri.toString())?.located ?? [];
  }

  /** Asks for documents on screen whose answer is older than the store. Not before the engine runs for another reason. */
  #look(): void {
    const { snapshot, root } = this.#state;
    if (this.#state.status === undefined || snapshot.workspace !== 'folder' || root === undefined) return;
    for (const { document } of vscode.window.visibleTextEditors) {
      const path = document.uri.scheme === 'file' ? relativeToRoot(root, document.uri.fsPath) : undefined;
      const key = document.uri.toString();
      if (path === undefined || this.#known.get(key)?.revision === snapshot.revision) continue;
      void this.#ask(document, path, snapshot.revision);
    }
  }

  async #ask(document: vscode.TextDocument, path: string, revision: number): Promise<void> {
    const key = document.uri.toString();
    this.#asking.get(key)?.abort();
    const controller = new AbortController();
    this.#asking.set(key, controller);
    try {
      const page = await this.#engine.ask<ListMemoriesOutput>('listMemories', { path, stores: ['repository'], statuses: ['active'], limit: MOST_PER_FILE }, { cwd: this.#state.root ?? '' }, { signal: controller.signal });
      const memories = page.memories.map(({ memory }) => memory).filter((memory) => memory.anchors.some((anchor) => anchor.path === path));
      this.#known.set(key, { path, revision, memories, located: locateAll(document, path, memories) });
      this.#changed.fire(document.uri);
    } catch {
      // Marks are an extra: the failure is in the log and in the sidebar, which asks the same store.
      this.#known.delete(key);
    } finally {
      if (this.#asking.get(key) === controller) this.#asking.delete(key);
    }
  }

  #relocateEdited(): void {
    this.#timer = undefined;
    const edited = [...this.#edited];
    this.#edited.clear();
    for (const document of edited) this.#relocate(document);
  }

  #relocate(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    const known = this.#known.get(key);
    if (known === undefined || document.isClosed) return;
    this.#known.set(key, { ...known, located: locateAll(document, known.path, known.memories) });
    this.#changed.fire(document.uri);
  }
}

function locateAll(document: vscode.TextDocument, path: string, memories: readonly Memory[]): AnchoredMemory[] {
  if (memories.length === 0) return [];
  const lines = document.getText().split(/\r?\n/);
  return memories.flatMap((memory) => memory.anchors.filter((anchor) => anchor.path === path).flatMap((anchor) => {
    const located = locateAnchor(lines, anchor);
    return located === undefined ? [] : [{ ...located, memory }];
  }));
}
