import { OTHERS } from '../contract/grouping.ts';
import type { Baseline, Reading, SeriesKey, WindowReading } from '../readings/reading.ts';
import type { Ends } from '../readings/snapshots.ts';
import { comparesSegments, type FigureRule, hasOwnLevel } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import { holidayIn } from '../time/holiday-calendar.ts';
import { type Grain, minutesAfter, type Window } from '../time/window.ts';
import { anchorOf, baselineWindows, type Known, type Memory, overlapsAny, readBaseline } from './baseline.ts';
import type { Surprise } from './evaluation.ts';
import type { Fired } from './fired.ts';
import { PAST_WINDOWS, pairOfBaseline, pastPairs } from './past-pairs.ts';
import { asksForSeason, SEASONAL_WINDOWS, type Season, seasonBefore } from './season.ts';

/** The most windows over which segments are compared: a new release has few sessions in its first hours. */
export const SUMMED_WINDOWS: Record<Grain, number> = { hour: 24, day: 7, week: 1, month: 1 };

/** The ranges of window ends whose snapshots are needed to evaluate `windows` (oldest first). */
export function historyRanges(
  rule: FigureRule,
  windows: Window[],
  memories: Memory[],
  calendarWindows: CalendarWindows,
): Ends[] {
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) return [];
  const range = (from: Window, through: Window): Ends => ({
    fromEndAt: from.endAt,
    throughEndAt: through.endAt,
  });
  const isSeasonal = asksForSeason(rule) && (rule.window === 'hour' || rule.window === 'day');
  if (comparesSegments(rule))
    return [range(calendarWindows.back(first, SUMMED_WINDOWS[rule.window] - 1), last)];
  if (rule.baseline.to === 'none') return [range(first, last)];
  const count = isSeasonal ? SEASONAL_WINDOWS[rule.window as 'hour' | 'day'] : PAST_WINDOWS[rule.window];
  const ranges = [range(calendarWindows.back(first, count), last)];
  if (rule.baseline.to === 'same_weekday' || rule.baseline.to === 'median') {
    const weeks = rule.baseline.to === 'median' ? rule.baseline.weeks : 1;
    const spreadFrom = calendarWindows.back(first, PAST_WINDOWS[rule.window]);
    // The past of days and longer windows holds the baseline's own baseline, the past of hours does not.
    if (weeks === 1 && rule.window === 'hour')
      ranges.push(range(calendarWindows.weeksBefore(first, 2), calendarWindows.weeksBefore(last, 2)));
    for (let week = 1; week <= weeks; week++)
      ranges.push(
        range(calendarWindows.weeksBefore(spreadFrom, week), calendarWindows.weeksBefore(last, week)),
      );
  }
  for (const memory of memories)
    for (const window of windows)
      for (const each of baselineWindows(rule, window, memory, calendarWindows))
        ranges.push(range(each, each));
  return ranges;
}

export interface Context extends Known {
  newestDataAt: number;
  /** Times in which the app was found to send nothing. */
  silences?: readonly Window[];
  /** The season before the window, if it was carried along; by default it is built from the kept history. */
  season?: Season;
}

/**
 * The evidence for one window of one series; `undefined` if the window was not read. For a segment that may be folded
 * only its maximum is known: enough to detect a fall, nothing else.
 */
export function evidenceFor(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  context: Context,
): Evidence | undefined {
  const { history, memory, newestDataAt } = context;
  const metric = metricOf(rule);
  const known = history.reading(window, series, metric);
  const most = known ? undefined : history.atMost?.(window, series, metric);
  const reading = known ?? (most === undefined ? undefined : { value: most, weight: null });
  if (!reading) return undefined;
  const season = asksForSeason(rule)
    ? (context.season ?? seasonBefore(rule, window, series, context))
    : undefined;
  const current = { ...reading, window };
  const surprise = season?.surpriseOf(current, memory.fired?.gap);
  const expected: Baseline | undefined = surprise && {
    window,
    value: surprise.expected,
    weight: reading.weight,
    origin: { of: 'model' },
  };
  const isModelled = rule.baseline.to === 'seasonal';
  const isTested = !isModelled && hasOwnLevel(rule);
  const baseline = isModelled ? expected : readBaseline(rule, window, series, context);
  if (most !== undefined && !hasFallenTo(most, [baseline, expected])) return undefined;
  const past = isTested
    ? pastPairs(rule, anchorOf(memory)?.windowEndAt ?? window.endAt, series, context)
    : [];
  const knownSinceAt = history.seenSince?.(series, metric) ?? -Infinity;
  const newSinceAt = history.newSince?.(series, metric) ?? null;
  return {
    current,
    baseline,
    knownSinceAt: Number.isFinite(knownSinceAt) ? knownSinceAt : null,
    newSinceAt,
    isTooNew:
      hasOwnLevel(rule) &&
      newSinceAt !== null &&
      !(baseline && isOldEnough(rule, window, newSinceAt, context.calendarWindows)),
    previous: history.reading(window, series, metric, 'previous') ?? { value: null, weight: null },
    baselinePair:
      isTested && baseline ? pairOfBaseline(rule, baseline, series, { ...context, past }) : undefined,
    past,
    surprise,
    holiday: holidayIn(window, rule),
    newestDataAt,
    isSilent: overlapsAny(window, context.silences ?? []),
    fired: memory.fired,
    ...(comparesSegments(rule) && {
      segment: series.segment ?? OTHERS,
      recent: recentReadings(rule, current, series, context),
    }),
  };
}

/** The last windows of the series, newest first; unknown ones are left out. */
function recentReadings(
  rule: FigureRule,
  current: WindowReading,
  series: SeriesKey,
  { history, calendarWindows }: Known,
): WindowReading[] {
  const before = calendarWindows.through(
    calendarWindows.before(current.window),
    SUMMED_WINDOWS[rule.window] - 1,
  );
  return [
    current,
    ...before.toReversed().flatMap((window): WindowReading[] => {
      const reading = history.reading(window, series, metricOf(rule));
      return reading && !holidayIn(window, rule) ? [{ ...reading, window }] : [];
    }),
  ];
}

function hasFallenTo(most: number, baselines: (Baseline | undefined)[]): boolean {
  const before = baselines.flatMap((baseline) => baseline?.value ?? []);
  return before.length > 0 && before.every((value) => most < value);
}

/** The complete input of a verdict on one window of one series. */
export interface Evidence {
  current: WindowReading;
  /** `undefined` if the baseline is unavailable. */
  baseline: Baseline | undefined;
  /** Since when windows of the series are known; `null` if that is before the oldest reading. */
  knownSinceAt: number | null;
  /** First appearance of a segment that is younger than its event; otherwise `null`. */
  newSinceAt: number | null;
  /** Whether such a segment has too little history for its baseline. */
  isTooNew: boolean;
  previous: Reading;
  /** Earlier windows with their baselines, made in the same way; empty if a model sets the expectation. */
  past: { current: WindowReading; baseline: WindowReading }[];
  /** The baseline with its own baseline; `undefined` if that is unknown. */
  baselinePair?: Evidence['past'][number] | undefined;
  /** Further windows that are excluded because a rollout is part of them; 0 by default. */
  pastInRollouts?: number;
  /** `undefined` if the rule has no season or it is not known yet. */
  surprise: Surprise | undefined;
  /** The holiday on which the window falls, if any. */
  holiday: string | null;
  /** When the source's newest data was recorded. */
  newestDataAt: number;
  /** Whether the app sent nothing in a part of the window, so that its figures are unknown. */
  isSilent: boolean;
  /** The fire of a firing alert. */
  fired: Fired | null;
  /** If segments are compared: the name of this one, and its last windows, newest first. */
  segment?: string;
  recent?: WindowReading[];
}

/**
 * Whether a segment first seen at `newSinceAt`, later than its event, can be evaluated in `window`: all windows of its
 * baseline exist, or it is as old as the rule requires.
 */
export function isOldEnough(
  { baseline, new_segments, zone }: FigureRule,
  window: Window,
  newSinceAt: number,
  calendarWindows: CalendarWindows,
): boolean {
  if (typeof new_segments === 'number') return window.startAt >= minutesAfter(newSinceAt, new_segments, zone);
  return baseline.to !== 'median' || calendarWindows.weeksBefore(window, baseline.weeks).endAt > newSinceAt;
}
