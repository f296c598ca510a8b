import { ATTRIBUTES, type AttributeName } from '../../shared/contract/attributes.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { lastClosedWindow, type Window, windowsBack } from '../../shared/time/window.ts';

/** An event counts as known if it occurred in this period. */
export const DAYS = 30;
/** The service's limit of groups. */
const MOST_VALUES = 1000;

/** The values of an attribute that occurred, most frequent first. A missing value is `''`. */
export type Seen = readonly string[];

export interface Asking {
  sourceFor: (app: string) => Pick<MetricSource, 'read'>;
  now: number;
}

/** The last days' values, asked for once; `undefined` where they prove nothing: unread, incomplete or empty. */
export type SeenBy = (app: string, attribute: AttributeName, zone: string) => Promise<Seen | undefined>;

/** The last whole days before `now`, and as many before them. */
export function lastDays(now: number, zone: string): { window: Window; previous: Window } {
  const daily = { grain: 'day', zone } as const;
  const { endAt } = lastClosedWindow(now, daily);
  const { startAt } = windowsBack({ startAt: endAt, endAt }, DAYS, daily);
  const before = windowsBack({ startAt, endAt: startAt }, DAYS, daily);
  return { window: { startAt, endAt }, previous: { startAt: before.startAt, endAt: startAt } };
}

export function seenBy(asking: Asking): SeenBy {
  const known = new Map<string, Promise<Seen | undefined>>();
  return (app, attribute, zone) => {
    const key = `${app} ${attribute}`;
    const seen = known.get(key) ?? readSeen(asking, { app, attribute, zone });
    known.set(key, seen);
    return seen;
  };
}

async function readSeen({ sourceFor, now }: Asking, asked: Asked): Promise<Seen | undefined> {
  const read = await countsOf(sourceFor(asked.app), asked, now);
  return read.kind === 'read' && read.isWhole && read.counts.size > 0 ? [...read.counts.keys()] : undefined;
}

/** How often each value occurred per day in the last days, most frequent first. Throws `UpstreamError`. */
export async function frequentValues(
  source: Pick<MetricSource, 'read'>,
  asked: Asked,
  now: number,
): Promise<{ name: string; perDay: number }[]> {
  const read = await countsOf(source, asked, now);
  if (read.kind === 'unread')
    throw new UpstreamError(`the data of ${asked.app} cannot be read: ${read.reason}`, { retryable: false });
  return [...read.counts].map(([name, count]) => ({ name, perDay: count / DAYS }));
}

interface Asked {
  app: string;
  attribute: AttributeName;
  zone: string;
}

type Counts =
  | { kind: 'read'; counts: ReadonlyMap<string, number>; isWhole: boolean }
  | { kind: 'unread'; reason: string };

/** Occurrences of each value in the last days, most frequent first. */
async function countsOf(
  source: Pick<MetricSource, 'read'>,
  { app, attribute, zone }: Asked,
  now: number,
): Promise<Counts> {
  // Events by their own attributes, sessions by all others.
  const endpoint = ATTRIBUTES[attribute].groupsOn.includes('session') ? 'session' : 'event';
  const key = `${endpoint}_count`;
  const result = await source.read({
    ...{ app, endpoint, filters: [], calendar: { grain: 'day', zone }, ...lastDays(now, zone) },
    segmentBy: { attribute, max_group_number: MOST_VALUES },
    aggregations: [{ attribute: key }],
  });
  if (result.kind !== 'read') return { kind: 'unread', reason: result.reason };
  const counts = result.value.flatMap(({ segment, isRest, current }): [string, number][] => {
    const count = current?.[key] ?? 0;
    return segment !== undefined && !isRest && count > 0 ? [[segment, count]] : [];
  });
  const sorted = counts.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return { kind: 'read', counts: new Map(sorted), isWhole: !result.value.some(({ isRest }) => isRest) };
}
