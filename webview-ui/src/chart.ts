/**
 * Charts as plain SVG: stacked columns, columns, and lists of bars. Each mark says its
 * value in a title; the table behind the chart says everything to those who do not see it.
 */
import { css, html, svg } from 'lit';
import type { TemplateResult } from 'lit';
import type { Chart } from '../../src/protocol/index.ts';
import './clampedText.ts';
import { count } from './words.ts';

const WIDTH = 440;
const HEIGHT = 180;
const AXIS = 18;
const LEFT = 34;
/** A column with its gap is at least this wide; older ones fall off the left edge. */
const SLOT = 16;

/** Units that say what a number is; words for what is counted stand in the chart's title. */
const SYMBOLS = new Set(['MiB', 'USD', '%']);

export function renderChart(chart: Chart): TemplateResult {
  return chart.form === 'list' ? renderList(chart) : renderColumns(chart);
}

/** The smallest of 1, 2, 5 x 10^n at or above a value. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value - 1e-9) ?? 10 * power;
}

function renderColumns(chart: Chart): TemplateResult {
  const all = chart.series[0]?.points.map((point) => point.label) ?? [];
  const labels = all.slice(-Math.floor((WIDTH - LEFT) / SLOT));
  const skipped = all.length - labels.length;
  const totals = labels.map((_, index) => chart.series.reduce((sum, series) => sum + (series.points[index + skipped]?.value ?? 0), 0));
  const top = roundUp(Math.max(0, chart.limit ?? 0, ...totals));
  const slot = (WIDTH - LEFT) / Math.max(1, labels.length);
  const bar = Math.min(28, slot * 0.7);
  const plot = HEIGHT - AXIS - 8;
  const everyNth = Math.ceil((labels.length * 52) / (WIDTH - LEFT));
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${chart.title}: ${labels.map((label, index) => `${label} ${count(totals[index] ?? 0)}`).slice(-6).join(', ')}">
    ${[0, 0.5, 1].map((share) => svg`<line class="grid" x1=${LEFT} x2=${WIDTH} y1=${8 + plot * (1 - share)} y2=${8 + plot * (1 - share)}></line><text class="axis" x=${LEFT - 5} y=${12 + plot * (1 - share)} text-anchor="end">${count(top * share)}</text>`)}
    ${chart.limit === undefined ? '' : svg`<line class="limit" x1=${LEFT} x2=${WIDTH} y1=${8 + plot * (1 - chart.limit / top)} y2=${8 + plot * (1 - chart.limit / top)}><title>${count(chart.limit)} ${chart.unit}</title></line>`}
    ${labels.map((label, index) => {
      let y = 8 + plot;
      const x = LEFT + index * slot + (slot - bar) / 2;
      return svg`${chart.series.map((series, at) => {
        const value = series.points[index + skipped]?.value ?? 0;
        const height = (plot * value) / top;
        y -= height;
        return value === 0 ? '' : svg`<rect class="c${at % 8}" x=${x} y=${y} width=${bar} height=${Math.max(0.5, height)}><title>${label}, ${series.name}: ${count(value)} ${chart.unit}</title></rect>`;
      })}${index % everyNth === 0 ? svg`<text class="axis" x=${x + bar / 2} y=${HEIGHT - 4} text-anchor="middle">${label.slice(2)}</text>` : ''}`;
    })}</svg>`;
}

function renderList(chart: Chart): TemplateResult {
  const points = chart.series[0]?.points ?? [];
  const top = Math.max(1, ...points.map((point) => point.value));
  return html`<ul class="bars">${points.map((point) => html`<li><span class="label"><cairn-clamped lines="2" .text=${point.label}></cairn-clamped></span><span class="value" title="${count(point.value)} ${chart.unit}">${count(point.value)}${SYMBOLS.has(chart.unit) ? ` ${chart.unit}` : ''}</span><svg width="100%" height="4" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="c0" height="4" width=${(100 * point.value) / top}></rect></svg></li>`)}</ul>`;
}

export const chartColours = css`
  .chart { width: 100%; max-width: 520px; height: auto; display: block; } .grid { stroke: var(--vscode-widget-border, var(--vscode-editorIndentGuide-background, currentColor)); stroke-width: 1; opacity: 0.6; } .limit { stroke: var(--vscode-editorWarning-foreground, currentColor); stroke-width: 1; stroke-dasharray: 4 3; } .axis { fill: var(--vscode-descriptionForeground); font-size: 10px; }
  rect { stroke: var(--vscode-editor-background); stroke-width: 0.5; }
  @media (forced-colors: active) { svg { forced-color-adjust: none; } }
  .c0 { fill: var(--vscode-charts-blue); } .c1 { fill: var(--vscode-charts-yellow); } .c2 { fill: var(--vscode-charts-green); } .c3 { fill: var(--vscode-charts-purple); } .c4 { fill: var(--vscode-charts-red); } .c5 { fill: var(--vscode-charts-foreground); } .c6 { fill: var(--vscode-charts-lines); } .c7 { fill: var(--vscode-descriptionForeground); }
  .bars { list-style: none; margin: 0; padding: 0; } .bars li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; padding: 3px 0; } .bars .label { min-width: 0; } .bars .value { color: var(--vscode-descriptionForeground); font-variant-numeric: tabular-nums; } .bars svg { grid-column: 1 / -1; margin-top: 2px; } .bars rect { stroke: none; }
`;
