/**
 * WorkspaceTarget: which repository the person is in. The folder of the active editor
 * decides; without one, the folder that was active last; else the first. Untrusted and
 * virtual folders give no repository: nothing of them is read.
 */
import * as vscode from 'vscode';
import type { Target } from '../worker/engineClient.ts';

export type WorkspaceKind = 'folder' | 'none' | 'virtual' | 'untrusted';

export interface Place {
  readonly kind: WorkspaceKind;
  readonly folder?: vscode.WorkspaceFolder;
  readonly target: Target;
}

export class WorkspaceTarget implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  #lastFolder: vscode.WorkspaceFolder | undefined;
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#note(vscode.window.activeTextEditor);
    this.#subscriptions = [
      this.#changed,
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.#note(editor);
        this.#changed.fire();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => { this.#changed.fire(); }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => { this.#changed.fire(); }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get folders(): readonly vscode.WorkspaceFolder[] {
    return vscode.workspace.workspaceFolders ?? [];
  }

  get current(): Place {
    const folders = this.folders;
    if (folders.length === 0) return { kind: 'none', target: { userOnly: true } };
    if (!vscode.workspace.isTrusted) return { kind: 'untrusted', target: { userOnly: true } };
    const known = this.#lastFolder !== undefined && folders.some((folder) => folder.uri.toString() === this.#lastFolder?.uri.toString()) ? this.#lastFolder : undefined;
    const folder = known?.uri.scheme === 'file' ? known : folders.find((candidate) => candidate.uri.scheme === 'file');
    if (folder === undefined) return { kind: 'virtual', target: { userOnly: true } };
    return { kind: 'folder', folder, target: { cwd: folder.uri.fsPath } };
  }

  /** The place of a document, whichever editor is active. */
  placeOf(uri: vscode.Uri): Place {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined || folder.uri.scheme !== 'file' || !vscode.workspace.isTrusted) return this.current;
    return { kind: 'folder', folder, target: { cwd: folder.uri.fsPath } };
  }

  #note(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined) return;
    const folder = vscode.workspace.getWorkspaceFolder(editor.document.uri);
    if (folder !== undefined) this.#lastFolder = folder;
  }
}
