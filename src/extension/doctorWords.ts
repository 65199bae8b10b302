/**
 * The doctor's report in the person's language: what was looked at, how it is, and what to do. The facts themselves
 * (paths, versions, what a library said) stay as they are, so that they can be looked up and sent on.
 */
import * as vscode from 'vscode';
import type { DoctorOutput, HealthCheck } from '../operations/index.ts';
import { speaksEnglish } from './errorWords.ts';

const MARKS = { ok: '✓', warning: '!', failed: '✗', unknown: '?' } as const;

export function doctorText({ checks, fixed }: DoctorOutput): string {
  const repaired = fixed.length === 0 ? '' : `\n\n## ${vscode.l10n.t('Repaired')}\n\n${fixed.map((check) => `- ${title(check)}`).join('\n')}`;
  return `# ${vscode.l10n.t('Cairn doctor')}\n\n${checks.map(speaksEnglish() ? inEnglish : inTheirWords).join('\n')}${repaired}\n`;
}

const inEnglish = (check: HealthCheck): string => `- ${MARKS[check.state]} **${check.title}**: ${check.detail}${check.cure === undefined || check.state === 'ok' ? '' : `\n  → ${check.cure}`}`;

function inTheirWords(check: HealthCheck): string {
  const cure = check.cure === undefined || check.state === 'ok' ? undefined : (KNOWN[part(check)]?.cure() ?? check.cure);
  return `- ${MARKS[check.state]} **${title(check)}** · ${STATES[check.state]()} · \`${check.detail.replaceAll('`', '')}\`${cure === undefined ? '' : `\n  → ${cure}`}`;
}

const title = (check: HealthCheck): string => (speaksEnglish() ? check.title : (KNOWN[part(check)]?.title() ?? check.title));

/** `store-user` and `store-repository` are looked at alike. */
const part = ({ id }: HealthCheck): string => id.replace(/-(user|repository)$/, '');

const STATES: Readonly<Record<HealthCheck['state'], () => string>> = {
  ok: () => vscode.l10n.t('in order'), warning: () => vscode.l10n.t('needs a look'), failed: () => vscode.l10n.t('not in order'), unknown: () => vscode.l10n.t('not known'),
};

interface Words {
  title(): string;
  cure(): string;
}

const register = (): string => vscode.l10n.t('Run “Cairn: Register with Claude Code”.');
const localDisk = (): string => vscode.l10n.t('Set CAIRN_HOME to a folder on a local disk.');
const model = (): string => vscode.l10n.t('Search by words serves. Reinstall this extension, or choose another model in the settings.');

const KNOWN: Readonly<Record<string, Words>> = {
  store: { title: () => vscode.l10n.t('The store of memories'), cure: () => vscode.l10n.t('Check the permissions of Cairn’s folder; “Cairn: Restore a Backup…” brings back a damaged store.') },
  journal: { title: () => vscode.l10n.t('The store’s journal'), cure: localDisk },
  vectors: { title: () => vscode.l10n.t('Memories prepared for search by meaning'), cure: () => vscode.l10n.t('The rest follows in the background.') },
  model: { title: () => vscode.l10n.t('The model for search by meaning'), cure: model },
  index: { title: () => vscode.l10n.t('The search file'), cure: () => vscode.l10n.t('A slower search serves; nothing is lost.') },
  runtime: { title: () => vscode.l10n.t('The editor’s runtime'), cure: () => vscode.l10n.t('Update this editor.') },
  home: { title: () => vscode.l10n.t('Cairn’s folder'), cure: () => vscode.l10n.t('Check the permissions of Cairn’s folder, or set CAIRN_HOME to another one.') },
  place: { title: () => vscode.l10n.t('The disk of Cairn’s folder'), cure: localDisk },
  settings: { title: () => vscode.l10n.t('Settings'), cure: () => vscode.l10n.t('Correct Cairn’s settings file by hand.') },
  registry: { title: () => vscode.l10n.t('The list of repositories'), cure: () => vscode.l10n.t('Move that file away: it is made anew, and no memory is lost.') },
  program: { title: () => vscode.l10n.t('Cairn’s program for Claude Code'), cure: register },
  embedder: { title: () => vscode.l10n.t('The model shared by all windows and sessions'), cure: model },
  disk: { title: () => vscode.l10n.t('Free disk space'), cure: () => vscode.l10n.t('Free some space: nothing new can be remembered on a full disk.') },
  'claude-code': { title: () => vscode.l10n.t('Registration with Claude Code'), cure: register },
  hooks: { title: () => vscode.l10n.t('Hooks of Claude Code'), cure: () => vscode.l10n.t('Start a session of Claude Code in a terminal, then look again.') },
  'editor-model': { title: () => vscode.l10n.t('The editor’s language model'), cure: () => vscode.l10n.t('Sign in to a provider of models in this editor, then run “Cairn: Use the Editor’s Language Model…”.') },
};
