/**
 * One proposal of the inbox: what would be remembered, what it would do to a memory
 * that is there (as a diff), the words it came from, and its keys.
 */
import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ProposalRow, RejectReasonName } from '../../src/protocol/index.ts';
import { icon } from './icons.ts';
import { kindMark } from './memoryRowView.ts';
import { reasonLabel } from './reasons.ts';
import { kindLabel, scopeLabel, t } from './words.ts';

export interface ProposalActs {
  /** From 1, among all that wait. */
  readonly position: number;
  readonly focused: boolean;
  readonly selected: boolean;
  readonly editing: boolean;
  /** What stands in the field while editing. */
  readonly draft: string;
  typed(text: string): void;
  focus(): void;
  accept(): void;
  edit(): void;
  save(text: string): void;
  cancel(): void;
  merge(): void;
  reject(): void;
  openTurn(): void;
  openTarget(id: string): void;
}

export function rejectLabel(reason: RejectReasonName): string {
  switch (reason) {
    case 'not_true': return t('not true');
    case 'not_lasting': return t('not lasting');
    case 'duplicate': return t('duplicate');
    case 'private': return t('private');
  }
}

function outcomeLabel(proposal: ProposalRow): string {
  switch (proposal.outcome) {
    case 'add': return t('new');
    case 'merge': return t('merges with');
    case 'revise': return t('revises');
    case 'supersede': return t('replaces');
    case 'conflict': return t('contradicts');
    case 'archive': return t('archives');
  }
}

export function renderProposal(proposal: ProposalRow, acts: ProposalActs): TemplateResult {
  const meta = [kindLabel(proposal.kind), t('importance {0}', proposal.importance), t('confidence {0}', proposal.confidence.toFixed(2)), ...(proposal.scope === 'repository' ? [] : [scopeLabel(proposal.scope)]), ...proposal.tags];
  const said = [outcomeLabel(proposal), proposal.text, proposal.target === undefined ? '' : `${outcomeLabel(proposal)}: ${proposal.target.text}`, proposal.quote ?? '', ...meta].filter((part) => part !== '').join(', ');
  return html`<div class="proposal ${acts.focused ? 'focused' : ''}" id="p-${proposal.id}" data-id=${proposal.id} role="row" aria-rowindex=${acts.position} aria-selected=${acts.selected || acts.focused ? 'true' : 'false'} aria-label=${said} @click=${acts.focus}><div role="gridcell">
    ${acts.selected ? html`<span class="chosen">${icon('check')}</span>` : nothing}
    ${acts.editing ? editor(acts) : html`<div class="diff added" dir="auto"><span class="sign" aria-hidden="true">+</span>${proposal.outcome === 'archive' ? reasonLabel(proposal.why) : proposal.text}</div>`}
    ${proposal.target === undefined ? nothing : html`<div class="diff removed"><span class="quiet how">${outcomeLabel(proposal)}</span><span class="sign" aria-hidden="true">${proposal.outcome === 'supersede' || proposal.outcome === 'archive' ? '−' : '≈'}</span><button class="target" tabindex="-1" dir="auto" @click=${() => { acts.openTarget(proposal.target?.id ?? ''); }}>${proposal.target.text}</button></div>`}
    ${proposal.quote === undefined ? nothing : html`<button class="quote" tabindex="-1" dir="auto" title=${t('Open the turn (o)')} @click=${acts.openTurn}>“${proposal.quote}”</button>`}
    ${proposal.untrusted || proposal.suspicious ? html`<div class="warn">${icon('warning')} ${proposal.suspicious ? t('The text tries to give orders to Claude.') : t('From somebody else\u2019s text.')}</div>` : nothing}
    <div class="meta">${kindMark(proposal.kind)}<span class="quiet">${meta.join(' · ')}</span></div>
    ${acts.focused && !acts.editing ? html`<div class="acts">
      <vscode-button tabindex="-1" @click=${acts.accept}>${t('Accept')}</vscode-button>${act(t('Edit'), 'e', acts.edit)}${proposal.target === undefined ? nothing : act(t('Merge'), 'm', acts.merge)}${act(t('Reject'), 'x', acts.reject)}</div>` : nothing}
  </div></div>`;
}

const act = (what: string, key: string, run: () => void): TemplateResult => html`<button class="plain act" tabindex="-1" @click=${run}>${what} <kbd aria-hidden="true">${key}</kbd></button>`;

function editor(acts: ProposalActs): TemplateResult {
  const value = (event: Event): string => (event.currentTarget as HTMLElement).closest('.editing')?.querySelector('textarea')?.value.trim() ?? '';
  const save = (event: Event): void => {
    const text = value(event);
    if (text !== '') acts.save(text);
  };
  return html`<div class="editing"><textarea dir="auto" aria-label=${t('Text of the proposal')} .value=${live(acts.draft)} @input=${(event: Event) => { acts.typed((event.target as HTMLTextAreaElement).value); }} @keydown=${(event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event);
    else if (event.key === 'Escape') acts.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }}></textarea><div class="acts"><vscode-button @click=${save}>${t('Accept')}</vscode-button><button class="plain" @click=${acts.cancel}>${t('Cancel')}</button></div></div>`;
}

export const proposalStyles = css`
  .proposal { position: relative; margin: 0 8px 6px; padding: 4px 8px 6px; border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)); border-inline-start-width: 3px; border-radius: 2px; overflow-wrap: anywhere; }
  .proposal.focused { border-color: var(--vscode-focusBorder); background: var(--vscode-list-hoverBackground); }
  @media (forced-colors: active) { .proposal { border-color: CanvasText; } .proposal.focused { border-color: Highlight; outline: 1px solid Highlight; } }
  .chosen { position: absolute; right: 6px; top: 4px; color: var(--vscode-charts-green); }
  .diff { display: block; padding-inline-start: 16px; position: relative; white-space: pre-wrap; }
  .diff .sign { position: absolute; inset-inline-start: 0; width: 12px; text-align: center; font-family: var(--vscode-editor-font-family, monospace); }
  .added .sign { color: var(--vscode-gitDecoration-addedResourceForeground); } .removed .sign { color: var(--vscode-gitDecoration-deletedResourceForeground); }
  .removed { margin-top: 2px; padding-inline-start: 0; } .removed .sign { position: static; display: inline-block; } .how { margin-inline-end: 4px; }
  .target, .quote { border: none; background: none; padding: 0; color: inherit; font: inherit; text-align: start; cursor: pointer; } .target:hover, .quote:hover { text-decoration: underline; }
  .removed .target { text-decoration: line-through; text-decoration-color: var(--vscode-gitDecoration-deletedResourceForeground); }
  .quote { display: block; margin-top: 3px; font-style: italic; color: var(--vscode-descriptionForeground); }
  .proposal .meta { display: flex; gap: 5px; margin-top: 3px; } .proposal .mark { display: flex; }
  .acts { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin-top: 5px; }
  .act { color: inherit; }
  .editing textarea { width: 100%; }
`;
