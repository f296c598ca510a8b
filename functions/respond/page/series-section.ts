import { html } from 'hono/html';
import * as z from 'zod';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Note } from '../../../shared/alerts/note.ts';
import { sensitivityOf } from '../../../shared/evaluation/sensitivity.ts';
import { type Chart, WINDOWS_SHOWN } from '../../../shared/messages/chart.ts';
import { sensitivityText } from '../../../shared/messages/sensitivity-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { loadChart, type PictureDeps } from '../pictures.ts';
import { chartFigure } from './chart.ts';

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

/**
 * The chart of the last windows of a series, or of those until a time. `undefined` for composite rules, which have no
 * figures.
 */
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
  const drawn = html`${chartFigure(chart)}${timeLinks(chart, { isLast, lastAt, query })}${isLast && smallestChange(rule, chart)}`;
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

/** What would fire now. A series whose first figure has a band began before the chart, at an unknown time. */
function smallestChange(rule: FigureRule, { points }: Chart): Html | undefined {
  const [first] = points;
  const sensitivity = sensitivityOf(rule, points, first.band ? null : first.window.startAt);
  return (
    sensitivity &&
    html`<p class="quiet">Smallest change that would fire now: ${sensitivityText(rule, sensitivity)}.</p>`
  );
}
