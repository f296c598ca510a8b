import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { lastClosedWindow, windowsBack } from '../../shared/time/window.ts';
import type { StarterEvent } from './starter-rules.ts';

/** Days counted. */
const DAYS = 28;

interface Asked {
  app: string;
  /** IANA zone of its days. */
  zone: string;
  now: number;
  /** Maximum number of events. */
  most: number;
}

/**
 * The most frequent events of an app in the last four weeks, most frequent first. Throws `UpstreamError` where
 * the query fails.
 */
export async function frequentEvents(source: MetricSource, asked: Asked): Promise<StarterEvent[]> {
  const { app, zone, now, most } = asked;
  const daily = { grain: 'day', zone } as const;
  const { endAt } = lastClosedWindow(now, daily);
  const { startAt } = windowsBack({ startAt: endAt, endAt }, DAYS, daily);
  const result = await source.read({
    app,
    endpoint: 'event',
    calendar: daily,
    filters: [],
    segmentBy: { attribute: 'event_name', max_group_number: most },
    aggregations: [{ attribute: 'event_count' }],
    window: { startAt, endAt },
    previous: { startAt: windowsBack({ startAt, endAt: startAt }, DAYS, daily).startAt, endAt: startAt },
  });
  if (result.kind !== 'read')
    throw new UpstreamError(`the events of ${app} cannot be read: ${result.reason}`, { retryable: false });
  return result.value
    .flatMap(({ isRest, segment: name, current }) => {
      const count = current?.event_count ?? 0;
      return isRest || name === undefined || count === 0 ? [] : [{ name, perDay: count / DAYS }];
    })
    .toSorted((a, b) => b.perDay - a.perDay || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}
