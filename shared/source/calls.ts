import type { Filter } from '../contract/filters.ts';
import { DEFAULT_MAX_GROUP_NUMBER, type GroupBy, MAX_ROWS } from '../contract/grouping.ts';
import { LEGACY_PAGE_SIZE } from '../contract/requests.ts';
import type { ListedRecords } from '../readings/metric-source.ts';
import type { Question, RangeQuestion, Subject } from '../readings/reading.ts';
import { windowFilter } from '../readings/series.ts';
import type { Window } from '../time/window.ts';
import { bucketOf } from './buckets.ts';
import { FUNNEL_PATH } from './refusals.ts';

/** One request to the service, without its base URL and credentials. */
export type DataAccessCall =
  | { style: 'legacy'; path: string; app: string; query: Readonly<Record<string, string>> }
  | { style: 'json'; path: string; app: string; body: Readonly<Record<string, unknown>> };

/** Proxies refuse URLs over 8 KB. The rest is room for base URL, app and key. */
const MAX_QUERY_CHARS = 5500;
const MAX_NAMES = 1000;

/** Splits `question` so that each part fits into the URL of a call, and its rows into one response. */
export function partsOf<T extends Subject>(question: T, buckets = 1): T[] {
  const { eventNames } = question;
  if (eventNames === undefined) return [question];
  if (eventNames.length === 0) return [];
  if (question.funnel || eventNames.length === 1 || fitsOneCall(question, eventNames.length, buckets))
    return [question];
  const middle = Math.ceil(eventNames.length / 2);
  return [eventNames.slice(0, middle), eventNames.slice(middle)].flatMap((names) =>
    partsOf({ ...question, eventNames: names }, buckets),
  );
}

function fitsOneCall(subject: Subject, names: number, buckets: number): boolean {
  // Only events can be grouped by event name.
  if (subject.endpoint !== 'event') return false;
  if (names > Math.min(MAX_NAMES, MAX_ROWS / rowsPerName(subject) / buckets)) return false;
  const query = legacyQuery(subject, ANY_WINDOW, groupsOf(subject));
  return new URLSearchParams(query).toString().length <= MAX_QUERY_CHARS;
}

/** URLs of all windows have the same length. */
const ANY_WINDOW: Window = { startAt: 0, endAt: 0 };

/** All combinations of the groups of each attribute, including `others`. */
function rowsPerName(subject: Subject): number {
  return groupsOfRows(subject).reduce(
    (rows, { max_group_number: groups = DEFAULT_MAX_GROUP_NUMBER }) => rows * (groups + 1),
    1,
  );
}

/** Whether rows are grouped by event name. A single name needs no group, and more services can compare it then. */
export function isGroupedByEvent({ eventNames = [], segmentBy }: Subject): boolean {
  return eventNames.length > 1 && segmentBy?.attribute !== 'event_name';
}

/**
 * The call for the figures of `window`. Legacy calls always request the comparison with the time before. JSON-body
 * calls only request it if the service supports it (`comparesBodies`).
 */
export function analyticsCall(question: Question, window: Window, comparesBodies: boolean): DataAccessCall {
  const groups = groupsOf(question);
  if (question.funnel) return funnelCall(question, window, groupsOfRows(question));
  if (question.endpoint === 'user')
    return bodyCall(question, window, groups, comparesBodies ? { comparison: 1 } : {});
  return legacyCall(question, window, groups, { comparison: '1' });
}

/** The call for the figures of all windows of a range, as time buckets. */
export function rangeCall(question: RangeQuestion): DataAccessCall {
  const { windows } = question;
  const range = { startAt: windows[0]?.startAt ?? 0, endAt: windows.at(-1)?.endAt ?? 0 };
  const bucket = { attribute: bucketOf(question) };
  if (question.funnel) return funnelCall(question, range, [bucket, ...groupsOfRows(question)]);
  const groups = [bucket, ...groupsOf(question)];
  return question.endpoint === 'user'
    ? bodyCall(question, range, groups, {})
    : legacyCall(question, range, groups, {});
}

function legacyCall(
  subject: Subject,
  window: Window,
  groups: GroupBy[],
  more: Record<string, string>,
): DataAccessCall {
  const { app, endpoint } = subject;
  const query = { ...legacyQuery(subject, window, groups), ...more };
  return { style: 'legacy', path: `/v2/${endpoint}/analytics`, app, query };
}

function bodyCall(
  subject: Subject,
  window: Window,
  groups: GroupBy[],
  more: Record<string, unknown>,
): DataAccessCall {
  const { app, aggregations: aggregation } = subject;
  const body = { filters: filtersOf(subject, window), group_by: groups, aggregation, ...more };
  return { style: 'json', path: '/api/data-access/v1/user/analytics', app, body };
}

function funnelCall({ app, filters, funnel }: Subject, window: Window, groups: GroupBy[]): DataAccessCall {
  const { steps = [], minutes } = funnel ?? {};
  const body = {
    steps: steps.map((event_name) => ({ event_name })),
    ...{ within_minutes: minutes, filters: [windowFilter(window), ...filters], group_by: groups },
  };
  return { style: 'json', path: FUNNEL_PATH, app, body };
}

function legacyQuery(subject: Subject, window: Window, groups: GroupBy[]): Record<string, string> {
  return {
    filters: JSON.stringify(filtersOf(subject, window)),
    ...(groups.length > 0 && { group_by: JSON.stringify(groups) }),
    aggregation: JSON.stringify(subject.aggregations),
  };
}

export function listCall({ app, endpoint, filters }: ListedRecords, most: number): DataAccessCall {
  const query = { filters: JSON.stringify(filters), page: '1', page_size: String(most) };
  return { style: 'legacy', path: `/v2/${endpoint}`, app, query };
}

/** The call for one page. The interface documents no page for JSON bodies, so their first page has no number. */
export function atPage(call: DataAccessCall, page: number): DataAccessCall {
  if (call.style === 'json') return page === 1 ? call : { ...call, body: { ...call.body, page } };
  return {
    ...call,
    query: { ...call.query, page: String(page), page_size: String(LEGACY_PAGE_SIZE.max) },
  };
}

function filtersOf(question: Subject, window: Window): Filter[] {
  return [windowFilter(window), ...question.filters, ...nameFilter(question)];
}

function nameFilter({ eventNames = [] }: Subject): Filter[] {
  const [first, ...more] = eventNames;
  if (first === undefined) return [];
  return more.length === 0
    ? [{ attribute: 'event_name', operator: 'equal', value: first }]
    : [{ attribute: 'event_name', operator: 'in', value: eventNames }];
}

function groupsOf(question: Subject): GroupBy[] {
  const { eventNames = [] } = question;
  return [
    ...(isGroupedByEvent(question)
      ? [{ attribute: 'event_name', max_group_number: eventNames.length } as const]
      : []),
    ...groupsOfRows(question),
  ];
}

function groupsOfRows({ segmentBy, thenBy, groupBy = [] }: Subject): GroupBy[] {
  return [...(segmentBy ? [segmentBy] : []), ...(thenBy ? [thenBy] : []), ...groupBy];
}
