/**
 * Sources: from a memory back to where it came from or points to: the anchored code,
 * the turn of a transcript, two versions of its text side by side.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import type { Anchor, MemoryDetail, Provenance } from '../engine/index.ts';
import type { HostState } from './hostState.ts';
import { readSelection } from './remember/selection.ts';
import { absoluteInRoot, relativeToRoot } from './repositoryPaths.ts';

/** Read-only documents of ours: texts of memories and kept turns. */
export const TEXT_SCHEME = 'cairn-memory';
const KEPT_DOCUMENTS = 40;

export class Sources implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #state: HostState;
  readonly #registration: vscode.Disposable;
  readonly #texts = new Map<string, string>();
  #lastId = 0;

  constructor(state: HostState) {
    this.#state = state;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(TEXT_SCHEME, this);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? vscode.l10n.t('This text is no longer held. Open it again from the sidebar.');
  }

  async openAnchor({ memory, anchorChecks }: MemoryDetail, index: number): Promise<void> {
    const anchor = anchorChecks[index]?.now ?? memory.anchors[index];
    const root = this.#state.root;
    const file = anchor === undefined || root === undefined ? undefined : absoluteInRoot(root, anchor.path);
    if (anchor === undefined || file === undefined) throw new Error(vscode.l10n.t('This memory points to no file of the open folder.'));
    const uri = vscode.Uri.file(file);
    try {
      await vscode.workspace.fs.stat(uri);
    } catch (error) {
      if (anchor.snippet === undefined) throw new Error(vscode.l10n.t('{0} is gone.', anchor.path), { cause: error });
      await this.#openText(path.basename(anchor.path), anchor.snippet);
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} is gone. This is the code as it was.', anchor.path));
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const last = document.lineCount - 1;
    const start = Math.min(Math.max(0, (anchor.startLine ?? 1) - 1), last);
    const end = Math.min(Math.max(start, (anchor.endLine ?? anchor.startLine ?? 1) - 1), last);
    await vscode.window.showTextDocument(document, { selection: anchor.startLine === undefined ? undefined : new vscode.Range(start, 0, end, document.lineAt(end).text.length) });
  }

  /** The first file of these anchors whose text in the editor is not the one on disk. */
  unsavedFile(anchors: readonly Anchor[]): string | undefined {
    const root = this.#state.root;
    if (root === undefined) return undefined;
    const unsaved = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && uri.scheme === 'file').map(({ uri }) => relativeToRoot(root, uri.fsPath));
    return anchors.find(({ path: file }) => unsaved.includes(file))?.path;
  }

  /** The lines that are selected in the editor the person was at last. */
  async selectedAnchor(): Promise<Anchor> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) throw new Error(vscode.l10n.t('Open the file first, and select the lines the memory is about.'));
    const { anchor, name } = await readSelection(editor, this.#state.root);
    if (anchor === undefined) throw new Error(vscode.l10n.t('{0} is not a file of the open folder.', name));
    return anchor;
  }

  /** The turn in the transcript; where that cannot be opened, the turn as it was kept. */
  async openTurn(from: Provenance): Promise<void> {
    const { transcriptPath, turnKey, context, quote } = from;
    const document = transcriptPath === undefined ? undefined : await this.#openTranscript(transcriptPath);
    if (document !== undefined) {
      const messageId = turnKey?.split(':')[0];
      const at = messageId === undefined ? -1 : document.getText().indexOf(messageId);
      const line = at === -1 ? 0 : document.positionAt(at).line;
      await vscode.window.showTextDocument(document, { selection: new vscode.Range(line, 0, line, 0) });
      return;
    }
    const kept = context ?? quote;
    if (kept === undefined) throw new Error(vscode.l10n.t('The transcript is gone and nothing of it was kept.'));
    await this.#openText(vscode.l10n.t('kept turn.md'), kept);
  }

  async compare({ history }: MemoryDetail, changeId: string): Promise<void> {
    const index = history.findIndex((change) => change.changeId === changeId);
    const step = history[index];
    if (step === undefined) throw new Error(vscode.l10n.t('That step of the history is not there.'));
    const before = step.before ?? history[index - 1]?.after;
    await vscode.commands.executeCommand('vscode.diff', this.#hold('before.md', before?.text ?? ''), this.#hold('after.md', step.after.text), vscode.l10n.t('Memory: version {0} and {1}', (before?.version ?? step.version - 1), step.version), { preview: true });
  }

  /** A read-only document of ours, for reports. */
  async showText(name: string, text: string): Promise<void> {
    await this.#openText(name, text);
  }

  /** Undefined where Claude Code removed it (after 30 days), or where it is larger than the editor opens (50 MB). */
  async #openTranscript(file: string): Promise<vscode.TextDocument | undefined> {
    try {
      return await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    } catch {
      return undefined; // an expected answer: the turn as it was kept is shown instead
    }
  }

  async #openText(name: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(this.#hold(name, text)), { preview: true });
  }

  #hold(name: string, text: string): vscode.Uri {
    this.#lastId += 1;
    const uri = vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${this.#lastId}/${name}` });
    this.#texts.set(uri.toString(), text);
    const oldest = this.#texts.keys().next().value;
    if (this.#texts.size > KEPT_DOCUMENTS && oldest !== undefined) this.#texts.delete(oldest);
    return uri;
  }
}
