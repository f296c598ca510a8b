import type { Pair, PairsAsked } from '../readings/cached-pairs.ts';
import type { SeriesKey, WindowReading } from '../readings/reading.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { MINIMUM_PAIRS } from '../statistics/past-tail.ts';
import { holidayIn } from '../time/holiday-calendar.ts';
import type { Grain, Window } from '../time/window.ts';
import {
  baselineOf,
  baselineWindows,
  isOfLevel,
  type Known,
  type Memory,
  NO_MEMORY,
  overlapsAny,
} from './baseline.ts';

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
  const made = pairsOf(windows, rule, series, context);
  if (made.length >= MINIMUM_PAIRS || rule.baseline.to === 'previous_period') return made;
  return pairsOf(windows, { ...rule, baseline: { to: 'previous_period' } }, series, context);
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

/** Cached in this process: from run to run all pairs but one are the same. */
function pairsOf(windows: Window[], rule: FigureRule, series: SeriesKey, context: Known): Pair[] {
  const kept = context.history.pairs?.(askedOf(rule, series, context.memory), series, metricOf(rule));
  const pairs: Pair[] = [];
  for (const window of windows) {
    const known = kept?.find(window);
    const made = known ?? pairOf(window, rule, series, context);
    if (!made) continue;
    pairs.push(made);
    if (!known) kept?.keep(made);
  }
  const oldest = windows.at(-1);
  if (oldest) kept?.trim(oldest, 2 * windows.length);
  return pairs;
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
  return { current: { ...reading, window }, baseline, windows };
}

function askedOf(rule: FigureRule, series: SeriesKey, { incidents, levelSinceAt }: Memory): PairsAsked {
  const { id, baseline, metric, formula, holidays } = rule;
  return {
    owner: JSON.stringify([id, series, baseline]),
    by: JSON.stringify([metric, formula, holidays, incidents, levelSinceAt]),
  };
}
