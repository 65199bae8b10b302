/**
 * The quick input of Remember This: preview above, one line of why, marks shown as they
 * are understood, and a second step for kind and importance by the button.
 */
import * as vscode from 'vscode';
import { shortened } from '../acts.ts';
import { KINDS } from '../../protocol/names.ts';
import type { KindName } from '../../protocol/names.ts';
import { kindWord } from '../kindWords.ts';
import { MAX_TEXT_LENGTH } from './limits.ts';
import { parseRemark, remarkProblem, suggestKind } from './remark.ts';
import type { Remark } from './remark.ts';

export interface RemarkQuestion {
  /** Where it points: `src/a.ts:3-5`. */
  readonly about: string | undefined;
  /** What was selected. */
  readonly preview: string | undefined;
  /** Empty text is an answer too: the selection speaks for itself. */
  readonly optional: boolean;
  readonly prefill?: string;
}

/** Undefined when the person turned away. */
export async function askRemark(question: RemarkQuestion): Promise<Remark | undefined> {
  const input = vscode.window.createInputBox();
  const more: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('list-selection'), tooltip: vscode.l10n.t('Choose the kind') };
  input.title = question.about === undefined ? vscode.l10n.t('Remember') : vscode.l10n.t('Remember {0}', question.about);
  input.placeholder = question.optional ? vscode.l10n.t('Why should this be remembered? (optional)') : vscode.l10n.t('What should be remembered?');
  input.buttons = [more];
  input.value = question.prefill ?? '';
  let chosenKind: KindName | undefined;
  const show = (): void => {
    const remark = withKind(parseRemark(input.value), chosenKind);
    const kind = remark.kind ?? suggestKind(remark.text);
    const understood = [kind === undefined ? '' : kindWord(kind), remark.importance === undefined ? '' : vscode.l10n.t('importance {0}', remark.importance), ...remark.tags.map((tag) => `#${tag}`)].filter((part) => part !== '').join(' · ');
    const preview = question.preview === undefined || question.preview.trim() === '' ? '' : `“${shortened(question.preview)}”`;
    input.prompt = [preview, understood === '' ? vscode.l10n.t('#tag, !decision, *8 set tags, kind and importance') : understood].filter((part) => part !== '').join('  ');
    const problem = remarkProblem(input.value);
    input.validationMessage = remark.text.length > MAX_TEXT_LENGTH
      ? vscode.l10n.t('{0} characters; a memory holds at most {1}.', remark.text.length, MAX_TEXT_LENGTH)
      : problem === 'importance' ? { message: vscode.l10n.t('Importance goes from *1 to *10; this stays text.'), severity: vscode.InputBoxValidationSeverity.Info }
        : problem === 'kind' ? { message: vscode.l10n.t('No kind of that name; this stays text.'), severity: vscode.InputBoxValidationSeverity.Info } : undefined;
  };
  show();
  let choosing = false;
  try {
    return await new Promise<Remark | undefined>((resolve) => {
      input.onDidChangeValue(show);
      input.onDidAccept(() => {
        const remark = withKind(parseRemark(input.value), chosenKind);
        if (remark.text.length > MAX_TEXT_LENGTH) return;
        if (remark.text === '' && !question.optional) {
          input.validationMessage = vscode.l10n.t('Write at least one word.');
          return;
        }
        resolve(remark);
      });
      input.onDidTriggerButton(async () => {
        choosing = true;
        chosenKind = (await vscode.window.showQuickPick(KINDS.map((kind) => ({ label: kindWord(kind), value: kind })), { title: vscode.l10n.t('Kind'), placeHolder: vscode.l10n.t('What kind of memory is it?') }))?.value ?? chosenKind;
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

const withKind = (remark: Remark, kind: KindName | undefined): Remark => (kind === undefined || remark.kind !== undefined ? remark : { ...remark, kind });
