import { ATTRIBUTES, type AttributeName } from '../../shared/contract/attributes.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
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

/**
 * Values of attributes in the last days; each attribute is queried once. `undefined` where the list proves nothing: it
 * could not be read, is not complete or is empty.
 */
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

async function readSeen(
  { sourceFor, now }: Asking,
  { app, attribute, zone }: { app: string; attribute: AttributeName; zone: string },
): Promise<Seen | undefined> {
  // Events by their own attributes, sessions by all others.
  const endpoint = ATTRIBUTES[attribute].groupsOn.includes('session') ? 'session' : 'event';
  const key = `${endpoint}_count`;
  const result = await sourceFor(app).read({
    ...{ app, endpoint, filters: [], calendar: { grain: 'day', zone }, ...lastDays(now, zone) },
    segmentBy: { attribute, max_group_number: MOST_VALUES },
    aggregations: [{ attribute: key }],
  });
  if (result.kind !== 'read' || result.value.some(({ isRest }) => isRest)) return undefined;
  const counts = result.value.flatMap(({ segment, current }) => {
    const count = current?.[key] ?? 0;
    return segment !== undefined && count > 0 ? [{ segment, count }] : [];
  });
  if (counts.length === 0) return undefined;
  return counts
    .toSorted((a, b) => b.count - a.count || (a.segment < b.segment ? -1 : 1))
    .map(({ segment }) => segment);
}
