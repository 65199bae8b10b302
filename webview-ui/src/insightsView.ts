/**
 * The Insights page: four numbers with their trend, then charts. Each chart has its
 * table behind a button and exports it as CSV.
 */
import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Chart, InsightsPage } from '../../src/protocol/index.ts';
import { chartColours, renderChart } from './chart.ts';
import { csvOf, tableOf } from './chartTable.ts';
import type { HostLink } from './hostLink.ts';
import { icon } from './icons.ts';
import type { PageState } from './pageState.ts';
import { base } from './styles.ts';
import { Waiting, waitingStyles } from './waiting.ts';
import { count, t } from './words.ts';

export class InsightsView extends LitElement {
  static override properties = { page: { state: true }, error: { state: true }, tables: { state: true } };
  declare link: HostLink;
  saved: PageState = {};
  save: (state: PageState) => void = () => undefined;
  declare page: InsightsPage | undefined;
  declare error: Error | undefined;
  declare tables: ReadonlySet<string>;
  #revision = -1;
  readonly #waiting = new Waiting(this);

  constructor() {
    super();
    this.tables = new Set();
  }

  protected override firstUpdated(): void {
    this.tables = new Set(this.saved.tables);
    document.body.addEventListener('scroll', () => { this.#keep(); }, { passive: true });
    void this.#load();
    this.link.onSnapshot((snapshot) => {
      if (snapshot.revision === this.#revision) return;
      this.#revision = snapshot.revision;
      void this.#load();
    });
  }

  #keep(): void {
    this.save({ tables: [...this.tables], scroll: document.body.scrollTop });
  }

  async #load(): Promise<void> {
    const isFirst = this.page === undefined;
    try {
      this.page = await this.link.request('insights', {});
      this.error = undefined;
      await this.updateComplete;
      if (isFirst) document.body.scrollTop = this.saved.scroll ?? 0;
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error));
    }
  }

  #toggle(id: string): void {
    const next = new Set(this.tables);
    if (!next.delete(id)) next.add(id);
    this.tables = next;
    this.#keep();
  }

  protected override render(): TemplateResult {
    if (this.error !== undefined) return html`<div class="blank" role="alert"><p>${icon('error', 'bad')} ${t('The numbers could not be read.')}</p><p class="quiet">${this.error.message}</p><vscode-button @click=${() => { void this.#load(); }}>${t('Try again')}</vscode-button><button class="plain" @click=${() => { void this.link.request('runCommand', { command: 'cairn.showLog' }); }}>${t('Show log')}</button></div>`;
    if (this.page === undefined) return html`${this.#waiting.render()}`;
    return html`<main><h1>${t('Insights')}</h1>
      <div class="numbers">${this.page.numbers.map((number) => html`<div class="number"><b>${number.value}</b><span>${number.title}</span><span class="quiet">${number.trend ?? ''}</span></div>`)}</div>
      <div class="charts">${this.page.charts.map((chart) => this.#chart(chart))}</div></main>`;
  }

  #chart(chart: Chart): TemplateResult {
    const asTable = this.tables.has(chart.id);
    const table = tableOf(chart);
    const empty = chart.series.every((series) => series.points.every((point) => point.value === 0));
    return html`<section aria-label=${chart.title}><header><h2>${chart.title}</h2>
        <button class="tool" aria-pressed=${asTable ? 'true' : 'false'} title=${t('Table')} aria-label=${t('Table of {0}', chart.title)} @click=${() => { this.#toggle(chart.id); }}>${icon('table')}</button>
        <button class="tool" title=${t('Export CSV')} aria-label=${t('Export CSV of {0}', chart.title)} @click=${() => { void this.link.request('exportTable', { name: chart.title, csv: csvOf(table) }); }}>${icon('export')}</button></header>
      ${empty ? html`<p class="quiet">${t('Nothing yet.')}</p>` : asTable ? html`<div class="scroll tablebox" tabindex="0" role="region" aria-label=${chart.title}><table><thead><tr>${table.head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${table.rows.map((row) => html`<tr>${row.map((cell, index) => (index === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${typeof cell === 'number' ? count(cell) : cell}</td>`))}</tr>`)}</tbody></table></div>` : renderChart(chart)}
      ${chart.series.length > 1 && !empty && !asTable ? html`<ul class="legend">${chart.series.map((series, index) => html`<li><svg width="10" height="10" aria-hidden="true"><rect class="c${index % 8}" width="10" height="10"></rect></svg>${series.name}</li>`)}</ul>` : nothing}
    </section>`;
  }

  static override styles = [base, chartColours, waitingStyles, css`
    :host { display: block; } main { max-width: 1200px; margin: 0; padding: 20px 24px; }
    h1 { font-size: 20px; font-weight: 400; margin: 0 0 12px; } h2 { font-size: 13px; font-weight: 600; margin: 0; flex: 1; }
    .numbers { display: flex; flex-wrap: wrap; gap: 12px 40px; margin-bottom: 20px; } .number { display: flex; flex-direction: column; } .number b { font-size: 26px; font-weight: 300; line-height: 32px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(330px, 100%), 1fr)); gap: 24px 32px; }
    header { display: flex; align-items: center; gap: 2px; margin-bottom: 6px; } .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 12px; padding: 0; margin: 4px 0 0; } .legend svg { margin-right: 4px; }
    .tablebox { max-height: 240px; } table { border-collapse: collapse; width: 100%; } th, td { text-align: start; padding: 2px 10px 2px 0; font-weight: normal; border-bottom: 1px solid var(--vscode-widget-border, transparent); } thead th { color: var(--vscode-descriptionForeground); } td { font-variant-numeric: tabular-nums; }
  `];
}
customElements.define('cairn-insights', InsightsView);
