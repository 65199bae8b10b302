/**
 * The Graph page: a focus and two rings around it, drawn once the layout is computed; a
 * list beside it says the same in words. Arrow keys walk along edges, Enter makes the
 * chosen one the focus.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { virtualize, virtualizerRef } from '@lit-labs/virtualizer/virtualize.js';
import type { VirtualizerHostElement } from '@lit-labs/virtualizer/virtualize.js';
import type { GraphNode, GraphPage } from '../../src/protocol/index.ts';
import './clampedText.ts';
import { layOut, neighbourTowards } from './graphLayout.ts';
import type { Point } from './graphLayout.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import type { PageState } from './pageState.ts';
import { base } from './styles.ts';
import { fitLine } from './textFit.ts';
import { Waiting, waitingStyles } from './waiting.ts';
import { count, kindLabel, t } from './words.ts';

const DIRECTIONS: Readonly<Record<string, Point>> = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };
/** Labels of everything would cover everything. */
const MOST_LABELS = 80;
const LABEL_PX = 170;

export class GraphView extends LitElement {
  static override properties = { page: { state: true }, error: { state: true }, chosen: { state: true }, filter: { state: true }, kind: { state: true } };
  declare link: HostLink;
  saved: PageState = {};
  save: (state: PageState) => void = () => undefined;
  /** `entity`, a kind of memory, or nothing for all. */
  declare kind: string;
  declare page: GraphPage | undefined;
  declare error: Error | undefined;
  declare chosen: string | undefined;
  declare filter: string;
  #places = new Map<string, Point>();
  #view = { x: 0, y: 0, scale: 1 };
  #resize: ResizeObserver | undefined;
  #drag: Point | undefined;
  readonly #waiting = new Waiting(this);

  constructor() {
    super();
    this.filter = '';
    this.kind = '';
  }

  protected override firstUpdated(): void {
    this.kind = this.saved.kind ?? '';
    void this.#load(this.saved.focus);
    this.link.onEvent((event) => { if (event.name === 'focusGraph') void this.#load(event.focus); });
    this.#resize = new ResizeObserver(() => { this.#draw(); });
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize?.disconnect();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('page') || changed.has('chosen') || changed.has('kind')) this.#draw();
    if (changed.has('chosen') && this.page !== undefined) this.#showInList();
  }

  async #load(focus: string | undefined): Promise<void> {
    try {
      const page = await this.link.request('graph', focus === undefined ? {} : { focus });
      this.#places = layOut(page);
      this.#view = { x: 0, y: 0, scale: 1 };
      this.page = page;
      this.chosen = page.focus;
      this.error = undefined;
      this.#keep();
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error));
    }
  }

  #keep(): void {
    this.save({ ...(this.page?.focus === undefined ? {} : { focus: this.page.focus }), kind: this.kind });
  }

  /** The focus always stays: what is shown stands around it. */
  #shows(node: GraphNode): boolean {
    return this.kind === '' || node.ring === 0 || (node.kind ?? node.form) === this.kind;
  }

  /** What the list holds: the graph in words. */
  #listed(page: GraphPage): GraphNode[] {
    const filter = this.filter.trim().toLowerCase();
    return this.#shownPage(page).nodes.filter((node) => node.label.toLowerCase().includes(filter));
  }

  #showInList(): void {
    const at = this.page === undefined ? -1 : this.#listed(this.page).findIndex(({ id }) => id === this.chosen);
    if (at >= 0) this.renderRoot.querySelector<HTMLElement & VirtualizerHostElement>('.nodes')?.[virtualizerRef]?.element(at)?.scrollIntoView({ block: 'nearest' });
  }

  readonly #clearFilters = (): void => {
    this.filter = '';
    this.kind = '';
    this.#keep();
  };

  #shownPage(page: GraphPage): GraphPage {
    const nodes = page.nodes.filter((node) => this.#shows(node));
    const ids = new Set(nodes.map((node) => node.id));
    return { ...page, nodes, edges: page.edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to)) };
  }

  #openMemory(id: string): void {
    this.link.request('openMemory', { id }).catch((error: unknown) => { this.error = error instanceof Error ? error : new Error(String(error)); });
  }

  readonly #key = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined && this.page !== undefined && this.chosen !== undefined) this.chosen = neighbourTowards(this.#shownPage(this.page), this.#places, this.chosen, direction) ?? this.chosen;
    else if (event.key === 'Enter' && this.chosen !== undefined) void this.#load(this.chosen);
    else if (event.key === 'o' && this.page?.nodes.some((node) => node.id === this.chosen && node.form === 'memory') === true) this.#openMemory(this.chosen ?? '');
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
    if (canvas === null || canvas === undefined || context === null || context === undefined || this.page === undefined) return;
    const page = this.#shownPage(this.page);
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
    context.strokeStyle = colour('descriptionForeground');
    context.globalAlpha = 0.6;
    context.beginPath();
    for (const edge of page.edges) {
      const [from, to] = [place(edge.from), place(edge.to)];
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.font = `${style.fontSize} ${style.fontFamily}`;
    context.textBaseline = 'middle';
    context.fillStyle = colour('descriptionForeground');
    for (const edge of page.edges) {
      if (edge.label === '' || (edge.from !== this.chosen && edge.to !== this.chosen)) continue;
      const [from, to] = [place(edge.from), place(edge.to)];
      context.fillText(edge.label, (from.x + to.x) / 2 + 4, (from.y + to.y) / 2);
    }
    const labelled = new Set(page.nodes.filter((node) => node.ring < 2 || page.nodes.length <= MOST_LABELS).slice(0, MOST_LABELS).map((node) => node.id));
    for (const node of page.nodes) {
      const { x, y } = place(node.id);
      const radius = node.ring === 0 ? 8 : node.ring === 1 ? 6 : 4;
      context.fillStyle = colour(node.ring === 0 ? 'charts-blue' : node.form === 'memory' ? 'charts-yellow' : 'charts-green');
      context.beginPath();
      // The form says what the colour says.
      if (node.form === 'memory') context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      else context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
      if (node.id === this.chosen) {
        context.strokeStyle = colour('focusBorder');
        context.lineWidth = 2;
        context.beginPath();
        context.arc(x, y, radius * 1.4 + 3, 0, 2 * Math.PI);
        context.stroke();
        context.lineWidth = 1;
      }
      if (!labelled.has(node.id) && node.id !== this.chosen) continue;
      context.fillStyle = colour('foreground');
      const end = fitLine(node.label, LABEL_PX, (text) => context.measureText(text).width);
      const label = end < node.label.length ? `${node.label.slice(0, end).trimEnd()}…` : node.label;
      // On the other side of its node where the page ends.
      const fits = x + radius + 8 + context.measureText(label).width <= width;
      context.textAlign = fits ? 'left' : 'right';
      context.fillText(label, fits ? x + radius + 8 : x - radius - 8, y);
      context.textAlign = 'left';
    }
  }

  protected override render(): TemplateResult {
    const { page } = this;
    if (this.error !== undefined) return html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${t('The graph could not be read.')}</p><p class="quiet">${this.error.message}</p><vscode-button @click=${() => { void this.#load(this.saved.focus); }}>${t('Try again')}</vscode-button><button class="plain" @click=${() => { void this.link.request('runCommand', { command: 'cairn.showLog' }); }}>${t('Show log')}</button></div>`;
    if (page === undefined) return html`${this.#waiting.render()}`;
    if (page.nodes.length === 0) return html`<div class="blank"><p>${t('No entities are linked yet. Claude links them when it learns what uses what.')}</p><vscode-button secondary @click=${() => { void this.link.request('runCommand', { command: 'cairn.showMemories' }); }}>${t('Show memories')}</vscode-button></div>`;
    const listed = this.#listed(page);
    const labels = new Map(page.nodes.map((node) => [node.id, node.label]));
    const chosen = page.nodes.find((node) => node.id === this.chosen);
    const around = page.edges.filter((edge) => edge.label !== '' && (edge.from === this.chosen || edge.to === this.chosen));
    const said = page.edges.filter((edge) => edge.label === '' && (edge.from === this.chosen || edge.to === this.chosen)).map((edge) => (edge.from === this.chosen ? edge.to : edge.from));
    const kinds = [...new Set(page.nodes.map((node) => node.kind ?? node.form))].sort();
    const choose = (id: string): void => { this.chosen = id; };
    return html`<main class="split"><h1 class="sr">${t('Graph')}</h1><nav aria-label=${t('Entities')}><input class="input" type="text" placeholder=${t('Filter')} aria-label=${t('Filter')} .value=${this.filter} @input=${(event: Event) => { this.filter = (event.target as HTMLInputElement).value; }}>
        ${kinds.length < 2 ? nothing : html`<select class="select" aria-label=${t('Kind')} @change=${(event: Event) => { this.kind = (event.target as HTMLSelectElement).value; this.#keep(); }}><option value="" ?selected=${this.kind === ''}>${t('all kinds')}</option>${kinds.map((kind) => html`<option value=${kind} ?selected=${this.kind === kind}>${kind === 'entity' ? t('entity') : kind === 'memory' ? t('memory') : kindLabel(kind)}</option>`)}</select>`}
        ${listed.length === 0 ? html`<div class="blank nothing"><p>${t('Nothing here matches the filters.')}</p><vscode-button secondary @click=${this.#clearFilters}>${t('Clear filters')}</vscode-button></div>` : html`<div class="nodes scroll" role="list">${virtualize({ scroller: true, items: listed, keyFunction: (node) => node.id, renderItem: (node, index) => html`<div class="item" role="listitem" aria-posinset=${index + 1} aria-setsize=${listed.length}><button class="entity" aria-current=${node.id === this.chosen ? 'true' : 'false'} @click=${() => { choose(node.id); }} @dblclick=${() => { void this.#load(node.id); }}>${icon(node.form === 'memory' ? 'note' : 'symbol-class')}<cairn-clamped .text=${node.label}></cairn-clamped></button></div>` })}</div>`}
        <section aria-live="polite">${chosen === undefined ? nothing : html`<h2 dir="auto">${chosen.label}</h2>
          <ul>${around.slice(0, 60).map((edge) => html`<li>${labels.get(edge.from)} <span class="quiet">${edge.label}</span> ${labels.get(edge.to)}</li>`)}
            ${said.slice(0, 20).map((id) => html`<li><button class="plain" dir="auto" @click=${() => { choose(id); }}>${labels.get(id)}</button></li>`)}</ul>
          <div class="links">${chosen.ring === 0 ? nothing : html`<button class="plain" @click=${() => { void this.#load(chosen.id); }}>${t('Make it the focus')}</button>`}${chosen.form === 'memory' ? html`<button class="plain" @click=${() => { this.#openMemory(chosen.id); }}>${t('Open the memory')}</button>` : nothing}</div>`}</section></nav>
      <canvas tabindex="0" role="img" aria-label=${t('Graph around {0}: {1} entities and memories. Arrow keys walk along links, Enter makes the chosen one the focus, o opens a memory.', labels.get(page.focus ?? '') ?? '', count(page.nodes.length))} @keydown=${this.#key}
        @wheel=${(event: WheelEvent) => { event.preventDefault(); this.#zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1); }}
        @pointerdown=${(event: PointerEvent) => { this.#drag = { x: event.offsetX, y: event.offsetY }; this.#pick(event); }}
        @pointermove=${(event: PointerEvent) => { if (this.#drag === undefined || event.buttons === 0) return; this.#view = { ...this.#view, x: this.#view.x + event.offsetX - this.#drag.x, y: this.#view.y + event.offsetY - this.#drag.y }; this.#drag = { x: event.offsetX, y: event.offsetY }; this.#draw(); }}
        @pointerup=${() => { this.#drag = undefined; }}></canvas></main>`;
  }

  #pick(event: PointerEvent): void {
    const canvas = this.renderRoot.querySelector('canvas');
    if (canvas === null || this.page === undefined) return;
    const x = (event.offsetX - canvas.clientWidth / 2 - this.#view.x) / this.#view.scale;
    const y = (event.offsetY - canvas.clientHeight / 2 - this.#view.y) / this.#view.scale;
    const near = this.#shownPage(this.page).nodes.map((node) => ({ id: node.id, distance: Math.hypot((this.#places.get(node.id)?.x ?? 0) - x, (this.#places.get(node.id)?.y ?? 0) - y) })).sort((a, b) => a.distance - b.distance)[0];
    if (near !== undefined && near.distance * this.#view.scale < 14) this.chosen = near.id;
  }

  static override styles = [base, waitingStyles, css`
    :host { display: block; height: 100vh; } .split { display: grid; grid-template-columns: minmax(180px, 260px) 1fr; height: 100%; } @media (max-width: 560px) { .split { grid-template-columns: 1fr; grid-template-rows: 50% 50%; } }
    nav { display: flex; flex-direction: column; min-height: 0; padding: 8px; gap: 6px; border-right: 1px solid var(--vscode-panel-border, transparent); } .nodes, .nothing { flex: 1; min-height: 0 !important; } .nothing { padding: 4px; } .item { width: 100%; } ul { list-style: none; margin: 0; padding: 0; } section { max-height: 40%; overflow: auto; } h2 { font-size: 13px; margin: 0 0 4px; overflow-wrap: anywhere; }
    .entity { display: flex; gap: 6px; width: 100%; height: 22px; margin-bottom: 2px; padding: 0 4px; border: none; background: none; color: inherit; text-align: start; cursor: pointer; white-space: nowrap; overflow: hidden; } .entity:hover { background: var(--vscode-list-hoverBackground); }   .entity[aria-current='true'] { outline: 1px solid var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); }
    .entity[aria-current='true'] .codicon { color: inherit; }
  section { padding-top: 6px; } .links { display: flex; gap: 14px; padding: 2px 0; }
    .entity cairn-clamped { flex: 1; }
    canvas { width: 100%; height: 100%; display: block; touch-action: none; }
  `];
}
customElements.define('cairn-graph', GraphView);
