import type { Baseline, SeriesKey, WindowReading } from '../readings/reading.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { MINIMUM_PAIRS } from '../statistics/past-tail.ts';
import { holidayIn } from '../time/holiday-calendar.ts';
import type { Grain, Window } from '../time/window.ts';
import { baselineOf, baselineWindows, isOfLevel, type Known, NO_MEMORY, overlapsAny } from './baseline.ts';

/** A past window with its baseline. */
export interface Pair {
  current: WindowReading;
  baseline: Baseline;
}

/** Number of earlier windows from which the typical spread is estimated. */
export const PAST_WINDOWS: Record<Grain, number> = { hour: 72, day: 56, week: 26, month: 12 };

/**
 * Pairs of readings before the window that ends at `endAt`, newest first, without incidents and holidays. Baselines
 * are made as the rule makes them; if there are too few, the previous window is used, which overestimates the spread
 * and so errs towards silence. No pair crosses a rebaselining, as it would make a shift of that size look normal.
 */
export function pastPairs(rule: FigureRule, endAt: number, series: SeriesKey, context: Known): Pair[] {
  const { calendarWindows, memory } = context;
  const last = calendarWindows.before(calendarWindows.back({ startAt: endAt, endAt }, 1));
  const windows = calendarWindows
    .through(last, PAST_WINDOWS[rule.window])
    .toReversed()
    .filter((window) => !overlapsAny(window, memory.incidents) && !holidayIn(window, rule));
  const pairsFor = (of: FigureRule) => windows.flatMap((window) => pairOf(window, of, series, context) ?? []);
  const made = pairsFor(rule);
  if (made.length >= MINIMUM_PAIRS || rule.baseline.to === 'previous_period') return made;
  return pairsFor({ ...rule, baseline: { to: 'previous_period' } });
}

/**
 * The window of the baseline with its own baseline, like the pairs of the `past`; `undefined` if that is unknown. A median of
 * several weeks has none, because one unusual week hardly moves it.
 */
export function pairOfBaseline(
  rule: FigureRule,
  { window }: WindowReading,
  series: SeriesKey,
  context: Known & { past: readonly Pair[] },
): Pair | undefined {
  if (rule.baseline.to === 'median' && rule.baseline.weeks > 1) return undefined;
  const known = context.past.find(({ current }) => current.window.endAt === window.endAt);
  return known ?? pairOf(window, rule, series, context);
}

function pairOf(
  window: Window,
  rule: FigureRule,
  series: SeriesKey,
  { history, memory, calendarWindows }: Known,
): Pair | undefined {
  const { incidents, levelSinceAt } = memory;
  const isWeekly = rule.baseline.to === 'same_weekday' || rule.baseline.to === 'median';
  const isNow = isOfLevel(window, memory);
  const before = isWeekly ? calendarWindows.weeksBefore(window, 1) : calendarWindows.before(window);
  if (isNow !== isOfLevel(before, memory)) return undefined;
  const reading = history.reading(window, series, metricOf(rule));
  if (!reading) return undefined;
  const then = { ...NO_MEMORY, incidents, levelSinceAt: isNow ? levelSinceAt : null };
  const windows = baselineWindows(rule, window, then, calendarWindows);
  const baseline = baselineOf(rule, window, series, { history, windows });
  if (!baseline || overlapsAny(baseline.window, incidents)) return undefined;
  return { current: { ...reading, window }, baseline };
}
