import { baselineWindows, isOfLevel, type Memory, readBaseline } from '../evaluation/baseline.ts';
import type { Surprise } from '../evaluation/evaluation.ts';
import { bandAround, type ExpectedBand } from '../evaluation/expected-limits.ts';
import type { Fired } from '../evaluation/fired.ts';
import { knownFrom, newSeason, seasonalPast } from '../evaluation/season.ts';
import { asksForSeason } from '../evaluation/season-span.ts';
import type { Readings } from '../readings/history.ts';
import type { SeriesKey } from '../readings/reading.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import { hoursOf, type Window } from '../time/window.ts';
import type { Alert } from './alert.ts';
import { memoryAt } from './lifecycle.ts';

/** What a rule knew of one series, and when. */
export interface Past {
  history: Readings;
  alert: Alert;
  calendarWindows: CalendarWindows;
}

/** The window ends whose sheets are needed to know what was expected of `windows`, consecutive ones, oldest first. */
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
 * What was expected of each of `windows`, consecutive ones, oldest first, by what was known before it; `undefined`
 * where too little was. While an alert fires, what it fired against counts.
 */
export function expectedBands(
  rule: FigureRule,
  windows: readonly Window[],
  series: SeriesKey,
  past: Past,
): (ExpectedBand | undefined)[] {
  const surprises = surprisesIn(rule, windows, series, past);
  return windows.map((window) => {
    const surprise = surprises.get(window.endAt);
    if (asksForSeason(rule) && !surprise) return undefined;
    const expected =
      rule.baseline.to === 'seasonal' ? surprise?.expected : baselineFor(rule, window, series, past);
    return expected === undefined ? undefined : bandAround(rule, expected, surprise ?? null);
  });
}

/** What the baseline expects of the window, by the hour where it is an amount; `undefined` where it has no value. */
function baselineFor(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  { history, alert, calendarWindows }: Past,
): number | undefined {
  const memory = pinned(rule, window, series, { history, alert, calendarWindows });
  const baseline = readBaseline(rule, window, series, { history, memory, calendarWindows });
  if (!baseline || baseline.reading.value === null) return undefined;
  const isAmount = metricOf(rule).kind === 'count';
  return baseline.reading.value * (isAmount ? hoursOf(window) / hoursOf(baseline.window) : 1);
}

/** What the alert remembered then: a level that was accepted was an incident until it was. */
function memoryFor(alert: Alert, window: Window): Memory {
  const memory = memoryAt(alert, window);
  const accepted = acceptedSpan(alert);
  const isAccepted = accepted ? window.endAt > accepted.endAt : isOfLevel(window, memory);
  if (isAccepted) return memory;
  const { incidents } = memory;
  return { ...memory, incidents: accepted ? [...incidents, accepted] : incidents, levelSinceAt: null };
}

/** The span in which what is the usual level now was an incident, if there is one and its end is known. */
export function acceptedSpan({ levelSinceAt, levelAcceptedAt }: Alert): Window | null {
  return levelSinceAt === null || levelAcceptedAt === undefined
    ? null
    : { startAt: levelSinceAt, endAt: levelAcceptedAt };
}

/** The memory with the baseline that an incident now over had been frozen on, as it can be read again. */
function pinned(rule: FigureRule, window: Window, series: SeriesKey, past: Past): Memory {
  const { history, alert, calendarWindows } = past;
  const memory = memoryFor(alert, window);
  const incident = memory.incidents.find((each) => isHeldAgainst(each, window, rule, calendarWindows));
  if (memory.fired || memory.suspected || !incident) return memory;
  const first = calendarWindows.after({ startAt: incident.startAt, endAt: incident.startAt });
  const then = { ...memoryFor(alert, first), fired: null, suspected: null };
  const baseline = readBaseline(rule, first, series, { history, memory: then, calendarWindows });
  if (!baseline) return memory;
  const fired: Fired = {
    windowEndAt: first.endAt,
    firstEndAt: first.endAt,
    baselineWindow: baseline.window,
    origin: baseline.origin,
    baseline: baseline.reading,
    direction: 'down',
    gap: null,
  };
  return { ...memory, fired };
}

/** Whether the window came after the first of the incident, and before it can have recovered. */
function isHeldAgainst(
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
 * What the season said of each of the windows, by their ends. It is told the past anew for those that came after a fire:
 * only then was it known where the incident had begun.
 */
function surprisesIn(
  rule: FigureRule,
  windows: readonly Window[],
  series: SeriesKey,
  { history, alert, calendarWindows }: Past,
): Map<number, Surprise> {
  const notified = new Map<number, Surprise>();
  const phases = Map.groupBy(windows, (window) => JSON.stringify(memoryFor(alert, window).incidents));
  for (const phase of phases.values()) {
    const [season, first, last] = [newSeason(rule, calendarWindows), phase[0], phase.at(-1)];
    if (!season || !first || !last) continue;
    const { incidents } = memoryFor(alert, last);
    const looked = [...seasonalPast(rule, last, calendarWindows), last];
    for (const each of knownFrom(looked, rule, series, history)) {
      const { endAt } = each.window;
      const gap = memoryAt(alert, each.window).fired?.gap;
      const surprise = endAt >= first.endAt ? season.surpriseOf(each, gap) : undefined;
      if (surprise) notified.set(endAt, surprise);
      season.learn(each, incidents);
    }
  }
  return notified;
}
