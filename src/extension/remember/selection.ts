/**
 * What of an editor becomes an anchor: lines, symbol, snippet. No selection means the
 * line of the cursor; a selection that ends at the start of a line does not mean that line.
 */
import * as vscode from 'vscode';
import { hashLines } from '../anchors/locateAnchor.ts';
import { relativeToRoot } from '../repositoryPaths.ts';

export const SNIPPET_LENGTH = 4_000;

export interface SelectedCode {
  /** As selected; the whole lines where nothing was. */
  readonly text: string;
  readonly languageId: string;
  /** Name for a person: relative path, or the document's own name. */
  readonly name: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Absent for untitled documents and files outside of the repository. */
  readonly anchor?: { readonly path: string; readonly symbol?: string; readonly startLine: number; readonly endLine: number; readonly contentHash: string; readonly snippet: string };
}

/** Lines, 1-based and inclusive, that a selection means. */
export function linesOf(selection: vscode.Selection): { startLine: number; endLine: number } {
  const { start, end, isEmpty } = selection;
  const last = !isEmpty && end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { startLine: start.line + 1, endLine: last + 1 };
}

export async function readSelection(editor: Pick<vscode.TextEditor, 'document' | 'selection'>, root: string | undefined): Promise<SelectedCode> {
  const { document, selection } = editor;
  const { startLine, endLine } = linesOf(selection);
  const lines = document.getText(new vscode.Range(startLine - 1, 0, endLine - 1, document.lineAt(endLine - 1).text.length));
  const text = selection.isEmpty ? lines : document.getText(selection);
  const path = root === undefined || document.uri.scheme !== 'file' ? undefined : relativeToRoot(root, document.uri.fsPath);
  const name = path ?? (document.isUntitled ? document.fileName : vscode.workspace.asRelativePath(document.uri));
  const common = { text, languageId: document.languageId, name, startLine, endLine };
  if (path === undefined) return common;
  const symbol = await symbolAt(document.uri, startLine - 1, endLine - 1);
  return { ...common, anchor: { path, startLine, endLine, contentHash: hashLines(lines.split(/\r?\n/)), snippet: cutSnippet(lines), ...(symbol === undefined ? {} : { symbol }) } };
}

/** At most SNIPPET_LENGTH characters, ending at a line where that leaves something, never inside a surrogate pair. */
export function cutSnippet(text: string): string {
  if (text.length <= SNIPPET_LENGTH) return text;
  const cut = text.slice(0, SNIPPET_LENGTH);
  const lineEnd = cut.lastIndexOf('\n');
  const whole = lineEnd > SNIPPET_LENGTH / 2 ? cut.slice(0, lineEnd) : cut;
  return /[\uD800-\uDBFF]$/.test(whole) ? whole.slice(0, -1) : whole;
}

/** Name of the innermost symbol that holds the lines, with its parents: `Orders.save`. */
async function symbolAt(uri: vscode.Uri, startLine: number, endLine: number): Promise<string | undefined> {
  try {
    const symbols = await within(vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>('vscode.executeDocumentSymbolProvider', uri), SYMBOL_WAIT_MS);
    const names: string[] = [];
    let level = (symbols ?? []).filter((symbol): symbol is vscode.DocumentSymbol => 'children' in symbol);
    for (;;) {
      const inside = level.find(({ range }) => range.start.line <= startLine && range.end.line >= endLine) ?? level.find(({ range }) => range.start.line >= startLine && range.end.line <= endLine);
      if (inside === undefined) break;
      names.push(inside.name);
      level = inside.children;
    }
    return names.length === 0 ? undefined : names.join('.').slice(0, 512);
  } catch {
    return undefined; // A language server that fails must not keep anybody from remembering a line.
  }
}

/** A language server that is still starting may take long; the anchor stands without a symbol. */
const SYMBOL_WAIT_MS = 400;

async function within<T>(work: Thenable<T>, waitMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => { resolve(undefined); }, waitMs); });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `src/a.ts:3-5` */
export const placeOf = (code: Pick<SelectedCode, 'name' | 'startLine' | 'endLine'>): string => `${code.name}:${code.startLine === code.endLine ? code.startLine : `${code.startLine}-${code.endLine}`}`;

/** The statement when the person gave none [C2]. */
export const defaultText = (code: SelectedCode): string => (code.anchor?.symbol === undefined ? `See ${placeOf(code)}` : `See ${code.anchor.symbol} in ${placeOf(code)}`);
