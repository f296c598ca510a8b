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

/** What a series of a test is of. */
export interface SeriesSubject {
  metric: AskedMetric;
  app: string | undefined;
  event: string | undefined;
  segment: string | undefined;
  groupBy: string | undefined;
  filters: Filter[] | undefined;
}

/** The value of a window from `seenAt` on. */
interface Sight {
  seenAt: number;
  value: WrittenValue;
  weight: number | undefined;
}

/** The windows of a series, in order. */
export interface SeriesWindows {
  windows: Window[];
  /** The values of each window over time, oldest first, by its start. */
  sights: ReadonlyMap<number, Sight[]>;
}

export type BoundSeries = SeriesSubject & SeriesWindows;

/** The subject of a series, and what is wrong with it. */
export function subjectOfSeries(spec: SeriesSpec): { subject: SeriesSubject; fault: Fault | undefined } {
  const { app, event, segment, group_by, filters } = spec;
  const metric =
    typeof spec.metric === 'object' ? propertyMetric(spec.metric) : METRICS[spec.metric ?? 'event_count'];
  const groupBy = group_by && groupName({ group_by });
  return { subject: { metric, app, event, segment, groupBy, filters }, fault: faultIn(spec, metric) };
}

function faultIn({ event, metric, weight, values }: SeriesSpec, found: AskedMetric): Fault | undefined {
  const fault = (key: string, message: string): Fault => ({ path: [key], message });
  if (metric === undefined && event === undefined)
    return fault('values', '"values" require an "event" or a "metric"');
  if (event !== undefined && found.endpoint !== 'event') {
    const use = 'remove "event", or use event_count, event_users or event_sessions';
    return fault('metric', `${String(metric)} does not count events: ${use}`);
  }
  if (!('weight' in found)) return weight && fault('weight', 'only a mean has a weight: remove it');
  if (!weight)
    return fault('weight', `say how many ${found.endpoint}s each value is a mean over: weight: 500`);
  const isComplete = weight.length === 1 || weight.length === values.length;
  if (isComplete && weight.every((each) => typeof each === 'number')) return undefined;
  return fault('weight', `write one number for all windows, or one for each of the ${values.length}`);
}

/** The windows of the series in `calendar`, starting at `startsAt`, and what is wrong with its revisions. */
export function windowsOfSeries(
  { values, weight = [], revisions }: SeriesSpec,
  startsAt: number,
  calendar: Calendar,
  clock: ZoneClock,
): SeriesWindows & { faults: Fault[] } {
  const calendarWindows = new CalendarWindows(calendar);
  const windows: Window[] = [];
  const sights = new Map<number, Sight[]>();
  let window = lastClosedWindow(startsAt, calendar);
  for (const [i, value] of values.entries()) {
    window = calendarWindows.after(window);
    windows.push(window);
    const known = weight[weight.length === 1 ? 0 : i];
    const sight = { seenAt: -Infinity, value, weight: typeof known === 'number' ? known : undefined };
    sights.set(window.startAt, [sight]);
  }
  const faults = revisions.flatMap(({ window: start, value, weight: own, seen }, i): Fault[] => {
    const seenSoFar = sights.get(momentOf(start, clock));
    const before = seenSoFar?.at(-1);
    const fault = (key: string, message: string) => [{ path: ['revisions', i, key], message }];
    if (!seenSoFar || !before)
      return fault(
        'window',
        `no window of the series starts at this time; its windows are ${calendar.grain}s`,
      );
    const seenAt = momentOf(seen, clock);
    if (seenAt <= before.seenAt) return fault('seen', 'must be later than that of the previous revision');
    seenSoFar.push({ seenAt, value: value === '_' ? 'none' : value, weight: own ?? before.weight });
    return [];
  });
  return { windows, sights, faults };
}

/** The value of a window as known at `now`. */
export function sightOf({ sights }: BoundSeries, window: Window | undefined, now: number): Sight | undefined {
  return window && sights.get(window.startAt)?.findLast(({ seenAt }) => seenAt <= now);
}

/** The row of the series for `window` as known at `now`. */
export function rowIn(series: BoundSeries, window: Window, now: number): Figures[] {
  const { metric } = series;
  const { value, weight = 1 } = sightOf(series, window, now) ?? {};
  if (typeof value !== 'number') return [];
  return [{ [metric.key]: value, ...('weight' in metric && { [metric.weight.key]: weight }) }];
}
