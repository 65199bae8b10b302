/**
 * The toast at the foot of a view: what was done, with Undo and Open. Also the live
 * region: whatever a toast or a result count says is heard.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from './icons.ts';
import { base } from './styles.ts';
import { t } from './words.ts';

export interface ToastContent {
  readonly message: string;
  readonly undo?: (() => void) | undefined;
  readonly open?: (() => void) | undefined;
  readonly failed?: boolean;
}

/** Long enough to read and to reach for Undo by keyboard. */
const SHOWN_MS = 8_000;

export class Toast extends LitElement {
  static override properties = { content: { state: true }, said: { state: true }, raise: { attribute: false } };
  declare content: ToastContent | undefined;
  declare said: string;
  /** Height of what must stay in sight below it. */
  declare raise: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.said = '';
    this.raise = 0;
  }

  show(content: ToastContent): void {
    this.content = content;
    this.said = content.message;
    clearTimeout(this.#timer);
    if (content.failed !== true) this.#timer = setTimeout(() => { this.hide(); }, SHOWN_MS);
  }

  /** Heard, not seen. */
  say(text: string): void {
    this.said = text;
  }

  hide(): void {
    // Under the person's hand it stays.
    if (this.matches(':hover, :focus-within')) {
      this.#timer = setTimeout(() => { this.hide(); }, SHOWN_MS);
      return;
    }
    this.content = undefined;
  }

  #close(then?: () => void): void {
    this.content = undefined;
    then?.();
  }

  protected override updated(): void {
    this.style.setProperty('--raise', `${this.raise}px`);
  }

  protected override render(): TemplateResult {
    const { content } = this;
    return html`<div class="sr" role="status" aria-live="polite">${this.said}</div>
      ${content === undefined ? nothing : html`<div class="toast ${content.failed === true ? 'failed' : ''}">
        ${icon(content.failed === true ? 'error' : 'check', content.failed === true ? 'bad' : '')}<span class="text">${content.message}</span>
        <span class="links">${content.undo === undefined ? nothing : html`<button class="plain undo" @click=${() => { this.#close(content.undo); }}>${t('Undo')}</button>`}
        ${content.open === undefined ? nothing : html`<button class="plain" @click=${() => { this.#close(content.open); }}>${t('Open')}</button>`}</span>
        <button class="tool" aria-label=${t('Close')} title=${t('Close')} @click=${() => { this.#close(); }}>${icon('close')}</button></div>`}`;
  }

  static override styles = [base, css`
    .toast { position: absolute; left: 8px; right: 8px; bottom: calc(28px + var(--raise, 0px)); z-index: 10; display: grid; grid-template-columns: 16px minmax(0, 1fr) auto auto; align-items: start; gap: 0 8px; padding: 5px 6px 5px 10px; background: var(--vscode-notifications-background); color: var(--vscode-notifications-foreground); border: 1px solid var(--vscode-notifications-border, var(--vscode-widget-border, var(--vscode-contrastBorder, transparent))); border-radius: 4px; line-height: 22px; }
    .toast .codicon { margin-top: 3px; } .tool .codicon { margin: 0; }
    .links { display: flex; gap: 12px; } @media (max-width: 340px) { .toast { grid-template-columns: 16px minmax(0, 1fr) auto; } .links { grid-row: 2; grid-column: 2; } .tool { grid-row: 1; grid-column: 3; } }
    .text { line-height: 18px; padding: 2px 0; min-width: 0; overflow-wrap: anywhere; max-height: 88px; overflow: hidden; }
    .plain { color: var(--vscode-notificationLink-foreground, var(--vscode-textLink-foreground)); }
  `];
}
customElements.define('cairn-toast', Toast);
