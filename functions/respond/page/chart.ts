import { html, raw } from 'hono/html';
import { chartWords } from '../../../shared/charts/chart-words.ts';
import { CHART_STYLES } from '../../../shared/charts/looks.ts';
import { svgOf } from '../../../shared/charts/svg.ts';
import type { Chart } from '../../../shared/messages/chart.ts';
import { expectedText } from '../../../shared/messages/chart-text.ts';
import { measureText, windowText } from '../../../shared/messages/figure-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { table } from '../../../shared/pages/table.ts';

/** Rows of the table of figures. */
const LISTED = 100;

/** The id of the text alternative of both drawings. */
const CAPTION_ID = 'chart-words';

/** The chart as two drawings, of which CSS shows the one that fits, with a text alternative and a table. */
export async function chartFigure(chart: Chart): Promise<Html> {
  const [wide, narrow] = await Promise.all([
    svgOf(chart, CHART_STYLES.page, CAPTION_ID),
    svgOf(chart, CHART_STYLES.narrow, CAPTION_ID),
  ]);
  return html`<figure class="chart">
<div class="wide">${raw(wide)}</div>
<div class="narrow">${raw(narrow)}</div>
<figcaption id="${CAPTION_ID}">${chartWords(chart)}</figcaption>
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
      band ? expectedText(band, isShare, value) : 'unknown',
      breaches.has(window.endAt) ? 'breached' : '–',
    ]);
  const which = points.length > LISTED ? `The last ${LISTED} figures` : 'The figures';
  return html`<details><summary>${which} as a table</summary>
${table(`${unit} by window`, ['Window', unit, 'Expected', 'Verdict'], rows)}</details>`;
}
