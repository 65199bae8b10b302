/**
 * The Inbox tab: proposals in groups by session, decided by single keys. A decision
 * moves the focus to the next proposal at once and does not wait for the store; if the
 * store refuses, the proposal is back with the reason.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { REJECT_REASONS } from '../../src/protocol/index.ts';
import type { InboxGroup, InboxOffer, InboxPage, ProposalRow, ProposalVerb, RejectReasonName } from '../../src/protocol/index.ts';
import './clampedText.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import { proposalStyles, rejectLabel, renderProposal } from './proposalCard.ts';
import { base, kindColours } from './styles.ts';
import type { ViewState } from './viewState.ts';
import { EachMinute, Waiting, waitingStyles } from './waiting.ts';
import { absoluteTime, count, dayAndTime, sessionLabel, t } from './words.ts';

export class InboxView extends LitElement {
  static override properties = { revision: { attribute: false }, page: { state: true }, error: { state: true }, focusId: { state: true }, selected: { state: true }, editing: { state: true }, asking: { state: true }, gone: { state: true } };
  declare link: HostLink;
  declare revision: number;
  declare page: InboxPage | undefined;
  declare error: Error | undefined;
  declare focusId: string | undefined;
  declare selected: ReadonlySet<string>;
  declare editing: string | undefined;
  /** The reject reason is offered for these; already rejected without one. */
  declare asking: readonly string[] | undefined;
  /** Decided here, not yet confirmed by a fresh page. */
  declare gone: ReadonlySet<string>;
  /** What was chosen and typed before the page was hidden; read with the first proposals. */
  restore: { selected?: readonly string[] | undefined; draft?: ViewState['proposalDraft'] } = {};
  #draft: ViewState['proposalDraft'];
  #request: AbortController | undefined;
  /** Decisions go to the store one after the other, in the order of the keys. */
  #queue: Promise<void> = Promise.resolve();
  readonly #waiting = new Waiting(this);

  constructor() {
    super();
    this.revision = 0;
    this.selected = new Set();
    this.gone = new Set();
    this.addController(new EachMinute(this));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated || (changed.has('revision') && changed.get('revision') !== undefined)) void this.#load();
  }

  async #load(): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const decided = this.gone;
    try {
      await this.#queue;
      const page = await this.link.request('listInbox', {}, request.signal);
      const isFirst = this.page === undefined;
      this.page = page;
      this.error = undefined;
      this.gone = new Set([...this.gone].filter((id) => !decided.has(id)));
      const ids = this.#proposals().map((proposal) => proposal.id);
      if (isFirst) this.#resume(ids);
      if (this.focusId === undefined || !ids.includes(this.focusId)) this.#focus(ids[0]);
    } catch (error) {
      if (!request.signal.aborted) this.error = error instanceof Error ? error : new Error(String(error));
    }
  }

  #resume(ids: readonly string[]): void {
    const { draft, selected = [] } = this.restore;
    this.selected = new Set(selected.filter((id) => ids.includes(id)));
    if (draft !== undefined && ids.includes(draft.id)) this.#edit(draft.id, draft.text);
  }

  #tell(state: Partial<ViewState>): void {
    this.dispatchEvent(new CustomEvent('state', { detail: state }));
  }

  /** When every decision so far is made: Undo means the last one. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  #groups(): InboxGroup[] {
    return (this.page?.groups ?? []).map((group) => ({ ...group, proposals: group.proposals.filter((proposal) => !this.gone.has(proposal.id)) })).filter((group) => group.proposals.length > 0);
  }

  #proposals(): ProposalRow[] {
    return this.#groups().flatMap((group) => group.proposals);
  }

  #wantsFocus = false;

  /** Now, or when the proposals have arrived. */
  focusList(): void {
    const list = this.renderRoot.querySelector<HTMLElement>('.proposals');
    this.#wantsFocus = list === null;
    list?.focus();
  }

  /** Keys and counter stay in sight: the toast stands above them. */
  readonly #resize = new ResizeObserver(([entry]) => { this.#tellFoot(entry?.borderBoxSize[0]?.blockSize ?? 0); });
  #watched: Element | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    this.#tellFoot(0);
  }

  #tellFoot(height: number): void {
    this.dispatchEvent(new CustomEvent('foot', { detail: height }));
  }

  protected override updated(): void {
    const below = this.renderRoot.querySelector('.below');
    if (below !== this.#watched) {
      this.#resize.disconnect();
      if (below === null) this.#tellFoot(0);
      else this.#resize.observe(below);
      this.#watched = below;
    }
    if (this.#wantsFocus && this.page !== undefined) this.focusList();
  }

  #focus(id: string | undefined): void {
    this.focusId = id;
    this.#tell({ focusProposal: id });
    void this.updateComplete.then(() => { this.renderRoot.querySelector('.proposal.focused')?.scrollIntoView({ block: 'nearest' }); });
  }

  #step(by: number): void {
    const ids = this.#proposals().map((proposal) => proposal.id);
    const at = ids.indexOf(this.focusId ?? '');
    this.#focus(ids[Math.max(0, Math.min(ids.length - 1, at + by))]);
  }

  /** What a key acts on: the selection, or the focused proposal. */
  #chosen(): string[] {
    if (this.selected.size > 0) return this.#proposals().map((proposal) => proposal.id).filter((id) => this.selected.has(id));
    return this.focusId === undefined ? [] : [this.focusId];
  }

  #decide(ids: readonly string[], send: () => Promise<{ message: string; undoable: boolean }>): void {
    if (ids.length === 0) return;
    const all = this.#proposals().map((proposal) => proposal.id);
    const lastAt = Math.max(...ids.map((id) => all.indexOf(id)));
    const next = all.slice(lastAt + 1).find((id) => !ids.includes(id)) ?? all.filter((id) => !ids.includes(id)).at(-1);
    this.gone = new Set([...this.gone, ...ids]);
    this.selected = new Set();
    this.#endEdit();
    this.#focus(next);
    this.focusList();
    this.#queue = this.#queue.then(send).then(
      (done) => { this.dispatchEvent(new CustomEvent('done', { detail: done })); },
      (error: unknown) => {
        this.gone = new Set([...this.gone].filter((id) => !ids.includes(id)));
        this.dispatchEvent(new CustomEvent('failed', { detail: error }));
      },
    );
  }

  #accept(ids: readonly string[], edit?: { text: string }): void {
    this.asking = undefined;
    this.#decide(ids, () => this.link.request('acceptProposals', { ids: [...ids], ...(edit === undefined ? {} : { edit }) }));
  }

  #reject(ids: readonly string[]): void {
    this.#decide(ids, () => this.link.request('rejectProposals', { ids: [...ids] }));
    this.asking = [...ids];
  }

  #giveReason(reason: RejectReasonName): void {
    const ids = this.asking;
    this.asking = undefined;
    if (ids === undefined) return;
    this.#queue = this.#queue.then(() => this.link.request('rejectProposals', { ids: [...ids], reason })).then(
      () => undefined,
      (error: unknown) => { this.dispatchEvent(new CustomEvent('failed', { detail: error })); },
    );
    this.focusList();
  }

  #merge(id: string | undefined): void {
    const proposal = this.#proposals().find((candidate) => candidate.id === id);
    const target = proposal?.target;
    if (proposal === undefined) return;
    if (target === undefined) {
      this.dispatchEvent(new CustomEvent('failed', { detail: new Error(t('There is nothing like it to merge with. Accept it, or edit it.')) }));
      return;
    }
    this.#decide([proposal.id], () => this.link.request('mergeProposal', { id: proposal.id, targetId: target.id }));
  }

  /** The session of the focused proposal. */
  #groupIds(): string[] {
    return this.#groups().find((group) => group.proposals.some((proposal) => proposal.id === this.focusId))?.proposals.map((proposal) => proposal.id) ?? [];
  }

  #openTurn(id: string): void {
    this.link.request('openProposalTurn', { id }).catch((error: unknown) => { this.dispatchEvent(new CustomEvent('failed', { detail: error })); });
  }

  /** From the menu or the palette: on the proposal that is named, else on what the keys act on. */
  act(verb: ProposalVerb, id?: string): void {
    const isThere = id === undefined || this.#proposals().some((proposal) => proposal.id === id);
    if (!isThere || this.focusId === undefined) return;
    if (id !== undefined) this.#focus(id);
    const chosen = id === undefined || this.selected.has(id) ? this.#chosen() : [id];
    switch (verb) {
      case 'accept': this.#accept(chosen); break;
      case 'acceptSession': this.#accept(this.#groupIds()); break;
      case 'edit': this.#edit(this.focusId); break;
      case 'merge': this.#merge(this.focusId); break;
      case 'reject': this.#reject(chosen); break;
      case 'rejectSession': this.#reject(this.#groupIds()); break;
      case 'openTurn': this.#openTurn(this.focusId); break;
    }
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLTextAreaElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const reason = REJECT_REASONS[Number(event.key) - 1];
    if (this.asking !== undefined && reason !== undefined) this.#giveReason(reason);
    else {
      switch (event.key) {
        case 'Enter': this.#accept(this.#chosen()); break;
        case 'A': this.#accept(this.#groupIds()); break;
        case 'e': this.#edit(this.focusId); break;
        case 'm': this.#merge(this.focusId); break;
        case 'x': case 'Delete': this.#reject(this.#chosen()); break;
        case 'X': this.#reject(this.#groupIds()); break;
        case 'j': case 'ArrowDown': this.#step(1); break;
        case 'k': case 'ArrowUp': this.#step(-1); break;
        case ' ': this.#toggle(this.focusId); break;
        case 'u': this.asking = undefined; this.dispatchEvent(new CustomEvent('undo')); break;
        case 'o': if (this.focusId !== undefined) this.#openTurn(this.focusId); break;
        default: return;
      }
    }
    event.preventDefault();
    event.stopPropagation();
  };

  #toggle(id: string | undefined): void {
    if (id === undefined) return;
    const next = new Set(this.selected);
    if (!next.delete(id)) next.add(id);
    this.selected = next;
    this.#tell({ selectedProposals: [...next] });
  }

  #endEdit(): void {
    this.editing = undefined;
    this.#draft = undefined;
    this.#tell({ proposalDraft: undefined, selectedProposals: [...this.selected] });
  }

  #setDraft(id: string, text: string): void {
    this.#draft = { id, text };
    this.#tell({ proposalDraft: this.#draft });
  }

  #edit(id: string | undefined, text = this.#proposals().find((proposal) => proposal.id === id)?.text): void {
    if (id === undefined || text === undefined) return;
    this.#setDraft(id, text);
    this.editing = id;
    void this.updateComplete.then(() => { this.renderRoot.querySelector('textarea')?.focus(); });
  }

  protected override render(): TemplateResult {
    if (this.error !== undefined && this.page === undefined) {
      return html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${t('The inbox could not be read.')}</p><p class="quiet">${this.error.message}</p><vscode-button @click=${() => { void this.#load(); }}>${t('Try again')}</vscode-button><button class="plain" @click=${() => { void this.link.request('runCommand', { command: 'cairn.showLog' }); }}>${t('Show log')}</button></div>`;
    }
    if (this.page === undefined) return html`${this.#waiting.render()}`;
    const groups = this.#groups();
    const left = this.#proposals().length;
    let before = 0;
    const withPosition = groups.map((group) => {
      const first = before + 1;
      before += group.proposals.length;
      return { group, first };
    });
    if (left === 0) return this.#renderEmpty();
    return html`${this.page.offers.map((offer) => this.#renderOffer(offer))}
      <div class="proposals scroll" role="grid" tabindex="0" aria-rowcount=${left} aria-label=${t('Proposals to review')} aria-multiselectable="true" aria-activedescendant="p-${this.focusId}" @keydown=${this.#key}>
      ${withPosition.map(({ group, first }) => this.#renderGroup(group, first))}</div>
      ${this.page.folded === 0 ? nothing : html`<div class="offer quiet">${t('{0} older proposals are folded away.', count(this.page.folded))}</div>`}
      <div class="below">${this.asking === undefined ? nothing : html`<div class="reasons" role="group" aria-label=${t('Why? (optional)')}><span class="quiet">${t('Why? (optional)')}</span>${REJECT_REASONS.map((reason, index) => html`<button class="plain" @click=${() => { this.#giveReason(reason); }}><kbd>${index + 1}</kbd> ${rejectLabel(reason)}</button>`)}</div>`}
      <div class="foot"><span class="quiet" role="status">${t('{0} left', count(left))}${this.selected.size > 0 ? ` · ${t('{0} selected', count(this.selected.size))}` : ''}</span><span class="keys quiet">${[['⏎', t('Accept')], ['e', t('Edit')], ['m', t('Merge')], ['x', t('Reject')], ['u', t('Undo')], ['j', t('next')]].map(([key, what]) => html`<span class="pair"><kbd>${key}</kbd> ${what}</span> `)}</span></div></div>`;
  }

  #renderOffer(offer: InboxOffer): TemplateResult {
    const line = (said: string, what: string, take: () => Promise<{ message: string; undoable: boolean }> | undefined): TemplateResult => html`<div class="offer"><span class="quiet">${icon('lightbulb')} ${said}</span> <button class="plain" @click=${() => { this.#take(take); }}>${what}</button></div>`;
    switch (offer.what) {
      case 'trustRule': return line(t('You accepted the last {0} that {1} found.', count(offer.accepted), offer.rule), t('Let these pass without review'), () => this.link.request('trustRule', { rule: offer.rule }));
      case 'acceptAlike': return line(t('{0} were found by {1}.', count(offer.proposals), offer.rule), t('Accept all like these'), () => this.link.request('acceptAlike', { rule: offer.rule }));
      case 'raiseGate': return line(t('Most proposals are rejected. Asking for more importance shows fewer.'), t('Settings'), () => { void this.link.request('runCommand', { command: 'cairn.openSettings' }); return undefined; });
    }
  }

  /** An offer that was taken, after the decisions before it. */
  #take(act: () => Promise<{ message: string; undoable: boolean }> | undefined): void {
    this.focusList();
    this.#queue = this.#queue.then(act).then(
      (done) => { if (done !== undefined) this.dispatchEvent(new CustomEvent('done', { detail: done })); },
      (error: unknown) => { this.dispatchEvent(new CustomEvent('failed', { detail: error })); },
    );
  }

  #renderEmpty(): TemplateResult {
    const last = this.page?.lastExtraction;
    return html`${this.page?.offers.map((offer) => this.#renderOffer(offer))}<div class="blank"><p>${t('Nothing to review. Statements that Cairn finds in your Claude Code sessions wait here until you accept them.')}</p>
      <vscode-button secondary @click=${() => { void this.link.request('runCommand', { command: 'cairn.backfill' }); }}>${t('Look through past sessions')}</vscode-button>
      ${last === undefined ? nothing : html`<p class="quiet" title=${absoluteTime(last.at)}>${t('Last look: {0}, {1} proposed, {2} USD.', dayAndTime(last.at, Date.now()), count(last.proposed), last.costUsd.toFixed(2))}</p>`}</div>`;
  }

  #renderGroup(group: InboxGroup, first: number): TemplateResult {
    const ids = group.proposals.map((proposal) => proposal.id);
    const label = sessionLabel(group.sessionId, group.title);
    return html`<div role="rowgroup" aria-label=${label}><div class="grouphead" role="row"><span class="title" role="rowheader" title=${group.sessionId}><cairn-clamped .text=${label}></cairn-clamped></span><span class="quiet" role="gridcell" title=${absoluteTime(group.at)}>${dayAndTime(group.at, Date.now())} · ${ids.length}</span>
        <span class="all" role="gridcell"><button class="tool" tabindex="-1" title=${t('Accept all of this session (Shift+A)')} aria-label=${t('Accept all of this session (Shift+A)')} @click=${() => { this.#accept(ids); }}>${icon('check-all')}</button>
        <button class="tool" tabindex="-1" title=${t('Reject all of this session (Shift+X)')} aria-label=${t('Reject all of this session (Shift+X)')} @click=${() => { this.#reject(ids); }}>${icon('close')}</button></span></div>
      ${repeat(group.proposals, (proposal) => proposal.id, (proposal, index) => renderProposal(proposal, {
        position: first + index, focused: proposal.id === this.focusId, selected: this.selected.has(proposal.id), editing: proposal.id === this.editing,
        focus: () => { this.#focus(proposal.id); }, accept: () => { this.#accept([proposal.id]); }, edit: () => { this.#edit(proposal.id); },
        save: (text) => { this.#accept([proposal.id], { text }); }, cancel: () => { this.#endEdit(); this.focusList(); }, draft: this.#draft?.text ?? proposal.text, typed: (text) => { this.#setDraft(proposal.id, text); },
        merge: () => { this.#merge(proposal.id); }, reject: () => { this.#reject([proposal.id]); },
        openTurn: () => { this.#openTurn(proposal.id); },
        openTarget: (id) => { this.dispatchEvent(new CustomEvent('open', { detail: { id, edit: false } })); },
      }))}</div>`;
  }

  static override styles = [base, kindColours, proposalStyles, waitingStyles, css`
    :host { display: flex; flex-direction: column; flex: 1; min-height: 0; }
    .proposals { flex: 1; min-height: 0; outline: none; padding-bottom: 44px; } .below { flex: none; }
    .grouphead { display: flex; align-items: center; gap: 4px; height: 24px; padding: 0 8px 0 12px; position: sticky; top: 0; z-index: 1; background: var(--vscode-sideBar-background); white-space: nowrap; }
    @media (max-width: 400px) { .grouphead { flex-wrap: wrap; gap: 0 4px; height: 44px; align-content: center; } .grouphead > .quiet { order: 1; flex-basis: 100%; } }
    .all { display: flex; gap: 2px; } .title { flex: 1; min-width: 0; font-weight: 600; }
    .offer { padding: 4px 12px; }
    .reasons { display: flex; flex-wrap: wrap; gap: 2px 10px; padding: 4px 12px; border-top: 1px solid var(--vscode-widget-border, transparent); } .reasons .plain { color: inherit; }
    .foot { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 10px; padding: 3px 12px; border-top: 1px solid var(--vscode-sideBarSectionHeader-border, var(--vscode-widget-border, transparent)); }
    .pair { white-space: nowrap; margin-right: 4px; }
    kbd { font: inherit; font-size: 11px; padding: 0 3px; border-radius: 3px; border: 1px solid var(--vscode-keybindingLabel-border, var(--vscode-widget-border)); background: var(--vscode-keybindingLabel-background); color: var(--vscode-keybindingLabel-foreground); }
  `];
}
customElements.define('cairn-inbox', InboxView);
