import type { Receipt } from '../alerts/alert.ts';
import type { Channel, Refusal } from '../messages/channel.ts';
import type { MessageItem } from '../messages/message.ts';
import { type IncidentNews, incidentNews } from '../notifications/incident.ts';
import { ConfigError } from '../runtime/errors.ts';
import { type HttpOptions, postTo } from './http-post.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from './refusals.ts';
import { sendInTurn, type Turn } from './send-in-turn.ts';

export type PagerEvent = { item: MessageItem; news: IncidentNews };

type PagerOptions = HttpOptions & { atOnce?: number | undefined };

/** `receipt`: of the incident, for a pager that does not find it by its key. */
export type Delivered = Omit<Turn, 'sentKeys'> & { receipt?: Receipt };

/** A pager that accepts each event with 202. `credential`: what its secret is. */
interface PagerVendor {
  name: string;
  credential: string;
  headers?: Record<string, string>;
  /** `false`: the pager has no such event. */
  request(event: PagerEvent): { url: string; body: object } | false;
}

/** An event that the pager finds invalid does not stop the others; any other refusal does. */
export function postingPager({ name, credential, ...vendor }: PagerVendor, options: PagerOptions): Channel {
  const headers = { 'Content-Type': 'application/json', ...vendor.headers };
  return pagerChannel(async (event, signal) => {
    const request = vendor.request(event);
    if (!request) return {};
    const body = JSON.stringify(request.body);
    const answer = await postTo(name, request.url, { body, headers, signal }, options);
    if ('kind' in answer) return { refusal: answer };
    const { status } = answer;
    if (status === 202) return {};
    if (status < 400) return { refusal: refusedForNow(`something other than ${name} answered`) };
    if ([401, 403, 404].includes(status) || /routing_key|key format/i.test(answer.body))
      return { refusal: wrongCredential(name, credential, status) };
    const isInvalid = status === 400 || status === 422;
    const advice = isInvalid ? ': the event is invalid, which is a bug in Deltawatch' : '';
    return { refusal: refusalByStatus(name, { ...answer, advice }, options.clock.now()), goesOn: isInvalid };
  }, options);
}

export function wrongCredential(name: string, credential: string, status: number): Refusal {
  return refusedForGood(`${name} refused the ${credential} (${status}): check its secret`);
}

/** The secret, as a header can hold it. Throws `ConfigError`. */
export function headerValue(secret: string, holds: string): string {
  if (!/^\s*[!-~]+\s*$/.test(secret)) throw new ConfigError(`the ${holds} is not one word; check its secret`);
  return secret.trim();
}

/**
 * Sends each item that opens, acknowledges or ends an incident; other news counts as sent. The incident of a test is
 * resolved at once. Pagers limit events per minute: those after `atOnce` stay pending.
 */
export function pagerChannel(
  deliver: (event: PagerEvent, signal: AbortSignal) => Promise<Delivered>,
  { clock, atOnce = 20 }: PagerOptions,
): Channel {
  return {
    async send({ items }) {
      const receipts = new Map<string, Receipt>();
      const quiet = items.filter((item) => !incidentNews(item)).map(({ key }) => key);
      const calls = items
        .flatMap(eventsOf)
        .map((event, place) => async (signal: AbortSignal): Promise<Turn> => {
          const { receipt, ...turn }: Delivered =
            place < atOnce
              ? await deliver(event, signal)
              : { refusal: refusedForNow(`${atOnce} events are sent at once; the rest follows`) };
          if (receipt) receipts.set(event.item.key, receipt);
          return { ...turn, sentKeys: turn.refusal ? [] : [event.item.key] };
        });
      const sent = await sendInTurn([async () => ({ sentKeys: quiet }), ...calls], clock);
      return { ...sent, ...(receipts.size > 0 && { receipts }) };
    },
  };
}

function eventsOf(item: MessageItem): PagerEvent[] {
  const news = incidentNews(item);
  const actions =
    item.transition === 'test' ? (['trigger', 'resolve'] as const) : [news?.action ?? 'resolve'];
  return news ? actions.map((action) => ({ item, news: { ...news, action } })) : [];
}
