/**
 * The folded parts of Detail: origin, anchors, history, related memories and why the
 * search found it. Templates only; what a click does is handed in.
 */
import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { AnchorRow, ExplanationRow, HistoryRow, MemoryDetail, RelatedRow } from '../../src/protocol/index.ts';
import './clampedText.ts';
import { icon } from './icons.ts';
import { kindMark, placeLabel } from './memoryRowView.ts';
import { actorLabel, boostLabel, reasonLabel } from './reasons.ts';
import { absoluteTime, age, count, dayAndTime, t } from './words.ts';

export interface DetailActs {
  open(id: string): void;
  pin(): void;
  openAnchor(index: number): void;
  reanchor(index: number): void;
  openTranscript(): void;
  compare(changeId: string): void;
  restore(changeId: string): void;
  showInGraph(): void;
  stillTrue(): void;
  notRelevant(): void;
}

function viaLabel(via: string): string {
  switch (via) {
    case 'selection': return t('A selection in the editor');
    case 'command': return t('A command in the editor');
    case 'mcp': return t('Claude, by a tool call');
    case 'transcript': return t('A Claude Code session');
    case 'import': return t('An import');
    case 'cli': return t('The command line');
    case 'sync': return t('A shared file');
    case 'server': return t('The team server');
    default: return via;
  }
}

function speakerLabel(speaker: string | undefined): string {
  switch (speaker) {
    case 'assistant': return t('Claude');
    case 'tool': return t('a tool\u2019s output');
    case 'system': return t('Claude Code');
    default: return t('you');
  }
}

const times = (number: number): string => (number === 1 ? t('once') : t('{0} times', count(number)));

export function renderOrigin(detail: MemoryDetail, acts: DetailActs): TemplateResult {
  const { provenance: from } = detail;
  const facts: [name: string, value: string | undefined, tooltip?: string][] = [
    [t('By'), from.author], [t('Branch'), from.branch], [t('Commit'), from.commit?.slice(0, 10)], [t('Session'), from.sessionTitle ?? from.sessionId?.slice(0, 8), from.sessionId],
    [t('Rule'), from.rule], [t('Model'), from.model], [t('Template'), from.promptTemplate], [t('File'), from.importedFrom],
    [t('Confidence'), detail.confidence.toFixed(2)], [t('Recalled'), detail.recallCount === 0 ? t('never') : [times(detail.recallCount), ...(detail.lastRecalledAt === undefined ? [] : [t('last {0}', age(detail.lastRecalledAt, Date.now()))])].join(', ')],
    [t('Given to Claude'), detail.given > 0 ? times(detail.given) : undefined],
    [t('Repeated'), detail.repeatCount > 0 ? count(detail.repeatCount) : undefined],
  ];
  return html`
    <p>${viaLabel(from.via)} · <span title=${absoluteTime(from.saidAt ?? detail.row.createdAt)}>${dayAndTime(from.saidAt ?? detail.row.createdAt, Date.now())}</span></p>
    ${from.quote === undefined ? nothing : html`<blockquote dir="auto">${from.quote}<footer class="quiet">${speakerLabel(from.speaker)}</footer></blockquote>`}
    ${from.context === undefined ? nothing : html`<details><summary>${t('The turn around it')}</summary><pre dir="auto">${from.context}</pre></details>`}
    ${from.hasTranscript ? html`<button class="plain" @click=${acts.openTranscript}>${t('Open transcript')}</button>` : nothing}
    <dl>${facts.map(([name, value, tooltip]) => (value === undefined ? nothing : html`<dt>${name}</dt><dd dir="auto" title=${tooltip ?? nothing}>${value}</dd>`))}</dl>`;
}

function anchorLabel(anchor: AnchorRow): string {
  switch (anchor.state) {
    case 'fresh': return t('as it was');
    case 'moved': return t('moved, followed');
    case 'changed': return t('changed since');
    case 'missing': return t('gone');
    case 'unchecked': return t('not checked');
  }
}

export function renderAnchors(detail: MemoryDetail, acts: DetailActs): TemplateResult {
  return html`${detail.anchors.map((anchor, index) => {
    const stale = anchor.state === 'changed' || anchor.state === 'missing';
    return html`<div class="anchor"><button class="plain path" title=${t('Open (o)')} @click=${() => { acts.openAnchor(index); }}>${icon('go-to-file')} ${placeLabel(anchor)}</button>
      <span class=${stale ? 'warn' : 'quiet'}>${anchor.symbol === undefined ? '' : `${anchor.symbol} · `}${anchorLabel(anchor)}</span>
      ${anchor.snippet === undefined ? nothing : html`<details><summary>${t('The code as it was')}</summary><pre dir="ltr">${anchor.snippet}</pre></details>`}
      <span class="links">${stale ? html`<button class="plain" @click=${acts.stillTrue}>${t('Still true')}</button>` : nothing}<button class="plain" @click=${() => { acts.reanchor(index); }}>${t('Anchor to the selection')}</button></span></div>`;
  })}${detail.anchors.length > 0 ? nothing : html`<p class="quiet">${t('It points to no code yet.')}</p><button class="plain" @click=${() => { acts.reanchor(0); }}>${t('Anchor to the selection')}</button>`}`;
}

function verbLabel(step: HistoryRow): string {
  switch (step.verb) {
    case 'add': return t('remembered');
    case 'edit': return t('edited');
    case 'pin': return t('pinned or unpinned');
    case 'merge': return t('merged');
    case 'supersede': return t('superseded');
    case 'archive': return t('archived');
    case 'restore': return t('restored');
    case 'forget': return t('forgotten');
    case 'feedback': return t('rated');
    case 'reanchor': return t('anchored again');
    case 'undo': return t('undone');
    default: return step.verb;
  }
}

export function renderHistory(detail: MemoryDetail, acts: DetailActs): TemplateResult {
  const steps = [...detail.history].reverse();
  return html`<ol class="steps">${steps.map((step, index) => {
    const before = steps[index + 1];
    const changedText = before !== undefined && before.text !== step.text;
    return html`<li class=${step.undone ? 'undone' : ''}><span><b>${verbLabel(step)}</b> · ${actorLabel(step.who)} · <span class="quiet" title=${absoluteTime(step.at)}>${age(step.at, Date.now())}</span></span>
      ${step.reason === undefined ? nothing : html`<span class="quiet" dir="auto">${reasonLabel(step.reason)}</span>`}
      <span class="links">${changedText ? html`<button class="plain" @click=${() => { acts.compare(step.changeId); }}>${t('Compare')}</button>` : nothing}${index > 0 && step.text !== detail.text ? html`<button class="plain" @click=${() => { acts.restore(step.changeId); }}>${t('Restore this text')}</button>` : nothing}</span></li>`;
  })}</ol>`;
}

function nearness({ by, about = '' }: RelatedRow['reasons'][number]): string {
  switch (by) {
    case 'meaning': return t('alike in meaning');
    case 'words': return t('words in common');
    case 'file': return t('also about {0}', about);
    case 'entity': return t('also says something of {0}', about);
  }
}

function relatedList(title: string, rows: readonly (Pick<RelatedRow, 'row'> & Partial<RelatedRow>)[], acts: DetailActs): unknown {
  return rows.length === 0 ? nothing : html`<h4>${title}</h4>${rows.map(({ row, reasons = [] }) => html`<button class="related" @click=${() => { acts.open(row.id); }}>${kindMark(row.kind)}<span class="what"><cairn-clamped lines="2" .text=${row.text}></cairn-clamped>${reasons.length === 0 ? nothing : html`<span class="quiet" dir="auto">${reasons.map(nearness).join(' · ')}</span>`}</span></button>`)}`;
}

export function renderRelated(detail: MemoryDetail, acts: DetailActs): TemplateResult {
  const none = detail.superseded.length + detail.superseding.length + detail.related.length + detail.relations.length === 0;
  return html`${relatedList(t('Replaced by'), detail.superseding.map((row) => ({ row })), acts)}${relatedList(t('Replaces'), detail.superseded.map((row) => ({ row })), acts)}${relatedList(t('Near'), detail.related, acts)}
    ${detail.relations.length === 0 ? nothing : html`<h4>${t('Says')}</h4>${detail.relations.map(({ subject, predicate, object }) => html`<p dir="auto">${subject} <span class="quiet">${predicate}</span> ${object}</p>`)}<button class="plain" @click=${acts.showInGraph}>${t('Show in the graph')}</button>`}${none ? html`<p class="quiet">${t('Nothing near it yet.')}</p>` : nothing}`;
}

export function renderWhy(explain: ExplanationRow, acts: DetailActs): TemplateResult {
  const rank = (name: string, value: number | undefined): unknown => (value === undefined ? nothing : html`<tr><th scope="row">${name}</th><td>${t('place {0}', value)}</td></tr>`);
  return html`<table><tbody>
      ${rank(t('by words'), explain.lexicalRank)}${rank(t('by meaning'), explain.vectorRank)}${rank(t('by time'), explain.recencyRank)}${rank(t('by place'), explain.pathRank)}
      ${explain.cosine === undefined ? nothing : html`<tr><th scope="row">${t('likeness')}</th><td>${explain.cosine.toFixed(2)}</td></tr>`}
      ${explain.boosts.filter((boost) => boost.factor !== 1).map((boost) => html`<tr><th scope="row">${boostLabel(boost.name)}</th><td>× ${boost.factor.toFixed(2)}</td></tr>`)}
      <tr><th scope="row">${t('visible here')}</th><td>${reasonLabel(explain.visibleBecause)}</td></tr></tbody></table>
    <button class="plain" @click=${acts.notRelevant}>${t('Not relevant')}</button>`;
}

export const sectionStyles = css`
  .fold { border-top: 1px solid var(--vscode-sideBarSectionHeader-border, var(--vscode-widget-border, transparent)); }
  .fold > .head { display: flex; align-items: center; gap: 4px; width: 100%; height: 24px; padding: 0 4px; border: none; background: none; color: var(--vscode-sideBarSectionHeader-foreground, inherit); font-size: 11px; font-weight: 700; cursor: pointer; }
  .inside { padding: 4px 12px 10px 24px; overflow-wrap: anywhere; }
  .inside p { margin: 0 0 4px; }
  blockquote { margin: 4px 0; padding: 2px 8px; border-inline-start: 3px solid var(--vscode-textBlockQuote-border); background: var(--vscode-textBlockQuote-background); white-space: pre-wrap; }
  blockquote footer { font-size: 0.9em; }
  details summary { cursor: pointer; color: var(--vscode-descriptionForeground); }
  pre { margin: 4px 0; padding: 6px; max-height: 220px; overflow: auto; font: var(--vscode-editor-font-size, 12px) var(--vscode-editor-font-family, monospace); background: var(--vscode-textCodeBlock-background); white-space: pre-wrap; overflow-wrap: anywhere; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 10px; margin: 6px 0 0; } dt { color: var(--vscode-descriptionForeground); } dd { margin: 0; }
  .anchor { display: flex; flex-direction: column; align-items: flex-start; gap: 2px; margin-bottom: 6px; } .anchor .path { overflow-wrap: anywhere; } .anchor details { width: 100%; }
  .steps { list-style: none; margin: 0; padding: 0; } .steps li { display: flex; flex-direction: column; padding: 2px 0 6px; } .links { display: flex; flex-wrap: wrap; gap: 0 12px; } .undone { text-decoration: line-through; color: var(--vscode-descriptionForeground); }
  h4 { margin: 4px 0 2px; font-size: 11px; font-weight: 600; color: var(--vscode-descriptionForeground); }
  .related { display: flex; gap: 6px; width: 100%; border: none; background: none; color: inherit; text-align: start; padding: 2px 0; cursor: pointer; } .related > .what { display: flex; flex: 1; flex-direction: column; min-width: 0; } .related:hover { background: var(--vscode-list-hoverBackground); }
  table { border-collapse: collapse; } th { text-align: start; font-weight: normal; white-space: nowrap; color: var(--vscode-descriptionForeground); padding: 1px 12px 1px 0; vertical-align: top; } td { padding: 1px 0; }
`;
