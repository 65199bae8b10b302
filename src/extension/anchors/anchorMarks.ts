/**
 * What the code shows of memories: a mark in the gutter on the first anchored line,
 * dimmed when stale; a hover with the statement and what one can do; a CodeLens by
 * setting; quick fixes for stale anchors.
 */
import * as vscode from 'vscode';
import { kindWord } from '../kindWords.ts';
import { shortened } from '../shortened.ts';
import type { AnchoredMemory, DocumentAnchors } from './documentAnchors.ts';

const COMMANDS = ['cairn.memory.open', 'cairn.memory.stillTrue', 'cairn.memory.edit', 'cairn.memory.archive'];
const LENS_LENGTH = 80;

export function registerAnchorMarks(anchors: DocumentAnchors, extensionUri: vscode.Uri, now: () => number): vscode.Disposable {
  const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', `${name}.svg`);
  const type = (name: string): vscode.TextEditorDecorationType => vscode.window.createTextEditorDecorationType({ light: { gutterIconPath: icon(`${name}-light`) }, dark: { gutterIconPath: icon(`${name}-dark`) }, gutterIconSize: '70%', rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed });
  const fresh = type('gutter');
  const stale = type('gutter-stale');
  const lensChanged = new vscode.EventEmitter<void>();
  const setting = (name: string): boolean => vscode.workspace.getConfiguration('cairn.editor').get<boolean>(name) === true;
  const paint = (editor: vscode.TextEditor): void => {
    const located = setting('gutter') ? anchors.of(editor.document.uri) : [];
    const ranges = (wanted: boolean): vscode.Range[] => located.filter((one) => one.stale === wanted).map((one) => new vscode.Range(one.startLine, 0, one.startLine, 0));
    editor.setDecorations(fresh, ranges(false));
    editor.setDecorations(stale, ranges(true));
  };
  const paintAll = (): void => { for (const editor of vscode.window.visibleTextEditors) paint(editor); };
  const selector: vscode.DocumentSelector = { scheme: 'file' };
  return vscode.Disposable.from(
    fresh, stale, lensChanged,
    anchors.onDidChange((uri) => {
      for (const editor of vscode.window.visibleTextEditors) if (editor.document.uri.toString() === uri.toString()) paint(editor);
      lensChanged.fire();
    }),
    vscode.window.onDidChangeVisibleTextEditors(paintAll),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration('cairn.editor')) return;
      paintAll();
      lensChanged.fire();
    }),
    vscode.languages.registerHoverProvider(selector, { provideHover: (document, position) => hover(anchors.of(document.uri).filter((one) => one.startLine <= position.line && one.endLine >= position.line), now()) }),
    vscode.languages.registerCodeLensProvider(selector, { onDidChangeCodeLenses: lensChanged.event, provideCodeLenses: (document) => (setting('codeLens') ? anchors.of(document.uri).map(lens) : []) }),
    vscode.languages.registerCodeActionsProvider(selector, { provideCodeActions: (document, range) => anchors.of(document.uri).filter((one) => one.stale && one.startLine <= range.end.line && one.endLine >= range.start.line).flatMap(staleActions) }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
  );
}

const commandLink = (title: string, command: string, id: string): string => `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([id]))})`;

function hover(located: readonly AnchoredMemory[], now: number): vscode.Hover | undefined {
  if (located.length === 0) return undefined;
  return new vscode.Hover(located.map(({ memory, stale }) => {
    const markdown = new vscode.MarkdownString(undefined, true);
    // Links run these commands and no others, and the statement itself is text: it may come from anybody.
    markdown.isTrusted = { enabledCommands: COMMANDS };
    markdown.appendMarkdown('$(cairn-stones) ');
    markdown.appendText(memory.text);
    markdown.appendMarkdown(`\n\n${kindWord(memory.kind)} · ${ago(memory.updatedAt, now)} (${new Date(memory.updatedAt).toLocaleDateString(vscode.env.language)})${stale ? ` · $(warning) ${vscode.l10n.t('the code changed since')}` : ''}\n\n`);
    const links = [commandLink(vscode.l10n.t('Open'), 'cairn.memory.open', memory.id), commandLink(vscode.l10n.t('Still true'), 'cairn.memory.stillTrue', memory.id), commandLink(vscode.l10n.t('Update'), 'cairn.memory.edit', memory.id), commandLink(vscode.l10n.t('Archive'), 'cairn.memory.archive', memory.id)];
    markdown.appendMarkdown(links.join(' · '));
    return markdown;
  }));
}

const MINUTE_MS = 60_000;
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, minutes: number])[] = [['year', 525_600], ['month', 43_200], ['week', 10_080], ['day', 1_440], ['hour', 60], ['minute', 1]];

/** "3w ago", in the editor's language. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / MINUTE_MS);
  const [unit, size] = UNITS.find(([, least]) => minutes >= least) ?? ['minute', 1] as const;
  return new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto', style: 'narrow' }).format(-Math.max(0, Math.floor(minutes / size)), unit);
}

function lens({ memory, startLine, stale }: AnchoredMemory): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(startLine, 0, startLine, 0), { command: 'cairn.memory.open', title: `$(${stale ? 'warning' : 'cairn-stones'}) ${shortened(memory.text, LENS_LENGTH).replaceAll('$(', '$ (')}`, arguments: [memory.id] });
}

function staleActions({ memory }: AnchoredMemory): vscode.CodeAction[] {
  const action = (title: string, command: string): vscode.CodeAction => {
    const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    made.command = { command, title, arguments: [memory.id] };
    return made;
  };
  return [action(vscode.l10n.t('Memory is still true'), 'cairn.memory.stillTrue'), action(vscode.l10n.t('Update the memory'), 'cairn.memory.edit'), action(vscode.l10n.t('Archive the memory'), 'cairn.memory.archive')];
}
