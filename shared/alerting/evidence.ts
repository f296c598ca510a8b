import { MINIMUM_PAIRS } from '../statistics/past-tail.ts';
import type { Almanac } from './almanac.ts';
import {
  anchorOf,
  type Baseline,
  baselineWindows,
  isOfLevel,
  type Memory,
  NO_MEMORY,
  overlapsAny,
  readBaseline,
} from './baseline.ts';
import type { Readings } from './history.ts';
import { holidayIn } from './holiday-calendar.ts';
import type { Evidence } from './judge.ts';
import { metricOf } from './metrics.ts';
import type { SeriesKey } from './reading.ts';
import type { FigureRule } from './rule.ts';
import { asksForSeason, SEASONAL_WINDOWS, type Season, seasonBefore } from './season.ts';
import type { Grain, Window } from './window.ts';

/** How many earlier windows the usual spread of a series is learned from. */
const PAST_WINDOWS: Record<Grain, number> = { hour: 72, day: 56, week: 26, month: 12 };

/** The ranges of window ends whose sheets help to judge `windows` (oldest first), to be loaded before. */
export function historyRanges(
  rule: FigureRule,
  windows: Window[],
  memories: Memory[],
  almanac: Almanac,
): { fromEndAt: number; throughEndAt: number }[] {
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) return [];
  const isSeasonal = asksForSeason(rule) && (rule.window === 'hour' || rule.window === 'day');
  const count = isSeasonal ? SEASONAL_WINDOWS[rule.window as 'hour' | 'day'] : PAST_WINDOWS[rule.window];
  const past = almanac.back(first, count);
  const ranges = [{ fromEndAt: past.endAt, throughEndAt: last.endAt }];
  if (rule.baseline.to === 'same_weekday' || rule.baseline.to === 'median') {
    const weeks = rule.baseline.to === 'median' ? rule.baseline.weeks : 1;
    const spreadFrom = almanac.back(first, PAST_WINDOWS[rule.window]);
    for (let week = 1; week <= weeks; week++)
      ranges.push({
        fromEndAt: almanac.weeksBefore(spreadFrom, week).endAt,
        throughEndAt: almanac.weeksBefore(last, week).endAt,
      });
  }
  for (const memory of memories)
    for (const window of windows)
      for (const { endAt } of baselineWindows(rule, window, memory, almanac))
        ranges.push({ fromEndAt: endAt, throughEndAt: endAt });
  return ranges;
}

export interface Context {
  history: Readings;
  memory: Memory;
  almanac: Almanac;
  newestDataAt: number;
  /** The season before the window, where it was carried along; by default it is told the kept past. */
  season?: Season;
}

/**
 * Everything known about one window of one series, for the judge. `undefined` where the window was not read. Of a segment
 * that may be among the folded ones the most that it can have had is known: enough to tell that it fell, and only that.
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
  const surprise = season?.surpriseOf({ window, reading }, memory.fired?.gap);
  const expected: Baseline | undefined = surprise && {
    window,
    reading: { value: surprise.expected, weight: reading.weight },
    origin: { of: 'model' },
  };
  const isModelled = rule.baseline.to === 'seasonal';
  const baseline = isModelled ? expected : readBaseline(rule, window, series, context);
  if (most !== undefined && !hasFallenTo(most, [baseline, expected])) return undefined;
  return {
    current: { window, reading },
    baseline,
    previous: history.reading(window, series, metric, 'previous') ?? { value: null, weight: null },
    past: isModelled ? [] : pastPairs(rule, anchorOf(memory)?.windowEndAt ?? window.endAt, series, context),
    surprise,
    holiday: holidayIn(window, rule),
    newestDataAt,
    fired: memory.fired,
  };
}

function hasFallenTo(most: number, baselines: (Baseline | undefined)[]): boolean {
  const before = baselines.flatMap((baseline) => baseline?.reading.value ?? []);
  return before.length > 0 && before.every((value) => most < value);
}

/**
 * Pairs of readings from the windows before the one that ends at `endAt`, newest first, incidents and holidays left
 * out: with baselines made as the rule makes them or, as long as these are too few, with the window before each.
 * Neighbours differ by more than weekdays do, which errs to silence. No pair is of two levels, of which one was accepted:
 * it would make a shift of that size look usual.
 */
function pastPairs(rule: FigureRule, endAt: number, series: SeriesKey, context: Context): Evidence['past'] {
  const { almanac, memory } = context;
  const last = almanac.before(almanac.back({ startAt: endAt, endAt }, 1));
  const windows = almanac
    .through(last, PAST_WINDOWS[rule.window])
    .reverse()
    .filter((window) => !overlapsAny(window, memory.incidents) && !holidayIn(window, rule));
  const made = pairsOf(windows, rule, series, context);
  if (made.length >= MINIMUM_PAIRS || rule.baseline.to === 'previous_period') return made;
  return pairsOf(windows, { ...rule, baseline: { to: 'previous_period' } }, series, context);
}

function pairsOf(
  windows: Window[],
  rule: FigureRule,
  series: SeriesKey,
  { history, memory, almanac }: Context,
): Evidence['past'] {
  const metric = metricOf(rule);
  const { incidents, levelSinceAt } = memory;
  const settled = (since: number | null) => {
    const then = { ...NO_MEMORY, incidents, levelSinceAt: since };
    return { history, almanac, memory: then };
  };
  const [now, beforehand] = [settled(levelSinceAt), settled(null)];
  const isWeekly = rule.baseline.to === 'same_weekday' || rule.baseline.to === 'median';
  const pairs: Evidence['past'] = [];
  for (const window of windows) {
    const isNow = isOfLevel(window, memory);
    const before = isWeekly ? almanac.weeksBefore(window, 1) : almanac.before(window);
    if (isNow !== isOfLevel(before, memory)) continue;
    const reading = history.reading(window, series, metric);
    const baseline = reading && readBaseline(rule, window, series, isNow ? now : beforehand);
    if (!baseline || overlapsAny(baseline.window, incidents)) continue;
    pairs.push({ current: { window, reading }, baseline });
  }
  return pairs;
}
