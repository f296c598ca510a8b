import type { Chart } from '../alerting/messages/chart.ts';
import { altText } from '../alerting/messages/chart-text.ts';
import { measureText } from '../alerting/messages/figure-text.ts';
import { valueAxis } from './value-axis.ts';

/** The alternative text of a drawing: that of the chart, and what its axis leaves out. */
export function chartWords(chart: Chart): string {
  const { beyond } = valueAxis(chart);
  if (!beyond) return altText(chart);
  const high = measureText(beyond.high, chart.isShare);
  return `${altText(chart)} The expected range continues above the chart, up to ${high}.`;
}
