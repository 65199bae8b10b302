/**
 * The Memories tab: search as you type, filters and their chips, sort, the list, and
 * the memories of the file the person is at.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { AGES, KINDS, NO_FILTERS, SORTS } from '../../src/protocol/index.ts';
import type { HostSnapshot, ListFilters, MemoryRow, SortName } from '../../src/protocol/index.ts';
import { HostError } from './hostLink.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import type { MemoryList, Question } from './memoryList.ts';
import './memoryList.ts';
import { meanMemory } from './menuContext.ts';
import { isStale, renderRow, rowStyles } from './memoryRowView.ts';
import { base, kindColours } from './styles.ts';
import type { ViewState } from './viewState.ts';
import { EachMinute } from './waiting.ts';
import { count, kindLabel, SCOPE_LEVELS, scopeLevelLabel, t } from './words.ts';

/** Keys that follow each other faster than this are one question; any other is asked at once, and an answer that comes too late is cancelled. */
const TYPING_PAUSE_MS = 30;
const STATUSES = ['active', 'superseded', 'archived', 'forgotten'] as const;

export class MemoriesView extends LitElement {
  static override properties = { state: { attribute: false }, snapshot: { attribute: false }, question: { state: true }, tags: { state: true }, fileRows: { state: true }, tick: { state: true } };
  declare link: HostLink;
  declare state: ViewState;
  declare snapshot: HostSnapshot;
  declare question: Question | undefined;
  declare tags: readonly { tag: string; count: number }[];
  declare fileRows: { path: string; rows: readonly MemoryRow[]; total: number } | undefined;
  declare tick: number;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #typedAt = -Infinity;
  #fileRequest: AbortController | undefined;
  #restored = false;

  constructor() {
    super();
    this.tags = [];
    this.tick = 0;
    this.addController(new EachMinute(this));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (this.question === undefined) this.#ask();
    const before = changed.get('snapshot');
    if (changed.has('snapshot') && (before?.activeFile?.path !== this.snapshot.activeFile?.path || before?.revision !== this.snapshot.revision)) void this.#loadFile();
    if (changed.has('state') && this.state.filtersOpen && this.tags.length === 0) void this.#loadTags();
  }

  protected override firstUpdated(): void {
    const list = this.list;
    if (list !== null && !this.#restored) list.restore = { focusId: this.state.focusId, focusIndex: this.state.focusIndex, first: this.state.first, selected: this.state.selected };
    this.#restored = true;
  }

  get list(): MemoryList | null {
    return this.renderRoot.querySelector<MemoryList>('cairn-memory-list');
  }

  focusSearch(query?: string): void {
    if (query !== undefined) this.#change({ query }, true);
    const input = this.renderRoot.querySelector<HTMLInputElement>('.search input');
    input?.focus();
    input?.select();
  }

  #ask(): void {
    const { query, filters, sort } = this.state;
    this.question = { query: query.trim(), filters, sort: query.trim() === '' && sort === 'relevance' ? 'recent' : sort };
  }

  #change(patch: Partial<ViewState>, ask: boolean): void {
    this.state = { ...this.state, ...patch };
    this.dispatchEvent(new CustomEvent('state', { detail: patch }));
    if (ask) this.#ask();
  }

  readonly #typed = (event: Event): void => {
    // Half a Chinese word is no question: `compositionend` brings the whole one.
    if (event instanceof InputEvent && event.isComposing) return;
    const query = (event.target as HTMLInputElement).value;
    // Searching means "the best first", unless the person chose an order while searching.
    const sort: SortName = query.trim() === '' ? (this.state.sort === 'relevance' ? 'recent' : this.state.sort) : this.state.query.trim() === '' ? 'relevance' : this.state.sort;
    this.#change({ query, sort, first: 0 }, false);
    clearTimeout(this.#typing);
    const isBurst = performance.now() - this.#typedAt < TYPING_PAUSE_MS;
    this.#typedAt = performance.now();
    // A blank at the end, or the end of a word that was asked for when it was composed, is no other question.
    if (query.trim() === this.question?.query) return;
    if (isBurst) this.#typing = setTimeout(() => { this.#ask(); }, TYPING_PAUSE_MS);
    else this.#ask();
  };

  readonly #searchKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'Enter') {
      this.list?.focusList();
      event.preventDefault();
    } else if (event.key === 'Escape' && this.state.query !== '') {
      this.#change({ query: '', sort: this.state.sort === 'relevance' ? 'recent' : this.state.sort }, true);
      event.preventDefault();
      event.stopPropagation();
    }
  };

  async #loadTags(): Promise<void> {
    try {
      this.tags = (await this.link.request('listTags', {})).tags.slice(0, 60);
    } catch {
      this.tags = []; // Tags only offer completions; the list itself reports what is wrong with the store.
    }
  }

  async #loadFile(): Promise<void> {
    const file = this.snapshot.activeFile;
    this.#fileRequest?.abort();
    if (file === undefined) {
      this.fileRows = undefined;
      return;
    }
    this.#fileRequest = new AbortController();
    try {
      this.fileRows = { path: file.path, ...(await this.link.request('memoriesOfFile', { path: file.path }, this.#fileRequest.signal)) };
    } catch {
      this.fileRows = undefined; // Beside the list, which reports the same failure with its cure.
    }
  }

  #toggle<K extends 'kinds' | 'tags' | 'scopes' | 'statuses'>(field: K, value: ListFilters[K][number]): void {
    const values = this.state.filters[field] as readonly string[];
    const next = values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
    this.#change({ filters: { ...this.state.filters, [field]: next }, first: 0 }, true);
  }

  #chips(): { label: string; clear: () => void }[] {
    const { filters } = this.state;
    const chips = [
      ...filters.kinds.map((kind) => ({ label: kindLabel(kind), clear: () => { this.#toggle('kinds', kind); } })),
      ...filters.tags.map((tag) => ({ label: `#${tag}`, clear: () => { this.#toggle('tags', tag); } })),
      ...filters.scopes.map((scope) => ({ label: scopeLevelLabel(scope), clear: () => { this.#toggle('scopes', scope); } })),
      ...filters.statuses.map((status) => ({ label: statusName(status), clear: () => { this.#toggle('statuses', status); } })),
    ];
    const without = (field: 'age' | 'pinned' | 'branch') => (): void => {
      const next = { ...filters };
      delete next[field];
      this.#change({ filters: next }, true);
    };
    if (filters.age !== undefined) chips.push({ label: ageName(filters.age), clear: without('age') });
    if (filters.pinned === true) chips.push({ label: t('pinned'), clear: without('pinned') });
    if (filters.branch !== undefined) chips.push({ label: filters.branch, clear: without('branch') });
    return chips;
  }

  readonly #clear = (): void => {
    this.#change({ filters: NO_FILTERS, query: '', sort: this.state.sort === 'relevance' ? 'recent' : this.state.sort }, true);
  };

  protected override render(): TemplateResult {
    const chips = this.#chips();
    const { state } = this;
    return html`
      <div class="search" role="search">
        <span class="field">${icon('search')}<input class="input" type="text" spellcheck="false" placeholder=${t('Search memories')} aria-label=${t('Search memories')} .value=${live(state.query)} @input=${this.#typed} @compositionend=${this.#typed} @keydown=${this.#searchKey}>
          ${state.query === '' ? nothing : html`<button class="tool" title=${t('Clear')} aria-label=${t('Clear')} @click=${() => { this.#change({ query: '' }, true); this.focusSearch(); }}>${icon('close')}</button>`}</span>
        <button class="tool wide" aria-pressed=${state.filtersOpen ? 'true' : 'false'} aria-expanded=${state.filtersOpen ? 'true' : 'false'} title=${t('Filters')} aria-label=${t('Filters')} @click=${() => { this.#change({ filtersOpen: !state.filtersOpen }, false); }}>
          ${icon(chips.length > 0 ? 'filter-filled' : 'filter')}<span class="n">${chips.length > 0 ? chips.length : ''}</span></button>
      </div>
      ${state.filtersOpen ? this.#renderFilters() : nothing}
      <div class="bar">
        <span class="chips">${chips.map((chip) => html`<button class="chip" aria-label=${t('Remove filter {0}', chip.label)} @click=${chip.clear}>${chip.label}${icon('close')}</button>`)}</span>
        <select class="sort" aria-label=${t('Order')} .value=${this.question?.sort ?? state.sort} @change=${(event: Event) => { this.#change({ sort: (event.target as HTMLSelectElement).value as SortName, first: 0 }, true); }}>
          ${SORTS.filter((sort) => sort !== 'relevance' || state.query.trim() !== '').map((sort) => html`<option value=${sort} ?selected=${sort === this.question?.sort}>${sortLabel(sort)}</option>`)}
        </select>
      </div>
      ${this.#renderDegradations()}
      <cairn-memory-list .link=${this.link} .question=${this.question} .revision=${this.snapshot.revision} @answered=${this.#answered} @moved=${this.#moved} @open=${this.#forward} @act=${this.#forward}>${this.#renderNothing(chips.length > 0 || state.query.trim() !== '')}</cairn-memory-list>
      ${this.#renderFile()}`;
  }

  readonly #answered = (): void => {
    this.tick += 1;
    this.dispatchEvent(new CustomEvent('answered', { detail: { total: this.list?.rows.total ?? 0 } }));
  };

  readonly #moved = (event: CustomEvent<{ focusId?: string; focusIndex: number; first: number }>): void => {
    this.dispatchEvent(new CustomEvent('state', { detail: event.detail }));
  };

  readonly #forward = (event: CustomEvent<unknown>): void => {
    this.dispatchEvent(new CustomEvent(event.type, { detail: event.detail }));
  };

  #renderDegradations(): unknown {
    const sentences = this.list?.rows.degradations ?? [];
    return sentences.length === 0 || this.question?.query === '' ? nothing : html`<div class="note" title=${sentences.join('\n')}>${icon('info')}<span>${sentences[0]}</span></div>`;
  }

  #renderNothing(narrowed: boolean): unknown {
    const rows = this.list?.rows;
    if (rows === undefined || (rows.state === 'loading' && rows.total === 0)) return nothing;
    if (rows.state === 'failed') {
      return html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${t('The memories could not be read.')}</p><p class="quiet">${rows.error?.message ?? ''}</p>
        <vscode-button @click=${() => { this.#ask(); }}>${t('Try again')}</vscode-button>
        ${rows.error instanceof HostError && rows.error.code === 'STORE_CORRUPT' ? html`<vscode-button secondary @click=${() => { void this.link.request('runCommand', { command: 'cairn.restoreBackup' }); }}>${t('Restore a backup')}</vscode-button>` : nothing}
        <button class="plain" @click=${() => { void this.link.request('runCommand', { command: 'cairn.showLog' }); }}>${t('Show log')}</button>
        <button class="plain" @click=${() => { void this.link.request('runCommand', { command: 'cairn.doctor' }); }}>${t('Run doctor')}</button></div>`;
    }
    if (narrowed) {
      return html`<div class="blank"><p>${t('No memory matches the search and the filters.')}</p><vscode-button secondary @click=${this.#clear}>${t('Clear filters')}</vscode-button></div>`;
    }
    return html`<div class="blank"><p>${t('Nothing is remembered here yet. Select lines in an editor and choose "Remember This", or write a sentence yourself.')}</p>
      <vscode-button @click=${() => { void this.link.request('runCommand', { command: 'cairn.remember' }); }}>${t('Remember…')}</vscode-button></div>`;
  }

  #renderFile(): unknown {
    const file = this.snapshot.activeFile;
    if (file === undefined) return nothing;
    const rows = this.fileRows?.path === file.path ? this.fileRows : undefined;
    const open = this.state.fileOpen && (rows?.total ?? 0) > 0;
    const look = { width: this.clientWidth > 0 ? this.clientWidth : 280, measure: roughMeasure, terms: [], now: Date.now() };
    return html`<section class="file" aria-label=${t('Memories of this file')}>
      <button class="head" aria-expanded=${open ? 'true' : 'false'} @click=${() => { this.#change({ fileOpen: !this.state.fileOpen }, false); }}>${icon(open ? 'chevron-down' : 'chevron-right')}<b>${t('This file')}</b><span class="name">${file.name}</span><span class="quiet">${rows === undefined ? '' : count(rows.total)}</span></button>
      ${open ? html`<div class="rows scroll" role="group">${rows?.rows.map((row) => html`<button class="row" @contextmenu=${() => { meanMemory({ id: row.id, pinned: row.pinned, anchored: row.anchorCount > 0, stale: isStale(row) }); }} @click=${() => { this.dispatchEvent(new CustomEvent('open', { detail: { id: row.id, edit: false } })); }}>${renderRow(row, look)}</button>`)}</div>` : nothing}
    </section>`;
  }

  #renderFilters(): TemplateResult {
    const { filters } = this.state;
    const choice = (label: string, on: boolean, toggle: () => void): TemplateResult => html`<button class="choice" role="checkbox" aria-checked=${on ? 'true' : 'false'} @click=${toggle}>${icon(on ? 'check' : 'circle-outline', on ? '' : 'off')}${label}</button>`;
    return html`<div class="filters scroll" role="group" aria-label=${t('Filters')}>
      <h2>${t('Kind')}</h2><div class="choices">${KINDS.map((kind) => choice(kindLabel(kind), filters.kinds.includes(kind), () => { this.#toggle('kinds', kind); }))}</div>
      ${this.tags.length === 0 ? nothing : html`<h2>${t('Tags')}</h2><div class="choices">${this.tags.map(({ tag, count: uses }) => choice(`${tag} ${uses}`, filters.tags.includes(tag), () => { this.#toggle('tags', tag); }))}</div>`}
      <h2>${t('Scope')}</h2><div class="choices">${SCOPE_LEVELS.map((scope) => choice(scopeLevelLabel(scope), filters.scopes.includes(scope), () => { this.#toggle('scopes', scope); }))}
        ${this.snapshot.branch === undefined ? nothing : choice(this.snapshot.branch, filters.branch === this.snapshot.branch, () => { const next = { ...filters, branch: this.snapshot.branch }; if (filters.branch !== undefined) delete next.branch; this.#change({ filters: next }, true); })}</div>
      <h2>${t('Status')}</h2><div class="choices">${STATUSES.map((status) => choice(statusName(status), filters.statuses.includes(status), () => { this.#toggle('statuses', status); }))}
        ${choice(t('pinned'), filters.pinned === true, () => { const next = { ...filters, pinned: true }; if (filters.pinned === true) delete (next as ListFilters).pinned; this.#change({ filters: next }, true); })}</div>
      <h2>${t('Changed')}</h2><div class="choices">${AGES.map((span) => choice(ageName(span), filters.age === span, () => { const next: ListFilters = { ...filters, age: span }; if (filters.age === span) delete next.age; this.#change({ filters: next }, true); }))}</div>
    </div>`;
  }

  static override styles = [base, kindColours, rowStyles, css`
    :host { display: flex; flex-direction: column; min-height: 0; flex: 1; }
    .search { display: flex; gap: 4px; padding: 6px 8px 4px 12px; flex: none; }
    .field { position: relative; flex: 1; display: flex; min-width: 0; }
    .field > .codicon { position: absolute; left: 6px; top: 5px; color: var(--vscode-input-placeholderForeground); pointer-events: none; }
    .field .input { padding-left: 26px; padding-right: 24px; height: 26px; }
    .field .tool { position: absolute; right: 2px; top: 2px; }
    .wide { width: 36px; height: 26px; } .n { width: 12px; font-size: 11px; text-align: center; }
    .bar { display: flex; align-items: flex-start; gap: 4px; padding: 0 8px 2px 12px; min-height: 24px; flex: none; }
    .chips { display: flex; flex-wrap: wrap; gap: 4px; flex: 1; min-width: 0; }
    .chip { display: inline-flex; align-items: center; gap: 2px; height: 20px; padding: 0 2px 0 6px; border: 1px solid var(--vscode-contrastBorder, transparent); border-radius: 3px; background: var(--vscode-badge-background); color: var(--vscode-badge-foreground); cursor: pointer; max-width: 160px; overflow: hidden; }
    .sort { font: inherit; flex: none; margin-left: auto; max-width: 140px; height: 22px; border: 1px solid transparent; border-radius: 3px; background: transparent; color: var(--vscode-descriptionForeground); cursor: pointer; text-align: right; }
    .sort option { background: var(--vscode-dropdown-background); color: var(--vscode-dropdown-foreground); }
    .note { display: flex; gap: 4px; padding: 2px 12px; color: var(--vscode-descriptionForeground); flex: none; } 
    cairn-memory-list { flex: 1; }
    .filters { flex: none; max-height: 45%; padding: 0 12px 6px; border-bottom: 1px solid var(--vscode-sideBarSectionHeader-border, var(--vscode-widget-border, transparent)); }
    .filters h2 { margin: 6px 0 2px; font-size: 11px; font-weight: 600; color: var(--vscode-descriptionForeground); }
    .choices { display: flex; flex-wrap: wrap; gap: 2px 4px; }
    .choice { display: inline-flex; align-items: center; gap: 3px; height: 22px; padding: 0 6px 0 3px; background: none; border: 1px solid transparent; border-radius: 3px; color: inherit; cursor: pointer; max-width: 100%; overflow: hidden; white-space: nowrap; }
    .choice:hover { background: var(--vscode-list-hoverBackground); } .choice[aria-checked='true'] { background: var(--vscode-inputOption-activeBackground); color: var(--vscode-inputOption-activeForeground); border-color: var(--vscode-inputOption-activeBorder, transparent); }
    .off { opacity: 0.6; }
    .file { flex: none; border-top: 1px solid var(--vscode-sideBarSectionHeader-border, var(--vscode-widget-border, transparent)); }
    .head { display: flex; align-items: center; gap: 4px; width: 100%; height: 22px; padding: 0 12px 0 4px; border: none; background: var(--vscode-sideBarSectionHeader-background, transparent); color: var(--vscode-sideBarSectionHeader-foreground, inherit); cursor: pointer; font-size: 11px; white-space: nowrap; }
    .head .name { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; text-align: left; }
    .file .rows { max-height: 176px; } .file .row { width: 100%; border: none; background: none; color: inherit; text-align: left; }
  `];
}

/** Average advance of a proportional font at 13 px; the few rows of this section need no canvas. */
const roughMeasure = (text: string): number => [...text].reduce((width, character) => width + (character > '\u2e7f' ? 13.5 : 7), 0);

function statusName(status: ListFilters['statuses'][number]): string {
  switch (status) {
    case 'inbox': return t('to review');
    case 'active': return t('active');
    case 'superseded': return t('superseded');
    case 'archived': return t('archived');
    case 'forgotten': return t('forgotten');
  }
}
function ageName(span: (typeof AGES)[number]): string {
  switch (span) {
    case 'day': return t('last 24 hours');
    case 'week': return t('last 7 days');
    case 'month': return t('last 30 days');
    case 'quarter': return t('last 90 days');
  }
}
function sortLabel(sort: SortName): string {
  switch (sort) {
    case 'relevance': return t('by relevance');
    case 'recent': return t('most recent');
    case 'kind': return t('by kind');
    case 'file': return t('by file');
    case 'importance': return t('by importance');
  }
}
customElements.define('cairn-memories', MemoriesView);
