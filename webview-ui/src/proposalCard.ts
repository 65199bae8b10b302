/**
 * One proposal of the inbox: what would be remembered, what it would do to a memory
 * that is there (as a diff), the words it came from, and its keys.
 */
import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ProposalRow, RejectReasonName } from '../../src/protocol/index.ts';
import './clampedText.ts';
import { icon } from './icons.ts';
import { meanProposal } from './menuContext.ts';
import { kindMark } from './memoryRowView.ts';
import { reasonLabel } from './reasons.ts';
import { absoluteTime, age, kindLabel, scopeLabel, t } from './words.ts';

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
  return html`<div class="proposal ${acts.focused ? 'focused' : ''}" id="p-${proposal.id}" data-id=${proposal.id} role="row" aria-rowindex=${acts.position} aria-selected=${acts.selected || acts.focused ? 'true' : 'false'} aria-label=${said} @click=${acts.focus} @contextmenu=${() => { acts.focus(); meanProposal(proposal.id, proposal.target !== undefined); }}><div role="gridcell">
    ${acts.selected ? html`<span class="chosen">${icon('check')}</span>` : nothing}
    ${acts.editing ? editor(acts) : proposal.outcome === 'archive' ? html`<div class="quiet">${reasonLabel(proposal.why)}</div>` : html`<div class="diff added" dir="auto"><span class="sign" aria-hidden="true">+</span>${proposal.text}</div>`}
    ${proposal.target === undefined ? nothing : renderTarget(proposal, proposal.target, acts)}
    ${proposal.quote === undefined ? nothing : html`<button class="quote" tabindex="-1" title=${t('Open the turn (o)')} @click=${acts.openTurn}><cairn-clamped lines="2" .text=${`“${proposal.quote}”`}></cairn-clamped></button>`}
    ${proposal.untrusted || proposal.suspicious ? html`<div class="warn">${icon('warning')} ${proposal.suspicious ? t('The text tries to give orders to Claude.') : t('From somebody else\u2019s text.')}</div>` : nothing}
    <div class="meta">${kindMark(proposal.kind)}<span class="quiet">${meta.join(' · ')}</span></div>
    ${acts.editing ? nothing : html`<div class="acts">
      <button class="accept" tabindex="-1" @click=${acts.accept}>${t('Accept')} <kbd aria-hidden="true">⏎</kbd></button>${act(t('Edit'), 'e', acts.edit)}${proposal.target === undefined ? nothing : act(t('Merge'), 'm', acts.merge)}${act(t('Reject'), 'x', acts.reject)}</div>`}
  </div></div>`;
}

/** What it does to a memory that is there: "replaces − Orders use MySQL (3 w)". */
function renderTarget(proposal: ProposalRow, { id, text, updatedAt }: NonNullable<ProposalRow['target']>, acts: ProposalActs): TemplateResult {
  const gone = proposal.outcome === 'supersede' || proposal.outcome === 'archive';
  return html`<div class="removed"><span class="quiet">${outcomeLabel(proposal)} <span class="sign" aria-hidden="true">${gone ? '−' : '≈'}</span> <span title=${absoluteTime(updatedAt)}>(${age(updatedAt, Date.now())})</span></span>
    <button class="target ${gone ? 'gone' : ''}" tabindex="-1" @click=${() => { acts.openTarget(id); }}><cairn-clamped lines="2" .text=${text}></cairn-clamped></button></div>`;
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
  .removed { margin-top: 2px; } .removed .sign { font-family: var(--vscode-editor-font-family, monospace); }
  .target, .quote { border: none; background: none; padding: 0; color: inherit; font: inherit; text-align: start; cursor: pointer; display: block; width: 100%; } .target:hover, .quote:hover { text-decoration: underline; }
  .target { padding-inline-start: 16px; } .target.gone { text-decoration: line-through; text-decoration-color: var(--vscode-gitDecoration-deletedResourceForeground); }
  .quote { margin-top: 3px; font-style: italic; color: var(--vscode-descriptionForeground); }
  .proposal .meta { display: flex; gap: 5px; margin-top: 3px; } .proposal .mark { display: flex; }
  .acts { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin-top: 4px; min-height: 22px; }
  /* Their room is kept where they are not shown: walking through the list moves nothing. */
  .proposal > div > .acts { visibility: hidden; } .proposal:is(:hover, .focused) > div > .acts { visibility: visible; }
  .act, .accept { color: inherit; } .accept { height: 22px; padding: 0 8px; border: 1px solid transparent; border-radius: 2px; background: none; cursor: pointer; }
  .proposal.focused .accept { background: var(--vscode-button-background); color: var(--vscode-button-foreground); border-color: var(--vscode-button-border, transparent); } .proposal.focused .accept:hover { background: var(--vscode-button-hoverBackground); } .proposal.focused .accept kbd { color: inherit; background: none; border-color: currentColor; }
  .proposal:not(.focused) .accept { padding-inline: 0; } .proposal:not(.focused) .accept:hover { text-decoration: underline; }
  .editing textarea { width: 100%; }
`;
