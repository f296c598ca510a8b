import type { Filter } from '../../shared/contract/filters.ts';
import { groupKey } from '../../shared/contract/grouping.ts';
import { withComputedQuestions } from '../../shared/readings/computed-questions.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Figures, ReadingRow, Subject } from '../../shared/readings/reading.ts';
import { readingOf } from '../../shared/readings/row-reading.ts';
import { type AskedMetric, isPropertyFilter } from '../../shared/rules/metric.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { canonical } from '../../shared/text/content-hash.ts';
import type { Window } from '../../shared/time/window.ts';
import { type BoundSeries, rowIn, type SeriesSubject, sightOf } from './bound-series.ts';

/** The analytics service of a test: answers from its series, as known at the clock's time. */
export function seriesSource(all: BoundSeries[], clock: Clock): MetricSource {
  const ofApp = (app: string) => all.filter((series) => series.app === undefined || series.app === app);
  return withComputedQuestions<MetricSource>({
    async read({ window, previous, ...subject }) {
      // A test has no data about drivers.
      const parts = subject.groupBy ? [] : partsOf(ofApp(subject.app), subject);
      return { kind: 'read', value: answerOf(parts, { window, previous }, clock.now()) };
    },
    async readRange({ windows, ...subject }) {
      const parts = partsOf(ofApp(subject.app), subject);
      return { kind: 'read', value: windows.map((window) => answerOf(parts, { window }, clock.now())) };
    },
    beginsAt: Math.min(...all.flatMap(({ windows }) => windows[0]?.startAt ?? [])),
    readNewestEventAt: async (app) => ({ kind: 'read', value: newestDataAt(ofApp(app), clock.now()) }),
  });
}

/** The app sends data at all times, except in windows marked as stopped. */
function newestDataAt(all: BoundSeries[], now: number): number {
  const stops = all.flatMap((series) => {
    const { windows } = series;
    const last = windows.findLastIndex(
      (window) => window.startAt < now && sightOf(series, window, now)?.value !== 'stopped',
    );
    return windows[last + 1]?.startAt ?? [];
  });
  return Math.min(now, ...stops);
}

interface Asked {
  window: Window;
  previous?: Window;
}

/** The series of one row of an answer. */
interface Part {
  key: Pick<ReadingRow, 'eventName' | 'segment'>;
  members: BoundSeries[];
}

/** The rows that answer a query about `subject`. */
function partsOf(all: BoundSeries[], subject: Subject): Part[] {
  const { eventNames, segmentBy } = subject;
  const answering = answeringSeries(all, subject);
  const named: Part[] = eventNames
    ? eventNames.map((eventName) => ({
        key: { eventName },
        members: answering.filter(({ event }) => event === eventName),
      }))
    : [{ key: {}, members: answering }];
  if (!segmentBy) return named.map(({ key, members }) => ({ key, members: wholes(members) }));
  return named.flatMap(({ key, members }) =>
    [...Map.groupBy(members, (each) => segmentOf(each, segmentBy.attribute))].flatMap(([segment, own]) =>
      segment === undefined ? [] : [{ key: { ...key, segment }, members: own }],
    ),
  );
}

function answerOf(parts: Part[], { window, previous }: Asked, now: number): ReadingRow[] {
  return parts.flatMap(({ key, members }) => {
    const current = added(members, window, now);
    const before = previous && added(members, previous, now);
    return current || before
      ? [{ ...key, ...(current && { current }), ...(before && { previous: before }) }]
      : [];
  });
}

/** Adds counts and weighs means. A count of its own is better than the weight of another metric. */
function added(members: BoundSeries[], window: Window, now: number): Figures | undefined {
  const byMetric = Map.groupBy(members, ({ metric }) => metric.key);
  const totals = [...byMetric.values()].flatMap((same): Figures[] => {
    const rows = same.flatMap((series) => rowIn(series, window, now));
    return same[0] && rows.length > 0 ? [totalOf(same[0].metric, rows)] : [];
  });
  if (totals.length === 0) return undefined;
  const byWeight = totals.toSorted((a, b) => Object.keys(b).length - Object.keys(a).length);
  return Object.assign({}, ...byWeight);
}

function totalOf(metric: AskedMetric, rows: Figures[]): Figures {
  const { value, weight, events } = readingOf(metric, rows);
  return { [metric.key]: value, ...('weight' in metric && { [metric.weight.key]: weight ?? events ?? 0 }) };
}

/** The series that answer a query: those with its filters, or else those without filters. */
export function answeringSeries<S extends SeriesSubject>(
  all: S[],
  subject: Pick<Subject, 'endpoint' | 'filters' | 'segmentBy' | 'thenBy'>,
): S[] {
  const { endpoint, filters, segmentBy, thenBy } = subject;
  const groups = [segmentBy, thenBy].flatMap((group) => (group ? groupKey(group) : [])).join(', ');
  const ofEvents = filters.filter(({ attribute }) => attribute === 'event_name');
  const fitting = all.filter(
    ({ metric, event, groupBy }) =>
      metric.endpoint === endpoint &&
      (event === undefined || ofEvents.every((filter) => isOfEvent(event, filter))) &&
      (!segmentBy || groupBy === undefined || groupBy === groups),
  );
  const wanted = canonical(sorted(otherFilters(filters)));
  const exact = fitting.filter((each) => each.filters && canonical(sorted(each.filters)) === wanted);
  const isAnswered = ({ metric, event, segment }: S) =>
    exact.some((each) => each.metric.key === metric.key && each.event === event && each.segment === segment);
  return [...exact, ...fitting.filter((each) => !each.filters && !isAnswered(each))];
}

/** Filters other than of the event name, which a series has as a key, and of the property of its metric. */
function otherFilters(filters: Filter[]): Filter[] {
  return filters.filter((filter) => filter.attribute !== 'event_name' && !isPropertyFilter(filter));
}

function sorted(filters: Filter[]): Filter[] {
  return filters.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

function isOfEvent(event: string, { operator, value }: Filter): boolean {
  switch (operator) {
    case 'equal':
      return event === value;
    case 'not_equal':
      return event !== value;
    case 'in':
      return value.includes(event);
    case 'not_in':
      return !value.includes(event);
    case 'contains':
      return event.includes(value);
    case 'not_contains':
      return !event.includes(value);
    default:
      return true;
  }
}

/** The segment of a series in rows by `attribute`. */
export function segmentOf({ event, segment }: SeriesSubject, attribute: string): string | undefined {
  return segment ?? (attribute === 'event_name' ? event : undefined);
}

/** A series of the total is used as is; otherwise its events or segments are added up. */
function wholes(series: BoundSeries[]): BoundSeries[] {
  const ofAll = (same: BoundSeries[], isWhole: (each: BoundSeries) => boolean) =>
    same.some(isWhole) ? same.filter(isWhole) : same;
  return [...Map.groupBy(series, ({ metric }) => metric.key).values()]
    .map((same) => ofAll(same, ({ event }) => event === undefined))
    .flatMap((same) => [...Map.groupBy(same, ({ event }) => event).values()])
    .flatMap((same) => ofAll(same, ({ segment }) => segment === undefined));
}
