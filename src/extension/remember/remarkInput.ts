/**
 * The quick input of Remember This: what is selected above, one line of why, and below it, as they are understood, the
 * marks, or what is suggested until there are any; a second step for kind and tags by the buttons.
 */
import * as vscode from 'vscode';
import { KINDS } from '../../protocol/names.ts';
import type { KindName } from '../../protocol/names.ts';
import { kindWord } from '../kindWords.ts';
import { shortened } from '../shortened.ts';
import { MAX_TEXT_LENGTH } from './limits.ts';
import { parseRemark, remarkProblem, suggestKind, suggestTags } from './remark.ts';
import type { Remark } from './remark.ts';

export interface RemarkQuestion {
  /** Where it points: `src/a.ts:3-5`. */
  readonly about: string | undefined;
  /** What was selected. */
  readonly preview: string | undefined;
  /** Empty text is an answer too: the selection speaks for itself. */
  readonly optional: boolean;
  readonly prefill?: string;
  /** Tags in use, most used first; they may come late. */
  readonly tags: Promise<readonly string[]>;
}

/** Characters of the title that stay on one line in the editor's quick input. */
const TITLE_LENGTH = 64;
const LEAST_PREVIEW_LENGTH = 16;

/** What was chosen in the second step; a mark in the text is stronger. */
interface Chosen {
  kind?: KindName;
  tags?: readonly string[];
}

/** Undefined when the person turned away. */
export async function askRemark(question: RemarkQuestion): Promise<Remark | undefined> {
  const input = vscode.window.createInputBox();
  const kindButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('list-selection'), tooltip: vscode.l10n.t('Choose the kind') };
  const tagsButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('tag'), tooltip: vscode.l10n.t('Choose tags') };
  const chosen: Chosen = {};
  let known: readonly string[] = [];
  input.title = titleOf(question);
  input.placeholder = question.optional ? vscode.l10n.t('Why should this be remembered? (optional)') : vscode.l10n.t('What should be remembered?');
  input.buttons = [kindButton];
  input.value = question.prefill ?? '';
  const understand = (): Remark => {
    const remark = parseRemark(input.value);
    const kind = remark.kind ?? chosen.kind;
    const tags = remark.tags.length > 0 ? remark.tags : (chosen.tags ?? suggestTags(known, [remark.text, question.about, question.preview].join(' ')));
    return { ...remark, tags, ...(kind === undefined ? {} : { kind }) };
  };
  const show = (): void => {
    const remark = understand();
    input.prompt = pills(remark) || vscode.l10n.t('#tag, !decision, *8 set tags, kind and importance');
    input.validationMessage = problemOf(input.value, remark);
  };
  void question.tags.then((tags) => {
    known = tags;
    if (tags.length > 0) input.buttons = [kindButton, tagsButton];
    show();
  });
  show();
  let choosing = false;
  try {
    return await new Promise<Remark | undefined>((resolve) => {
      input.onDidChangeValue(show);
      input.onDidAccept(() => {
        const remark = understand();
        if (remark.text.length > MAX_TEXT_LENGTH) return;
        if (remark.text === '' && !question.optional) {
          input.validationMessage = vscode.l10n.t('Write at least one word.');
          return;
        }
        resolve(remark);
      });
      input.onDidTriggerButton(async (button) => {
        choosing = true;
        if (button === tagsButton) chosen.tags = (await pickTags(known, understand().tags)) ?? chosen.tags;
        else chosen.kind = (await pickKind()) ?? chosen.kind;
        choosing = false;
        input.show();
        show();
      });
      input.onDidHide(() => { if (!choosing) resolve(undefined); });
      input.show();
    });
  } finally {
    input.dispose();
  }
}

/** What it is about, above the field: the place, then the selection on one line. */
function titleOf({ about, preview = '' }: RemarkQuestion): string {
  if (about === undefined) return vscode.l10n.t('Remember');
  const title = vscode.l10n.t('Remember {0}', about);
  return preview.trim() === '' || preview === about ? title : `${title}  “${shortened(preview, Math.max(LEAST_PREVIEW_LENGTH, TITLE_LENGTH - title.length))}”`;
}

function pills({ importance, kind = undefined, tags, text }: Remark): string {
  const shownKind = kind ?? suggestKind(text);
  return [
    ...(shownKind === undefined ? [] : [`$(bookmark) ${kindWord(shownKind)}`]),
    ...(importance === undefined ? [] : [`$(star-full) ${vscode.l10n.t('importance {0}', importance)}`]),
    ...tags.map((tag) => `$(tag) ${tag}`),
  ].join('   ');
}

function problemOf(value: string, { text }: Remark): vscode.InputBox['validationMessage'] {
  if (text.length > MAX_TEXT_LENGTH) return vscode.l10n.t('{0} characters; a memory holds at most {1}.', text.length, MAX_TEXT_LENGTH);
  switch (remarkProblem(value)) {
    case 'importance': return { message: vscode.l10n.t('Importance goes from *1 to *10; this stays text.'), severity: vscode.InputBoxValidationSeverity.Info };
    case 'kind': return { message: vscode.l10n.t('No kind of that name; this stays text.'), severity: vscode.InputBoxValidationSeverity.Info };
    case undefined: return undefined;
  }
}

async function pickKind(): Promise<KindName | undefined> {
  const picked = await vscode.window.showQuickPick(KINDS.map((kind) => ({ label: kindWord(kind), value: kind })), { title: vscode.l10n.t('Kind'), placeHolder: vscode.l10n.t('What kind of memory is it?') });
  return picked?.value;
}

async function pickTags(known: readonly string[], now: readonly string[]): Promise<readonly string[] | undefined> {
  const all = [...new Set([...now, ...known])];
  const picked = await vscode.window.showQuickPick(all.map((tag) => ({ label: tag, picked: now.includes(tag) })), { title: vscode.l10n.t('Tags'), canPickMany: true });
  return picked?.map(({ label }) => label);
}
