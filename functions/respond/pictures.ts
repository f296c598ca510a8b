import type { Alert, AlertKey } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import type { NoteStore } from '../../shared/alerts/note-store.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import type { RuleStore } from '../../shared/deployments/rule-store.ts';
import { type Chart, chartOf, chartRange, type Shown } from '../../shared/messages/chart.ts';
import { History } from '../../shared/readings/history.ts';
import type { ReadingStore } from '../../shared/readings/reading-store.ts';
import { seriesKeyOf, seriesOf } from '../../shared/readings/series.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';

export interface PictureDeps {
  rules: Pick<RuleStore, 'loadCurrent'>;
  alerts: Pick<AlertStore, 'load' | 'loadOfRule'>;
  readings: Pick<ReadingStore, 'load'>;
  notes: Pick<NoteStore, 'load'>;
}

/**
 * The chart of a series up to the window that ends at `throughAt` (epoch milliseconds). `undefined` if the rule was removed
 * or is composite, or if no readings are stored.
 */
export async function pictureOf(
  { ruleId, segment, throughAt }: AlertKey & { throughAt: number },
  { rules, alerts, ...deps }: PictureDeps,
): Promise<Chart | undefined> {
  const ruleSet = await rules.loadCurrent();
  const rule = ruleSet?.rules.find(({ id }) => id === ruleId);
  if (!rule || rule.members) return undefined;
  const [alert] = await alerts.load([{ ruleId, segment }]);
  return loadChart({ rule, segment, throughAt }, alert, { alerts, ...deps });
}

/**
 * The chart of the series of `alert`, with the notes of its app through `notesThroughAt`. `undefined` if no readings are
 * stored.
 */
export async function loadChart(
  shown: Shown,
  alert: Alert | undefined,
  { alerts, readings, notes }: Omit<PictureDeps, 'rules'>,
  notesThroughAt = shown.throughAt,
): Promise<Chart | undefined> {
  const { rule, segment } = shown;
  const { family, calendar, eventNames } = seriesOf(rule);
  const calendarWindows = new CalendarWindows(calendar);
  const range = chartRange(shown, alert, calendarWindows);
  const [snapshots, others] = await Promise.all([
    readings.load(family, range, eventNames.length > 0 ? eventNames : undefined),
    segment === OTHERS ? alerts.loadOfRule(rule.id) : [],
  ]);
  const series = seriesKeyOf(rule, segment, watchedAt(shown.throughAt, others));
  const chart = chartOf(shown, series, { history: new History(snapshots), alert, calendarWindows });
  if (!chart) return undefined;
  const { startAt: fromAt } = chart.points[0].window;
  const found = await notes.load({ app: rule.app, fromAt, throughAt: notesThroughAt });
  return found.length === 0 ? chart : { ...chart, notes: found.toReversed() };
}

/** The segments with an evaluation of their own at `throughAt`. "Others" is the sum of the rest. */
function watchedAt(throughAt: number, alerts: Alert[]): Set<string> {
  const evaluated = alerts.filter(({ evaluatedThroughAt }) => evaluatedThroughAt >= throughAt);
  return new Set(evaluated.flatMap(({ segment }) => (segment === OTHERS ? [] : (segment ?? []))));
}
