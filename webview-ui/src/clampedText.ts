/**
 * `<cairn-clamped>`: a text on one or two lines that ends between words, as rows do; the editor's own ellipsis cuts
 * inside them. Heard whole, and shown whole to a pointer that rests on it.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { base } from './styles.ts';
import { fitTwoLines } from './textFit.ts';
import type { Measure } from './textFit.ts';

/** One for all: a font is set before each use. */
const context = document.createElement('canvas').getContext('2d');

export class ClampedText extends LitElement {
  static override properties = { text: { attribute: false }, lines: { type: Number }, width: { state: true } };
  declare text: string;
  declare lines: 1 | 2;
  declare width: number;
  readonly #resize = new ResizeObserver(([entry]) => { this.width = Math.floor(entry?.contentRect.width ?? 0); });

  constructor() {
    super();
    this.text = '';
    this.lines = 1;
    this.width = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  #measure(): Measure {
    const { fontSize, fontFamily, fontStyle, fontWeight } = getComputedStyle(this);
    if (context !== null) context.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
    return (text) => context?.measureText(text).width ?? text.length * 7;
  }

  protected override render(): TemplateResult {
    if (this.width === 0) return html`<span class="sr">${this.text}</span>`;
    const { first, second } = fitTwoLines(this.text, [this.width, this.lines === 2 ? this.width : 0], [], this.#measure());
    return html`<span class="sr">${this.text}</span><span class="seen" dir="auto" aria-hidden="true" title=${this.text}>${first}${second === '' ? nothing : html`<br>${second}`}</span>`;
  }

  static override styles = [base, css`
    :host { display: block; position: relative; min-width: 0; overflow: hidden; font: inherit; color: inherit; line-height: inherit; }
    .seen { display: block; white-space: pre; }
  `];
}
customElements.define('cairn-clamped', ClampedText);
