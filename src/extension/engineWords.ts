/**
 * What the engine says beside errors, in the person's language: what was missing while it answered, why sessions wait
 * to be read, how far a long act is. As with errors (errorWords.ts), an English editor shows the engine's own words.
 */
import * as vscode from 'vscode';
import type { Degradation } from '../engine/index.ts';
import type { Progress } from '../operations/index.ts';
import { speaksEnglish } from './errorWords.ts';

const DEGRADED: Readonly<Record<Degradation['part'], () => string>> = {
  embedder_absent: () => vscode.l10n.t('Search by meaning is off; found by words.'),
  embedder_starting: () => vscode.l10n.t('Search by meaning is starting; found by words.'),
  embedder_failed: () => vscode.l10n.t('Search by meaning failed; found by words.'),
  index_rebuilding: () => vscode.l10n.t('The search file is being made; searching is slower meanwhile.'),
  index_fallback_exact: () => vscode.l10n.t('The fast search cannot load here; a slower one serves.'),
  vectors_pending: () => vscode.l10n.t('Some memories are new; they are found by their words for the moment.'),
  script_unread: () => vscode.l10n.t('The model does not read this script; found by words.'),
  model_switching: () => vscode.l10n.t('Another model is being prepared; the old one serves meanwhile.'),
  user_store_unavailable: () => vscode.l10n.t('Your own memories cannot be opened; those of the repository are shown.'),
  store_read_only: () => vscode.l10n.t('The memory can be read but not written.'),
  limit_capped: () => vscode.l10n.t('Not all that was found is shown.'),
  working_tree_unchecked: () => vscode.l10n.t('The code that memories point to could not be looked at.'),
  repository_skipped: () => vscode.l10n.t('Another repository could not be opened and was left out.'),
};

export const degradationSentence = ({ part, message }: Degradation): string => (speaksEnglish() ? message : DEGRADED[part]());

/** Reasons of the engine; those that the editor gave it come back in the person's language already. */
const WAITS: Readonly<Record<string, () => string>> = {
  'another process is extracting': () => vscode.l10n.t('another window or session is reading them'),
  'no provider was chosen': () => vscode.l10n.t('no model was chosen to read them'),
  'the daily cap is reached': () => vscode.l10n.t('today’s spending cap is reached'),
  'the setting extraction.model does not name a model': () => vscode.l10n.t('the setting “extraction.model” names no model'),
  'there is no key for the provider here; the editor reads it if it has one ("Cairn: Provider Keys")': () => vscode.l10n.t('there is no key for the provider: “Cairn: Provider Keys” keeps one'),
  'the provider did not answer; tried again later': () => vscode.l10n.t('the model did not answer; it is tried again later'),
};

export function waitingReason(because: string): string {
  return speaksEnglish() ? because : (WAITS[because]?.() ?? because);
}

export function progressText({ done, total, message }: Progress): string | undefined {
  if (speaksEnglish()) return message;
  return total === undefined || total === 0 ? String(done) : vscode.l10n.t('{0} of {1}', done, total);
}
