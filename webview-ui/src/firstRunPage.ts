/**
 * The first-run page: what is kept, where, what leaves the machine, one question, and
 * after a yes three checks that turn green and one thing to try.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { ConsentAnswer, FirstRunCheck, FirstRunState } from '../../src/protocol/index.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import { base } from './styles.ts';
import { t } from './words.ts';

export class FirstRunPage extends LitElement {
  static override properties = { state: { state: true }, error: { state: true }, busy: { state: true }, declined: { state: true } };
  declare link: HostLink;
  declare state: FirstRunState | undefined;
  declare error: Error | undefined;
  declare busy: boolean;
  declare declined: boolean;

  constructor() {
    super();
    this.busy = false;
    this.declined = false;
  }

  protected override firstUpdated(): void {
    void this.#load();
    this.link.onSnapshot(() => { if (!this.busy) void this.#load(); });
  }

  async #load(): Promise<void> {
    try {
      this.state = await this.link.request('firstRun', {});
      this.error = undefined;
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error));
    }
  }

  async #answer(answer: ConsentAnswer): Promise<void> {
    this.busy = true;
    this.declined = answer === 'no';
    try {
      this.state = await this.link.request('answerConsent', { answer });
      this.error = undefined;
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error));
    }
    this.busy = false;
  }

  async #register(): Promise<void> {
    this.busy = true;
    await this.link.request('runCommand', { command: 'cairn.register' }).catch(() => undefined); // The command itself reports what failed; the check below shows what is.
    await this.#load();
    this.busy = false;
  }

  #check(check: FirstRunCheck): TemplateResult {
    const names = { store: t('The memory can be written'), registered: t('Claude Code knows it'), model: t('Search by meaning is ready') };
    const states = { waiting: t('waiting'), running: t('checking'), ok: t('ready'), failed: t('not ready') };
    const marks = { waiting: icon('circle-outline'), running: icon('loading', 'spin'), ok: icon('pass', 'good'), failed: icon('error', 'bad') };
    return html`<li class="check ${check.state}" data-check=${check.id}>${marks[check.state]}<span><b>${names[check.id]}</b> <span class="sr">${states[check.state]}</span><span class="quiet">${check.detail}</span></span></li>`;
  }

  protected override render(): TemplateResult {
    const { state } = this;
    const name = state?.repositoryName;
    return html`<main>
      <h1>${t('Cairn remembers what matters in this repository')}</h1>
      <p class="lead">${t('Decisions, rules and preferences, so that the next Claude Code session does not start blank. You see every one of them, and correct or forget it in the sidebar.')}</p>
      <dl>
        <dt>${t('What it keeps')}</dt><dd>${t('Single statements you choose, and proposals found in your Claude Code sessions, which wait for your review. Passwords, keys and tokens are masked before anything is written.')}</dd>
        <dt>${t('Where')}</dt><dd>${state === undefined ? '' : html`<code>${state.home}</code> `}${t('on this machine. Nothing is written into the working tree.')}</dd>
        <dt>${t('What leaves the machine')}</dt><dd>${t('Nothing. No account, no key, no telemetry. Claude Code sends what it recalls to its model, as with anything it reads.')}</dd>
      </dl>
      ${this.error === undefined ? nothing : html`<div class="message" role="alert">${this.error.message}</div>`}
      ${state === undefined || state.enabled || this.declined ? nothing : html`<section aria-labelledby="question"><h2 id="question">${name === undefined ? t('Remember for Claude Code?') : t('Remember for Claude Code in “{0}”?', name)}</h2>
        <div class="answers">${name === undefined ? nothing : html`<vscode-button ?disabled=${this.busy} @click=${() => { void this.#answer('repository'); }}>${t('Yes, for this repository')}</vscode-button>`}
        <vscode-button secondary ?disabled=${this.busy} @click=${() => { void this.#answer('everywhere'); }}>${t('Yes, for all my repositories')}</vscode-button>
        <vscode-button secondary ?disabled=${this.busy} @click=${() => { void this.#answer('no'); }}>${t('Not now')}</vscode-button></div></section>`}
      ${this.declined ? html`<p role="status">${t('Fine. Nothing was registered. “Cairn: Set Up” in the command palette asks again.')}</p>` : nothing}
      ${state !== undefined && state.checks.length > 0 && !this.declined ? html`<section aria-live="polite"><h2>${t('Ready?')}</h2><ul>${state.checks.map((check) => this.#check(check))}</ul>${state.checks.some((check) => check.id === 'registered' && check.state === 'failed') ? html`<vscode-button ?disabled=${this.busy} @click=${() => { void this.#register(); }}>${t('Register with Claude Code')}</vscode-button>` : nothing}</section>` : nothing}
      ${state?.enabled === true ? html`<section><h2>${t('Try it')}</h2><p>${t('Select a few lines in an editor, choose “Remember This” from the context menu, then ask Claude Code about it.')}</p></section>` : nothing}
    </main>`;
  }

  static override styles = [base, css`
    :host { display: block; }
    main { max-width: 640px; margin: 0 auto; padding: 32px 24px; line-height: 1.5; }
    h1 { font-size: 22px; font-weight: 400; line-height: 1.3; margin: 0 0 8px; } h2 { font-size: 15px; font-weight: 600; margin: 24px 0 8px; }
    .lead { margin: 0 0 16px; } dl { display: grid; grid-template-columns: 170px 1fr; gap: 8px 16px; margin: 0; } dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
    @media (max-width: 520px) { dl { grid-template-columns: 1fr; } }
    section > vscode-button { margin-top: 8px; }
    code { font-family: var(--vscode-editor-font-family, monospace); color: var(--vscode-textPreformat-foreground); }
    .answers { display: flex; flex-wrap: wrap; gap: 8px; } ul { list-style: none; padding: 0; margin: 0; } .check { display: flex; gap: 8px; padding: 3px 0; } .check span.quiet { display: block; } .good { color: var(--vscode-charts-green); }
  `];
}
customElements.define('cairn-first-run', FirstRunPage);
