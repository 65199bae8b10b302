/**
 * The Injected tab: what the next session would get, and per session what Claude was
 * given, when and why, against the token budget.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import type { GivenMemory, InjectedPage, InjectedSession, InjectionRow } from '../../src/protocol/index.ts';
import type { HostLink } from './hostLink.ts';
import './clampedText.ts';
import { icon } from './icons.ts';
import { meanMemory } from './menuContext.ts';
import { reasonLabel } from './reasons.ts';
import { base, kindColours } from './styles.ts';
import type { ViewState } from './viewState.ts';
import { EachMinute, Waiting, waitingStyles } from './waiting.ts';
import { absoluteTime, age, clockTime, count, sessionLabel, t } from './words.ts';

export class InjectedView extends LitElement {
  static override properties = { revision: { attribute: false }, page: { state: true }, error: { state: true }, open: { state: true } };
  declare link: HostLink;
  declare revision: number;
  declare page: InjectedPage | undefined;
  declare error: Error | undefined;
  declare open: ReadonlySet<string>;
  /** What was unfolded before the page was hidden; read once. */
  restore: ViewState['injected'];
  #request: AbortController | undefined;
  readonly #waiting = new Waiting(this);

  constructor() {
    super();
    this.revision = 0;
    this.open = new Set(['preview']);
    this.addController(new EachMinute(this));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated || (changed.has('revision') && changed.get('revision') !== undefined)) void this.#load();
  }

  async #load(): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    try {
      const isFirst = this.page === undefined;
      if (isFirst && this.restore !== undefined) this.open = new Set(this.restore.open);
      this.page = await this.link.request('listInjected', {}, request.signal);
      this.error = undefined;
      await this.updateComplete;
      if (isFirst) this.renderRoot.querySelector('.all')?.scrollTo(0, this.restore?.scroll ?? 0);
    } catch (error) {
      if (!request.signal.aborted) this.error = error instanceof Error ? error : new Error(String(error));
    }
  }

  #keep(): void {
    this.dispatchEvent(new CustomEvent('state', { detail: { injected: { open: [...this.open], scroll: this.renderRoot.querySelector('.all')?.scrollTop ?? 0 } } }));
  }

  #fold(id: string, title: TemplateResult, content: () => unknown): TemplateResult {
    const open = this.open.has(id);
    return html`<section><button class="head" aria-expanded=${open ? 'true' : 'false'} @click=${() => {
      const next = new Set(this.open);
      if (!next.delete(id)) next.add(id);
      this.open = next;
      this.#keep();
    }}>${icon(open ? 'chevron-down' : 'chevron-right')}${title}</button>${open ? content() : nothing}</section>`;
  }

  #given(memory: GivenMemory): TemplateResult {
    const text = html`<cairn-clamped lines="2" .text=${memory.text}></cairn-clamped>`;
    const why = html`<span class="quiet">${[memory.why === undefined ? '' : reasonLabel(memory.why), memory.tokens === undefined ? '' : t('{0} tokens', count(memory.tokens))].filter((part) => part !== '').join(' · ')}</span>`;
    if (!memory.isMemory) return html`<li>${text}${why}</li>`;
    return html`<li @contextmenu=${() => { meanMemory(memory); }}><button class="text" @click=${() => { this.dispatchEvent(new CustomEvent('open', { detail: { id: memory.id, edit: false } })); }}>${text}</button>
      <button class="tool" aria-pressed=${memory.pinned ? 'true' : 'false'} aria-label=${t('Pin')} title=${memory.pinned ? t('Unpin') : t('Pin: it comes first')} @click=${() => { this.dispatchEvent(new CustomEvent('pin', { detail: memory })); }}>${icon(memory.pinned ? 'pinned' : 'pin')}</button>
      ${why}</li>`;
  }

  protected override render(): TemplateResult {
    if (this.error !== undefined) return html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${t('What Claude was given could not be read.')}</p><p class="quiet">${this.error.message}</p><vscode-button @click=${() => { void this.#load(); }}>${t('Try again')}</vscode-button><button class="plain" @click=${() => { void this.link.request('runCommand', { command: 'cairn.showLog' }); }}>${t('Show log')}</button></div>`;
    const { page } = this;
    if (page === undefined) return html`${this.#waiting.render()}`;
    const { preview } = page;
    return html`<div class="all scroll" role="region" tabindex="-1" @scrollend=${() => { this.#keep(); }} aria-label=${t('Injected')}>
      ${preview === undefined ? nothing : this.#fold('preview', html`<b>${t('Next session would get')}</b><span class="quiet end">${t('{0} of {1} tokens', count(preview.tokens), count(preview.budgetTokens))}</span>`, () => html`
        ${bar(preview.tokens, preview.budgetTokens)}
        ${preview.memories.length > 0 ? html`<ul>${preview.memories.map((memory) => this.#given(memory))}</ul>` : nothing}
        ${preview.text === '' ? html`<p class="quiet pad">${t('Nothing yet: rules, decisions and pinned memories would stand here.')}</p>` : html`<details class="pad"><summary>${t('The exact text')}</summary><pre dir="auto">${preview.text}</pre></details>`}`)}
      ${page.sessions.length === 0 ? html`<div class="blank"><p>${t('No Claude Code session was given anything here yet. In the editor\u2019s Claude panel some hooks do not fire; there Claude asks by itself.')}</p><vscode-button secondary @click=${() => { void this.link.request('runCommand', { command: 'cairn.doctor' }); }}>${t('Run doctor')}</vscode-button></div>` : page.sessions.map((session) => this.#session(session))}</div>`;
  }

  #session(session: InjectedSession): TemplateResult {
    return this.#fold(session.sessionId, html`<b class="grow" title=${session.sessionId}><cairn-clamped .text=${sessionLabel(session.sessionId, session.title)}></cairn-clamped></b><span class="quiet end" title=${absoluteTime(session.startedAt)}>${age(session.startedAt, Date.now())} · ${t('{0} tokens', count(session.tokens))}</span>`, () => html`
      ${session.budgetTokens === undefined ? nothing : bar(session.tokens, session.budgetTokens)}
      ${session.injections.map((injection) => this.#injection(injection))}`);
  }

  #injection(injection: InjectionRow): TemplateResult {
    return html`<div class="injection"><div class="when"><span class="quiet">${clockTime(injection.at)}</span><span class="about"><cairn-clamped .text=${eventLabel(injection)}></cairn-clamped></span><span class="quiet end">${count(injection.tokens)}</span></div><ul>${injection.memories.map((memory) => this.#given(memory))}</ul></div>`;
  }

  static override styles = [base, kindColours, waitingStyles, css`
    :host { display: flex; flex-direction: column; flex: 1; min-height: 0; }
    .all { flex: 1; min-height: 0; }
    section { border-bottom: 1px solid var(--vscode-sideBarSectionHeader-border, var(--vscode-widget-border, transparent)); }
    .head { display: flex; flex-wrap: wrap; align-items: center; gap: 0 4px; width: 100%; min-height: 24px; padding: 2px 12px 2px 4px; border: none; background: none; color: inherit; text-align: left; cursor: pointer; } .head b { min-width: 0; font-weight: 600; } .grow { flex: 1 1 200px; }
    .end { margin-left: auto; white-space: nowrap; }
    .bar { display: block; width: calc(100% - 36px); height: 4px; margin: 2px 12px 4px 24px; } .bar .track { fill: var(--vscode-progressBar-background); opacity: 0.25; } .bar rect { fill: var(--vscode-progressBar-background); } @media (forced-colors: active) { .bar { forced-color-adjust: none; } } .bar rect.over { fill: var(--vscode-editorWarning-foreground); }
    ul { list-style: none; margin: 0; padding: 0 8px 4px 24px; } li { display: grid; grid-template-columns: 1fr auto; padding: 2px 0; } li .tool { width: 24px; height: 24px; } li .quiet { grid-column: 1; font-size: 0.92em; }
    .text { border: none; background: none; color: inherit; text-align: start; padding: 0; cursor: pointer; min-width: 0; } .text:hover { text-decoration: underline; }
    .injection { padding-top: 2px; } .when { display: flex; gap: 6px; padding: 0 12px 0 24px; } .about { flex: 1; min-width: 0; font-weight: 600; }
    .pad { padding: 0 12px 6px 24px; margin: 0; } pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 300px; overflow: auto; padding: 6px; font: var(--vscode-editor-font-size, 12px) var(--vscode-editor-font-family, monospace); background: var(--vscode-textCodeBlock-background); }
  `];
}

function eventLabel(injection: InjectionRow): string {
  switch (injection.event) {
    case 'SessionStart': return t('Session start');
    case 'UserPromptSubmit': return injection.about ?? t('Prompt');
    case 'PreToolUse': case 'PostToolUse': return t('File {0}', injection.about ?? '');
    default: return injection.about ?? injection.event;
  }
}

function bar(tokens: number, budget: number): TemplateResult {
  const share = budget === 0 ? 0 : Math.min(100, (100 * tokens) / budget);
  return html`<svg class="bar" width="100%" height="4" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label=${t('{0} of {1} tokens', count(tokens), count(budget))}><rect class="track" x="0" y="0" height="4" width="100"></rect><rect class=${tokens > budget ? 'over' : ''} x="0" y="0" height="4" width=${share}></rect></svg>`;
}
customElements.define('cairn-injected', InjectedView);
