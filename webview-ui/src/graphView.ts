/**
 * The Graph page: a focus and two rings around it, drawn once the layout is computed; a
 * list beside it says the same in words. Arrow keys walk along edges, Enter makes the
 * chosen one the focus.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import type { GraphPage } from '../../src/protocol/index.ts';
import { layOut, neighbourTowards } from './graphLayout.ts';
import type { Point } from './graphLayout.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import { base } from './styles.ts';
import { count, t } from './words.ts';

const DIRECTIONS: Readonly<Record<string, Point>> = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };
/** Labels of everything would cover everything. */
const MOST_LABELS = 80;

export class GraphView extends LitElement {
  static override properties = { page: { state: true }, error: { state: true }, chosen: { state: true }, filter: { state: true } };
  declare link: HostLink;
  declare page: GraphPage | undefined;
  declare error: Error | undefined;
  declare chosen: string | undefined;
  declare filter: string;
  #places = new Map<string, Point>();
  #view = { x: 0, y: 0, scale: 1 };
  #resize: ResizeObserver | undefined;
  #drag: Point | undefined;

  constructor() {
    super();
    this.filter = '';
  }

  protected override firstUpdated(): void {
    void this.#load(undefined);
    this.link.onEvent((event) => { if (event.name === 'focusGraph') void this.#load(event.focus); });
    this.#resize = new ResizeObserver(() => { this.#draw(); });
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize?.disconnect();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('page') || changed.has('chosen')) this.#draw();
  }

  async #load(focus: string | undefined): Promise<void> {
    try {
      const page = await this.link.request('graph', focus === undefined ? {} : { focus });
      this.#places = layOut(page);
      this.#view = { x: 0, y: 0, scale: 1 };
      this.page = page;
      this.chosen = page.focus;
      this.error = undefined;
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error));
    }
  }

  readonly #key = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined && this.page !== undefined && this.chosen !== undefined) this.chosen = neighbourTowards(this.page, this.#places, this.chosen, direction) ?? this.chosen;
    else if (event.key === 'Enter' && this.chosen !== undefined) void this.#load(this.chosen);
    else if (event.key === '+' || event.key === '-') this.#zoom(event.key === '+' ? 1.2 : 1 / 1.2);
    else return;
    event.preventDefault();
  };

  #zoom(factor: number): void {
    this.#view = { ...this.#view, scale: Math.max(0.2, Math.min(5, this.#view.scale * factor)) };
    this.#draw();
  }

  #draw(): void {
    const canvas = this.renderRoot.querySelector('canvas');
    const context = canvas?.getContext('2d');
    const { page } = this;
    if (canvas === null || canvas === undefined || context === null || context === undefined || page === undefined) return;
    const ratio = window.devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = canvas;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const style = getComputedStyle(this);
    const colour = (name: string): string => style.getPropertyValue(`--vscode-${name}`).trim() || style.color;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const place = (id: string): Point => {
      const point = this.#places.get(id) ?? { x: 0, y: 0 };
      return { x: width / 2 + this.#view.x + point.x * this.#view.scale, y: height / 2 + this.#view.y + point.y * this.#view.scale };
    };
    context.strokeStyle = colour('editorIndentGuide-activeBackground1');
    context.beginPath();
    for (const edge of page.edges) {
      const [from, to] = [place(edge.from), place(edge.to)];
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
    context.stroke();
    context.font = `${style.fontSize} ${style.fontFamily}`;
    context.textBaseline = 'middle';
    const labelled = new Set(page.nodes.filter((node) => node.ring < 2 || page.nodes.length <= MOST_LABELS).slice(0, MOST_LABELS).map((node) => node.id));
    for (const node of page.nodes) {
      const { x, y } = place(node.id);
      const radius = node.ring === 0 ? 8 : node.ring === 1 ? 6 : 4;
      context.fillStyle = colour(node.ring === 0 ? 'charts-blue' : node.form === 'memory' ? 'charts-orange' : 'charts-green');
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
      if (node.id === this.chosen) {
        context.strokeStyle = colour('focusBorder');
        context.lineWidth = 2;
        context.stroke();
        context.lineWidth = 1;
      }
      if (!labelled.has(node.id) && node.id !== this.chosen) continue;
      context.fillStyle = colour('foreground');
      context.fillText(node.label, x + radius + 4, y);
    }
  }

  protected override render(): TemplateResult {
    const { page } = this;
    if (this.error !== undefined) return html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${t('The graph could not be read.')}</p><p class="quiet">${this.error.message}</p></div>`;
    if (page === undefined) return html``;
    if (page.nodes.length === 0) return html`<div class="blank"><p>${t('No entities are linked yet. Claude links them when it learns what uses what.')}</p></div>`;
    const shown = page.nodes.filter((node) => node.label.toLowerCase().includes(this.filter.toLowerCase()));
    const around = page.edges.filter((edge) => edge.from === this.chosen || edge.to === this.chosen);
    return html`<div class="split"><nav aria-label=${t('Entities')}><input class="input" type="text" placeholder=${t('Filter')} aria-label=${t('Filter')} .value=${this.filter} @input=${(event: Event) => { this.filter = (event.target as HTMLInputElement).value; }}>
        <ul class="scroll">${shown.slice(0, 500).map((node) => html`<li><button class="entity" aria-current=${node.id === this.chosen ? 'true' : 'false'} @click=${() => { this.chosen = node.id; }} @dblclick=${() => { void this.#load(node.id); }}>${icon(node.form === 'memory' ? 'note' : 'symbol-class')}${node.label}</button></li>`)}</ul>
        <section aria-live="polite">${this.chosen === undefined ? nothing : html`<h2>${this.chosen}</h2><ul>${around.slice(0, 60).map((edge) => html`<li>${edge.from} <span class="quiet">${edge.label}</span> ${edge.to}</li>`)}</ul><button class="plain" @click=${() => { void this.#load(this.chosen); }}>${t('Make it the focus')}</button>`}</section></nav>
      <canvas tabindex="0" role="img" aria-label=${t('Graph around {0}: {1} entities. Arrow keys walk along links, Enter makes the chosen one the focus.', page.focus ?? '', count(page.nodes.length))} @keydown=${this.#key}
        @wheel=${(event: WheelEvent) => { event.preventDefault(); this.#zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1); }}
        @pointerdown=${(event: PointerEvent) => { this.#drag = { x: event.offsetX, y: event.offsetY }; this.#pick(event); }}
        @pointermove=${(event: PointerEvent) => { if (this.#drag === undefined || event.buttons === 0) return; this.#view = { ...this.#view, x: this.#view.x + event.offsetX - this.#drag.x, y: this.#view.y + event.offsetY - this.#drag.y }; this.#drag = { x: event.offsetX, y: event.offsetY }; this.#draw(); }}
        @pointerup=${() => { this.#drag = undefined; }}></canvas></div>`;
  }

  #pick(event: PointerEvent): void {
    const canvas = this.renderRoot.querySelector('canvas');
    if (canvas === null || this.page === undefined) return;
    const x = (event.offsetX - canvas.clientWidth / 2 - this.#view.x) / this.#view.scale;
    const y = (event.offsetY - canvas.clientHeight / 2 - this.#view.y) / this.#view.scale;
    const near = this.page.nodes.map((node) => ({ id: node.id, distance: Math.hypot((this.#places.get(node.id)?.x ?? 0) - x, (this.#places.get(node.id)?.y ?? 0) - y) })).sort((a, b) => a.distance - b.distance)[0];
    if (near !== undefined && near.distance * this.#view.scale < 14) this.chosen = near.id;
  }

  static override styles = [base, css`
    :host { display: block; height: 100vh; } .split { display: grid; grid-template-columns: minmax(180px, 260px) 1fr; height: 100%; } @media (max-width: 560px) { .split { grid-template-columns: 1fr; grid-template-rows: 50% 50%; } }
    nav { display: flex; flex-direction: column; min-height: 0; padding: 8px; gap: 6px; border-right: 1px solid var(--vscode-panel-border, transparent); } nav > ul { flex: 1; min-height: 0; } ul { list-style: none; margin: 0; padding: 0; } section { max-height: 40%; overflow: auto; } h2 { font-size: 13px; margin: 0 0 4px; overflow-wrap: anywhere; }
    .entity { display: flex; gap: 6px; width: 100%; height: 22px; padding: 0 4px; border: none; background: none; color: inherit; text-align: start; cursor: pointer; white-space: nowrap; overflow: hidden; } .entity:hover { background: var(--vscode-list-hoverBackground); } .entity[aria-current='true'] { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); }
    canvas { width: 100%; height: 100%; display: block; touch-action: none; }
  `];
}
customElements.define('cairn-graph', GraphView);
