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

/** The value of a window from `seenAt` on. */
interface Sight {
  seenAt: number;
  value: WrittenValue;
  weight: number | undefined;
}

/** A series of a test, by windows. */
export interface BoundSeries {
  metric: Metric;
  app: string | undefined;
  event: string | undefined;
  segment: string | undefined;
  groupBy: string | undefined;
  filters: Filter[] | undefined;
  windows: Window[];
  /** The values of each window over time, oldest first. */
  sights: Sight[][];
}

/** The series in windows of `calendar`, starting at `startsAt`; or its faults. */
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
        message: `no window of the series starts at this time; its windows are ${calendar.grain}s`,
      });
      continue;
    }
    const written = value === '_' ? 'none' : value;
    const seenAt = momentOf(seen, clock);
    if (seenAt <= known.seenAt)
      faults.push({
        path: ['revisions', i, 'seen'],
        message: 'must be later than that of the previous revision',
      });
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
      fault: { path: ['values'], message: '"values" require an "event" or a "metric"' },
    };
  const found: Metric = METRICS[metric ?? 'event_count'];
  if (event === undefined || found.endpoint === 'event') return { metric: found };
  const message = `${metric} does not count events: remove "event", or use event_count, event_users or event_sessions`;
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
      : fault(`${name ?? 'event_count'} is a count, which has no weight`);
  const over = `the ${metric.endpoint}s that ${name} is a mean over`;
  if (weight === undefined) return fault(`say ${over}: weight: 500`);
  const numbers = weight.filter((each) => typeof each === 'number');
  if (numbers.length < weight.length) return fault(`write numbers: ${over}`);
  if (numbers.length !== 1 && numbers.length !== values.length)
    return fault(
      `gives ${numbers.length} numbers for ${values.length} windows; write one for all, or one per window`,
    );
  return { kind: 'weights', of: (i) => (numbers.length === 1 ? numbers[0] : numbers[i]) };
}

/** The value of a window as known at `now`. */
export function sightOf({ sights }: BoundSeries, i: number, now: number): Sight | undefined {
  return sights[i]?.findLast(({ seenAt }) => seenAt <= now);
}

/**
 * The series' total in `window` as known at `now`; `undefined` without a row. A value belongs to the start of
 * its window.
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

/** Index of the first window that starts at or after `at`. */
function firstFrom(windows: Window[], at: number): number {
  let [low, high] = [0, windows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((windows[middle]?.startAt ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
