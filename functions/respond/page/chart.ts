import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alert.ts';
import { metricOf } from '../../../shared/alerting/metrics.ts';
import type { FigureRule } from '../../../shared/alerting/rule.ts';
import type { Grain, Window } from '../../../shared/alerting/window.ts';
import { windowText } from '../../../shared/alerting/wording.ts';
import { valueText } from './alert-parts.ts';
import { scale, spread, ticksTo } from './chart-scale.ts';
import type { Html } from './html.ts';
import type { Point } from './series-points.ts';
import { table } from './table.ts';

const SIZE = { width: 720, height: 300 };
/** The part of the picture that the line is drawn in. */
const PLOT = { left: 62, right: 704, top: 40, bottom: 236 };

const TICK_FORMATS: Record<Grain, Intl.DateTimeFormatOptions> = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
};

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });

/** The metric's last windows as a line, those that breached marked, and the same figures as a table. */
export function chartOf(rule: FigureRule, alert: Alert, points: Point[]): Html {
  if (points.length === 0) return html`<p class="empty">No readings were kept yet.</p>`;
  const calendar = { grain: rule.window, zone: rule.zone };
  const { unit } = metricOf(rule);
  const breached = breachedWindows(alert);
  const baseline = alert.last?.baseline.value ?? null;
  const rows = points
    .toReversed()
    .map(({ window, value }) => [
      windowText(window, calendar),
      valueText(value),
      breached.has(window.endAt) ? 'breached' : '–',
    ]);
  return html`<figure class="chart">
${drawing(rule, points, breached, baseline)}
<figcaption><span class="key line">${unit}, each ${rule.window}</span> ${baseline !== null && html`<span class="key dashed">baseline of the last window</span>`} ${breached.size > 0 && html`<span class="key band">breached window</span>`}</figcaption>
</figure>
<details><summary>The figures as a table</summary>
${table(`${unit} by window`, ['Window', unit, 'Verdict'], rows)}</details>`;
}

/** Ends of the windows that are known to have breached. */
function breachedWindows({ fired, last, announced }: Alert): Set<number> {
  return new Set([
    ...(fired ? [fired.windowEndAt] : []),
    ...(last?.verdict === 'breached' ? [last.window.endAt] : []),
    ...announced.filter(({ transition }) => transition === 'fired').map(({ windowEndAt }) => windowEndAt),
  ]);
}

function drawing(rule: FigureRule, points: Point[], breached: Set<number>, baseline: number | null): Html {
  const windows = points.map(({ window }) => window);
  const ticks = ticksTo(Math.max(baseline ?? 0, ...points.map(({ value }) => value ?? 0)));
  const x = scale([windows[0]?.startAt ?? 0, windows.at(-1)?.endAt ?? 0], [PLOT.left, PLOT.right]);
  const y = scale([0, ticks.at(-1) ?? 1], [PLOT.bottom, PLOT.top]);
  const middle = ({ startAt, endAt }: Window) => x((startAt + endAt) / 2);
  const drawn = points.flatMap(({ window, value }) => (value === null ? [] : [{ window, value }]));
  return html`<svg viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-labelledby="chart-title">
<title id="chart-title">${metricOf(rule).unit} of the last ${points.length} windows, in the time zone ${rule.zone}</title>
${ticks.map((tick) => html`<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="end" x="${PLOT.left - 8}" y="${y(tick) + 4}">${COMPACT.format(tick)}</text>`)}
<text x="4" y="16">${metricOf(rule).unit}</text>
${windows.filter(({ endAt }) => breached.has(endAt)).map((window) => band(x(window.startAt), x(window.endAt)))}
${baseline !== null && html`<line class="baseline" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(baseline)}" y2="${y(baseline)}"/>`}
<path class="line" d="${pathOf(points, (window, value) => `${middle(window)},${y(value)}`)}"/>
${drawn.filter(({ window }) => breached.has(window.endAt)).map(({ window, value }) => html`<circle class="breached" cx="${middle(window)}" cy="${y(value)}" r="4"/>`)}
${spread(windows, 4).map((window) => html`<text class="middle" x="${middle(window)}" y="${PLOT.bottom + 22}">${tickText(window, rule)}</text>`)}
<text class="middle" x="${(PLOT.left + PLOT.right) / 2}" y="${SIZE.height - 12}">start of the ${rule.window} (${rule.zone})</text>
</svg>`;
}

function band(from: number, to: number): Html {
  const width = Math.max(3, to - from);
  return html`<rect x="${from}" y="${PLOT.top}" width="${width}" height="${PLOT.bottom - PLOT.top}"/>`;
}

/** A line through all points that have a value, interrupted where one has none; a lone point is a dot. */
function pathOf(points: Point[], at: (window: Window, value: number) => string): string {
  const steps = points.map(({ window, value }, i) => {
    if (value === null) return '';
    const follows = (points[i - 1]?.value ?? null) !== null;
    return follows ? `L${at(window, value)}` : `M${at(window, value)}h0`;
  });
  return steps.join('');
}

function tickText({ startAt }: Window, { window, zone }: FigureRule): string {
  return new Intl.DateTimeFormat('en-GB', { ...TICK_FORMATS[window], timeZone: zone }).format(startAt);
}
