import { MINIMUM_PAIRS } from '../statistics/counts.ts';
import type { Alert, Fired } from './alert.ts';
import type { WindowReading } from './gates.ts';
import type { History } from './history.ts';
import type { Evidence } from './judge.ts';
import { metricOf } from './metrics.ts';
import type { SeriesKey } from './reading.ts';
import type { Rule } from './rule.ts';
import {
  type Calendar,
  type Grain,
  type Window,
  windowBefore,
  windowsBack,
  windowWeeksBefore,
} from './window.ts';

/** How many earlier windows the usual spread of a series is learned from. */
const PAST_WINDOWS: Record<Grain, number> = { hour: 72, day: 56, week: 26, month: 12 };

/** What an alert remembers of its incidents, open and past: none of them may serve as a measure. */
export type Memory = Pick<Alert, 'fired' | 'suspected' | 'incidents'>;

export const NO_MEMORY: Memory = { fired: null, suspected: null, incidents: [] };

/**
 * The window that `window` is held against. Never one of an incident: from the first breach on the baseline is frozen, so
 * that a bad level cannot become the new reference, and a week later the incident makes no echo.
 */
export function baselineWindow(rule: Rule, window: Window, memory: Memory): Window {
  const calendar = calendarOf(rule);
  const anchor = anchorOf(memory);
  if (rule.compare.to === 'previous_period') return anchor?.baselineWindow ?? windowBefore(window, calendar);
  for (let weeks = 1; ; weeks++) {
    const candidate = windowWeeksBefore(window, weeks, calendar);
    const isFrozen = anchor !== null && candidate.endAt >= anchor.windowEndAt;
    if (!isFrozen && !overlapsAny(candidate, memory.incidents)) return candidate;
  }
}

/** The ranges of window ends whose sheets are needed to judge `windows` (oldest first), to be loaded before. */
export function historyRanges(
  rule: Rule,
  windows: Window[],
  memories: Memory[],
): { fromEndAt: number; throughEndAt: number }[] {
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) return [];
  const calendar = calendarOf(rule);
  const past = windowsBack(first, PAST_WINDOWS[rule.window], calendar);
  const ranges = [{ fromEndAt: past.endAt, throughEndAt: last.endAt }];
  if (rule.compare.to === 'previous_period') return ranges;

  const lagged = (window: Window) => windowWeeksBefore(window, 1, calendar).endAt;
  ranges.push({ fromEndAt: lagged(past), throughEndAt: lagged(last) });
  for (const memory of memories)
    ranges.push(
      ...windows.map((window) => {
        const { endAt } = baselineWindow(rule, window, memory);
        return { fromEndAt: endAt, throughEndAt: endAt };
      }),
    );
  return ranges;
}

interface Context {
  history: History;
  memory: Memory;
  newestDataAt: number;
}

/** Everything known about one window of one series, for the judge. `undefined` where the window was not read. */
export function evidenceFor(
  rule: Rule,
  window: Window,
  series: SeriesKey,
  context: Context,
): Evidence | undefined {
  const { history, memory, newestDataAt } = context;
  const metric = metricOf(rule.metric);
  const current = history.reading(window, series, metric);
  if (!current) return undefined;
  return {
    current: { window, reading: current },
    baseline: baselineReading(rule, window, series, context),
    previous: history.reading(window, series, metric, 'previous') ?? { value: null, weight: null },
    past: pastPairs(rule, anchorOf(memory)?.windowEndAt ?? window.endAt, series, context),
    newestDataAt,
    fired: memory.fired,
  };
}

function baselineReading(
  rule: Rule,
  window: Window,
  series: SeriesKey,
  { history, memory }: Context,
): WindowReading | undefined {
  const metric = metricOf(rule.metric);
  const base = baselineWindow(rule, window, memory);
  const reading =
    rule.compare.to === 'previous_period'
      ? (anchorOf(memory)?.baseline ?? history.reading(window, series, metric, 'previous'))
      : history.reading(base, series, metric);
  return reading && { window: base, reading };
}

/**
 * Pairs of readings from the windows before the one that ends at `endAt`, newest first, incidents left out: at the
 * rule's lag or, as long as these are too few, at the lag of one window. Neighbours differ by more than weekdays do,
 * which errs to silence.
 */
function pastPairs(rule: Rule, endAt: number, series: SeriesKey, context: Context): Evidence['past'] {
  const windows = windowsBefore(rule, endAt).filter(
    (window) => !overlapsAny(window, context.memory.incidents),
  );
  const neighbours = () => pairsOf(windows, rule, series, context, 'previous_period');
  if (rule.compare.to === 'previous_period') return neighbours();
  const lagged = pairsOf(windows, rule, series, context, rule.compare.to);
  return lagged.length < MINIMUM_PAIRS ? neighbours() : lagged;
}

function pairsOf(
  windows: Window[],
  rule: Rule,
  series: SeriesKey,
  { history, memory }: Context,
  lag: Rule['compare']['to'],
): Evidence['past'] {
  const metric = metricOf(rule.metric);
  const calendar = calendarOf(rule);
  return windows.flatMap((window) => {
    const isNeighbour = lag === 'previous_period';
    const before = isNeighbour ? windowBefore(window, calendar) : windowWeeksBefore(window, 1, calendar);
    if (overlapsAny(before, memory.incidents)) return [];
    const current = history.reading(window, series, metric);
    const baseline = isNeighbour
      ? history.reading(window, series, metric, 'previous')
      : history.reading(before, series, metric);
    if (!current || !baseline) return [];
    return [{ current: { window, reading: current }, baseline: { window: before, reading: baseline } }];
  });
}

function windowsBefore(rule: Rule, endAt: number): Window[] {
  const calendar = calendarOf(rule);
  let window = windowsBack({ startAt: endAt, endAt }, 2, calendar);
  return Array.from({ length: PAST_WINDOWS[rule.window] }, () => {
    const each = window;
    window = windowBefore(window, calendar);
    return each;
  });
}

/** What the baseline is frozen on. */
function anchorOf({ fired, suspected }: Memory): Fired | null {
  return fired ?? suspected;
}

function overlapsAny({ startAt, endAt }: Window, incidents: Window[]): boolean {
  return incidents.some((incident) => startAt < incident.endAt && incident.startAt < endAt);
}

function calendarOf(rule: Rule): Calendar {
  return { grain: rule.window, zone: rule.zone };
}
