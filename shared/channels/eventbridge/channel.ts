import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import { callAws, inBatchesOf, isThrottled } from '../../aws/requests.ts';
import type { Channel } from '../../messages/channel.ts';
import type { MessageItem } from '../../messages/message.ts';
import type { Clock } from '../../runtime/clock.ts';
import { perRegion, refusalOfAws, regionOf } from '../aws.ts';
import type { ChannelDeps } from '../deps.ts';
import { publishedAlert } from '../published-alert.ts';
import { refusedForGood, refusedForNow } from '../refusals.ts';
import { sendInTurn, type Turn } from '../send-in-turn.ts';
import type { EventBridgeSettings } from './config.ts';

const SERVICE = 'EventBridge';
/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const ENTRIES_PER_CALL = 10;

const clients = perRegion((config) => new EventBridgeClient(config));

export async function open({ bus }: EventBridgeSettings, { clock }: ChannelDeps): Promise<Channel> {
  return createEventBridgeChannel(clients(regionOf(bus)), bus, clock);
}

/** Puts each item as an event with a `PublishedAlert` as `detail`. Events fail one by one; a refusal names the others. */
export function createEventBridgeChannel(
  client: Pick<EventBridgeClient, 'send'>,
  bus: string,
  clock: Clock,
): Channel {
  return {
    send: ({ items }) => {
      const calls = inBatchesOf(ENTRIES_PER_CALL, items).map((batch) => () => put(batch));
      return sendInTurn(calls, clock);
    },
  };

  async function put(batch: MessageItem[]): Promise<Turn> {
    const command = new PutEventsCommand({ Entries: batch.map((item) => entryOf(item, bus)) });
    try {
      const { Entries = [] } = await callAws(SERVICE, () => client.send(command));
      const codes = batch.map((_, i) => failureOf(Entries[i]));
      const sentKeys = batch.flatMap(({ key }, i) => (codes[i] === null ? [key] : []));
      const failed = codes.filter((code) => code !== null);
      const code = failed.find(mayPass) ?? failed[0];
      if (code === undefined) return { sentKeys };
      const reason = `EventBridge refused an event: ${code}`;
      return {
        sentKeys,
        refusal: mayPass(code) ? refusedForNow(reason) : refusedForGood(reason),
        goesOn: true,
      };
    } catch (error) {
      return { sentKeys: [], refusal: refusalOfAws(error) };
    }
  }
}

function entryOf(item: MessageItem, bus: string): PutEventsRequestEntry {
  return {
    EventBusName: bus,
    Source: 'deltawatch',
    DetailType: `Alert ${item.transition}`,
    Time: new Date(item.at),
    Detail: JSON.stringify(publishedAlert(item)),
  };
}

/** Why an entry was not accepted; `null` if it was. A response that omits an entry does not confirm it. */
function failureOf(entry: PutEventsResultEntry | undefined): string | null {
  return entry?.EventId ? null : (entry?.ErrorCode ?? 'InternalFailure');
}

function mayPass(code: string): boolean {
  return isThrottled(code) || code.startsWith('Internal') || code === 'ServiceUnavailable';
}
