import { ATTRIBUTES, type AttributeName } from '../../shared/contract/attributes.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { lastClosedWindow, type Window, windowsBack } from '../../shared/time/window.ts';

/** An event counts as known if it occurred in this period. */
export const DAYS = 30;
/** The service's limit of groups. */
const MOST_VALUES = 1000;

/** Occurrences of each value. `isWhole`: the list is complete. A missing value is `''`. */
export interface Seen {
  kind: 'seen';
  counts: ReadonlyMap<string, number>;
  isWhole: boolean;
}

export type Values = Seen | { kind: 'unread'; reason: string };

interface Asked {
  app: string;
  attribute: AttributeName;
  zone: string;
}

/** Values of attributes; each attribute is queried once. */
export type ValuesOf = (asked: Asked) => Promise<Values>;

/** The last whole days before `now`. */
export function lastDays(now: number, zone: string): Window {
  const daily = { grain: 'day', zone } as const;
  const { endAt } = lastClosedWindow(now, daily);
  return { startAt: windowsBack({ startAt: endAt, endAt }, DAYS, daily).startAt, endAt };
}

/** Values in the `DAYS` before `now`, with at most `most` queries. */
export function knownValues(
  sourceFor: (app: string) => Pick<MetricSource, 'read'>,
  now: number,
  most = Infinity,
): ValuesOf {
  const known = new Map<string, Promise<Values>>();
  return (asked) => {
    const key = `${asked.app} ${asked.attribute}`;
    const found = known.get(key);
    if (found) return found;
    if (known.size >= most)
      return Promise.resolve({ kind: 'unread', reason: 'too many values were requested' });
    const read = readValues(asked, sourceFor(asked.app), now);
    known.set(key, read);
    return read;
  };
}

/** Events by their own attributes, sessions by all others. */
function endpointOf(attribute: AttributeName): 'event' | 'session' {
  return ATTRIBUTES[attribute].groupsOn.includes('session') ? 'session' : 'event';
}

async function readValues(
  { app, attribute, zone }: Asked,
  source: Pick<MetricSource, 'read'>,
  now: number,
): Promise<Values> {
  const window = lastDays(now, zone);
  const daily = { grain: 'day', zone } as const;
  const before = windowsBack({ startAt: window.startAt, endAt: window.startAt }, DAYS, daily);
  const endpoint = endpointOf(attribute);
  const key = `${endpoint}_count`;
  const result = await source.read({
    app,
    endpoint,
    calendar: daily,
    filters: [],
    segmentBy: { attribute, max_group_number: MOST_VALUES },
    aggregations: [{ attribute: key }],
    window,
    previous: { startAt: before.startAt, endAt: window.startAt },
  });
  if (result.kind !== 'read') return { kind: 'unread', reason: result.reason };
  const counts = new Map<string, number>();
  for (const { segment, isRest, current } of result.value) {
    const count = current?.[key] ?? 0;
    if (segment !== undefined && !isRest && count > 0) counts.set(segment, count);
  }
  return { kind: 'seen', counts, isWhole: !result.value.some(({ isRest }) => isRest) };
}
