import { evaluationsOf } from '../../functions/check-rules/evaluate-series.ts';
import type { Alert } from '../../shared/alerts/alert.ts';
import { calendarOf } from '../../shared/alerts/alert-states.ts';
import { hitsIn, lastCounted } from '../../shared/alerts/evaluated-windows.ts';
import { memoryAt } from '../../shared/alerts/lifecycle.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import { NO_MEMORY } from '../../shared/evaluation/baseline.ts';
import { compositionOf } from '../../shared/evaluation/baseline-making.ts';
import { comparableOf, type Evaluation } from '../../shared/evaluation/evaluation.ts';
import { bandAround } from '../../shared/evaluation/expected-limits.ts';
import { amountText, limitText } from '../../shared/messages/figure-text.ts';
import { windowText } from '../../shared/messages/time-text.ts';
import { dueAt, dueWindows } from '../../shared/planning/plan.ts';
import { wantedRanges } from '../../shared/planning/wanted-readings.ts';
import { History } from '../../shared/readings/history.ts';
import { seriesKeyOf, seriesOf } from '../../shared/readings/series.ts';
import type { ReadingStore } from '../../shared/readings/snapshots.ts';
import { boundsLevel, type FigureRule, hasSegments } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { type Window, windowBefore } from '../../shared/time/window.ts';
import { decisiveIn, type ExplainedWindow, type StoredReading } from './explanation.ts';

interface Scene {
  rule: FigureRule;
  /** All alerts of the rule. */
  alerts: Alert[];
  /** The alert of the series. */
  alert: Alert | undefined;
  segment: string | null;
}

/** The window last evaluated, or last due by `at`. Throws `ConfigError` for the future, and if nothing is stored. */
export async function explainWindow(
  scene: Scene,
  { at, now }: { at?: number | undefined; now: number },
  { readings, runs }: Pick<Stores, 'readings' | 'runs'>,
): Promise<ExplainedWindow | null> {
  const { rule, alert, segment } = scene;
  const window = at === undefined ? alert?.last?.current.window : windowDueBy(rule, at, now);
  if (!window) return null;
  const kept = alert?.last?.current.window.endAt === window.endAt ? alert.last : undefined;
  const past = await loadPast(rule, window, seriesBeside(scene, window), readings);
  if (!past.memories.has(segment)) past.memories.set(segment, NO_MEMORY);
  const newestDataAt = (await runs.loadNewestEventAt(rule.app)) ?? -Infinity;
  const evaluation = kept ?? evaluatedFrom(past, segment, newestDataAt);
  if (!evaluation) {
    const when = windowText(window, { grain: rule.window, zone: rule.zone });
    throw new ConfigError(
      `nothing is stored for ${when}: hours are kept for 74 days, longer windows for 420`,
    );
  }

  return {
    ...{ window, dueAt: dueAt(rule, window), from: kept ? 'kept' : 'made again', evaluation },
    ...{ decisive: decisiveIn(evaluation), readings: readingsIn(past, segment, window) },
    ...{ baseline: baselineIn(past, segment), outlook: outlookOf(rule, alert, evaluation) },
  };
}

/** The last window that a run by `at` had to evaluate. A closed and settled window may still wait for its run. */
function windowDueBy(rule: FigureRule, at: number, now: number): Window | undefined {
  if (at > now) throw new ConfigError('--at must be in the past: it selects the window that was due by then');
  let [window] = dueWindows(rule, at, undefined);
  while (window && dueAt(rule, window) > at) window = windowBefore(window, calendarOf(rule));
  return window;
}

/** The alerts of all series that were evaluated together. */
function seriesBeside({ rule, alerts, segment }: Scene, window: Window): Alert[] {
  const isSegmented = hasSegments(rule);
  return alerts.filter(
    (each) =>
      (each.segment !== null) === isSegmented &&
      (each.segment === segment || each.evaluatedThroughAt >= window.endAt),
  );
}

function baselineIn(past: SeriesPast, segment: string | null): ExplainedWindow['baseline'] {
  const { rule, window, memories, calendarWindows, snapshots } = past;
  const memory = memories.get(segment) ?? NO_MEMORY;
  const history = new History(snapshots);
  const candidates = compositionOf(rule, window, seriesKeyOf(past.rule, segment, past.watched), {
    history,
    memory,
    calendarWindows,
  });
  return candidates.map((each) => ({ ...each, readings: readingsIn(past, segment, each.window) }));
}

/** What each stored call returned for the window, oldest call first. */
function readingsIn(past: SeriesPast, segment: string | null, window: Window): StoredReading[] {
  const metric = metricOf(past.rule);
  const series = seriesKeyOf(past.rule, segment, past.watched);
  return past.snapshots
    .filter((snapshot) => snapshot.window.endAt === window.endAt)
    .toSorted((a, b) => a.readAt - b.readAt)
    .flatMap((snapshot) => {
      // Decoded alone, so that later readings do not replace it.
      const reading = new History([snapshot]).reading(window, series, metric);
      if (!reading) return [];
      return [{ readAt: snapshot.readAt, isReread: snapshot.rereadAt !== undefined, ...reading }];
    });
}

/** The stored history of one rule, as far as one window needs it. */
type SeriesPast = Awaited<ReturnType<typeof loadPast>>;

/** Loads the readings of `window` for all series of the rule, because they are evaluated together. */
async function loadPast(
  rule: FigureRule,
  window: Window,
  alerts: Alert[],
  readings: Pick<ReadingStore, 'load'>,
) {
  const { family, calendar, eventNames } = seriesOf(rule);
  const calendarWindows = new CalendarWindows(calendar);
  // The state of each series before it evaluated the window.
  const memories = new Map(alerts.map((alert) => [alert.segment, memoryAt(alert, window)]));
  const need = { rule, windows: [window], memories: [NO_MEMORY, ...memories.values()], again: [] };
  const names = eventNames.length > 0 ? eventNames : undefined;
  const snapshots = await Promise.all(
    wantedRanges([need], calendarWindows).map((range) => readings.load(family, range, names)),
  );
  // The named segments; all others form the rest.
  const watched = new Set(alerts.flatMap(({ segment }) => (segment === OTHERS ? [] : (segment ?? []))));
  return { rule, window, memories, watched, calendarWindows, snapshots: snapshots.flat() };
}

/** Evaluates the window of one series with the current code. `newestDataAt`: up to then the app has data. */
function evaluatedFrom(past: SeriesPast, segment: string | null, newestDataAt: number) {
  const { rule, window, memories, watched, calendarWindows, snapshots } = past;
  const task = { rule, calendarWindows, history: new History(snapshots), newestDataAt };
  return evaluationsOf(window, memories, watched, task).get(segment);
}

/** The values at which the window fires, and how many windows that takes; one sentence each. */
function outlookOf(rule: FigureRule, alert: Alert | undefined, evaluation: Evaluation): string[] {
  return [...breachText(rule, evaluation), ...(alert?.fired ? [] : countText(rule, alert))];
}

/** "breaches below 612 events; is 640". */
function breachText(rule: FigureRule, evaluation: Evaluation): string[] {
  const { value } = evaluation.current;
  const isLevel = boundsLevel(rule);
  const expected = isLevel ? value : comparableOf(evaluation);
  if (expected === null || value === null) return [];
  const { low, high } = bandAround(rule, expected, evaluation.surprise);
  const limits = [
    ...(low === null ? [] : [`below ${limited(low, value, rule)}`]),
    ...(high === null ? [] : [`above ${limited(high, value, rule)}`]),
  ];
  const is = `is ${amountText(value, rule)}`;
  if (limits.length === 0) return [`no value would breach against this baseline; ${is}`];
  if (isLevel) return [`breaches ${limits.join(' or ')}; ${is}`];
  const gates = rule.fire ? 'if the volume and significance gates pass' : 'if the volume gate passes';
  return [`breaches ${limits.join(' or ')}, ${gates}; ${is}`];
}

function limited(limit: number, value: number, rule: FigureRule): string {
  return limitText(limit, value, metricOf(rule).kind === 'ratio');
}

/** "fires when 2 of the last 3 windows breached; 1 did". */
function countText({ fire_after }: FigureRule, alert: Alert | undefined): string[] {
  const { hits, windows } = fire_after;
  if (windows === 1) return [];
  const breached = hitsIn(lastCounted(alert?.recent ?? [], windows), 'breached');
  return [`fires when ${hits} of the last ${windows} windows breached; ${breached} did`];
}
