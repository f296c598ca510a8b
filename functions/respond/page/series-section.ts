import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import type { Note } from '../../../shared/alerting/alerts/note.ts';
import { sensitivityOf } from '../../../shared/alerting/evaluation/sensitivity.ts';
import { type Chart, comparedWith } from '../../../shared/alerting/messages/chart.ts';
import { sensitivityText } from '../../../shared/alerting/messages/sensitivity-text.ts';
import type { FigureRule, Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { loadChart, type PictureDeps } from '../pictures.ts';
import { chartFigure } from './chart.ts';

/** A chart with its texts, and the notes of its time, oldest first. */
export interface Figure {
  drawn: Html;
  notes: Note[];
}

/** The chart of the recent windows of a series, with those of `other` if it is given. `undefined` for composite rules, which have no figures. */
export async function loadFigure(
  rule: Rule,
  { alert, other }: { alert: Alert | undefined; other?: Alert | undefined },
  now: number,
  deps: Omit<PictureDeps, 'rules'>,
): Promise<Figure | undefined> {
  if (!alert || rule.members) return undefined;
  // A closed window that is not evaluated yet must not appear as missing data.
  const throughAt = alert.last?.window.endAt ?? now - rule.settle * 60_000;
  const own = await loadChart({ rule, segment: alert.segment, throughAt }, alert, deps, now);
  const chart = own && (await withOther(own, { rule, throughAt, other }, deps));
  if (!chart) return { drawn: html`<p class="empty">No data is stored yet.</p>`, notes: [] };
  const { notes = [] } = chart;
  return { drawn: html`${chartFigure(chart)}${smallestChange(rule, chart)}`, notes };
}

async function withOther(
  chart: Chart,
  { rule, throughAt, other }: { rule: FigureRule; throughAt: number; other: Alert | undefined },
  deps: Omit<PictureDeps, 'rules'>,
): Promise<Chart> {
  if (!other || other.segment === null) return chart;
  const { segment } = other;
  return comparedWith(chart, segment, await loadChart({ rule, segment, throughAt }, other, deps));
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
