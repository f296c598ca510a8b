import { html } from 'hono/html';
import type { Chart } from '../messages/chart.ts';
import { expectedText } from '../messages/chart-text.ts';
import { measureText } from '../messages/figure-text.ts';
import { windowText } from '../messages/time-text.ts';
import type { Html } from './html.ts';
import { table } from './table.ts';

const LISTED = 100;

/** The last figures of a chart, newest first, for readers who cannot see it. */
export function figuresTable({ points, breached, unit, isShare, calendar }: Chart): Html {
  const breaches = new Set(breached.map(({ endAt }) => endAt));
  const rows = points
    .slice(-LISTED)
    .toReversed()
    .map(({ window, value, band }) => [
      windowText(window, calendar),
      value === null ? 'no value' : measureText(value, isShare),
      band ? expectedText(band, isShare, value) : 'unknown',
      breaches.has(window.endAt) ? 'breached' : '–',
    ]);
  const which = points.length > LISTED ? `The last ${LISTED} figures` : 'The figures';
  return html`<details><summary>${which} as a table</summary>
${table(`${unit} by window`, ['Window', unit, 'Expected', 'Verdict'], rows)}</details>`;
}
