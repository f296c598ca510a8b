import { html, raw } from 'hono/html';
import * as z from 'zod';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Note } from '../../../shared/alerts/note.ts';
import { CHART_STYLES } from '../../../shared/charts/looks.ts';
import { svgOf } from '../../../shared/charts/svg.ts';
import { type Chart, WINDOWS_SHOWN } from '../../../shared/messages/chart.ts';
import { altText, expectedText } from '../../../shared/messages/chart-text.ts';
import { measureText, windowText } from '../../../shared/messages/figure-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { table } from '../../../shared/pages/table.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { loadChart, type PictureDeps } from '../pictures.ts';

/** A chart with its texts, and the notes of its time, oldest first. */
export interface Figure {
  drawn: Html;
  notes: Note[];
  /** Whether it ends with the last window. */
  isLast: boolean;
}

/** The series to draw. `query` is the query of the page; its `until` is the end of the last window. */
interface Wanted {
  alert: Alert | undefined;
  query: Record<string, string>;
}

/** The chart of the last windows of a series, or of those until a time. `undefined` for composite rules. */
export async function loadFigure(
  rule: Rule,
  { alert, query }: Wanted,
  now: number,
  deps: Omit<PictureDeps, 'rules'>,
): Promise<Figure | undefined> {
  if (!alert || rule.members) return undefined;
  // A closed window that is not evaluated yet must not appear as missing data.
  const lastAt = alert.last?.current.window.endAt ?? now - rule.settle * 60_000;
  const throughAt = Math.min(lastAt, timeIn(query.until) ?? lastAt);
  const isLast = throughAt === lastAt;
  const shown = { rule, segment: alert.segment, throughAt };
  const chart = await loadChart(shown, alert, deps, isLast ? now : throughAt);
  if (!chart) return { drawn: html`${nothingStored(isLast, query)}`, notes: [], isLast };
  const { notes = [] } = chart;
  const drawn = html`${chartFigure(chart)}${timeLinks(chart, { isLast, lastAt, query })}`;
  return { drawn, notes, isLast };
}

function timeIn(text: string | undefined): number | undefined {
  const { data } = z.iso.datetime().safeParse(text);
  return data === undefined ? undefined : Date.parse(data);
}

function nothingStored(isLast: boolean, query: Record<string, string>): Html {
  if (isLast) return html`<p class="empty">No data is stored yet.</p>`;
  return html`<p class="empty">No data is stored for this time. <a href="${pathUntil(undefined, query)}">Show the last windows</a></p>`;
}

/** Links to the charts before and after this one, which overlap it by one window. */
function timeLinks(
  { points, calendar }: Chart,
  { isLast, lastAt, query }: { isLast: boolean; lastAt: number; query: Record<string, string> },
): Html {
  const [first, last] = [points[0].window, points.at(-1)?.window ?? points[0].window];
  const most = WINDOWS_SHOWN[calendar.grain];
  const laterAt = last.endAt + (most - 1) * (last.endAt - last.startAt);
  const isWhole = points.length === most;
  if (isLast && !isWhole) return html``;
  return html`<nav class="pager" aria-label="Time of the chart">${isWhole && html`<a href="${pathUntil(first.endAt, query)}">Earlier</a>`}
${!isLast && html`<a href="${pathUntil(laterAt < lastAt ? laterAt : undefined, query)}">Later</a>`}</nav>`;
}

/** The address of the same page, with the chart until `at`, or with the last windows. */
function pathUntil(at: number | undefined, { until: _, ...query }: Record<string, string>): string {
  const until = at === undefined ? {} : { until: new Date(at).toISOString() };
  return `?${new URLSearchParams({ ...query, ...until })}#series`;
}

/** Rows of the table of figures. */
const LISTED = 100;

/** The id of the text alternative of both drawings. */
const CAPTION_ID = 'chart-words';

/** The chart as two drawings, with a text alternative and a table. CSS shows the drawing that fits. */
export async function chartFigure(chart: Chart): Promise<Html> {
  const [wide, narrow] = await Promise.all([
    svgOf(chart, CHART_STYLES.page, CAPTION_ID),
    svgOf(chart, CHART_STYLES.narrow, CAPTION_ID),
  ]);
  return html`<figure class="chart">
<div class="wide">${raw(wide)}</div>
<div class="narrow">${raw(narrow)}</div>
<figcaption id="${CAPTION_ID}">${altText(chart)}</figcaption>
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
