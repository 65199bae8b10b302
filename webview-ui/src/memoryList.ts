/**
 * The list of memories: a virtual listbox over pages of rows. It knows rows, focus and
 * selection; what an act does is the sidebar's business, told by events:
 * `open` {id, edit}, `act` {verb, rows}, `moved` {focusId, focusIndex, first}, `answered` {}.
 */
import { LitElement, css, html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { PropertyValues, TemplateResult } from 'lit';
import { FlowLayout } from '@lit-labs/virtualizer/layouts/flow.js';
import { virtualize, virtualizerRef } from '@lit-labs/virtualizer/virtualize.js';
import type { VirtualizerHostElement } from '@lit-labs/virtualizer/virtualize.js';
import type { ListQuery, MemoryRow } from '../../src/protocol/index.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import { PagedRows } from './pagedRows.ts';
import { meanMemory } from './menuContext.ts';
import { isStale, renderRow, rowStyles } from './memoryRowView.ts';
import { base, kindColours } from './styles.ts';
import { queryTerms } from './textFit.ts';
import { EachMinute, SKELETON_AFTER_MS } from './waiting.ts';
import { ageGroup, kindLabel, t } from './words.ts';

export type RowVerb = 'pin' | 'forget' | 'archive' | 'restore' | 'copy' | 'anchor';
interface RowState {
  readonly heading: string | undefined;
  readonly selected: boolean;
  readonly focused: boolean;
  readonly now: number;
}

export type Question = Omit<ListQuery, 'offset'>;

const MINUTE_MS = 60_000;
/** Frames in which a first layout is waited for before the list stays at its top. */
const LAYOUT_FRAMES = 120;
/** Chosen rows that are worth finding again. */
const KEPT_SELECTION = 100;

/** Ten rows beyond either edge: more are drawn for nothing at every step of the wheel. */
class NearFlow extends FlowLayout {
  protected override _overhang = 440;
}
const NEAR = { type: NearFlow };

export class MemoryList extends LitElement {
  static override properties = { question: { attribute: false }, revision: { attribute: false }, width: { state: true }, late: { state: true } };
  declare link: HostLink;
  declare question: Question;
  declare revision: number;
  declare width: number;
  /** Loading has taken long enough to show it. */
  declare late: boolean;
  /** Where the person was before; read once. */
  restore: { focusId?: string | undefined; focusIndex?: number | undefined; first?: number | undefined; selected?: readonly string[] | undefined } = {};

  readonly rows = new PagedRows(() => { this.#answered(); });
  #indexes: number[] = [];
  #focusIndex = 0;
  #focusId: string | undefined;
  #selected = new Map<string, MemoryRow>();
  /** The row that keys went to among the rows of an older answer; the new one may have it elsewhere, and brings it into sight. */
  #wentTo: string | undefined;
  #pivot = 0;
  #first = 0;
  #terms: readonly string[] = [];
  #resize: ResizeObserver | undefined;
  #lateTimer: ReturnType<typeof setTimeout> | undefined;
  #measure: ((text: string) => number) | undefined;

  constructor() {
    super();
    this.width = 0;
    this.late = false;
    this.revision = 0;
    this.addController(new EachMinute(this));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize = new ResizeObserver(([entry]) => {
      this.#measure = undefined;
      this.width = Math.floor(entry?.contentRect.width ?? 0);
    });
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize?.disconnect();
    clearTimeout(this.#lateTimer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('question')) {
      const question = this.question;
      this.#terms = queryTerms(question.query);
      this.late = false;
      clearTimeout(this.#lateTimer);
      this.#lateTimer = setTimeout(() => { this.late = this.rows.state === 'loading'; }, SKELETON_AFTER_MS);
      if (changed.get('question') !== undefined) {
        this.#selected.clear();
        this.#focusIndex = 0;
        this.#focusId = undefined;
        this.#wentTo = undefined;
        this.#list?.scrollTo({ top: 0 });
      }
      this.rows.ask((offset, signal) => this.link.request('listMemories', { ...question, offset }, signal));
    } else if (changed.has('revision') && changed.get('revision') !== undefined) {
      this.rows.refresh();
    }
  }

  get #list(): HTMLElement & VirtualizerHostElement | null {
    return this.renderRoot.querySelector('.list');
  }

  /** The row that keys act on. */
  get focused(): MemoryRow | undefined {
    return this.rows.peek(this.#focusIndex);
  }

  /** Asked for before the rows are there; or lost with the last row, to be given back with the next unless the person went elsewhere. */
  #wantsFocus: 'asked' | 'lost' | undefined;

  /** Now, or when the first rows have arrived. */
  focusList(): void {
    const list = this.#list;
    this.#wantsFocus = list !== null ? undefined : this.rows.state === 'loading' ? 'asked' : 'lost';
    list?.focus();
  }

  #giveFocus(): void {
    const nowhere = document.activeElement === null || document.activeElement === document.body;
    if (this.#wantsFocus === 'asked' || nowhere) this.focusList();
    else this.#wantsFocus = undefined;
  }

  #answered(): void {
    clearTimeout(this.#lateTimer);
    this.late = false;
    if (this.#indexes.length !== this.rows.total) this.#indexes = Array.from({ length: this.rows.total }, (_, index) => index);
    const { first, focusIndex, selected = [] } = this.restore;
    for (const id of selected) this.#select(this.rows.indexOf(id));
    const before = this.#focusId;
    if (focusIndex !== undefined) {
      this.#focusIndex = focusIndex;
      this.#focusId = this.restore.focusId;
    }
    this.restore = {};
    const wentTo = this.#wentTo;
    this.#wentTo = undefined;
    const found = this.#focusId === undefined ? -1 : this.rows.indexOf(this.#focusId);
    this.#focusIndex = found === -1 ? Math.max(0, Math.min(this.#focusIndex, this.rows.total - 1)) : found;
    // While its page is still on the way, the row that was chosen stays the one that is meant.
    this.#focusId = this.rows.at(this.#focusIndex)?.id ?? this.#focusId;
    if (this.rows.total === 0 && this.#list !== null && this.shadowRoot?.activeElement === this.#list) this.#wantsFocus = 'lost';
    for (const id of this.#selected.keys()) {
      const index = this.rows.indexOf(id);
      const row = index === -1 ? undefined : this.rows.peek(index);
      if (row === undefined) this.#selected.delete(id);
      else this.#selected.set(id, row);
    }
    if (this.#selected.size === 0 && this.focused !== undefined) this.#selected.set(this.focused.id, this.focused);
    if (this.#focusId !== before) this.#tellMoved();
    this.requestUpdate();
    if (this.#wantsFocus !== undefined) void this.updateComplete.then(() => { this.#giveFocus(); });
    if (first !== undefined && first > 0) void this.#returnTo(first);
    else if (wentTo !== undefined && wentTo === this.#focusId) void this.#returnTo(this.#focusIndex, 'nearest');
    this.dispatchEvent(new CustomEvent('answered'));
  }

  /** Once rows have been laid out, since only then their height is known and the place is exact. */
  async #returnTo(index: number, block: ScrollLogicalPosition = 'start'): Promise<void> {
    await this.updateComplete;
    const nextFrame = (): Promise<number> => new Promise((resolve) => { requestAnimationFrame(resolve); });
    for (let frame = 0; frame < LAYOUT_FRAMES; frame += 1) {
      await nextFrame();
      if (this.#list?.querySelector('.row') === null || this.#list === null) continue;
      await nextFrame();
      this.#scrollTo(index, block);
      return;
    }
  }

  #scrollTo(index: number, block: ScrollLogicalPosition): void {
    const virtualizer = this.#list?.[virtualizerRef];
    virtualizer?.element(index)?.scrollIntoView({ block });
  }

  #textWidth(): (text: string) => number {
    if (this.#measure !== undefined) return this.#measure;
    const context = document.createElement('canvas').getContext('2d');
    const style = getComputedStyle(this);
    if (context !== null) context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    // Emphasised words are wider than measured; 4 % more keeps them on their line.
    const factor = this.#terms.length > 0 ? 1.04 : 1;
    this.#measure = (text) => (context?.measureText(text).width ?? text.length * 7) * factor;
    return this.#measure;
  }

  #moveTo(index: number, extend: boolean): void {
    const target = Math.max(0, Math.min(index, this.rows.total - 1));
    const row = this.rows.peek(target);
    this.#focusIndex = target;
    this.#focusId = row?.id;
    this.#wentTo = this.rows.state === 'loading' ? row?.id : undefined;
    if (!extend) {
      this.#pivot = target;
      this.#selected.clear();
    } else {
      this.#selected.clear();
      for (let at = Math.min(this.#pivot, target); at <= Math.max(this.#pivot, target); at += 1) this.#select(at);
    }
    this.#select(target);
    this.requestUpdate();
    this.#scrollTo(target, 'nearest');
    this.#tellMoved();
  }

  #select(index: number): void {
    const row = this.rows.peek(index);
    if (row !== undefined) this.#selected.set(row.id, row);
  }

  #tellMoved(): void {
    this.dispatchEvent(new CustomEvent('moved', { detail: { focusId: this.#focusId, focusIndex: this.#focusIndex, first: this.#first, selected: [...this.#selected.keys()].slice(0, KEPT_SELECTION) } }));
  }

  #act(verb: RowVerb, rows: readonly MemoryRow[]): void {
    if (rows.length === 0) return;
    this.dispatchEvent(new CustomEvent('act', { detail: { verb, rows } }));
  }

  #open(row: MemoryRow | undefined, edit: boolean): void {
    if (row !== undefined) this.dispatchEvent(new CustomEvent('open', { detail: { id: row.id, edit } }));
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const many = [...this.#selected.values()];
    const page = Math.max(1, Math.floor((this.#list?.clientHeight ?? 440) / 44) - 1);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const moves: Readonly<Record<string, number>> = { ArrowDown: this.#focusIndex + 1, ArrowUp: this.#focusIndex - 1, Home: 0, End: this.rows.total - 1, PageDown: this.#focusIndex + page, PageUp: this.#focusIndex - page };
    const move = moves[event.key];
    if (plain && move !== undefined) this.#moveTo(move, event.shiftKey);
    else if ((event.ctrlKey || event.metaKey) && event.key === 'a') {
      for (let index = 0; index < this.rows.total; index += 1) this.#select(index);
      this.requestUpdate();
    } else if ((event.ctrlKey || event.metaKey) && event.key === ' ') this.#toggle(this.#focusIndex);
    else if (plain && event.key === 'Enter') this.#open(this.focused, false);
    else if (plain && event.key === 'e') this.#open(this.focused, true);
    else if (plain && (event.key === 'p' || event.key === ' ')) this.#act('pin', many);
    else if (plain && event.key === 'c') this.#act('copy', many);
    else if (plain && (event.key === 'Delete' || (event.key === 'Backspace' && event.metaKey))) this.#act('forget', many);
    else if (plain && event.key === 'a') this.#act(many.every((row) => row.status === 'archived') ? 'restore' : 'archive', many);
    else if (plain && event.key === 'o') this.#act('anchor', this.focused === undefined ? [] : [this.focused]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  #toggle(index: number): void {
    const row = this.rows.peek(index);
    if (row === undefined) return;
    if (!this.#selected.delete(row.id)) this.#selected.set(row.id, row);
    this.#focusIndex = index;
    this.#focusId = row.id;
    this.#pivot = index;
    this.requestUpdate();
    this.#tellMoved();
  }

  #click(event: MouseEvent, index: number): void {
    if (event.ctrlKey || event.metaKey) this.#toggle(index);
    else if (event.shiftKey) this.#moveTo(index, true);
    else {
      this.#moveTo(index, false);
      this.#open(this.rows.peek(index), false);
    }
  }

  #contextMenu(index: number): void {
    const row = this.rows.peek(index);
    if (row === undefined) return;
    if (!this.#selected.has(row.id)) this.#moveTo(index, false);
    meanMemory({ id: row.id, pinned: row.pinned, archived: row.status === 'archived', anchored: row.anchorCount > 0, stale: isStale(row) });
  }

  #groupOf(row: MemoryRow | undefined): string | undefined {
    if (row === undefined) return undefined;
    switch (this.question.sort) {
      case 'kind': return kindLabel(row.kind);
      case 'file': return row.anchor?.path ?? t('No file');
      case 'recent': return this.question.query === '' ? ageGroup(row.updatedAt, Date.now()) : undefined;
      default: return undefined;
    }
  }

  /** Scrolling asks for all rows in sight again; what stands as it stood is not drawn again. */
  readonly #renderItem = (index: number): TemplateResult => {
    const row = this.rows.at(index);
    if (row === undefined) return html`<div class="item"><div class="row"><span></span><span class="line"><span class="said skeleton"></span></span></div></div>`;
    const group = this.#groupOf(row);
    const before = index === 0 ? undefined : this.#groupOf(this.rows.peek(index - 1));
    const heading = group !== before ? group : undefined;
    const selected = this.#selected.has(row.id);
    const focused = index === this.#focusIndex;
    const now = Date.now();
    return html`${guard([row, heading, selected, focused, this.width, this.#terms, this.rows.total, Math.floor(now / MINUTE_MS)], () => this.#renderRow(row, index, { heading, selected, focused, now }))}`;
  };

  #renderRow(row: MemoryRow, index: number, { focused, heading, now, selected }: RowState): TemplateResult {
    return html`<div class="item">
      ${heading === undefined ? nothing : html`<div class="group" aria-hidden="true">${heading}</div>`}
      <div class="row ${focused ? 'focused' : ''}" role="option" id="row-${index}" data-id=${row.id} aria-selected=${selected ? 'true' : 'false'}
        aria-posinset=${index + 1} aria-setsize=${this.rows.total}
        @click=${(event: MouseEvent) => { this.#click(event, index); }} @contextmenu=${() => { this.#contextMenu(index); }}>
        ${renderRow(row, { width: this.width, measure: this.#textWidth(), terms: this.#terms, now })}
        <span class="tools" aria-hidden="true" @click=${(event: Event) => { event.stopPropagation(); }}>
          <span class="tool" title=${row.pinned ? t('Unpin (p)') : t('Pin (p)')} @click=${() => { this.#act('pin', [row]); }}>${icon(row.pinned ? 'pinned' : 'pin')}</span>
          <span class="tool" title=${t('Edit (e)')} @click=${() => { this.#open(row, true); }}>${icon('edit')}</span>
          <span class="tool" title=${t('Forget (Del)')} @click=${() => { this.#act('forget', [row]); }}>${icon('trash')}</span>
        </span>
      </div></div>`;
  }

  protected override render(): TemplateResult {
    if (this.rows.total === 0) {
      if (this.rows.state === 'loading' && this.late) {
        return html`<div class="waiting" aria-busy="true"><span class="sr">${t('Loading memories')}</span>${[0.9, 0.7, 0.8].map(() => html`<div class="row"><span></span><span class="line"><span class="said skeleton"></span></span></div>`)}</div>`;
      }
      return html`<slot></slot>`;
    }
    return html`<div class="list scroll" role="listbox" tabindex="0" aria-multiselectable="true" aria-label=${t('Memories')} aria-busy=${this.rows.state === 'loading' ? 'true' : 'false'}
      aria-activedescendant="row-${this.#focusIndex}" @keydown=${this.#onKey}
      @visibilityChanged=${(event: Event & { first: number }) => { this.#first = event.first; this.#tellMoved(); }}>
      ${this.width === 0 ? nothing : virtualize({ scroller: true, layout: NEAR, items: this.#indexes, renderItem: this.#renderItem, keyFunction: (index) => index })}
    </div>`;
  }

  static override styles = [base, kindColours, rowStyles, css`
    :host { display: block; position: relative; min-height: 0; }
    .list { height: 100%; min-height: 0 !important; outline: none; }
    .item { width: 100%; }
    .group { height: 22px; padding: 2px 12px; color: var(--vscode-descriptionForeground); font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  `];
}
customElements.define('cairn-memory-list', MemoryList);
