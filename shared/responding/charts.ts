import { type Alert, newAlert } from '../alerts/alert.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import type { NoteStore } from '../alerts/note.ts';
import { OTHERS } from '../contract/grouping.ts';
import * as chart from '../messages/chart.ts';
import { History } from '../readings/history.ts';
import type { SeriesKey } from '../readings/reading.ts';
import { seriesKeyOf, seriesOf } from '../readings/series.ts';
import type { ReadingStore } from '../readings/snapshots.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { CalendarWindows } from '../time/calendar-windows.ts';
import { bySeverity } from './alert-status.ts';

export interface ChartDeps {
  alerts: Pick<AlertStore, 'loadOfRule'>;
  readings: Pick<ReadingStore, 'load'>;
  notes: Pick<NoteStore, 'load'>;
}

/** The chart of `alert`, with the notes of its app through `notesThroughAt`. `undefined` if no readings are stored. */
export async function loadChart(
  shown: chart.Shown,
  alert: Alert | undefined,
  { alerts, readings, notes }: ChartDeps,
  notesThroughAt = shown.throughAt,
): Promise<chart.Chart | undefined> {
  const { rule, segment } = shown;
  const known = segment === OTHERS ? await alerts.loadOfRule(rule.id) : [];
  const shownAlert = alert ?? newAlert({ ruleId: rule.id, segment }, '', 0);
  const [drawn] = (await loadCharts(shown, [shownAlert], known, readings)).charts;
  if (!drawn) return undefined;
  const { startAt: fromAt } = drawn.points[0].window;
  const found = await notes.load({ app: rule.app, fromAt, throughAt: notesThroughAt });
  return found.length === 0 ? drawn : { ...drawn, notes: found.toReversed() };
}

/**
 * The charts of some series of a rule, by their alerts, from one read. `undefined` if no readings are stored. `known`: all
 * alerts of the rule, which say what "others" excludes.
 */
export async function loadCharts(
  shown: Omit<chart.Shown, 'segment'>,
  alerts: Alert[],
  known: Alert[],
  readings: ChartDeps['readings'],
) {
  const { rule, throughAt } = shown;
  const { family, calendar, eventNames } = seriesOf(rule);
  const calendarWindows = new CalendarWindows(calendar);
  const range = chart.chartRange(shown, alerts, calendarWindows);
  const named = eventNames.length > 0 ? eventNames : undefined;
  const history = new History(alerts.length === 0 ? [] : await readings.load(family, range, named));
  // "Others" is the sum of the segments without an evaluation of their own.
  const evaluated = known.filter(({ evaluatedThroughAt }) => evaluatedThroughAt >= throughAt);
  const watched = new Set(evaluated.flatMap(({ segment }) => (segment === OTHERS ? [] : (segment ?? []))));
  const charts = alerts.map((alert) => {
    const { segment } = alert;
    const past = { history, alert, calendarWindows };
    return chart.chartOf({ ...shown, segment }, seriesKeyOf(rule, segment, watched), past);
  });
  const startAt = Math.min(...charts.flatMap((each) => each?.points[0].window.startAt ?? []));
  const windows = chart.windowsOf(shown, calendarWindows).filter((window) => window.startAt >= startAt);
  return { charts, windows, valuesOf: (key: SeriesKey) => chart.valuesOf(windows, rule, key, history) };
}

/** The alerts that can fire, most severe first: one for each segment, or one for the whole rule. */
export function seriesIn(rule: Rule, alerts: Alert[]): Alert[] {
  return alerts.filter(({ segment }) => hasSegments(rule) === (segment !== null)).toSorted(bySeverity);
}
