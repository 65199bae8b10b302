/**
 * Detail of one memory: its statement and fields edited in place, and below, folded,
 * where it came from, where it points, how it changed and what stands near it.
 * Esc returns to the same place of the list.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { KINDS } from '../../src/protocol/index.ts';
import type { DetailPatch, KindName, MemoryDetail, MemoryRow } from '../../src/protocol/index.ts';
import { renderAnchors, renderHistory, renderOrigin, renderRelated, renderWhy, sectionStyles } from './detailSections.ts';
import type { DetailActs } from './detailSections.ts';
import { HostError } from './hostLink.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import { isTyping } from './keyTarget.ts';
import { meanMemory } from './menuContext.ts';
import { isStale, kindMark, rowStyles, staleReason } from './memoryRowView.ts';
import { base, kindColours } from './styles.ts';
import type { ViewState } from './viewState.ts';
import { EachMinute, Waiting, waitingStyles } from './waiting.ts';
import { absoluteTime, age, count, kindLabel, SCOPE_LEVELS, scopeLevelLabel, splitScope, t } from './words.ts';
import type { ScopeLevelName } from './words.ts';

const MAX_TEXT = 8_000;

export class DetailView extends LitElement {
  static override properties = { memoryId: { attribute: false }, revision: { attribute: false }, detail: { state: true }, error: { state: true }, problem: { state: true }, editing: { state: true }, draft: { state: true }, openSections: { attribute: false }, tags: { state: true }, scopeLevel: { state: true } };
  declare link: HostLink;
  declare memoryId: string;
  declare revision: number;
  declare openSections: readonly string[];
  /** How the person came here: the search that found it. */
  found: { query: string; row: MemoryRow | undefined } = { query: '', row: undefined };
  startEditing = false;
  /** Where the person was before, and what was typed and not saved; read when the memory is there. */
  restore: { scroll?: number | undefined; draft?: ViewState['draft']; reloaded?: boolean } = {};
  #resumedFor: string | undefined;
  declare detail: MemoryDetail | undefined;
  declare error: Error | undefined;
  /** What is wrong with what was typed, under the field. */
  declare problem: { field: string; message: string } | undefined;
  declare editing: boolean;
  declare draft: string;
  declare tags: readonly string[];
  /** Chosen in the field while its place is still to be named. */
  declare scopeLevel: ScopeLevelName | undefined;
  #request: AbortController | undefined;
  readonly #waiting = new Waiting(this);

  constructor() {
    super();
    this.addController(new EachMinute(this));
    this.editing = false;
    this.draft = '';
    this.tags = [];
    this.openSections = [];
    this.revision = 0;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('memoryId')) {
      this.detail = undefined;
      this.editing = false;
      this.problem = undefined;
      this.scopeLevel = undefined;
      void this.#load();
    } else if (changed.has('revision') && changed.get('revision') !== undefined) void this.#load();
  }

  protected override updated(changed: PropertyValues<this>): void {
    // What was refused and given up is not in the store, so it does not stay in its field.
    const before = changed.get('problem')?.field;
    if (!changed.has('problem') || before === undefined || before === this.problem?.field || this.detail === undefined) return;
    const { row } = this.detail;
    const stored: Readonly<Partial<Record<string, string>>> = { tags: row.tags.join(', '), expiry: row.expiresAt === undefined ? '' : dateValue(row.expiresAt), place: splitScope(row.scope)[1] };
    const field = before === 'scope' ? 'place' : before;
    const input = this.renderRoot.querySelector<HTMLInputElement>(`input#${field}`);
    if (input !== null) input.value = stored[field] ?? input.value;
  }

  async #load(): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    try {
      const detail = await this.link.request('getMemory', { id: this.memoryId }, request.signal);
      this.detail = detail;
      this.error = undefined;
      await this.#resume();
    } catch (error) {
      if (request.signal.aborted) return;
      this.error = error instanceof Error ? error : new Error(String(error));
    }
  }

  async #resume(): Promise<void> {
    if (this.#resumedFor === this.memoryId) return;
    this.#resumedFor = this.memoryId;
    const { restore: { draft, reloaded, scroll }, startEditing } = this;
    // A field that was only opened is open again after a reload; where the person comes back to it, what was typed is.
    if (draft?.id === this.memoryId && (reloaded === true || draft.text !== this.detail?.text)) this.edit(draft.text);
    else if (startEditing) this.edit();
    if (scroll === undefined) return;
    await this.updateComplete;
    this.renderRoot.querySelector('.page')?.scrollTo(0, scroll);
  }

  edit(text = this.detail?.text): void {
    if (this.detail === undefined || text === undefined) return;
    this.#setDraft(text);
    this.editing = true;
    void this.updateComplete.then(() => {
      const area = this.renderRoot.querySelector('textarea');
      area?.focus();
      area?.setSelectionRange(area.value.length, area.value.length);
    });
  }

  #tell(name: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  async #save(patch: DetailPatch, field: string): Promise<void> {
    const { detail } = this;
    if (detail === undefined) return;
    try {
      const done = await this.link.request('updateMemory', { id: detail.row.id, patch, expectedVersion: detail.version });
      this.problem = undefined;
      this.scopeLevel = undefined;
      await this.#load();
      // The field is closed before it is told: who then undoes means the save.
      if (field === 'text') await this.#closeEditor();
      this.#tell('done', done);
    } catch (error) {
      const conflict = error instanceof HostError && error.code === 'VERSION_CONFLICT';
      this.problem = { field, message: conflict ? t('Somebody else changed this memory meanwhile. Your text is still here; the newer one is in History.') : error instanceof Error ? error.message : String(error) };
      if (conflict) await this.#load();
    }
  }

  #setDraft(text: string): void {
    this.draft = text;
    this.#tell('state', { draft: { id: this.memoryId, text } });
  }

  async #closeEditor(): Promise<void> {
    this.editing = false;
    this.#tell('state', { draft: undefined });
    this.problem = undefined;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.statement')?.focus();
  }

  async #saveText(): Promise<void> {
    const text = this.draft.trim();
    if (text === '') {
      this.problem = { field: 'text', message: t('A memory needs at least one word. To remove it, use Forget.') };
      return;
    }
    if (text.length > MAX_TEXT) {
      this.problem = { field: 'text', message: t('{0} characters; a memory holds at most {1}.', count(text.length), count(MAX_TEXT)) };
      return;
    }
    if (text === this.detail?.text) await this.#closeEditor();
    else await this.#save({ text }, 'text');
  }

  readonly #textKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.#saveText();
    else if (event.key === 'Escape') void this.#closeEditor();
    else return; // The editor's own keys (F1, Ctrl+P) go on to the editor.
    event.preventDefault();
    event.stopPropagation();
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const target = event.composedPath()[0];
    const typing = isTyping(target);
    if (event.key === 'Escape') {
      if (typing && target instanceof HTMLInputElement) target.blur();
      this.#tell('back');
    } else if (typing || event.ctrlKey || event.metaKey || event.altKey || this.detail === undefined) return;
    else if (event.key === 'e') this.edit();
    else if (event.key === 'p') this.#acts.pin();
    else if (event.key === 'c') this.#act('copy');
    else if (event.key === 'a') this.#act(this.detail.row.status === 'archived' ? 'restore' : 'archive');
    else if (event.key === 'o' && this.detail.anchors.length > 0) this.#acts.openAnchor(0);
    else if (event.key === 'Delete') this.#act('forget');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  readonly #menu = (event: Event): void => {
    if (this.detail === undefined || isTyping(event.composedPath()[0])) return;
    const { anchors, row } = this.detail;
    meanMemory({ id: row.id, pinned: row.pinned, archived: row.status === 'archived', anchored: anchors.length > 0, stale: isStale(row) });
  };

  #act(verb: string): void {
    if (this.detail !== undefined) this.#tell('act', { verb, rows: [this.detail.row] });
  }

  readonly #acts: DetailActs = {
    open: (id) => { this.#tell('open', { id, edit: false }); },
    pin: () => { this.#act('pin'); },
    openAnchor: (index) => { void this.#ask('openAnchor', { id: this.memoryId, index }); },
    reanchor: (index) => { void this.#ask('reanchor', { id: this.memoryId, index }); },
    openTranscript: () => { void this.#ask('openTranscript', { id: this.memoryId }); },
    compare: (changeId) => { void this.#ask('compareHistory', { id: this.memoryId, changeId }); },
    restore: (changeId) => { void this.#ask('restoreVersion', { id: this.memoryId, changeId }); },
    showInGraph: () => { void this.#ask('openGraph', { focus: this.memoryId }); },
    stillTrue: () => { void this.#ask('stillTrue', { id: this.memoryId }); },
    notRelevant: () => { void this.#ask('notRelevant', { id: this.memoryId, query: this.found.query }); },
  };

  async #ask(...[method, params]: Parameters<HostLink['request']>): Promise<void> {
    try {
      const done = await this.link.request(method, params);
      if ('message' in done) this.#tell('done', done);
    } catch (error) {
      this.#tell('failed', error);
    }
  }

  protected override render(): TemplateResult {
    const { detail } = this;
    const head = html`<div class="top"><button class="tool back" title=${t('Back to the list (Esc)')} aria-label=${t('Back to the list (Esc)')} @click=${() => { this.#tell('back'); }}>${icon('arrow-left')}</button>
      <span class="grow"></span>
      ${detail === undefined ? nothing : html`
        <button class="tool" aria-pressed=${detail.row.pinned ? 'true' : 'false'} title=${detail.row.pinned ? t('Unpin (p)') : t('Pin (p)')} aria-label=${t('Pin')} @click=${() => { this.#act('pin'); }}>${icon(detail.row.pinned ? 'pinned' : 'pin')}</button>
        <button class="tool" title=${t('Copy (c)')} aria-label=${t('Copy')} @click=${() => { this.#act('copy'); }}>${icon('copy')}</button>
        ${detail.row.status === 'archived' || detail.row.status === 'forgotten'
          ? html`<button class="tool" title=${t('Restore')} aria-label=${t('Restore')} @click=${() => { this.#act('restore'); }}>${icon('discard')}</button>`
          : html`<button class="tool" title=${t('Archive (a)')} aria-label=${t('Archive')} @click=${() => { this.#act('archive'); }}>${icon('archive')}</button>
            <button class="tool" title=${t('Forget (Del)')} aria-label=${t('Forget')} @click=${() => { this.#act('forget'); }}>${icon('trash')}</button>`}`}</div>`;
    if (detail === undefined) {
      return this.#page(html`${head}${this.error === undefined ? this.#waiting.render() : html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${t('This memory could not be read.')}</p><p class="quiet">${this.error.message}</p><vscode-button @click=${() => { void this.#load(); }}>${t('Try again')}</vscode-button><button class="plain" @click=${() => { void this.#ask('runCommand', { command: 'cairn.showLog' }); }}>${t('Show log')}</button></div>`}`);
    }
    const stale = staleReason(detail.row, true);
    return this.#page(html`${head}
      <div class="kindline">${kindMark(detail.row.kind)}<span class="quiet">${kindLabel(detail.row.kind)}${detail.row.status === 'active' ? '' : ` · ${detail.row.status === 'archived' ? t('archived') : detail.row.status === 'forgotten' ? t('forgotten') : detail.row.status === 'superseded' ? t('superseded') : t('to review')}`}${detail.row.branch === undefined ? '' : ` · ${detail.row.branch}`}</span><span class="grow"></span><span class="quiet" title=${absoluteTime(detail.row.updatedAt)}>${age(detail.row.updatedAt, Date.now())}</span></div>
      ${stale === undefined ? nothing : html`<div class="stale"><span class="warn">${icon('warning')}</span><span>${stale}</span><span class="buttons"><button class="plain" @click=${this.#acts.stillTrue}>${t('Still true')}</button><button class="plain" @click=${() => { this.edit(); }}>${t('Update')}</button><button class="plain" @click=${() => { this.#act('archive'); }}>${t('Archive')}</button></span></div>`}
      ${detail.row.untrusted ? html`<div class="stale"><span class="warn">${icon('warning')}</span><span>${t('From somebody else\u2019s text: never given to Claude as an order.')}</span></div>` : nothing}
      ${this.editing ? this.#renderEditor() : html`<div class="statement" dir="auto" tabindex="0" role="button" aria-label=${t('Edit: {0}', detail.text)} title=${t('Edit (e)')} @click=${() => { if (getSelection()?.isCollapsed !== false) this.edit(); }} @keydown=${(event: KeyboardEvent) => { if (event.key === 'Enter') { event.preventDefault(); event.stopPropagation(); this.edit(); } }}>${detail.text}</div>`}
      ${this.#renderFields(detail)}
      ${this.#section('from', t('From'), renderOrigin(detail, this.#acts))}
      ${detail.row.scope === 'user' ? nothing : this.#section('anchors', t('Anchors'), renderAnchors(detail, this.#acts), isStale(detail.row))}
      ${this.#section('history', t('History'), renderHistory(detail, this.#acts))}
      ${this.#section('related', t('Related'), renderRelated(detail, this.#acts))}
      ${this.found.row?.explain === undefined ? nothing : this.#section('why', t('Why found'), renderWhy(this.found.row.explain, this.#acts))}`);
  }

  /** One element for all states: the focus must survive the arrival of the memory. */
  #page(content: TemplateResult): TemplateResult {
    return html`<div class="page scroll" tabindex="-1" @keydown=${this.#key} @contextmenu=${this.#menu} @scrollend=${(event: Event) => { this.#tell('state', { detailScroll: (event.target as HTMLElement).scrollTop }); }} aria-label=${t('Memory')} role="region">${content}</div>`;
  }

  async focusPage(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.page')?.focus();
  }

  #renderEditor(): TemplateResult {
    const wrong = this.problem?.field === 'text';
    return html`<div class="editor"><textarea dir="auto" aria-label=${t('Text of the memory')} aria-invalid=${wrong ? 'true' : 'false'} aria-describedby="problem" class=${wrong ? 'invalid' : ''} .value=${live(this.draft)} @input=${(event: Event) => { this.#setDraft((event.target as HTMLTextAreaElement).value); this.problem = undefined; }} @keydown=${this.#textKey}></textarea>
      ${wrong ? html`<div class="message" id="problem" role="alert">${this.problem?.message}</div>` : nothing}
      <div class="buttons"><vscode-button @click=${() => { void this.#saveText(); }}>${t('Save')}</vscode-button><vscode-button secondary @click=${() => { void this.#closeEditor(); }}>${t('Cancel')}</vscode-button><span class="quiet grow right">${this.draft.length > MAX_TEXT * 0.8 ? `${count(this.draft.length)} / ${count(MAX_TEXT)}` : ''}</span></div></div>`;
  }

  #renderFields(detail: MemoryDetail): TemplateResult {
    const { row } = detail;
    const problem = (field: string): unknown => (this.problem?.field === field ? html`<div class="message wide" role="alert">${this.problem.message}</div>` : nothing);
    const changed = (save: (value: string) => void) => (event: Event): void => { save((event.target as HTMLInputElement | HTMLSelectElement).value); };
    return html`<div class="fields">
      <label for="kind">${t('Kind')}</label><select id="kind" class="select" @change=${changed((value) => { void this.#save({ kind: value as KindName }, 'kind'); })}>${KINDS.map((kind) => html`<option value=${kind} .selected=${live(kind === row.kind)}>${kindLabel(kind)}</option>`)}</select>${problem('kind')}
      <label for="importance">${t('Importance')}</label><select id="importance" class="select" @change=${changed((value) => { void this.#save({ importance: Number(value) }, 'importance'); })}>${[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((value) => html`<option value=${value} .selected=${live(value === row.importance)}>${value}</option>`)}</select>${problem('importance')}
      <label for="tags">${t('Tags')}</label><input id="tags" class="input" list="known-tags" .value=${row.tags.join(', ')} placeholder=${t('none')} @focus=${() => { void this.#loadTags(); }} @change=${changed((value) => { void this.#saveTags(value); })}><datalist id="known-tags">${this.tags.map((tag) => html`<option value=${[...row.tags, tag].join(', ')}>${tag}</option>`)}</datalist>${problem('tags')}
      ${this.#renderScope(detail, changed)}${problem('scope')}
      <label for="expiry">${t('Expires')}</label><input id="expiry" class="input" type="date" .value=${row.expiresAt === undefined ? '' : dateValue(row.expiresAt)} @change=${changed((value) => { this.#saveExpiry(value); })}>${problem('expiry')}
    </div>`;
  }

  /** Where it is visible: a level in words, and for a branch or a path which one. */
  #renderScope({ row, anchors }: MemoryDetail, changed: (save: (value: string) => void) => (event: Event) => void): TemplateResult {
    const [level, place] = splitScope(row.scope);
    const chosen = this.scopeLevel ?? level;
    const save = (scope: string): void => { void this.#save({ scope }, 'scope'); };
    const known: Readonly<Partial<Record<ScopeLevelName, readonly string[]>>> = { branch: row.branch === undefined ? [] : [row.branch], path: [...new Set(anchors.map((anchor) => anchor.path))] };
    const choose = (name: string): void => {
      const [next] = splitScope(name);
      const first = known[next]?.[0];
      this.scopeLevel = next;
      if (known[next] === undefined) save(next);
      else if (first !== undefined) save(`${next}:${first}`);
    };
    return html`<label for="scope">${t('Scope')}</label><select id="scope" class="select" @change=${changed(choose)}>${SCOPE_LEVELS.map((name) => html`<option value=${name} .selected=${live(name === chosen)}>${scopeLevelLabel(name)}</option>`)}</select>
      ${known[chosen] === undefined ? nothing : html`<label for="place">${scopeLevelLabel(chosen)}</label><input id="place" class="input" list="known-places" dir="ltr" placeholder=${chosen === 'path' ? 'src/**' : 'main'} .value=${chosen === level ? place : ''} @change=${changed((value) => { if (value.trim() !== '') save(`${chosen}:${value.trim()}`); })}><datalist id="known-places">${known[chosen].map((name) => html`<option value=${name}></option>`)}</datalist>`}`;
  }

  async #loadTags(): Promise<void> {
    try {
      const used = new Set(this.detail?.row.tags);
      this.tags = (await this.link.request('listTags', {})).tags.map(({ tag }) => tag).filter((tag) => !used.has(tag)).slice(0, 50);
    } catch {
      this.tags = []; // Only completions: typing a tag works without them.
    }
  }

  async #saveTags(value: string): Promise<void> {
    const tags = [...new Set(value.split(/[,，\s]+/u).map((tag) => tag.replace(/^#/, '').toLowerCase()).filter((tag) => tag !== ''))];
    const long = tags.find((tag) => tag.length > 64);
    if (long !== undefined) this.problem = { field: 'tags', message: t('A tag has at most 64 characters.') };
    else if (tags.length > 32) this.problem = { field: 'tags', message: t('A memory has at most 32 tags.') };
    else await this.#save({ tags }, 'tags');
  }

  #saveExpiry(value: string): void {
    if (value === '') {
      void this.#save({ expiresAt: null }, 'expiry');
      return;
    }
    // The end of that day, where the person is.
    const at = new Date(`${value}T23:59:59`).getTime();
    if (Number.isNaN(at) || at <= Date.now()) this.problem = { field: 'expiry', message: t('The expiry lies in the past; the memory would be gone at once.') };
    else void this.#save({ expiresAt: at }, 'expiry');
  }

  #section(id: string, title: string, content: TemplateResult, forced = false): TemplateResult {
    const open = forced || this.openSections.includes(id);
    return html`<section class="fold"><button class="head" aria-expanded=${open ? 'true' : 'false'} @click=${() => { this.#tell('sections', open ? this.openSections.filter((other) => other !== id) : [...this.openSections, id]); }}>${icon(open ? 'chevron-down' : 'chevron-right')}${title}</button>${open ? html`<div class="inside">${content}</div>` : nothing}</section>`;
  }

  static override styles = [base, kindColours, rowStyles, sectionStyles, waitingStyles, css`
    :host { display: flex; flex-direction: column; flex: 1; min-height: 0; }
    .page { flex: 1; min-height: 0; outline: none; padding-bottom: 20px; }
    .top { display: flex; align-items: center; gap: 2px; padding: 4px 8px; position: sticky; top: 0; background: var(--vscode-sideBar-background); z-index: 1; }
    .grow { flex: 1; } .right { text-align: right; }
    .kindline { display: flex; gap: 6px; align-items: center; padding: 2px 12px; } .mark { display: flex; }
    .statement { padding: 6px 12px; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; cursor: text; font-size: 1.04em; line-height: 20px; border: 1px solid transparent; }
    .statement:hover { background: var(--vscode-list-hoverBackground); }
    .editor { padding: 4px 12px; display: flex; flex-direction: column; gap: 6px; } .editor textarea { max-height: 60vh; }
    .buttons { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
    .stale { display: flex; flex-wrap: wrap; gap: 6px; padding: 4px 12px; } .stale > span:nth-child(2) { flex: 1; min-width: 140px; overflow-wrap: anywhere; } .stale .buttons { flex-basis: 100%; padding-left: 22px; gap: 14px; }
    .fields { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 10px; padding: 8px 12px 10px; align-items: center; }
    .fields label { color: var(--vscode-descriptionForeground); } .wide { grid-column: 1 / -1; }
    .fields .input { height: 26px; }
  `];
}

function dateValue(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
}
customElements.define('cairn-detail', DetailView);
