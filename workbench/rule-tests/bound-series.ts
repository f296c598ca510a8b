import type { Filter } from '../../shared/contract/filters.ts';
import type { Figures } from '../../shared/readings/reading.ts';
import type { Fault } from '../../shared/rule-files/rule-source.ts';
import type { SeriesSpec } from '../../shared/rule-tests/rule-test-file.ts';
import type { WrittenValue } from '../../shared/rule-tests/series-notation.ts';
import { groupName } from '../../shared/rules/group-by.ts';
import { type AskedMetric, propertyMetric } from '../../shared/rules/metric.ts';
import { METRICS } from '../../shared/rules/metrics.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { type Calendar, lastClosedWindow, type Window } from '../../shared/time/window.ts';
import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import { momentOf } from './test-times.ts';

/** The value of a window from `seenAt` on. */
interface Sight {
  seenAt: number;
  value: WrittenValue;
  weight: number | undefined;
}

/** A series of a test, by windows. */
export interface BoundSeries {
  metric: AskedMetric;
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
): { kind: 'bound'; series: BoundSeries } | { kind: 'faults'; faults: Fault[] } {
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
  const { app, event, segment, group_by, filters } = spec;
  const groupBy = group_by && groupName({ group_by });
  return { kind: 'bound', series: { metric, app, event, segment, groupBy, filters, windows, sights } };
}

function metricOfSeries({ event, metric }: SeriesSpec): { metric: AskedMetric; fault?: Fault } {
  const found = typeof metric === 'object' ? propertyMetric(metric) : METRICS[metric ?? 'event_count'];
  const fault = (key: string, message: string) => ({ metric: found, fault: { path: [key], message } });
  if (metric === undefined && event === undefined)
    return fault('values', '"values" require an "event" or a "metric"');
  if (event === undefined || found.endpoint === 'event') return { metric: found };
  return fault(
    'metric',
    `${String(metric)} does not count events: remove "event", or use event_count, event_users or event_sessions`,
  );
}

type Weights = { kind: 'weights'; of: (i: number) => number | undefined } | { kind: 'fault'; fault: Fault };

function weightsOf({ weight, values }: SeriesSpec, metric: AskedMetric): Weights {
  const fault = (message: string): Weights => ({ kind: 'fault', fault: { path: ['weight'], message } });
  if (!('weight' in metric))
    return weight === undefined
      ? { kind: 'weights', of: () => undefined }
      : fault(`only a mean has a weight: remove it`);
  if (weight === undefined)
    return fault(`say how many ${metric.endpoint}s each value is a mean over: weight: 500`);
  const numbers = weight.filter((each) => typeof each === 'number');
  if (numbers.length < weight.length || (numbers.length !== 1 && numbers.length !== values.length))
    return fault(`write one number for all windows, or one for each of the ${values.length}`);
  return { kind: 'weights', of: (i) => (numbers.length === 1 ? numbers[0] : numbers[i]) };
}

/** The value of a window as known at `now`. */
export function sightOf({ sights }: BoundSeries, i: number, now: number): Sight | undefined {
  return sights[i]?.findLast(({ seenAt }) => seenAt <= now);
}

/** The rows of the series in `window` as known at `now`. A value belongs to the start of its window. */
export function rowsIn(series: BoundSeries, window: Window, now: number): Figures[] {
  const { metric, windows } = series;
  const rows: Figures[] = [];
  for (let i = firstFrom(windows, window.startAt); (windows[i]?.startAt ?? Infinity) < window.endAt; i++) {
    const { value, weight = 1 } = sightOf(series, i, now) ?? {};
    if (typeof value !== 'number') continue;
    rows.push({ [metric.key]: value, ...('weight' in metric && { [metric.weight.key]: weight }) });
  }
  return rows;
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
