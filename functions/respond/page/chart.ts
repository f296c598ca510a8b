import { html, raw } from 'hono/html';
import type { Chart } from '../../../shared/alerting/messages/chart.ts';
import { altText, expectedText } from '../../../shared/alerting/messages/chart-text.ts';
import { measureText, windowText } from '../../../shared/alerting/messages/figure-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { table } from '../../../shared/pages/table.ts';
import { LOOKS } from '../../../shared/pictures/looks.ts';
import { svgOf } from '../../../shared/pictures/svg.ts';

/** Figures that are listed: more would be most of the page. */
const LISTED = 100;

/** The element that says in words what the drawings show. */
const WORDS = 'chart-words';

/** The chart drawn for wide and for narrow windows, of which one is seen; the same in words and as a table. */
export async function chartFigure(chart: Chart): Promise<Html> {
  const [wide, narrow] = await Promise.all([
    svgOf(chart, LOOKS.page, WORDS),
    svgOf(chart, LOOKS.narrow, WORDS),
  ]);
  return html`<figure class="chart">
<div class="wide">${raw(wide)}</div>
<div class="narrow">${raw(narrow)}</div>
<figcaption id="${WORDS}">${altText(chart)}</figcaption>
</figure>
${figures(chart)}`;
}

function figures({ points, breached, unit, isShare, calendar }: Chart): Html {
  const breaches = new Set(breached.map(({ endAt }) => endAt));
  const rows = points
    .slice(-LISTED)
    .toReversed()
    .map(({ window, value, band }) => [
      windowText(window, calendar),
      value === null ? 'no value' : measureText(value, isShare),
      band ? expectedText(band, isShare, value) : 'not known',
      breaches.has(window.endAt) ? 'breached' : '–',
    ]);
  const which = points.length > LISTED ? `The last ${LISTED} figures` : 'The figures';
  return html`<details><summary>${which} as a table</summary>
${table(`${unit} by window`, ['Window', unit, 'Expected', 'Verdict'], rows)}</details>`;
}
