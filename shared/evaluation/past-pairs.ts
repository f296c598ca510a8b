import type { Readings } from '../readings/history.ts';
import type { Baseline, SeriesKey, WindowReading } from '../readings/reading.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { MINIMUM_PAIRS } from '../statistics/past-tail.ts';
import { holidayIn } from '../time/holiday-calendar.ts';
import { type Grain, minuteOf, type Window } from '../time/window.ts';
import { baselineOf, baselineWindows, isOfLevel, type Known, NO_MEMORY, overlapsAny } from './baseline.ts';

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
  return known ?? pairFrom(windowsFor(window, rule, context), rule, series, context);
}

/** A pair and its sources. `undefined`: the window has no pair. */
interface Made {
  pair: Pair | undefined;
  windows: readonly Window[];
  snapshots: readonly object[];
  /** When the known windows of the series started. */
  sinceAt: number;
}

/** By the minute of the end of the window. `by` is the part of the memory that pairs depend on. */
interface MadePairs {
  by: string;
  made: ReadonlyMap<number, Made>;
}

/** The pairs of a series take about 30 kB. With more series, the kept pairs are dropped. */
const MOST_SERIES = 2000;

/** The last pairs of each rule and series. From run to run, all but one are the same. */
let last = new WeakMap<FigureRule, Map<string, MadePairs>>();
let seriesInLast = 0;

function lastOf(rule: FigureRule, asked: string): Map<string, MadePairs> {
  const known = last.get(rule);
  if (known?.has(asked)) return known;
  if (++seriesInLast > MOST_SERIES) {
    last = new WeakMap();
    seriesInLast = 1;
  }
  const ofRule = last.get(rule) ?? new Map<string, MadePairs>();
  last.set(rule, ofRule);
  return ofRule;
}

/** The pairs of `windows`. A pair of the last call is used again unless one of its windows was read since. */
function pairsOf(windows: Window[], rule: FigureRule, series: SeriesKey, context: Known): Pair[] {
  const { history, memory } = context;
  const sinceAt = history.seenSince?.(series, metricOf(rule)) ?? -Infinity;
  const asked = JSON.stringify([series, [...(series.outside ?? [])]]);
  const ofRule = lastOf(rule, asked);
  const by = JSON.stringify([memory.incidents, memory.levelSinceAt]);
  const before = ofRule.get(asked);
  const known = before?.by === by ? before.made : undefined;
  const made = new Map<number, Made>();
  const pairs: Pair[] = [];
  for (const window of windows) {
    const minute = minuteOf(window.endAt);
    const earlier = known?.get(minute);
    const isSame = earlier && isUnchanged(earlier, sinceAt, history);
    const each = isSame ? earlier : madeFor(window, rule, series, { ...context, sinceAt });
    made.set(minute, each);
    if (each.pair) pairs.push(each.pair);
  }
  ofRule.set(asked, { by, made });
  return pairs;
}

function madeFor(
  window: Window,
  rule: FigureRule,
  series: SeriesKey,
  { sinceAt, ...context }: Known & { sinceAt: number },
): Made {
  const windows = windowsFor(window, rule, context);
  const snapshots = windows.flatMap(({ endAt }) => context.history.snapshotsAt?.(endAt) ?? []);
  return { pair: pairFrom(windows, rule, series, context), windows, snapshots, sinceAt };
}

/** Whether the pair would be the same now. Snapshots are immutable, so it is enough that there are no others. */
function isUnchanged({ windows, snapshots, sinceAt }: Made, nowSinceAt: number, history: Readings): boolean {
  if (!history.snapshotsAt) return false;
  const oldest = windows.at(-1)?.endAt ?? Infinity;
  if (sinceAt !== nowSinceAt && oldest <= Math.max(sinceAt, nowSinceAt)) return false;
  let count = 0;
  for (const { endAt } of windows)
    for (const each of history.snapshotsAt(endAt)) if (each !== snapshots[count++]) return false;
  return count === snapshots.length;
}

/** The window of a pair and those that its baseline is made of; empty if they are of different levels. */
function windowsFor(window: Window, rule: FigureRule, { memory, calendarWindows }: Known): Window[] {
  const { incidents, levelSinceAt } = memory;
  const isWeekly = rule.baseline.to === 'same_weekday' || rule.baseline.to === 'median';
  const isNow = isOfLevel(window, memory);
  const before = isWeekly ? calendarWindows.weeksBefore(window, 1) : calendarWindows.before(window);
  if (isNow !== isOfLevel(before, memory)) return [];
  const then = { ...NO_MEMORY, incidents, levelSinceAt: isNow ? levelSinceAt : null };
  return [window, ...baselineWindows(rule, window, then, calendarWindows)];
}

function pairFrom(
  [window, ...windows]: readonly Window[],
  rule: FigureRule,
  series: SeriesKey,
  { history, memory }: Known,
): Pair | undefined {
  const reading = window && history.reading(window, series, metricOf(rule));
  if (!reading) return undefined;
  const baseline = baselineOf(rule, window, series, { history, windows });
  if (!baseline || overlapsAny(baseline.window, memory.incidents)) return undefined;
  return { current: { ...reading, window }, baseline };
}
