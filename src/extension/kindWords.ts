/**
 * Names of kinds in the person's language, for the parts of the editor that are not a webview.
 */
import * as vscode from 'vscode';
import type { KindName } from '../protocol/names.ts';

export function kindWord(kind: KindName): string {
  switch (kind) {
    case 'rule': return vscode.l10n.t('rule');
    case 'decision': return vscode.l10n.t('decision');
    case 'preference': return vscode.l10n.t('preference');
    case 'code_pattern': return vscode.l10n.t('code pattern');
    case 'technical_context': return vscode.l10n.t('technical context');
    case 'project_context': return vscode.l10n.t('project context');
    case 'communication_pattern': return vscode.l10n.t('communication');
    case 'subtle_signal': return vscode.l10n.t('subtle signal');
    case 'identity': return vscode.l10n.t('identity');
    case 'fact': return vscode.l10n.t('fact');
    case 'observation': return vscode.l10n.t('observation');
    case 'entity': return vscode.l10n.t('entity');
    case 'relation': return vscode.l10n.t('relation');
    case 'session_summary': return vscode.l10n.t('session summary');
  }
}
