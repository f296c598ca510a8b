import { html, raw } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Note } from '../../../shared/alerts/note.ts';
import { CHART_STYLES } from '../../../shared/charts/looks.ts';
import { svgOf } from '../../../shared/charts/svg.ts';
import type { Chart } from '../../../shared/messages/chart.ts';
import {
  bySize,
  lastShown,
  MOST_SERIES,
  seriesOfCharts,
  spanOf,
  spanSchema,
} from '../../../shared/messages/chart-series.ts';
import { altText } from '../../../shared/messages/chart-text.ts';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import { figuresTable } from '../../../shared/pages/figures-table.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { type ChartDeps, loadChart } from '../../../shared/responding/charts.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { segmentText } from './alert-parts.ts';
import { assetUrl } from './assets.ts';

/** A chart with its texts, and the notes of its time, oldest first. */
export interface Figure {
  drawn: Html;
  notes: Note[];
  /** Whether it ends with the last window. */
  isLast: boolean;
}

/** The series to draw, the first as a picture too. */
interface Wanted {
  chosen: Alert[];
  /** The alerts of all segments that can be chosen. */
  choices?: Alert[] | undefined;
  /** The query of the page; its `from` and `until` are the time of the chart. */
  query: URLSearchParams;
  /** A rule that is only tried has no stored series: the chart holds its own. */
  isTried?: true;
}

/** The chart of the last windows of a series, or of those asked for. `undefined` for composite rules. */
export async function loadFigure(
  rule: Rule,
  { chosen, choices, query, isTried }: Wanted,
  now: number,
  deps: ChartDeps,
): Promise<Figure | undefined> {
  const [alert] = chosen;
  if (!alert || rule.members) return undefined;
  const lastAt = lastShown(chosen, rule, now);
  const filled = Object.fromEntries([...query].filter(([, text]) => text !== ''));
  const { data: asked = {} } = spanSchema.safeParse(filled);
  const span = spanOf(asked, rule, lastAt);
  const isLast = span.throughAt === lastAt && span.count > 0;
  const shown = { rule, segment: alert.segment, ...span };
  const chart = span.count > 0 && (await loadChart(shown, alert, deps, isLast ? now : span.throughAt));
  const controls = !isTried && controlsOf(rule, { chosen, choices, query });
  if (!chart) {
    const text = `No data is stored ${isLast ? 'yet' : 'for this time'}.`;
    return { drawn: html`${!isLast && controls}<p class="empty">${text}</p>`, notes: [], isLast };
  }
  const source = new URLSearchParams();
  for (const { segment } of chosen) if (segment !== null) source.append('segment', segment);
  for (const [name, text] of Object.entries(asked)) if (text) source.set(name, text);
  const figure = chartFigure(chart, isTried ? undefined : `${rulePath(rule.id)}/series?${source}`);
  return { drawn: html`${controls}${figure}`, notes: chart.notes ?? [], isLast };
}

/** Segments in the form: those in the chart, and the largest. */
const MOST_CHOICES = 12;

/** The form with the time and the segments of the chart. */
function controlsOf({ group_by }: FigureRule, { chosen, choices, query }: Wanted): Html {
  const listed = choices && [...new Set([...chosen, ...bySize(choices).slice(0, MOST_CHOICES)])];
  const [from, until] = ['from', 'until'].map((name) => query.get(name)?.slice(0, 10));
  return html`<form class="filters" id="chart-form" method="get" action="#series">
${
  listed
    ? html`<fieldset class="choice"><legend>${groupText({ group_by }) || 'Steps'}, up to ${MOST_SERIES}</legend>
${listed.map((each) => html`<label><input type="checkbox" name="segment" value="${each.segment}"${chosen.includes(each) && ' checked'}> <bdi>${segmentText(each.segment ?? '')}</bdi></label>`)}</fieldset>`
    : chosen.map(
        ({ segment }) => segment !== null && html`<input type="hidden" name="segment" value="${segment}">`,
      )
}
<label>From <input type="date" name="from" value="${from}"></label>
<label>Through <input type="date" name="until" value="${until}"></label>
<label hidden><input type="checkbox" name="share" value="yes"${query.has('share') && ' checked'}> Share of the total</label>
<button>Show</button>
</form>`;
}

/** The id of the text alternative of the drawing. */
const CAPTION_ID = 'chart-words';

/**
 * The chart with a text alternative and a table. A script replaces the drawing by one to work with, with the series at
 * `source` or, without, with its own data.
 */
export async function chartFigure(chart: Chart, source?: string): Promise<Html> {
  const drawn = await svgOf(chart, CHART_STYLES.page, CAPTION_ID);
  const windows = chart.points.map(({ window }) => window);
  const own = seriesOfCharts(chart, windows, [{ segment: chart.part, chart }], chart.notes);
  return html`<figure class="chart" ${source ? html`data-source="${source}"` : html`data-series="${JSON.stringify(own)}"`}>
${raw(drawn)}
<figcaption id="${CAPTION_ID}">${altText(chart)}</figcaption>
</figure>
<link rel="stylesheet" href="${assetUrl('uplot.css')}">
<link rel="stylesheet" href="${assetUrl('chart.css')}">
<script src="${assetUrl('uplot.js')}" defer></script>
<script src="${assetUrl('chart.js')}" type="module"></script>
${figuresTable(chart)}`;
}
