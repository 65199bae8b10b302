/**
 * One row of the list of memories: two lines in 44 px. Line one and the left of line
 * two are the statement, or, where the code changed, that and the statement; kind, age,
 * tags and place stand right on line two. Width decides what of that is shown; the
 * statement wins over the tags.
 */
import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { KindName, MemoryRow } from '../../src/protocol/index.ts';
import { icon } from './icons.ts';
import type { IconName } from './icons.ts';
import { fitTwoLines, markMatches, singleLine } from './textFit.ts';
import type { FittedText, Measure } from './textFit.ts';
import { absoluteTime, age, kindLabel, scopeLabel, t } from './words.ts';

const KIND_ICONS: Readonly<Record<KindName, IconName>> = {
  rule: 'law', decision: 'pass', preference: 'heart', code_pattern: 'symbol-method', technical_context: 'server-environment',
  project_context: 'project', communication_pattern: 'comment-discussion', subtle_signal: 'lightbulb', identity: 'person', fact: 'info',
  observation: 'eye', entity: 'symbol-class', relation: 'type-hierarchy', session_summary: 'note',
};

export const kindMark = (kind: KindName): TemplateResult => html`<span class="mark kind-${kind}" aria-hidden="true" title=${kindLabel(kind)}>${icon(KIND_ICONS[kind])}</span>`;

/** Left mark, gaps and right padding: what of the row's width is not text. */
const CHROME_PX = 50;
const PIN_PX = 20;
/** Kind and age. */
const ALWAYS_SHOWN = 2;

export const isStale = (row: MemoryRow): boolean => row.anchor?.state === 'changed' || row.anchor?.state === 'missing';

export function placeLabel(anchor: { path: string; startLine?: number | undefined; endLine?: number | undefined }, whole = true): string {
  const path = whole ? anchor.path : (anchor.path.split('/').at(-1) ?? anchor.path);
  if (anchor.startLine === undefined) return path;
  return anchor.endLine === undefined || anchor.endLine === anchor.startLine ? `${path}:${anchor.startLine}` : `${path}:${anchor.startLine}-${anchor.endLine}`;
}

/** Why a memory needs a look, in words; undefined when it does not. */
export function staleReason(row: MemoryRow, whole: boolean): string | undefined {
  if (row.anchor === undefined || !isStale(row)) return undefined;
  const place = placeLabel(row.anchor, whole);
  return row.anchor.state === 'missing' ? t('{0} is gone', place) : t('{0} changed since', place);
}

/** Parts of line two, most telling first; what it is and how old it is always stand there. */
export function metaParts(row: MemoryRow, now: number): string[] {
  const parts = [kindLabel(row.kind), age(row.updatedAt, now)];
  if (row.status !== 'active') parts.push(statusLabel(row.status));
  if (row.scope !== 'repository') parts.push(scopeLabel(row.scope));
  if (row.anchor !== undefined && !isStale(row)) parts.push(placeLabel({ path: row.anchor.path }, false));
  if (row.expiresAt !== undefined) parts.push(t('expires'));
  parts.push(...row.tags);
  return parts;
}

function statusLabel(status: MemoryRow['status']): string {
  switch (status) {
    case 'inbox': return t('to review');
    case 'active': return t('active');
    case 'superseded': return t('superseded');
    case 'archived': return t('archived');
    case 'forgotten': return t('forgotten');
  }
}

function fitMeta(parts: readonly string[], width: number, measure: Measure): string {
  let label = parts.slice(0, ALWAYS_SHOWN).join(' · ');
  for (const part of parts.slice(ALWAYS_SHOWN)) {
    const longer = `${label} · ${part}`;
    if (measure(longer) > width) break;
    label = longer;
  }
  return label;
}

export interface RowLook {
  readonly width: number;
  readonly measure: Measure;
  readonly terms: readonly string[];
  readonly now: number;
}

const emphasised = (text: string, terms: readonly string[]): unknown =>
  markMatches(text, terms).map((stretch) => (stretch.matched ? html`<mark>${stretch.text}</mark>` : stretch.text));

interface Laid {
  readonly key: string;
  readonly reason: string | undefined;
  readonly meta: string;
  /** All of the second line with the exact time, for the pointer that rests on it. */
  readonly hint: string;
  readonly label: string;
  readonly fitted: FittedText;
}

/** Scrolling draws the same rows again and again; cutting texts into words is what that would cost. */
const laidRows = new WeakMap<MemoryRow, Laid>();
const MINUTE_MS = 60_000;

function layOutRow(row: MemoryRow, look: RowLook): Laid {
  const key = `${look.width} ${Math.floor(look.now / MINUTE_MS)} ${look.terms.join(' ')}`;
  const known = laidRows.get(row);
  if (known?.key === key) return known;
  const text = Math.max(60, look.width - CHROME_PX);
  const reason = staleReason(row, look.width > 360);
  const parts = metaParts(row, look.now);
  const meta = fitMeta(parts, text * (look.width < 280 ? 0.6 : 0.5), look.measure);
  const [whole, left] = [text - (row.pinned ? PIN_PX : 0), text - look.measure(meta) - 12];
  const second = left < 40 ? 0 : left;
  // What needs a look comes first; the statement then has the second line alone.
  const fitted = reason === undefined ? fitTwoLines(row.text, [whole, second], look.terms, look.measure) : { first: fitTwoLines(reason, [whole, 0], [], look.measure).first, second: second === 0 ? '' : fitTwoLines(row.text, [second, 0], look.terms, look.measure).first };
  const laid = { key, reason, meta, hint: `${parts.join(' · ')} · ${absoluteTime(row.updatedAt)}`, label: rowLabel(row, parts), fitted };
  laidRows.set(row, laid);
  return laid;
}

/**
 * The inside of a row; the list wraps it in its option. The name of that is the whole statement, heard and not seen;
 * what is seen of it may be shortened, and is hidden from those who hear.
 */
export function renderRow(row: MemoryRow, look: RowLook): TemplateResult {
  const { fitted, hint, label, meta, reason } = layOutRow(row, look);
  return html`<span class="sr">${label}</span>
    ${reason === undefined ? kindMark(row.kind) : html`<span class="mark warn" aria-hidden="true">${icon('warning')}</span>`}
    <span class="line" aria-hidden="true">${reason === undefined ? html`<span class="said" dir="auto">${emphasised(fitted.first, look.terms)}</span>` : html`<span class="said warn">${fitted.first}</span>`}${row.pinned ? html`<span class="pin" title=${t('Pinned')}>${icon('pinned')}</span>` : nothing}</span>
    <span class="line second" aria-hidden="true">
      <span class="said" dir="auto">${emphasised(fitted.second, look.terms)}</span>
      <span class="meta" title=${hint}>${meta}</span>
    </span>`;
}

/** What a screen reader says for a row. */
function rowLabel(row: MemoryRow, parts: readonly string[]): string {
  const reason = staleReason(row, true);
  return [row.pinned ? t('Pinned') : '', singleLine(row.text), ...parts, reason ?? ''].filter((part) => part !== '').join(', ');
}

export const rowStyles = css`
  .row { position: relative; display: grid; grid-template-columns: 16px 1fr; grid-template-rows: 20px 20px; column-gap: 6px; height: 44px; padding: 2px 14px 2px 12px; cursor: pointer; overflow: hidden; }
  .row .mark { grid-row: 1; display: flex; align-items: center; height: 20px; }
  .row .line { grid-column: 2; display: flex; min-width: 0; line-height: 20px; height: 20px; white-space: pre; }
  .row .said { flex: 1; min-width: 0; overflow: hidden; }
  .row .second .said { color: var(--vscode-foreground); }
  .row .said.warn { color: var(--vscode-editorWarning-foreground, var(--vscode-foreground)); }
  .row .meta { flex: none; padding-inline-start: 8px; color: var(--vscode-descriptionForeground); }
  .row .pin { flex: none; width: 20px; text-align: right; color: var(--vscode-icon-foreground); }
  .row:hover { background: var(--vscode-list-hoverBackground); color: var(--vscode-list-hoverForeground, inherit); outline: 1px dashed var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
  .row[aria-selected='true'] .meta { color: inherit; }
  .row[aria-selected='true'] { background: var(--vscode-list-inactiveSelectionBackground); color: var(--vscode-list-inactiveSelectionForeground, inherit); outline: 1px dotted var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
  .list:focus-visible .row[aria-selected='true'] { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); outline: 1px solid var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
  .list:focus-visible .row[aria-selected='true'] :is(.said, .meta, .mark, .pin, .warn, .codicon) { color: inherit; }
  .list:focus-visible .row.focused { outline: 1px solid var(--vscode-list-focusOutline, var(--vscode-focusBorder)); outline-offset: -1px; }
  .row .tools { position: absolute; top: 1px; right: 8px; display: none; height: 20px; padding-inline-start: 6px; background: var(--vscode-sideBar-background); }
  /* The row's own colour over what is opaque, so that the text below does not shine through. */
  .row .tools::before { content: ''; position: absolute; inset: 0; background: var(--vscode-list-hoverBackground); } .row .tools > * { position: relative; }
  .row[aria-selected='true'] .tools::before { background: var(--vscode-list-inactiveSelectionBackground); } .list:focus-visible .row[aria-selected='true'] .tools::before { background: var(--vscode-list-activeSelectionBackground); }
  .row:hover .tools, .list:focus-within .row.focused .tools { display: flex; }
  /* Where the system takes the colours away, an outline says what is chosen. */
  @media (forced-colors: active) { .row[aria-selected='true'] { outline: 1px solid Highlight !important; outline-offset: -1px; } mark { forced-color-adjust: none; background: Highlight; color: HighlightText; } }
  .skeleton { margin: 5px 0; height: 10px; border-radius: 2px; background: var(--vscode-list-hoverBackground); }
`;
