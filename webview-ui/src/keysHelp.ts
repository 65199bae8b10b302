/**
 * The sheet of keys (`?`).
 */
import { css, html } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from './icons.ts';
import { t } from './words.ts';

export function renderKeys(isMac: boolean, close: () => void): TemplateResult {
  const command = isMac ? '⌘' : 'Ctrl+';
  const keys: readonly [string, string][] = [
    ['↑ ↓', t('move')], ['Enter', t('open, or accept in the inbox')], ['e', t('edit')], ['p', t('pin')], ['c', t('copy')], ['o', t('open the code')],
    ['a', t('archive')], ['Del', t('forget')], ['/', t('search')], ['Esc', t('back')], [`${command}Z`, t('undo')], [isMac ? '⇧ ⌘' : 'Shift Ctrl', t('select many')],
    [`${command}1 2 3`, t('Memories, Inbox, Injected')], ['m x u j k', t('in the inbox: merge, reject, undo, next, previous')], ['?', t('this list')],
  ];
  return html`<section role="dialog" aria-label=${t('Keys')} class="keysheet">
    <div class="keyhead"><b>${t('Keys')}</b><button class="tool" aria-label=${t('Close')} @click=${close}>${icon('close')}</button></div>
    <dl>${keys.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl></section>`;
}

export const keysStyles = css`
  .keysheet { position: absolute; inset: auto 8px 8px 8px; z-index: 11; max-height: 80%; overflow: auto; padding: 6px 10px 8px; background: var(--vscode-editorWidget-background); color: var(--vscode-editorWidget-foreground); border: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder, transparent)); border-radius: 4px; }
  .keyhead { display: flex; justify-content: space-between; align-items: center; }
  .keysheet dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 4px 0 0; } .keysheet dd { margin: 0; }
  .keysheet kbd { font: inherit; padding: 0 4px; border-radius: 3px; border: 1px solid var(--vscode-keybindingLabel-border, var(--vscode-widget-border)); background: var(--vscode-keybindingLabel-background); color: var(--vscode-keybindingLabel-foreground); }
`;
