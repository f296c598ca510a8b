import { baselineWindows, isOfLevel, type Memory, readBaseline } from '../evaluation/baseline.ts';
import type { Surprise } from '../evaluation/evaluation.ts';
import { bandAround, type ExpectedBand, levelBand } from '../evaluation/expected-limits.ts';
import type { Fired } from '../evaluation/fired.ts';
import { asksForSeason, knownFrom, newSeason, seasonalPast } from '../evaluation/season.ts';
import type { Readings } from '../readings/history.ts';
import type { SeriesKey } from '../readings/reading.ts';
import { seriesKeyOf } from '../readings/series.ts';
import { comparesSegments, type FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import { hoursOf, type Window } from '../time/window.ts';
import type { Alert } from './alert.ts';
import { memoryAt } from './lifecycle.ts';

/** What a rule knew about one series at a given time. */
export interface Past {
  history: Readings;
  alert: Alert;
  calendarWindows: CalendarWindows;
}

/** The range of window ends whose snapshots are needed for the bands of `windows` (consecutive, oldest first). */
export function bandRange(
  rule: FigureRule,
  windows: readonly Window[],
  { alert, calendarWindows }: Omit<Past, 'history'>,
): { fromEndAt: number; throughEndAt: number } {
  const ends = windows.map(({ endAt }) => endAt);
  const last = windows.at(-1);
  const bases = windows.flatMap((window) =>
    baselineWindows(rule, window, memoryFor(alert, window), calendarWindows).map(({ endAt }) => endAt),
  );
  const [seasonal] = last ? seasonalPast(rule, last, calendarWindows) : [];
  const fromEndAt = Math.min(...ends, ...bases, seasonal?.endAt ?? Infinity);
  return { fromEndAt, throughEndAt: Math.max(...ends) };
}

/**
 * The expected band of each of `windows` (consecutive, oldest first), from what was known before it; `undefined` if
 * too little was known. While an alert fires, its frozen baseline counts.
 */
export function expectedBands(
  rule: FigureRule,
  windows: readonly Window[],
  series: SeriesKey,
  past: Past,
): (ExpectedBand | undefined)[] {
  const level = levelBand(rule);
  if (level) return windows.map(() => level);
  if (comparesSegments(rule)) return windows.map((window) => otherSegmentAt(rule, window, past));
  const surprises = surprisesIn(rule, windows, series, past);
  return windows.map((window) => {
    const surprise = surprises.get(window.endAt);
    if (asksForSeason(rule) && !surprise) return undefined;
    const expected =
      rule.baseline.to === 'seasonal' ? surprise?.expected : baselineFor(rule, window, series, past);
    return expected === undefined ? undefined : bandAround(rule, expected, surprise ?? null);
  });
}

/** The value of the version that it was last compared with. No limits: several windows are compared together. */
function otherSegmentAt(
  rule: FigureRule,
  window: Window,
  { alert, history }: Past,
): ExpectedBand | undefined {
  const origin = alert.last?.baseline.origin;
  if (origin?.of !== 'segments' || origin.segment === null) return undefined;
  const series = seriesKeyOf(rule, origin.segment, new Set());
  const expected = history.reading(window, series, metricOf(rule))?.value ?? null;
  return expected === null ? undefined : { expected, low: null, high: null };
}

/** The expected value from the baseline, per hour for amounts; `undefined` without a value. */
function baselineFor(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  { history, alert, calendarWindows }: Past,
): number | undefined {
  const memory = pinned(rule, window, series, { history, alert, calendarWindows });
  const baseline = readBaseline(rule, window, series, { history, memory, calendarWindows });
  if (!baseline || baseline.value === null) return undefined;
  const isAmount = metricOf(rule).kind === 'count';
  return baseline.value * (isAmount ? hoursOf(window) / hoursOf(baseline.window) : 1);
}

/** The memory of the alert at that time: a rebaselined level was an incident until then. */
function memoryFor(alert: Alert, window: Window): Memory {
  const memory = memoryAt(alert, window);
  const accepted = acceptedSpan(alert);
  const isAccepted = accepted ? window.endAt > accepted.endAt : isOfLevel(window, memory);
  if (isAccepted) return memory;
  const { incidents } = memory;
  return { ...memory, incidents: accepted ? [...incidents, accepted] : incidents, levelSinceAt: null };
}

/** The time in which the accepted level was an incident; `null` without such a level, or if its end is unknown. */
export function acceptedSpan({
  levelSinceAt,
  levelAcceptedAt,
}: Pick<Alert, 'levelSinceAt' | 'levelAcceptedAt'>): Window | null {
  return levelSinceAt === null || levelAcceptedAt === undefined
    ? null
    : { startAt: levelSinceAt, endAt: levelAcceptedAt };
}

/** The memory including the frozen baseline of an incident that has ended. */
function pinned(rule: FigureRule, window: Window, series: SeriesKey, past: Past): Memory {
  const { history, alert, calendarWindows } = past;
  const memory = memoryFor(alert, window);
  const incident = memory.incidents.find((each) => isComparedWith(each, window, rule, calendarWindows));
  if (memory.fired || memory.suspected || !incident) return memory;
  const first = calendarWindows.after({ startAt: incident.startAt, endAt: incident.startAt });
  const then = { ...memoryFor(alert, first), fired: null, suspected: null };
  const baseline = readBaseline(rule, first, series, { history, memory: then, calendarWindows });
  if (!baseline) return memory;
  const fired: Fired = {
    windowEndAt: first.endAt,
    firstEndAt: first.endAt,
    baseline,
    direction: 'down',
    gap: null,
  };
  return { ...memory, fired };
}

/** Whether the window is after the first of the incident and before its earliest recovery. */
function isComparedWith(
  incident: Window,
  window: Window,
  rule: FigureRule,
  calendarWindows: CalendarWindows,
): boolean {
  if (window.startAt <= incident.startAt) return false;
  const clear = calendarWindows.through(calendarWindows.before(window), rule.recover_after.hits);
  return clear.some(({ startAt }) => startAt < incident.endAt);
}

/**
 * The seasonal expectation of each window, by its end. For windows after a fire the model is rebuilt from the kept
 * history, as the start of the incident was known only then.
 */
function surprisesIn(
  rule: FigureRule,
  windows: readonly Window[],
  series: SeriesKey,
  { history, alert, calendarWindows }: Past,
): Map<number, Surprise> {
  const surprises = new Map<number, Surprise>();
  const phases = Map.groupBy(windows, (window) => JSON.stringify(memoryFor(alert, window).incidents));
  for (const phase of phases.values()) {
    const [season, first, last] = [newSeason(rule, calendarWindows), phase[0], phase.at(-1)];
    if (!season || !first || !last) continue;
    const { incidents } = memoryFor(alert, last);
    const replayed = [...seasonalPast(rule, last, calendarWindows), last];
    for (const each of knownFrom(replayed, rule, series, history)) {
      const { endAt } = each.window;
      const gap = memoryAt(alert, each.window).fired?.gap;
      const surprise = endAt >= first.endAt ? season.surpriseOf(each, gap) : undefined;
      if (surprise) surprises.set(endAt, surprise);
      season.learn(each, incidents);
    }
  }
  return surprises;
}
