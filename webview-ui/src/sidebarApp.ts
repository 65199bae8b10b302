/**
 * The sidebar: three tabs, Detail in place of the list, toasts, the line of state at
 * the foot. Holds where the person is and keeps it across hiding and reload.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Done, GivenMemory, HostSnapshot, MemoryRow, TabName, ViewEvent } from '../../src/protocol/index.ts';
import { TABS } from '../../src/protocol/index.ts';
import type { DetailView } from './detailView.ts';
import './detailView.ts';
import { HostError } from './hostLink.ts';
import type { HostLink } from './hostLink.ts';
import type { InboxView } from './inboxView.ts';
import './inboxView.ts';
import './injectedView.ts';
import { icon } from './icons.ts';
import { keysStyles, renderKeys } from './keysHelp.ts';
import { hasOwnUndo, isTyping } from './keyTarget.ts';
import type { MemoriesView } from './memoriesView.ts';
import './memoriesView.ts';
import { base } from './styles.ts';
import type { Toast } from './toast.ts';
import './toast.ts';
import type { ViewState } from './viewState.ts';
import { count, memories, t } from './words.ts';

export class SidebarApp extends LitElement {
  static override properties = { snapshot: { state: true }, state: { state: true }, keysShown: { state: true }, inboxFoot: { state: true } };
  declare snapshot: HostSnapshot;
  declare state: ViewState;
  declare keysShown: boolean;
  declare inboxFoot: number;
  link!: HostLink;
  isMac = false;
  save: (state: ViewState) => void = () => undefined;
  #leave: (() => void)[] = [];
  #editNext = false;
  /** Until the person goes anywhere, the page shows what it showed before it was hidden or reloaded. */
  #reloaded = true;

  constructor() {
    super();
    this.keysShown = false;
    this.inboxFoot = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // On the document: when the last row of a list goes, so does the focus, and Undo is wanted just then.
    document.addEventListener('keydown', this.#key);
    this.#leave = [() => { document.removeEventListener('keydown', this.#key); }, this.link.onSnapshot((snapshot) => { this.snapshot = snapshot; }), this.link.onEvent((event) => { this.#event(event); })];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const leave of this.#leave) leave();
  }

  #change(patch: Partial<ViewState>, redraw = true): void {
    const next = { ...this.state, ...patch };
    // Scrolling is worth remembering, not worth drawing everything again.
    if (redraw) this.state = next;
    else Object.assign(this.state, patch);
    this.save(next);
  }

  get #toast(): Toast | null {
    return this.renderRoot.querySelector<Toast>('cairn-toast');
  }

  get #memories(): MemoriesView | null {
    return this.renderRoot.querySelector<MemoriesView>('cairn-memories');
  }

  #event(event: ViewEvent): void {
    switch (event.name) {
      case 'showTab': this.#show(event.tab); break;
      case 'focusSearch':
        this.#change({ tab: 'memories', detailId: undefined });
        void this.updateComplete.then(() => { this.#memories?.focusSearch(event.query); });
        break;
      case 'openMemory': this.#open(event.id, event.edit === true); break;
      case 'toast': this.#done({ message: event.message, undoable: event.undo }, event.openId); break;
      case 'act': {
        const id = event.id ?? this.state.detailId ?? (this.state.tab === 'memories' ? this.#memories?.list?.focused?.id : undefined);
        if (id === undefined) this.#failed(new Error(t('Choose a memory in the list first.')));
        else void this.#actOn(event.verb, [id]);
        break;
      }
      case 'decide': {
        const inbox = this.renderRoot.querySelector<InboxView>('cairn-inbox');
        // Out of sight nothing is decided: the inbox is shown, and the person sees what the next key would act on.
        if (inbox === null || this.state.detailId !== undefined) this.#show('inbox');
        else inbox.act(event.verb, event.id);
        break;
      }
      case 'focusGraph': break;
    }
  }

  #show(tab: TabName): void {
    this.#change({ tab, detailId: undefined });
    void this.updateComplete.then(() => {
      if (tab === 'memories') this.#memories?.list?.focusList();
      if (tab === 'inbox') this.renderRoot.querySelector<InboxView>('cairn-inbox')?.focusList();
    });
  }

  #open(id: string, edit: boolean): void {
    const isOpen = this.state.detailId === id;
    this.#editNext = edit && !isOpen;
    this.#reloaded = false;
    if (!isOpen) this.#change({ detailId: id, detailScroll: undefined });
    void this.updateComplete.then(() => {
      const detail = this.renderRoot.querySelector<DetailView>('cairn-detail');
      if (!edit) void detail?.focusPage();
      else if (isOpen) detail?.edit();
    });
  }

  readonly #back = (): void => {
    this.#change({ detailId: undefined });
    void this.updateComplete.then(() => {
      if (this.state.tab === 'memories') this.#memories?.list?.focusList();
      else this.renderRoot.querySelector<InboxView>('cairn-inbox')?.focusList();
    });
  };

  #done(done: Done, openId?: string): void {
    this.#toast?.show({ message: done.message, undo: done.undoable ? () => { void this.undo(); } : undefined, open: openId === undefined ? undefined : () => { this.#open(openId, false); } });
  }

  #failed(error: unknown): void {
    if (error instanceof HostError && error.code === 'CANCELLED') return;
    this.#toast?.show({ message: error instanceof Error ? error.message : String(error), failed: true });
  }

  async undo(): Promise<void> {
    try {
      await this.renderRoot.querySelector<InboxView>('cairn-inbox')?.settled();
      this.#done(await this.link.request('undo', {}));
    } catch (error) {
      this.#failed(error);
    }
  }

  async #actOn(verb: string, ids: string[]): Promise<void> {
    try {
      if (verb === 'copy') this.#done(await this.link.request('copyMemories', { ids }));
      else if (verb === 'anchor') await this.link.request('openAnchor', { id: ids[0] ?? '', index: 0 });
      else if (verb === 'edit') this.#open(ids[0] ?? '', true);
      else if (verb === 'stillTrue') this.#done(await this.link.request('stillTrue', { id: ids[0] ?? '' }));
      else if (verb === 'pin' || verb === 'unpin' || verb === 'forget' || verb === 'archive' || verb === 'restore') {
        this.#done(await this.link.request('actOnMemories', { verb, ids }));
        if ((verb === 'forget' || verb === 'archive') && this.state.detailId !== undefined && ids.includes(this.state.detailId)) this.#back();
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  readonly #act = (event: CustomEvent<{ verb: string; rows: readonly MemoryRow[] }>): void => {
    const { verb, rows } = event.detail;
    const pinned = rows.every((row) => row.pinned);
    void this.#actOn(verb === 'pin' && pinned ? 'unpin' : verb, rows.map((row) => row.id));
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const target = event.composedPath()[0];
    const typing = isTyping(target);
    // The editor's frame would take these and undo less than the field itself does.
    if ((event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key) && hasOwnUndo(target)) {
      event.stopPropagation();
      return;
    }
    const command = this.isMac ? event.metaKey : event.ctrlKey;
    const tab = TABS[Number(event.key) - 1];
    if (command && tab !== undefined && !event.shiftKey && !event.altKey) this.#show(tab);
    else if (command && event.key.toLowerCase() === 'z' && !event.shiftKey) void this.undo();
    else if (typing) return;
    else if (event.key === '/' && !command && this.state.tab === 'memories' && this.state.detailId === undefined) this.#memories?.focusSearch();
    else if (event.key === '?' && !command) this.keysShown = !this.keysShown;
    else if (event.key === 'Escape' && this.keysShown) this.keysShown = false;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  protected override render(): TemplateResult {
    const { snapshot, state } = this;
    if (snapshot.state === 'unsupported' || (snapshot.state === 'failed' && snapshot.revision === 0)) return this.#renderProblem();
    const labels: Readonly<Record<TabName, string>> = { memories: t('Memories'), inbox: t('Inbox'), injected: t('Injected') };
    return html`<main class="app"><h1 class="sr">Cairn</h1>
      <div class="tabs" role="tablist" aria-label="Cairn" @keydown=${this.#tabKey}>${TABS.map((tab, index) => html`<button role="tab" id="tab-${tab}" aria-controls="panel" aria-selected=${state.tab === tab ? 'true' : 'false'} tabindex=${state.tab === tab ? 0 : -1} title="${labels[tab]} (${this.isMac ? '⌘' : 'Ctrl+'}${index + 1})" @click=${() => { this.#change({ tab, detailId: undefined }); }}>${labels[tab]}<span class="badge" ?hidden=${tab !== 'inbox' || snapshot.counts.inbox === 0}>${count(snapshot.counts.inbox)}</span></button>`)}</div>
      ${this.#renderBanner()}
      <div class="panel" id="panel" role="tabpanel" aria-labelledby="tab-${state.tab}">
        <cairn-memories ?hidden=${state.tab !== 'memories' || state.detailId !== undefined} .link=${this.link} .state=${state} .snapshot=${snapshot} @state=${(event: CustomEvent<Partial<ViewState>>) => { this.#change(event.detail, !('focusId' in event.detail)); }} @open=${this.#opened} @act=${this.#act} @answered=${(event: CustomEvent<{ total: number }>) => { this.#toast?.say(memories(event.detail.total)); }}></cairn-memories>
        ${state.tab === 'inbox' ? html`<cairn-inbox ?hidden=${state.detailId !== undefined} .link=${this.link} .revision=${snapshot.revision} .focusId=${state.focusProposal} .restore=${{ selected: state.selectedProposals, draft: state.proposalDraft }} @state=${this.#noted} @open=${this.#opened} @done=${(event: CustomEvent<Done>) => { this.#done(event.detail); }} @failed=${(event: CustomEvent<unknown>) => { this.#failed(event.detail); }} @undo=${() => { void this.undo(); }} @foot=${(event: CustomEvent<number>) => { this.inboxFoot = event.detail; }}></cairn-inbox>` : nothing}
        ${state.tab === 'injected' && state.detailId === undefined ? html`<cairn-injected .link=${this.link} .revision=${snapshot.revision} .restore=${state.injected} @state=${this.#noted} @open=${this.#opened} @pin=${(event: CustomEvent<GivenMemory>) => { void this.#actOn(event.detail.pinned ? 'unpin' : 'pin', [event.detail.id]); }}></cairn-injected>` : nothing}
        ${state.detailId === undefined ? nothing : this.#renderDetail(state.detailId)}
        ${this.keysShown ? renderKeys(this.isMac, () => { this.keysShown = false; }) : nothing}
      </div>
      ${this.#renderFoot()}
      <cairn-toast .raise=${state.tab === 'inbox' && state.detailId === undefined ? this.inboxFoot : 0}></cairn-toast></main>`;
  }

  readonly #noted = (event: CustomEvent<Partial<ViewState>>): void => { this.#change(event.detail, false); };

  #renderDetail(id: string): TemplateResult {
    const list = this.#memories?.list;
    const at = list?.rows.indexOf(id) ?? -1;
    const edit = this.#editNext;
    this.#editNext = false;
    return html`<cairn-detail .link=${this.link} .memoryId=${id} .revision=${this.snapshot.revision} .startEditing=${edit} .restore=${{ scroll: this.state.detailScroll, draft: this.state.draft, reloaded: this.#reloaded }} .openSections=${this.state.openSections} .found=${{ query: this.state.query, row: at === -1 ? undefined : list?.rows.peek(at) }}
      @state=${this.#noted} @back=${this.#back} @open=${this.#opened} @act=${this.#act} @done=${(event: CustomEvent<Done>) => { this.#done(event.detail); }} @failed=${(event: CustomEvent<unknown>) => { this.#failed(event.detail); }} @sections=${(event: CustomEvent<string[]>) => { this.#change({ openSections: event.detail }); }}></cairn-detail>`;
  }

  readonly #opened = (event: CustomEvent<{ id: string; edit: boolean }>): void => { this.#open(event.detail.id, event.detail.edit); };

  readonly #tabKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const tab = TABS[(TABS.indexOf(this.state.tab) + step + TABS.length) % TABS.length] ?? 'memories';
    this.#change({ tab, detailId: undefined });
    void this.updateComplete.then(() => { this.renderRoot.querySelector<HTMLElement>(`#tab-${tab}`)?.focus(); });
    event.preventDefault();
  };

  #run(command: 'cairn.showLog' | 'cairn.doctor' | 'cairn.manageTrust' | 'cairn.firstRun' | 'cairn.resume'): void {
    this.link.request('runCommand', { command }).catch((error: unknown) => { this.#failed(error); });
  }

  /** One line above the lists when something keeps Cairn from doing its whole work. */
  #renderBanner(): unknown {
    const { snapshot } = this;
    const line = (text: string, button: string, run: () => void): TemplateResult => html`<div class="banner">${icon('info')}<span>${text} <button class="plain" @click=${run}>${button}</button></span></div>`;
    if (snapshot.workspace === 'untrusted') return line(t('This folder is not trusted: nothing is read from it. Your own memories are shown.'), t('Manage trust'), () => { this.#run('cairn.manageTrust'); });
    if (snapshot.workspace === 'virtual') return html`<div class="banner">${icon('info')}<span>${t('This folder is not on a disk: only your own memories are shown.')}</span></div>`;
    if (snapshot.workspace === 'none') return html`<div class="banner">${icon('info')}<span>${t('No folder is open: only your own memories are shown.')}</span></div>`;
    if (snapshot.state === 'paused') return line(t('Paused: nothing is captured and Claude is given nothing.'), t('Resume'), () => { this.#run('cairn.resume'); });
    if (snapshot.state === 'off') return line(t('Claude Code does not use this memory here yet.'), t('Set up'), () => { this.#run('cairn.firstRun'); });
    return nothing;
  }

  #renderProblem(): TemplateResult {
    return html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${this.snapshot.state === 'unsupported' ? t('Cairn cannot run in this editor.') : t('Cairn could not start.')}</p><p>${this.snapshot.reason ?? ''}</p>
      <vscode-button @click=${() => { this.#run('cairn.showLog'); }}>${t('Show log')}</vscode-button><button class="plain" @click=${() => { this.#run('cairn.doctor'); }}>${t('Run doctor')}</button></div>`;
  }

  #renderFoot(): TemplateResult {
    const { snapshot } = this;
    const where = [memories(snapshot.counts.memories), ...(snapshot.counts.user > 0 ? [t('{0} user', count(snapshot.counts.user))] : []), ...(snapshot.branch === undefined ? [] : [snapshot.branch])];
    const folders = snapshot.folders.length > 1 ? snapshot.folders.map((folder) => (folder.active ? `[${folder.name}]` : folder.name)).join(' ') : '';
    return html`<footer><span class="where" title=${[snapshot.repository?.name ?? '', folders].filter((part) => part !== '').join(' · ')}>${folders === '' ? '' : html`<b class="folders">${snapshot.folders.find((folder) => folder.active)?.name ?? ''}</b> · `}${where.join(' · ')}</span><span class="state state-${snapshot.state}" title=${snapshot.reason ?? ''}>${icon(snapshot.state === 'on' ? 'circle-filled' : snapshot.state === 'paused' ? 'debug-pause' : snapshot.state === 'starting' ? 'loading' : snapshot.state === 'off' ? 'circle-outline' : 'warning', snapshot.state === 'starting' ? 'spin' : '')}${stateLabel(snapshot)}</span></footer>`;
  }

  static override styles = [base, keysStyles, css`
    :host { display: block; height: 100%; }
    .app { position: relative; display: flex; flex-direction: column; height: 100%; min-height: 0; }
    .tabs { display: flex; gap: 0; padding: 0 8px; flex: none; border-bottom: 1px solid var(--vscode-panel-border, var(--vscode-contrastBorder, transparent)); }
    .tabs button { display: inline-flex; align-items: center; gap: 4px; height: 28px; padding: 0 7px; border: none; border-bottom: 1px solid transparent; background: none; color: var(--vscode-panelTitle-inactiveForeground, var(--vscode-descriptionForeground)); cursor: pointer; white-space: nowrap; min-width: 0; }
    .tabs button:hover, .tabs button[aria-selected='true'] { color: var(--vscode-panelTitle-activeForeground, var(--vscode-foreground)); } .tabs button[aria-selected='true'] { border-bottom-color: var(--vscode-panelTitle-activeBorder, var(--vscode-focusBorder)); }
    .badge { min-width: 18px; height: 16px; padding: 0 5px; border-radius: 8px; font-size: 11px; line-height: 16px; text-align: center; background: var(--vscode-badge-background); color: var(--vscode-badge-foreground); border: 1px solid var(--vscode-contrastBorder, transparent); box-sizing: content-box; }
    .panel { position: relative; display: flex; flex-direction: column; flex: 1; min-height: 0; }
    .banner { display: flex; gap: 6px; padding: 4px 12px; flex: none; color: var(--vscode-descriptionForeground); border-bottom: 1px solid var(--vscode-panel-border, transparent); }
    footer { display: flex; justify-content: space-between; gap: 8px; height: 22px; padding: 0 12px; line-height: 22px; flex: none; color: var(--vscode-descriptionForeground); border-top: 1px solid var(--vscode-sideBarSectionHeader-border, var(--vscode-panel-border, transparent)); white-space: nowrap; }
    .where { overflow: hidden; text-overflow: ellipsis; } .folders { font-weight: 600; } .state { display: flex; align-items: center; gap: 4px; flex: none; } .state .codicon { font-size: 12px; width: 12px; height: 12px; }
    .state-on .codicon { color: var(--vscode-charts-green); } .state-degraded .codicon, .state-failed .codicon { color: var(--vscode-editorWarning-foreground); }
  `];
}

function stateLabel(snapshot: HostSnapshot): string {
  switch (snapshot.state) {
    case 'starting': return t('starting');
    case 'on': return t('on');
    case 'off': return t('off');
    case 'paused': return t('paused');
    case 'degraded': return t('on, reduced');
    case 'failed': return t('failed');
    case 'unsupported': return t('unsupported');
  }
}
customElements.define('cairn-sidebar', SidebarApp);
