import type { Channel } from '../../messages/channel.ts';
import type { MessageItem } from '../../messages/message.ts';
import { type IncidentNews, incidentNews } from '../../notifications/incident.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { ChannelDeps } from '../deps.ts';
import { type HttpAnswer, type HttpOptions, postTo } from '../http-post.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from '../refusals.ts';
import { sendInTurn, type Turn } from '../send-in-turn.ts';
import type { PagerDutySettings } from './config.ts';
import { pagerDutyEvent } from './event.ts';

const ADDRESSES: Record<NonNullable<PagerDutySettings['region']>, string> = {
  us: 'https://events.pagerduty.com/v2/enqueue',
  eu: 'https://events.eu.pagerduty.com/v2/enqueue',
};

export interface PagerDutyChannelOptions extends HttpOptions {
  /** A secret: it allows paging. It appears in no result and no error. */
  routingKey: string;
  region?: PagerDutySettings['region'];
  /** Events per run: PagerDuty limits events per minute. */
  atOnce?: number | undefined;
  /** The address for events; by default that of the region. */
  address?: string;
}

interface IncidentEvent {
  item: MessageItem;
  news: IncidentNews;
}

export async function open(
  { routing_key_secret, region, at_once: atOnce }: PagerDutySettings,
  { readSecret, ...deps }: ChannelDeps,
): Promise<Channel> {
  return createPagerDutyChannel({
    ...{ routingKey: await readSecret(routing_key_secret), region, atOnce },
    ...deps,
  });
}

/**
 * Sends each item as an event of the Events API v2 (https://developer.pagerduty.com/docs/events-api-v2-overview).
 * PagerDuty groups events into incidents by `dedup_key`. An event that PagerDuty finds invalid does not stop the
 * others; any other refusal does. Throws `ConfigError` for an invalid key.
 */
export function createPagerDutyChannel(options: PagerDutyChannelOptions): Channel {
  const { routingKey, region = 'us', atOnce = 20, clock, address = ADDRESSES[region] } = options;
  if (!/^[0-9A-Za-z]{32}$/.test(routingKey))
    throw new ConfigError('a PagerDuty routing key has 32 letters and digits; check its secret');

  const post = async ({ item, news }: IncidentEvent, signal: AbortSignal): Promise<Turn> => {
    const body = JSON.stringify({ routing_key: routingKey, ...pagerDutyEvent(item, news) });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await postTo('PagerDuty', address, { body, headers, signal }, options);
    if ('kind' in answer) return { sentKeys: [], refusal: answer };
    if (answer.status === 202) return { sentKeys: [item.key] };
    return { sentKeys: [], ...refusalOf(answer, clock.now()) };
  };

  return {
    async send({ items }) {
      const all = inOrder(items);
      const events = all.slice(0, atOnce);
      const quiet = items.filter((item) => !incidentNews(item)).map(({ key }) => key);
      const calls = events.map((event) => (signal: AbortSignal) => post(event, signal));
      const result = await sendInTurn(calls, clock);
      if (result.kind === 'refused')
        return {
          ...result,
          permanent: result.permanent && events.length === all.length,
          sentKeys: [...quiet, ...(result.sentKeys ?? [])],
        };
      if (events.length === all.length) return result;
      const left = new Set(all.slice(atOnce).map(({ item }) => item.key));
      const sentKeys = items.map(({ key }) => key).filter((key) => !left.has(key));
      return { ...refusedForNow(`${atOnce} events are sent at once; the rest follows`), sentKeys };
    },
  };
}

/**
 * Most severe incident first. Events of one incident keep their order, so that the pager ends in the last state. The
 * incident of a test is resolved at once.
 */
function inOrder(items: MessageItem[]): IncidentEvent[] {
  const events = items.flatMap((item) => {
    const news = incidentNews(item);
    if (!news) return [];
    const resolve: IncidentNews = { ...news, action: 'resolve' };
    return [{ item, news }, ...(item.transition === 'test' ? [{ item, news: resolve }] : [])];
  });
  return [...Map.groupBy(events, ({ news }) => news.key).values()].flatMap((ofOne) =>
    ofOne.toSorted((a, b) => a.item.at - b.item.at || a.item.turn - b.item.turn),
  );
}

function refusalOf(answer: HttpAnswer, now: number): Pick<Turn, 'refusal' | 'goesOn'> {
  const { status, body } = answer;
  if (status === 400 && !body.includes('routing_key'))
    return { refusal: refusedForGood(WRONG_EVENT), goesOn: true };
  if (status === 400) return { refusal: refusedForGood(WRONG_KEY) };
  if (status >= 400) return { refusal: refusalByStatus('PagerDuty', answer, now) };
  return { refusal: refusedForNow('something other than PagerDuty answered') };
}

const WRONG_EVENT = 'PagerDuty refused an event (400): the event is invalid, which is a bug in Deltawatch';
const WRONG_KEY = 'PagerDuty refused the routing key (400): check its secret';
