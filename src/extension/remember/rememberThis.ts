/**
 * Remember This, on whatever the person has at hand: a selection, a file, a terminal's
 * selection, a problem, Claude's last answer. One quick input asks for the why; what is
 * stored, and where it points, is decided here, everything else by the operation.
 */
import * as vscode from 'vscode';
import { MAX_TEXT_LENGTH } from './limits.ts';
import type { RememberResult } from '../../engine/index.ts';
import type { RememberOperationInput } from '../../operations/remember.ts';
import type { Acts } from '../acts.ts';
import { shortened } from '../shortened.ts';
import type { HostState } from '../hostState.ts';
import type { Place, WorkspaceTarget } from '../workspaceTarget.ts';
import type { Target } from '../../worker/engineClient.ts';
import { askRemark } from './remarkInput.ts';
import type { RemarkQuestion } from './remarkInput.ts';
import type { Remark } from './remark.ts';
import { suggestKind } from './remark.ts';
import { defaultText, placeOf, readSelection } from './selection.ts';
import type { SelectedCode } from './selection.ts';

export interface RememberParts {
  readonly acts: Acts;
  readonly state: HostState;
  readonly workspace: WorkspaceTarget;
  /** Tags in use there, most used first. */
  readonly tagsOf: (target: Target) => Promise<readonly string[]>;
  /** Says "Remembered" with Undo and Open, where the person looks. */
  readonly announce: (result: RememberResult) => void;
}

const MAX_QUOTE_LENGTH = 2_000;

export type Outcome = RememberResult | undefined;

export class RememberThis {
  readonly #parts: RememberParts;

  constructor(parts: RememberParts) {
    this.#parts = parts;
  }

  /** The selection of the active editor, or the line of its cursor. */
  async selection(editor = vscode.window.activeTextEditor): Promise<Outcome> {
    if (editor === undefined) return this.statement();
    const place = this.#parts.workspace.placeOf(editor.document.uri);
    const code = await readSelection(editor, place.kind === 'folder' ? await this.#rootOf(place) : undefined);
    const remark = await this.#ask({ about: placeOf(code), preview: code.text, optional: true }, place);
    if (remark === undefined) return undefined;
    return this.#store(toInput(remark, statementOf(remark, code), code), place, 'selection');
  }

  /** A whole file. */
  async file(uri = vscode.window.activeTextEditor?.document.uri): Promise<Outcome> {
    if (uri === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Open a file first; then Cairn can remember something about it.'));
      return undefined;
    }
    const place = this.#parts.workspace.placeOf(uri);
    const root = place.kind === 'folder' ? await this.#rootOf(place) : undefined;
    const document = await vscode.workspace.openTextDocument(uri);
    const end = document.lineAt(document.lineCount - 1).range.end;
    const code = await readSelection({ document, selection: new vscode.Selection(new vscode.Position(0, 0), end) }, root);
    const remark = await this.#ask({ about: code.name, preview: code.name, optional: true }, place);
    if (remark === undefined) return undefined;
    const input = toInput(remark, remark.text === '' ? `See ${code.name}` : remark.text, code);
    // The file itself, not its lines as they are today.
    const anchors = input.anchors?.map(({ path }) => ({ path }));
    return this.#store({ ...input, ...(anchors === undefined ? {} : { anchors }) }, place, 'selection');
  }

  /** A problem that the editor shows: its message, anchored to its lines. */
  async problem(uri: vscode.Uri, range: vscode.Range, message: string): Promise<Outcome> {
    const place = this.#parts.workspace.placeOf(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const code = await readSelection({ document, selection: new vscode.Selection(range.start, range.end) }, place.kind === 'folder' ? await this.#rootOf(place) : undefined);
    const remark = await this.#ask({ about: placeOf(code), preview: message, optional: true }, place);
    if (remark === undefined) return undefined;
    const input = toInput(remark, remark.text === '' ? message.slice(0, MAX_TEXT_LENGTH).toWellFormed() : remark.text, code);
    return this.#store({ ...input, quote: message.slice(0, MAX_QUOTE_LENGTH).toWellFormed() }, place, 'extension');
  }

  /** Text from somewhere else (terminal, last answer): the statement is the remark, else the text. */
  async text(text: string, about: string, quote?: string): Promise<Outcome> {
    const remark = await this.#ask({ about, preview: text, optional: true }, this.#parts.workspace.current);
    if (remark === undefined) return undefined;
    const statement = remark.text === '' ? text.slice(0, MAX_TEXT_LENGTH).toWellFormed() : remark.text;
    return this.#store({ ...toInput(remark, statement, undefined), ...(quote === undefined ? {} : { quote: quote.slice(0, MAX_QUOTE_LENGTH).toWellFormed() }) }, this.#parts.workspace.current, 'extension');
  }

  /** A sentence of the person's own. */
  async statement(prefill?: string): Promise<Outcome> {
    const remark = await this.#ask({ about: undefined, preview: undefined, optional: false, ...(prefill === undefined ? {} : { prefill }) }, this.#parts.workspace.current);
    if (remark === undefined) return undefined;
    return this.#store(toInput(remark, remark.text, undefined), this.#parts.workspace.current, 'extension');
  }

  #ask(question: Omit<RemarkQuestion, 'tags'>, place: Place): Promise<Remark | undefined> {
    // Tags only offer suggestions: what is wrong with a store, remembering in it reports.
    return askRemark({ ...question, tags: this.#parts.tagsOf(place.target).catch(() => []) });
  }

  async #rootOf(place: Place): Promise<string | undefined> {
    if (place.folder?.index !== this.#parts.workspace.current.folder?.index) return place.folder?.uri.fsPath;
    if (this.#parts.state.status === undefined) await this.#parts.state.refreshNow();
    return this.#parts.state.root;
  }

  async #store(input: RememberOperationInput, place: Place, surface: 'selection' | 'extension'): Promise<Outcome> {
    const userOnly = place.kind !== 'folder';
    const result = await this.#parts.acts.remember(userOnly ? { ...input, scope: 'user' } : input, place.target, surface);
    this.#parts.state.bump();
    this.#parts.announce(result);
    return result;
  }
}

/** With a why, the why is the statement; without, a short selection is one itself, and code is pointed to. */
export function statementOf(remark: Remark, code: SelectedCode): string {
  if (remark.text !== '') return remark.text;
  if (isProse(code)) return code.text.trim().slice(0, MAX_TEXT_LENGTH).toWellFormed();
  return defaultText(code);
}

const PROSE_LANGUAGES = new Set(['markdown', 'plaintext', 'restructuredtext', 'asciidoc', 'latex']);
const isProse = (code: SelectedCode): boolean => code.text.trim() !== '' && (PROSE_LANGUAGES.has(code.languageId) || code.anchor === undefined);

export function toInput(remark: Remark, text: string, code: SelectedCode | undefined): RememberOperationInput {
  const kind = remark.kind ?? suggestKind(remark.text) ?? (remark.text === '' && code !== undefined ? 'technical_context' : undefined);
  return {
    text,
    ...(kind === undefined ? {} : { kind }),
    ...(remark.importance === undefined ? {} : { importance: remark.importance }),
    ...(remark.tags.length === 0 ? {} : { tags: [...remark.tags] }),
    ...(code?.anchor === undefined ? {} : { anchors: [code.anchor] }),
  };
}

export const announcement = (result: RememberResult): string => {
  switch (result.outcome) {
    case 'duplicate': return vscode.l10n.t('Known already');
    case 'merged': return vscode.l10n.t('Merged with a memory that says the same');
    case 'superseded': return vscode.l10n.t('Remembered; it replaces an older memory');
    case 'conflict': case 'inbox': return vscode.l10n.t('Waits in the inbox: {0}', result.why);
    case 'added': {
      const { text = '', expiresAt } = result.memory ?? {};
      return expiresAt === undefined ? vscode.l10n.t('Remembered: {0}', shortened(text)) : vscode.l10n.t('Remembered until {0}: {1}', new Date(expiresAt).toLocaleDateString(vscode.env.language), shortened(text));
    }
  }
};
