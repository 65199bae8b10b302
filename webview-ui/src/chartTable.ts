/**
 * A chart as the table behind it, and as CSV. Pure.
 */
import type { Chart } from '../../src/protocol/index.ts';

export interface ChartTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** One row per label, in the order of the first series; a column per series. */
export function tableOf(chart: Chart): ChartTable {
  const labels = [...new Set(chart.series.flatMap((series) => series.points.map((point) => point.label)))];
  return { head: ['', ...chart.series.map((series) => series.name)], rows: labels.map((label) => [label, ...chart.series.map((series) => series.points.find((point) => point.label === label)?.value ?? 0)]) };
}

/** RFC 4180; a cell that a spreadsheet would take for a formula is made text. */
export function csvOf({ head, rows }: ChartTable): string {
  const cell = (value: string | number): string => {
    if (typeof value === 'number') return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n');
}
