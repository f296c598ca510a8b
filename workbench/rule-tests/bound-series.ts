import type { Figures } from '../../shared/alerting/readings/reading.ts';
import type { SeriesSpec } from '../../shared/alerting/rule-tests/rule-test-file.ts';
import type { WrittenValue } from '../../shared/alerting/rule-tests/series-notation.ts';
import { METRICS, type Metric } from '../../shared/alerting/rules/metrics.ts';
import { CalendarWindows } from '../../shared/alerting/time/calendar-windows.ts';
import { type Calendar, lastClosedWindow, type Window } from '../../shared/alerting/time/window.ts';
import type { ZoneClock } from '../../shared/alerting/time/zone-clock.ts';
import type { Filter } from '../../shared/analytics/filters.ts';
import type { SeriesFault } from './series-fault.ts';
import { momentOf } from './test-times.ts';

/** A window as it is seen from `seenAt` on. */
interface Sight {
  seenAt: number;
  value: WrittenValue;
  weight: number | undefined;
}

/** A series of a test in its windows. */
export interface BoundSeries {
  metric: Metric;
  app: string | undefined;
  event: string | undefined;
  segment: string | undefined;
  groupBy: string | undefined;
  filters: Filter[] | undefined;
  windows: Window[];
  /** For each window what is seen of it, the newest sight last. */
  sights: Sight[][];
}

/** The series in windows of `calendar`, the first of which begins at `startsAt`; or what is wrong with it. */
export function bindSeries(
  spec: SeriesSpec,
  startsAt: number,
  calendar: Calendar,
  clock: ZoneClock,
): { kind: 'bound'; series: BoundSeries } | { kind: 'faults'; faults: SeriesFault[] } {
  const calendarWindows = new CalendarWindows(calendar);
  const windows: Window[] = [];
  let window = calendarWindows.after(lastClosedWindow(startsAt, calendar));
  for (let i = 0; i < spec.values.length; i++, window = calendarWindows.after(window)) windows.push(window);
  const { metric, fault } = metricOfSeries(spec);
  if (fault) return { kind: 'faults', faults: [fault] };
  const weights = weightsOf(spec, metric);
  const faults = weights.kind === 'fault' ? [weights.fault] : [];
  const sights = spec.values.map((value, i): Sight[] => [
    { seenAt: -Infinity, value, weight: weights.kind === 'weights' ? weights.of(i) : undefined },
  ]);
  for (const [i, { window: at, value, weight, seen }] of spec.revisions.entries()) {
    const startAt = momentOf(at, clock);
    const place = windows.findIndex((each) => each.startAt === startAt);
    const known = sights[place]?.at(-1);
    if (!known) {
      faults.push({
        path: ['revisions', i, 'window'],
        message: `no window of the series begins then; it has ${calendar.grain}s`,
      });
      continue;
    }
    const written = value === '_' ? 'none' : value;
    const seenAt = momentOf(seen, clock);
    if (seenAt <= known.seenAt)
      faults.push({ path: ['revisions', i, 'seen'], message: 'is not after the revision before it' });
    sights[place]?.push({ seenAt, value: written, weight: weight ?? known.weight });
  }
  if (faults.length > 0) return { kind: 'faults', faults };
  const { app, event, segment, group_by: groupBy, filters } = spec;
  return { kind: 'bound', series: { metric, app, event, segment, groupBy, filters, windows, sights } };
}

function metricOfSeries(spec: SeriesSpec): { metric: Metric; fault?: SeriesFault } {
  const { event, metric } = spec;
  if (metric === undefined && event === undefined)
    return {
      metric: METRICS.event_count,
      fault: { path: ['values'], message: 'values of what? Name an "event" or a "metric"' },
    };
  const found: Metric = METRICS[metric ?? 'event_count'];
  if (event === undefined || found.endpoint === 'event') return { metric: found };
  const message = `${metric} is not of events; leave "event" out, or write event_count, event_users or event_sessions`;
  return { metric: found, fault: { path: ['metric'], message } };
}

type Weights =
  | { kind: 'weights'; of: (i: number) => number | undefined }
  | { kind: 'fault'; fault: SeriesFault };

function weightsOf({ metric: name, weight, values }: SeriesSpec, metric: Metric): Weights {
  const fault = (message: string): Weights => ({ kind: 'fault', fault: { path: ['weight'], message } });
  if (metric.kind !== 'mean')
    return weight === undefined
      ? { kind: 'weights', of: () => undefined }
      : fault(`${name ?? 'event_count'} is a count and has no weight`);
  const over = `the ${metric.endpoint}s that ${name} is a mean over`;
  if (weight === undefined) return fault(`say ${over}: weight: 500`);
  const numbers = weight.filter((each) => typeof each === 'number');
  if (numbers.length < weight.length) return fault(`write numbers: ${over}`);
  if (numbers.length !== 1 && numbers.length !== values.length)
    return fault(`gives ${numbers.length} numbers for ${values.length} windows; one would do for all`);
  return { kind: 'weights', of: (i) => (numbers.length === 1 ? numbers[0] : numbers[i]) };
}

/** What is seen of a window by `now`. */
export function sightOf({ sights }: BoundSeries, i: number, now: number): Sight | undefined {
  return sights[i]?.findLast(({ seenAt }) => seenAt <= now);
}

/**
 * What the series adds up to in `window`, as it is seen by `now`; `undefined` where it has no row. A value is taken to
 * have come at the beginning of its window.
 */
export function figuresIn(series: BoundSeries, window: Window, now: number): Figures | undefined {
  const { metric, windows } = series;
  let [sum, weights] = [0, 0];
  let isThere = false;
  for (let i = firstFrom(windows, window.startAt); (windows[i]?.startAt ?? Infinity) < window.endAt; i++) {
    const { value, weight = 1 } = sightOf(series, i, now) ?? {};
    if (typeof value !== 'number') continue;
    isThere = true;
    sum += metric.kind === 'mean' ? value * weight : value;
    weights += weight;
  }
  if (!isThere) return undefined;
  if (metric.kind !== 'mean') return { [metric.key]: sum };
  return { [metric.key]: weights > 0 ? sum / weights : null, [metric.weight.key]: weights };
}

/** The place of the first window that begins at `at` or later. */
function firstFrom(windows: Window[], at: number): number {
  let [low, high] = [0, windows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((windows[middle]?.startAt ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
