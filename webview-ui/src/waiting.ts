/**
 * What a view shows while its first answer is on the way, and what keeps ages on screen true: both are matters of time
 * that a view hands over.
 */
import { css, html, nothing } from 'lit';
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { t } from './words.ts';

/** An answer that comes sooner is not worth a flicker. */
export const SKELETON_AFTER_MS = 150;
const MINUTE_MS = 60_000;

/** Bars in the place of what is loading, once that takes long enough to be seen. */
export class Waiting implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#host.requestUpdate();
    }, SKELETON_AFTER_MS);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  render(): unknown {
    return this.#isLate ? html`<div class="waiting" aria-busy="true"><span class="sr">${t('Loading')}</span><div></div><div></div><div></div></div>` : nothing;
  }
}

/** Draws its host anew each minute: "now" does not stay now. */
export class EachMinute implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
  }

  hostConnected(): void {
    this.#timer = setInterval(() => { this.#host.requestUpdate(); }, MINUTE_MS);
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
  }
}

export const waitingStyles = css`
  .waiting { padding: 10px 12px; } .waiting > div { height: 10px; margin-bottom: 14px; border-radius: 2px; background: var(--vscode-list-hoverBackground); outline: 1px solid var(--vscode-contrastBorder, transparent); max-width: 420px; }
  .waiting > div:nth-of-type(2) { width: 70%; } .waiting > div:nth-of-type(3) { width: 85%; }
`;
